"""Every page in English: its compiled code, its loaded data, and its handlers' answers."""

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
from storefront.pages.checkout.state import CheckoutState, place_as_shown
from storefront.pages.checkout.views import Shipping
from storefront.pages.page_loader import PageParams
from storefront.pages.routes import NOT_FOUND, PAGES, Page, find_page
from storefront.state.cart import CartState
from storefront.storefront import app
from tests.checkout_steps import CHECKOUT_INPUT, choose_pickup
from tests.spanish import find_spanish
from tests.storefront.documents.conftest import SHELL, FakeRenderer, build
from tests.storefront.pages.test_account import ADDRESS
from tests.storefront.root_state import get_root_state

__all__ = ["build"]

FIELD_NAME = re.compile(r'"\w*": ')
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
NAME = re.compile(r"[\w/.#?=&-]+")
"""A JavaScript string that is a name or an address, not a text."""
SHOP_TEXTS = (
    *(
        str(value)
        for value in Settings(data_dir=Path("data")).model_dump().values()
        if isinstance(value, str)
    ),
)
"""The shop's name, address and other settings, which may be Spanish."""


def join_texts(value: Any) -> str:
    """Return all texts of a value as JSON, without field names: the field names of addresses are Spanish."""
    return FIELD_NAME.sub("", json.dumps(value, default=_to_plain, ensure_ascii=False))


def _to_plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return dict(value) if isinstance(value, Mapping) else str(value)


def list_error_classes(error_class: type[ShopError]) -> Iterator[type[ShopError]]:
    """Yield an error class and all its subclasses."""
    yield error_class
    for subclass in error_class.__subclasses__():
        yield from list_error_classes(subclass)


def join_state_texts(state: rx.State) -> str:
    """Return everything that the browser receives of a state and its parents."""
    return join_texts(get_root_state(state).dict())


def find_spanish_in_code(code: str) -> list[str]:
    """Return the Spanish strings in JavaScript code."""
    strings = [str(json.loads(found)) for found in STRING.findall(code)]
    assert strings
    return [text for text in strings if not NAME.fullmatch(text) and find_spanish(text, *SHOP_TEXTS)]


@pytest.mark.parametrize("page", [*PAGES, *OFFICE_PAGES], ids=lambda page: str(page.route))
def test_compiled_page_has_no_spanish(page: Page | OfficePage) -> None:
    assert find_spanish_in_code(compile_page("page", page.component())[1]) == []


def test_shared_components_have_no_spanish() -> None:
    for page in (*PAGES, *OFFICE_PAGES):
        page.component()  # creates the memoized components
    files, _imports = compile_memo_components(MEMOS.values())
    assert len(files) > 2
    assert [text for _file, code in files for text in find_spanish_in_code(code)] == []


@pytest.mark.parametrize("wrap", app.app_wraps.values())
def test_app_wrappers_have_no_spanish(wrap: Callable[[bool], rx.Component]) -> None:
    assert find_spanish_in_code(compile_page("page", wrap(False))[1]) == []


ADDRESSES = [
    *("/", "/?q=Robot", "/catalog", "/catalog?q=nothing", "/catalog?page=9", "/catalog?category=nothing"),
    *("/age/3-5", "/age/12+", "/age/nothing", "/brand/nothing", "/collection/nothing", "/gift"),
    *("/product/robot", "/product/nothing", "/cart", "/checkout", "/wishlist", "/order/order_1?token=x"),
    *(
        "/account",
        "/account/login",
        "/account/register",
        "/account/reset?token=x",
        "/account/open",
        "/nowhere",
    ),
]


@pytest.mark.parametrize("address", ADDRESSES)
async def test_loaded_page_data_has_no_spanish(shop: Shop, variant_id: str, address: str) -> None:
    params = PageParams.from_url(address)
    page = find_page(tuple(part for part in params.path.split("/") if part)) or NOT_FOUND
    try:
        data = await page.load(params)
    except NotFound:
        data = await NOT_FOUND.load(params)
    assert find_spanish(join_texts(data), *SHOP_TEXTS) == []


