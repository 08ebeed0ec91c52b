"""Every page in English: what is compiled into it, what its loader gives, and what its handlers answer."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import reflex as rx
from reflex.compiler.compiler import compile_memo_components, compile_page
from reflex.istate.data import RouterData
from reflex_base.components.memo import MEMOS
from starlette.responses import PlainTextResponse

from backend.app import Shop
from backend.attention import AttentionKind, raise_attention
from backend.core.config.settings import Settings
from backend.core.error_texts import CHECKOUT, text_for
from backend.core.errors import NotFound, ShopError
from backend.customers.auth.sessions import COOKIE, open_session
from backend.customers.models import Customer
from backend.payment.providers.pse.banks import BankListUnavailable
from backend.payment.providers.pse.responses import PaymentRefused, RefusalReason
from backend.staff import sessions as staff_sessions
from backend.staff.models import Staff
from backend.staff.rights import Role
from storefront.documents.app import Documents
from storefront.documents.render_cache import RenderCache
from storefront.office.routes import OFFICE_PAGES, OfficePage
from storefront.office.state import OfficeScreen
from storefront.pages.account.state import AccountState
from storefront.pages.checkout.fields import LABELS
from storefront.pages.checkout.state import CheckoutState, ordered
from storefront.pages.checkout.views import Shipping
from storefront.pages.page_loader import PageParams
from storefront.pages.routes import NOT_FOUND, PAGES, Page, page_at
from storefront.state.cart import CartState
from storefront.storefront import app
from tests.checkout_steps import TYPED, choose_pickup
from tests.spanish import spanish_in
from tests.storefront.documents.conftest import SHELL, FakeRenderer, build
from tests.storefront.pages.test_account import ADDRESS

__all__ = ["build"]

FIELD_NAME = re.compile(r'"\w*": ')
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
NAME = re.compile(r"[\w/.#-]+")
"""A string of JavaScript, and one that is no text but a name or an address."""
OF_THE_SHOP = (
    *(
        str(value)
        for value in Settings(data_dir=Path("data")).model_dump().values()
        if isinstance(value, str)
    ),
)
"""Its name, its address and what else the shop says of itself."""


def said(value: Any) -> str:
    """Everything that a value holds, as text, without the names of its fields: those of addresses are Spanish."""
    return FIELD_NAME.sub("", json.dumps(value, default=_plain, ensure_ascii=False))


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return dict(value) if isinstance(value, Mapping) else str(value)


def kinds_of(kind: type[ShopError]) -> Iterator[type[ShopError]]:
    """An error's kind and all kinds of it."""
    yield kind
    for further in kind.__subclasses__():
        yield from kinds_of(further)


def shown(state: rx.State) -> str:
    """Everything that the browser gets of a state and of those above it."""
    return said(state._get_root_state().dict())


def spanish_in_code(code: str) -> list[str]:
    """The strings of JavaScript that are Spanish."""
    strings = [str(json.loads(found)) for found in STRING.findall(code)]
    assert strings
    return [text for text in strings if not NAME.fullmatch(text) and spanish_in(text, *OF_THE_SHOP)]


@pytest.mark.parametrize("page", [*PAGES, *OFFICE_PAGES], ids=lambda page: str(page.route))
def test_what_is_built_into_a_page(page: Page | OfficePage) -> None:
    assert spanish_in_code(compile_page("page", page.component())[1]) == []


def test_what_is_built_into_several_pages() -> None:
    for page in (*PAGES, *OFFICE_PAGES):
        page.component()  # which makes the parts that are kept apart
    files, _imports = compile_memo_components(MEMOS.values())
    assert len(files) > 2
    assert [text for _file, code in files for text in spanish_in_code(code)] == []


@pytest.mark.parametrize("wrap", app.app_wraps.values())
def test_what_is_around_every_page(wrap: Callable[[bool], rx.Component]) -> None:
    assert spanish_in_code(compile_page("page", wrap(False))[1]) == []


ADDRESSES = [
    *("/", "/?q=Robot", "/catalog", "/catalog?q=nothing", "/catalog?page=9", "/catalog?category=nothing"),
    *("/age/3-5", "/age/12+", "/age/nothing", "/brand/nothing", "/gift"),
    *("/product/robot", "/product/nothing", "/cart", "/checkout", "/wishlist", "/order/order_1?token=x"),
    *("/account", "/account/login", "/account/register", "/account/reset?token=x", "/nowhere"),
]


@pytest.mark.parametrize("address", ADDRESSES)
async def test_what_a_page_loads(shop: Shop, toy: str, address: str) -> None:
    params = PageParams.from_url(address)
    page = page_at(tuple(part for part in params.path.split("/") if part)) or NOT_FOUND
    try:
        data = await page.load(params)
    except NotFound:
        data = await NOT_FOUND.load(params)
    assert spanish_in(said(data), *OF_THE_SHOP) == []


