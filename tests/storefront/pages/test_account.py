"""Tests of the account page's events: any browser may send them, with any argument and any cookie."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import reflex as rx
from reflex.event import Event
from reflex.istate.data import RouterData
from reflex.state import StateUpdate, state_snapshot_hashes
from reflex_base.event.context import EventContext

from backend.app import Shop
from backend.core.error_texts import ADDRESS_BOOK_FULL, ADDRESS_GONE
from backend.core.web.passwords import hash_password
from backend.customers.addresses import MAX_ADDRESSES, add_address, addresses_of
from backend.customers.auth.accounts import ShopperView, set_password
from backend.customers.auth.sessions import COOKIE, close_all, open_session
from backend.customers.models import Customer, Login
from backend.customers.saved_payers import KEEP_PAYER
from backend.legal.consents import ConsentContext, ConsentSource, consents_of_customer, give_consents
from backend.office_settings import save_settings
from backend.presses.service import Sending, handle_press
from backend.staff.rights import COMMAND_LINE
from backend.storefront_views import account_page
from storefront.pages.account.home import page
from storefront.pages.account.sign_in import SignInState
from storefront.pages.account.state import AccountState
from storefront.pages.catalog import CatalogState
from storefront.pages.checkout.state import CheckoutState
from storefront.reflex_ext.state_loss import HYDRATE
from storefront.state.cart import AddedProduct, CartState
from storefront.state.frame import SHOP_UNAVAILABLE, FrameState
from storefront.state.session import get_known_fields, get_session_token, get_shopper, remember_payer
from storefront.storefront import MIDDLEWARE, app
from tests.storefront.outage import without_database

HOME = {"first_name": "Ana", "address_1": "Calle 10 # 5-20", "metadata": {"dane_code": "76001000"}}
ADDRESS = {
    "first_name": "Ana",
    "last_name": "Gómez",
    "phone": "3001234567",
    "town": "Cali, Valle del Cauca",
    "address": "Calle 10 # 5-20",
    "suburb": "Centro",
}
Shopper = Callable[[], rx.State]


async def create_customer(shop: Shop, email: str) -> tuple[str, str, str]:
    """Create a customer with one address. Return the customer's id, a session token and the address's id."""
    async with shop.database.transaction() as session:
        customer = Customer(email=email, first_name="Ana")
        session.add(customer)
        await session.flush()
        entry = await add_address(session, customer.id, HOME)
        return customer.id, await open_session(session, customer.id), entry.id


async def open_browser(shopper: Shopper, cookie: str) -> AccountState:
    """Return the account state of a browser that sent this cookie in its handshake."""
    root = shopper()
    root.router = RouterData.from_router_data({"headers": {"cookie": cookie}, "pathname": "/account"})
    return await root.get_state(AccountState)


async def send(state: AccountState, event: str, *arguments: Any) -> Any:
    """Send an event as a browser does. Reflex passes the arguments by the names of the handler's parameters."""
    handler = getattr(AccountState, event).fn
    names = list(inspect.signature(handler).parameters)[1:]
    return await handler(state, **dict(zip(names, arguments, strict=False)))


def go_to(root: rx.State, cookie: str, path: str) -> None:
    """Move the browser of this state to a path, with this cookie in its websocket's handshake."""
    root.router = RouterData.from_router_data(
        {"headers": {"cookie": cookie}, "pathname": path, "asPath": path}
    )


async def preprocess(root: rx.State, event: Event) -> StateUpdate | None:
    """Pass the event through the app's middlewares. Return the first update that one returns, or None."""
    for middleware in MIDDLEWARE:
        if (update := await middleware.preprocess(app, root, event)) is not None:
            return update
    return None