@pytest.mark.parametrize("address", ADDRESSES)
async def test_document_has_no_spanish(shop: Shop, variant_id: str, build: Path, address: str) -> None:
    renders = RenderCache(FakeRenderer(), shop.settings, b"build", build)
    transport = httpx.ASGITransport(Documents(PlainTextResponse("reflex"), build, renders))
    async with httpx.AsyncClient(transport=transport, base_url=shop.settings.base_url) as browser:
        html = (await browser.get(address)).text
    assert "<title" in html
    assert find_spanish(html.replace(SHELL[:40], ""), *SHOP_TEXTS) == []


@pytest.fixture
async def cart(shop: Shop, variant_id: str, shopper: Callable[[], rx.State]) -> CartState:
    """Create a shopper's cart with a product."""
    cart = await shopper().get_state(CartState)
    await cart.add(variant_id, 1)
    return cart


async def test_cart_answers_have_no_spanish(cart: CartState, variant_id: str) -> None:
    for units in (1, 90, 1):
        await cart.add(variant_id, units)
    await cart.add("variant_0", 1)
    await cart.add(variant_id, -7)
    await cart.load_cart()
    assert len(cart.cart.lines) == 1
    assert find_spanish(join_state_texts(cart), *SHOP_TEXTS) == []


async def test_checkout_answers_have_no_spanish(shop: Shop, cart: CartState) -> None:
    state = await cart.get_state(CheckoutState)
    await state.load()
    wrong = {**dict.fromkeys(CHECKOUT_INPUT, "x"), "person_type": "0"}
    texts = []
    for number, typed in enumerate(
        ({}, CHECKOUT_INPUT, wrong, {**CHECKOUT_INPUT, "person_type": "1", "doc_number": "12"}), 1
    ):
        await state.save_note(typed, [*LABELS], number)
        texts.append(join_state_texts(state))
        with pytest.raises(ShopError) as caught:
            await place_as_shown(cart.cart_id, typed, Shipping("failed"), 1, "190.24.1.1")
        texts += [text_for(caught.value, CHECKOUT), join_texts(caught.value.fields)]
    assert len(state.problems) > 0
    assert "Write your" in "".join(texts)
    assert find_spanish("".join(texts), *SHOP_TEXTS, *filter(None, CHECKOUT_INPUT.values())) == []


async def test_order_page_has_no_spanish(shop: Shop, cart: CartState) -> None:
    await choose_pickup(shop, cart.cart_id)
    placed = await shop.checkout.place_order(
        cart.cart_id, CHECKOUT_INPUT, expected_total=18_900, ip="190.24.1.1"
    )
    page = find_page(("order", placed.order_id))
    assert page is not None
    data = await page.load(PageParams.from_url(f"/order/{placed.order_id}?token={placed.token}"))
    assert data.content.order is not None
    assert find_spanish(join_texts(data), *SHOP_TEXTS, *filter(None, CHECKOUT_INPUT.values())) == []


@pytest.mark.parametrize("page", [page for page in OFFICE_PAGES if issubclass(page.state, OfficeScreen)])
async def test_office_screen_has_no_spanish(
    shop: Shop, variant_id: str, shopper: Callable[[], rx.State], page: OfficePage
) -> None:
    del variant_id
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
    assert find_spanish(join_state_texts(screen), *str(page.route).split("/"), *SHOP_TEXTS) == []


def test_payment_failure_messages_have_no_spanish() -> None:
    classes = list_error_classes(ShopError)
    errors = [error("x") for error in classes if error.__init__ is ShopError.__init__]
    refusals = [PaymentRefused("x", reason) for reason in RefusalReason]
    assert len(errors) > 10
    messages = [text_for(error, CHECKOUT) for error in (*errors, *refusals, BankListUnavailable())]
    assert find_spanish("\n".join(messages), *SHOP_TEXTS) == []


async def test_account_answers_have_no_spanish(shop: Shop, shopper: Callable[[], rx.State]) -> None:
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
    texts = []
    for form in ({}, dict.fromkeys(ADDRESS, "x"), dict.fromkeys(ADDRESS, "x" * 300), ADDRESS):
        await state.save_profile(form)
        texts.append(join_state_texts(state))
        await state.save_address(form)
        texts.append(join_state_texts(state))
    await state.remove_address("caddr_0")
    await state.prefer_address("caddr_0")
    assert find_spanish("".join([*texts, join_state_texts(state)]), *SHOP_TEXTS, *ADDRESS.values()) == []