@pytest.mark.parametrize("address", ADDRESSES)
async def test_what_a_document_says(shop: Shop, toy: str, build: Path, address: str) -> None:
    renders = RenderCache(FakeRenderer(), shop.settings, b"build", build)
    transport = httpx.ASGITransport(Documents(PlainTextResponse("reflex"), build, renders))
    async with httpx.AsyncClient(transport=transport, base_url=shop.settings.base_url) as browser:
        html = (await browser.get(address)).text
    assert "<title" in html
    assert spanish_in(html.replace(SHELL[:40], ""), *OF_THE_SHOP) == []


@pytest.fixture
async def cart(shop: Shop, toy: str, shopper: Callable[[], rx.State]) -> CartState:
    """A shopper's cart with a toy."""
    cart = await shopper().get_state(CartState)
    await cart.add(toy, 1)
    return cart


async def test_what_the_cart_answers(cart: CartState, toy: str) -> None:
    for units in (1, 90, 1):
        await cart.add(toy, units)
    await cart.add("variant_0", 1)
    await cart.add(toy, -7)
    await cart.load_cart()
    assert len(cart.cart.lines) == 1
    assert spanish_in(shown(cart), *OF_THE_SHOP) == []


async def test_what_the_checkout_answers(shop: Shop, cart: CartState) -> None:
    state = await cart.get_state(CheckoutState)
    await state.load()
    wrong = {**dict.fromkeys(TYPED, "x"), "person_type": "0"}
    heard = []
    for number, typed in enumerate(({}, TYPED, wrong, {**TYPED, "person_type": "1", "doc_number": "12"}), 1):
        await state.note(typed, [*LABELS], number)
        heard.append(shown(state))
        with pytest.raises(ShopError) as caught:
            await ordered(cart.cart_id, typed, Shipping("failed"), 1, "190.24.1.1")
        heard += [text_for(caught.value, CHECKOUT), said(caught.value.fields)]
    assert len(state.problems) > 0
    assert "Write your" in "".join(heard)
    assert spanish_in("".join(heard), *OF_THE_SHOP, *filter(None, TYPED.values())) == []


async def test_what_an_order_says(shop: Shop, cart: CartState) -> None:
    await choose_pickup(shop, cart.cart_id)
    placed = await shop.checkout.place_order(cart.cart_id, TYPED, expected_total=18_900, ip="190.24.1.1")
    page = page_at(("order", placed.order_id))
    assert page is not None
    data = await page.load(PageParams.from_url(f"/order/{placed.order_id}?token={placed.token}"))
    assert data.content.order is not None
    assert spanish_in(said(data), *OF_THE_SHOP, *filter(None, TYPED.values())) == []


@pytest.mark.parametrize("page", [page for page in OFFICE_PAGES if issubclass(page.state, OfficeScreen)])
async def test_what_a_screen_of_the_office_shows(
    shop: Shop, toy: str, shopper: Callable[[], rx.State], page: OfficePage
) -> None:
    del toy
    async with shop.database.transaction() as session:
        member = Staff(email="owner@trompo.example", password_hash="never used", role=Role.OWNER)
        session.add(member)
        await session.flush()
        token = await staff_sessions.open_session(
            session, member.id, staff_sessions.Browser("190.24.1.1"), has_second_factor=True
        )
        for kind in AttentionKind:
            await raise_attention(session, kind, subject_id=kind, message="It happened")
    root = shopper()
    root.router = RouterData.from_router_data(
        {"headers": {"cookie": f"{staff_sessions.COOKIE}={token}"}, "pathname": page.route}
    )
    screen: Any = await root.get_state(page.state)
    await page.state.event_handlers["load"].fn(screen)
    assert spanish_in(shown(screen), *OF_THE_SHOP) == []


def test_what_every_failure_of_a_payment_is_told_as() -> None:
    errors = [kind("x") for kind in kinds_of(ShopError) if kind.__init__ is ShopError.__init__]
    refusals = [PaymentRefused("x", reason) for reason in RefusalReason]
    assert len(errors) > 10
    told = [text_for(error, CHECKOUT) for error in (*errors, *refusals, BankListUnavailable())]
    assert spanish_in("\n".join(told), *OF_THE_SHOP) == []


async def test_what_the_account_answers(shop: Shop, shopper: Callable[[], rx.State]) -> None:
    async with shop.database.transaction() as session:
        customer = Customer(email="ana@example.com", first_name="Ana")
        session.add(customer)
        await session.flush()
        token = await open_session(session, customer.id)
    root = shopper()
    root.router = RouterData.from_router_data(
        {"headers": {"cookie": f"{COOKIE}={token}"}, "pathname": "/account"}
    )
    state = await root.get_state(AccountState)
    await state.load()
    heard = []
    for form in ({}, dict.fromkeys(ADDRESS, "x"), dict.fromkeys(ADDRESS, "x" * 300), ADDRESS):
        await state.save_profile(form)
        heard.append(shown(state))
        await state.save_address(form)
        heard.append(shown(state))
    await state.remove_address("caddr_0")
    await state.prefer_address("caddr_0")
    assert spanish_in("".join([*heard, shown(state)]), *OF_THE_SHOP, *ADDRESS.values()) == []