async def hydrate(root: rx.State, *, is_document: bool = True) -> list[dict[str, Any]]:
    """Return the first messages that the server sends to a new document of this tab.

    Without `is_document`, they are the messages to a document that reconnects.
    """
    sent: list[dict[str, Any]] = []

    async def emit(_token: str, delta: dict[str, Any]) -> None:
        sent.append(delta)

    hashes = state_snapshot_hashes(type(root)(_reflex_internal_init=True).dict(initial=True))  # type: ignore[call-arg]
    payload: dict[str, Any] = {"vars": {}, **({"hashes": hashes} if is_document else {})}
    unused: Any = None
    with EventContext(token="ana", state_manager=unused, enqueue_impl=unused, emit_delta_impl=emit):  # type: ignore[arg-type]
        assert await preprocess(root, Event(name=HYDRATE, payload=payload)) is None
        await rx.State.event_handlers["hydrate_and_load"].fn(root, **payload)
    return sent


@pytest.mark.parametrize("is_document", [True, False])
@pytest.mark.parametrize("next_user", ["nobody", "luis"])
async def test_tab_receives_no_data_of_an_earlier_session(
    shop: Shop, shopper: Shopper, next_user: str, is_document: bool
) -> None:
    _, anas, _ = await create_customer(shop, "ana@example.com")
    _, luis, _ = await create_customer(shop, "luis@example.com")
    cookie = f"{COOKIE}={luis}" if next_user == "luis" else ""
    tab, new_tab = shopper(), shopper()
    go_to(tab, f"{COOKIE}={anas}", "/account")
    await hydrate(tab)
    await send(await tab.get_state(AccountState), "load")
    (await tab.get_state(CheckoutState)).draft = {"address": "Calle 10 # 5-20"}
    (await tab.get_state(CartState)).last_added = AddedProduct(1, "Trompo")
    for root in (tab, new_tab):
        go_to(root, cookie, "/")
    assert await hydrate(tab, is_document=is_document) == await hydrate(new_tab, is_document=is_document)
    assert (await tab.get_state(AccountState))._address == ""


async def test_account_data_stay_in_the_state_after_a_reload_or_reconnection(
    shop: Shop, shopper: Shopper
) -> None:
    _, token, address_id = await create_customer(shop, "ana@example.com")
    tab = shopper()
    go_to(tab, f"{COOKIE}={token}", "/account")
    await hydrate(tab)
    await send(await tab.get_state(AccountState), "load")
    for is_document in (True, False):
        await hydrate(tab, is_document=is_document)
        assert [entry.id for entry in (await tab.get_state(AccountState)).book] == [address_id]


async def test_state_of_a_public_page_is_kept_after_a_sign_in(shop: Shop, shopper: Shopper) -> None:
    _, token, _ = await create_customer(shop, "ana@example.com")
    tab = shopper()
    go_to(tab, "", "/catalog")
    await hydrate(tab)
    await (await tab.get_state(CatalogState)).load()
    go_to(tab, f"{COOKIE}={token}", "/catalog")
    await hydrate(tab)
    assert (await tab.get_state(CatalogState)).is_ready


async def test_account_event_sent_after_a_change_of_session_is_dropped(shop: Shop, shopper: Shopper) -> None:
    _, token, _ = await create_customer(shop, "ana@example.com")
    tab = shopper()
    go_to(tab, f"{COOKIE}={token}", "/account")
    await hydrate(tab)
    go_to(tab, "", "/account")
    unused: Any = None
    with EventContext(token="ana", state_manager=unused, enqueue_impl=unused):
        event = Event(name=f"{AccountState.get_full_name()}.load", payload={})
        assert await preprocess(tab, event) is not None  # the event is dropped, and the tab is reloaded


async def test_customer_sees_their_own_data(shop: Shop, shopper: Shopper) -> None:
    _, token, address_id = await create_customer(shop, "ana@example.com")
    state = await open_browser(shopper, f"other=1; {COOKIE}={token}")
    await send(state, "load")
    assert state.shopper.email == "ana@example.com"
    assert [entry.id for entry in state.book] == [address_id]
    assert token not in repr(state.dict())


@pytest.mark.parametrize("name", [f"__Host-{COOKIE}", COOKIE])
async def test_customer_is_recognized_by_both_https_cookies(shop: Shop, shopper: Shopper, name: str) -> None:
    """Test that the handshake may have the cookie's new name or, for 30 days, the old one."""
    _, token, _ = await create_customer(shop, "ana@example.com")
    shop.settings = shop.settings.model_copy(update={"public_url": "https://trompo.example"})
    state = await open_browser(shopper, f"other=1; {name}={token}")
    await send(state, "load")
    assert state.shopper.email == "ana@example.com"


@pytest.mark.parametrize(
    "cookie", ["", f"{COOKIE}=", f"{COOKIE}=forged", f"{COOKIE}={'x' * 5000}", "\x00;=;"]
)
async def test_forged_cookie_gives_no_access(shop: Shop, shopper: Shopper, cookie: str) -> None:
    customer_id, _, address_id = await create_customer(shop, "ana@example.com")
    state = await open_browser(shopper, cookie)
    for event, arguments in (
        ("load", ()),
        ("save_profile", ({"first_name": "Otra", "last_name": "Persona"},)),
        ("save_address", (ADDRESS,)),
        ("remove_address", (address_id,)),
        ("prefer_address", (address_id,)),
    ):
        assert await send(state, event, *arguments) is not None  # redirected to the sign-in page
        assert (state.shopper, state.orders, state.book) == (ShopperView(), [], [])
    async with shop.database.read() as session:
        assert len(await addresses_of(session, customer_id)) == 1
        assert (await session.get_one(Customer, customer_id)).first_name == "Ana"


async def test_address_of_another_customer_cannot_be_changed(shop: Shop, shopper: Shopper) -> None:
    victim, _, address_id = await create_customer(shop, "ana@example.com")
    _, token, own = await create_customer(shop, "mallory@example.com")
    state = await open_browser(shopper, f"{COOKIE}={token}")
    await send(state, "remove_address", address_id)
    await send(state, "prefer_address", address_id)
    await send(state, "remove_address", {"id": address_id})
    assert [entry.id for entry in state.book] == [own]
    async with shop.database.read() as session:
        assert [entry.id for entry in await addresses_of(session, victim)] == [address_id]


@pytest.mark.parametrize("event", ["remove_address", "prefer_address"])
async def test_changing_a_removed_address_shows_a_notice(shop: Shop, shopper: Shopper, event: str) -> None:
    _, token, address_id = await create_customer(shop, "ana@example.com")
    state = await open_browser(shopper, f"{COOKIE}={token}")
    await send(state, "remove_address", address_id)
    await send(state, event, address_id)  # a second click, or a click in another tab
    assert (await state.get_state(FrameState)).notice.text == ADDRESS_GONE
    assert state.book == []


@pytest.mark.parametrize("order_id", ["order_none", "", None])
async def test_buying_an_unknown_order_again_shows_a_problem(
    shop: Shop, shopper: Shopper, order_id: object
) -> None:
    _, token, _ = await create_customer(shop, "ana@example.com")
    state = await open_browser(shopper, f"{COOKIE}={token}")
    assert await send(state, "buy_again", order_id) is None
    assert state.answer.number > 0  # the button can be clicked again
    assert (await state.get_state(FrameState)).notice.tone == "problem"


async def test_session_ended_on_another_device_clears_the_account_page(shop: Shop, shopper: Shopper) -> None:
    customer_id, token, address_id = await create_customer(shop, "ana@example.com")
    state = await open_browser(shopper, f"{COOKIE}={token}")
    await send(state, "load")
    async with shop.database.transaction() as session:
        await close_all(session, customer_id)
    await send(state, "remove_address", address_id)
    assert (state.shopper, state.book) == (ShopperView(), [])
    async with shop.database.read() as session:
        assert len(await addresses_of(session, customer_id)) == 1


@pytest.mark.parametrize(
    "values", [None, 7, [], {"first_name": 7}, {"first_name": "x" * 301}, {str(n): "" for n in range(21)}]
)
async def test_invalid_account_form_changes_nothing(shop: Shop, shopper: Shopper, values: object) -> None:
    customer_id, token, _ = await create_customer(shop, "ana@example.com")
    state = await open_browser(shopper, f"{COOKIE}={token}")
    await send(state, "save_profile", values)
    await send(state, "save_address", values)
    assert not state.answer.is_good
    async with shop.database.read() as session:
        assert (await session.get_one(Customer, customer_id)).first_name == "Ana"
        assert len(await addresses_of(session, customer_id)) == 1


@pytest.mark.parametrize(
    ("event", "argument"),
    [
        ("save_profile", {"first_name": "Otra", "last_name": "Persona", "phone": ""}),
        ("save_address", ADDRESS),
        ("remove_address", ""),
        ("prefer_address", ""),
        ("withdraw_consent", "data"),
    ],
)
async def test_account_form_sent_during_an_outage_shows_a_notice(
    shop: Shop, shopper: Shopper, monkeypatch: pytest.MonkeyPatch, event: str, argument: Any
) -> None:
    _, token, address_id = await create_customer(shop, "ana@example.com")
    state = await open_browser(shopper, f"{COOKIE}={token}")
    await send(state, "load")
    known, number = state.shopper, state.answer.number
    with without_database(shop, monkeypatch):
        await send(state, event, argument or address_id)
    assert (await state.get_state(FrameState)).notice.text == SHOP_UNAVAILABLE
    assert state.answer.number > number
    assert (state.shopper, [entry.id for entry in state.book]) == (known, [address_id])


async def test_failed_account_page_can_be_loaded_again(
    shop: Shop, shopper: Shopper, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, token, _ = await create_customer(shop, "ana@example.com")
    state = await open_browser(shopper, f"{COOKIE}={token}")
    with without_database(shop, monkeypatch):
        assert await send(state, "load") is None
    assert (state.has_failed, state.shopper) == (True, ShopperView())
    assert (await state.get_state(FrameState)).notice.text == SHOP_UNAVAILABLE
    await send(state, "load")
    assert (state.has_failed, state.shopper.email) == (False, "ana@example.com")
    assert str(AccountState.has_failed) in str(page())


async def test_sign_in_page_loads_without_a_database(
    shop: Shop, shopper: Shopper, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = await (await open_browser(shopper, f"{COOKIE}=any")).get_state(SignInState)
    with without_database(shop, monkeypatch):
        assert await state.load() is None
    assert state.is_ready


async def test_address_is_saved_for_the_signed_in_customer(shop: Shop, shopper: Shopper) -> None:
    customer_id, token, _ = await create_customer(shop, "ana@example.com")
    state = await open_browser(shopper, f"{COOKIE}={token}")
    await send(state, "save_address", {**ADDRESS, "customer_id": "cus_other", "email": "x@example.com"})
    assert state.answer.is_good
    async with shop.database.read() as session:
        book = await account_page.list_address_views(session, customer_id)
    assert {entry.address for entry in book} == {"Calle 10 # 5-20"}
    assert len(book) == 2


async def test_repeated_address_is_saved_once(shop: Shop, shopper: Shopper) -> None:
    customer_id, token, _ = await create_customer(shop, "ana@example.com")
    state = await open_browser(shopper, f"{COOKIE}={token}")
    for _sending in range(2):
        before = state.answer.number
        with handle_press(Sending("save_address", "a" * 32)):
            await send(state, "save_address", ADDRESS)
        assert state.answer.is_good
        assert state.answer.number > before
    async with shop.database.read() as session:
        assert len(await addresses_of(session, customer_id)) == 2  # the new and the existing one


async def test_only_the_owner_changes_an_address(shop: Shop, shopper: Shopper) -> None:
    victim, owners, address_id = await create_customer(shop, "ana@example.com")
    _, mallorys, _ = await create_customer(shop, "mallory@example.com")
    mallory = await open_browser(shopper, f"{COOKIE}={mallorys}")
    await send(mallory, "save_address", {**ADDRESS, "id": address_id})
    assert (mallory.answer.is_good, mallory.answer.message) == (False, ADDRESS_GONE)
    await send(mallory, "save_address", {**ADDRESS, "id": "x" * 300})
    assert not mallory.answer.is_good
    async with shop.database.read() as session:
        assert [entry.address for entry in await addresses_of(session, victim)] == [HOME]
    ana = await open_browser(shopper, f"{COOKIE}={owners}")
    await send(ana, "save_address", {**ADDRESS, "id": address_id, "suburb": "San Antonio"})
    assert (ana.answer.is_good, ana.answer.form) == (True, f"address{address_id}")
    assert [(entry.id, entry.suburb) for entry in ana.book] == [(address_id, "San Antonio")]


async def test_all_problems_of_an_address_are_reported_together(shop: Shop, shopper: Shopper) -> None:
    _, token, _ = await create_customer(shop, "ana@example.com")
    state = await open_browser(shopper, f"{COOKIE}={token}")
    await send(state, "save_address", {"town": "Macondo, Magdalena", "first_name": "Ana"})
    assert set(state.answer.problems) == {"town", "last_name", "phone", "address", "suburb"}


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("Bogotá, D.C., Bogotá, D.C.", "11001000"),  # the spelling of the list
        ("bogota", "11001000"),
        ("Leticia", "91001000"),
        ("leticia, amazonas", "91001000"),
        ("Armenia, Quindío", "63001000"),
        ("Armenia", None),  # two municipalities have this name
        ("Medell", None),
        ("", None),
    ],
)
async def test_ambiguous_municipality_is_refused(
    shop: Shop, shopper: Shopper, typed: str, code: str | None
) -> None:
    _, token, address_id = await create_customer(shop, "ana@example.com")
    state = await open_browser(shopper, f"{COOKIE}={token}")
    await send(state, "save_address", {**ADDRESS, "id": address_id, "town": typed})
    assert state.answer.is_good is (code is not None)
    if code is None:
        assert set(state.answer.problems) == {"town"}
    else:
        assert state.book[0].dane_code == code


async def test_full_address_book_refuses_a_new_address(shop: Shop, shopper: Shopper) -> None:
    customer_id, token, _ = await create_customer(shop, "ana@example.com")
    async with shop.database.transaction() as session:
        for number in range(MAX_ADDRESSES - 1):
            await add_address(session, customer_id, {**HOME, "address_1": f"Calle {number} # 5-20"})
    state = await open_browser(shopper, f"{COOKIE}={token}")
    await send(state, "save_address", ADDRESS)
    assert (state.answer.is_good, state.answer.message) == (False, ADDRESS_BOOK_FULL)


async def test_customer_from_google_has_no_password(shop: Shop, shopper: Shopper) -> None:
    customer_id, token, _ = await create_customer(shop, "ana@example.com")
    async with shop.database.transaction() as session:  # an API client created a login without a customer
        session.add(Login(provider="emailpass", subject="ana@example.com", password_hash="x"))
    state = await open_browser(shopper, f"{COOKIE}={token}")
    await send(state, "load")
    assert state.has_password is False
    async with shop.database.transaction() as session:
        customer = await session.get_one(Customer, customer_id)
        await set_password(session, customer, await hash_password("trompos y yoyos"))
        token = await open_session(session, customer_id)
    state = await open_browser(shopper, f"{COOKIE}={token}")
    await send(state, "load")
    assert state.has_password


async def test_session_token_of_the_cookie_is_not_stored_in_the_state(shop: Shop, shopper: Shopper) -> None:
    _, token, _ = await create_customer(shop, "ana@example.com")
    state = await open_browser(shopper, f"{COOKIE}={token}")
    assert get_session_token(state) == token
    shown = await get_shopper(state)
    assert shown is not None
    assert token not in repr(shown)


@pytest.mark.parametrize(
    ("name", "is_valid"),
    [
        ("María José", True),
        ("O'Connor", True),
        ("Å", True),
        ("محمد", True),
        ("Ganaste\nhttps://evil.example", False),
        ("evil.example", False),
        ("Ana 2", False),
    ],
)
async def test_only_valid_names_are_saved(shop: Shop, shopper: Shopper, name: str, is_valid: bool) -> None:
    customer_id, token, _ = await create_customer(shop, "ana@example.com")
    state = await open_browser(shopper, f"{COOKIE}={token}")
    await send(state, "save_profile", {"first_name": name, "last_name": "Gómez"})
    assert state.answer.is_good is is_valid
    await send(state, "save_address", {**ADDRESS, "last_name": name})
    assert state.answer.is_good is is_valid
    async with shop.database.read() as session:
        book = await account_page.list_address_views(session, customer_id)
        assert (await session.get_one(Customer, customer_id)).first_name == (name if is_valid else "Ana")
    assert {entry.last_name for entry in book} == ({"", name} if is_valid else {""})


async def test_only_the_customer_withdraws_their_consent(shop: Shop, shopper: Shopper) -> None:
    customer_id, token, _ = await create_customer(shop, "ana@example.com")
    _, other, _ = await create_customer(shop, "luis@example.com")
    async with shop.database.transaction() as session:
        consenting = ConsentContext(shop.settings, "190.24.1.1", ConsentSource.REGISTER)
        await give_consents(session, consenting, customer_id=customer_id)
    assert "/account/login" in str(await send(await open_browser(shopper, ""), "withdraw_consent", "data"))
    await send(await open_browser(shopper, f"{COOKIE}={other}"), "withdraw_consent", "data")
    state = await open_browser(shopper, f"{COOKIE}={token}")
    for nonsense in ("terms", "soul", None, 7, ["data"]):
        await send(state, "withdraw_consent", nonsense)
    await send(state, "load")
    assert [(row.kind, row.can_withdraw) for row in state.consents] == [("data", True), ("terms", False)]
    await send(state, "withdraw_consent", "data")
    assert [row.can_withdraw for row in state.consents] == [False, False]
    assert state.consents[0].detail.startswith("Retirado el ")


async def test_customer_can_consent_to_marketing_only_if_the_shop_sends_reminders(
    shop: Shop, shopper: Shopper
) -> None:
    customer_id, token, _ = await create_customer(shop, "ana@example.com")
    state = await open_browser(shopper, f"{COOKIE}={token}")

    async def can_accept() -> bool:
        await send(state, "load")
        return state.can_accept_offers

    assert not await can_accept()
    async with shop.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, {"cart_reminders": "true"})
    assert await can_accept()
    assert "/account/login" in str(await send(await open_browser(shopper, ""), "accept_offers"))
    for _press in range(2):
        await send(state, "accept_offers")
        assert not await can_accept()
    async with shop.database.read() as session:
        (proof,) = await consents_of_customer(session, customer_id)
    assert (proof.kind, proof.source, proof.withdrawn_at) == ("marketing", "account", None)
    assert proof.text
    await send(state, "withdraw_consent", "marketing")
    assert await can_accept()


async def test_saved_payer_fills_the_next_form_until_the_customer_deletes_it(
    shop: Shop, shopper: Shopper
) -> None:
    _, token, _ = await create_customer(shop, "ana@example.com")
    _, other, _ = await create_customer(shop, "luis@example.com")
    typed = {"person_type": "0", "doc_type": "CC", "doc_number": "1020304050", "bank": "1007"}
    await remember_payer("forged", {**typed, KEEP_PAYER: "on"})
    await remember_payer(token, {**typed, KEEP_PAYER: "on"})
    anas, luis = [await open_browser(shopper, f"{COOKIE}={one}") for one in (token, other)]
    for state in (anas, luis):
        await send(state, "load")
    assert (anas.payer, luis.payer) == ("Cédula de ciudadanía ···050", "")
    assert typed["doc_number"] not in repr(anas.dict())
    assert {name: text for name, text in (await get_known_fields(anas))[0].items() if name in typed} == typed
    assert "doc_number" not in (await get_known_fields(luis))[0]
    await send(luis, "forget_payer")
    assert "/account/login" in str(await send(await open_browser(shopper, ""), "forget_payer"))
    await send(anas, "load")
    assert anas.payer != ""
    await send(anas, "forget_payer")
    assert anas.payer == ""
    assert "doc_number" not in (await get_known_fields(anas))[0]
