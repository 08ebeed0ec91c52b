"""Tests of the checkout's handlers: typed values are saved and restored, and never shown to another customer."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, NoReturn

import pytest
import reflex as rx
from reflex.istate.data import RouterData
from sqlalchemy import func, select, update

from backend.app import Shop
from backend.cart.checkout_drafts import read_draft, save_draft
from backend.cart.lines import add_to_cart, change_line
from backend.cart.owners import set_owner
from backend.cart.views import read_cart_view
from backend.catalog.models import Variant
from backend.checkout.form import PAYMENT_PROVIDER
from backend.checkout.payment.paid_purchases import PurchasePaid
from backend.checkout.payment.start import PaymentOff
from backend.checkout.quotes import quote_limits
from backend.checkout.service import Checkout
from backend.checkout.shipping_options import ShippingOffer
from backend.core.clock import now
from backend.core.config.modules import GATEWAY_PSE, MANUAL
from backend.core.dates import day_name
from backend.core.db.database import db_now
from backend.core.error_texts import CHECKOUT, text_for
from backend.core.errors import InvalidData, NotAllowed, NotFound, TotalChanged
from backend.customers.auth.sessions import COOKIE, open_session
from backend.customers.models import Customer
from backend.office.settings.page import switch_shop_provider
from backend.orders.models import Order
from backend.orders.service import JUST_PLACED
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.shipping.provider_switches import ProviderSwitchedOff
from backend.staff.rights import COMMAND_LINE
from storefront.live.refresh import update_state
from storefront.pages.checkout import state as checkout_state
from storefront.pages.checkout.error_texts import CHECKOUT_UNAVAILABLE, get_result_kind
from storefront.pages.checkout.state import CheckoutState, place_as_shown
from storefront.pages.checkout.views import Shipping, shipping_card
from storefront.state.cart import CartState, refresh_cart
from storefront.state.frame import SHOP_UNAVAILABLE as SHOP_COMING_BACK
from storefront.state.frame import FrameState
from storefront.state.session import set_cart_owner
from tests.amounts import cop
from tests.backend.orders.paying import report_payment
from tests.checkout_steps import CHECKOUT_INPUT as TYPED_ANYWHERE
from tests.checkout_steps import MEDELLIN, choose_pickup
from tests.store_defaults import Defaults, add_product
from tests.storefront.background import InBackground
from tests.storefront.outage import without_database
from tests.storefront.root_state import get_root_state
from tests.transfer_provider import FROM_BANK, NO_BANK, TRANSFER, add_transfer

Shopper = Callable[[], rx.State]
TYPED = {**TYPED_ANYWHERE, "town": "Medellín, Antioquia"}


@pytest.fixture
async def variant_id(shop: Shop, defaults: Defaults) -> str:
    """Return the variant of a product with five units."""
    async with shop.database.transaction() as session:
        return await add_product(session, defaults, "trompo", stock=5, price=18_900)


@pytest.fixture
async def state(shopper: Shopper, variant_id: str) -> CheckoutState:
    """Return the checkout of a browser with one product in the cart."""
    root = shopper()
    cart = await root.get_state(CartState)
    await cart.add(variant_id, 1)
    state = await root.get_state(CheckoutState)
    await state.load()
    return state


async def _place_order(shop: Shop, state: CheckoutState) -> str:
    """Place the order of the browser's cart and return the path of its page."""
    cart_id = (await state.get_state(CartState)).cart_id
    await choose_pickup(shop, cart_id)
    placed = await shop.checkout.place_order(cart_id, TYPED, expected_total=18_900, ip="190.24.1.1")
    state.last_order = json.dumps({"id": placed.order_id, "token": placed.token})
    return f"/order/{placed.order_id}?token={placed.token}"


async def test_checkout_without_a_cart_is_empty(shopper: Shopper, variant_id: str) -> None:
    state = await shopper().get_state(CheckoutState)
    assert state.stage == "waiting"
    assert await state.load() == []
    assert (state.stage, state.last_order_view.page) == ("empty", "")


async def test_new_checkout_form_has_only_the_initial_values(state: CheckoutState) -> None:
    assert state.stage == "open"
    assert state.draft == {"person_type": "0", "doc_type": "CC"}
    assert state.meta.robots.startswith("noindex")


async def test_typed_values_are_restored_in_another_connection(
    shopper: Shopper, state: CheckoutState
) -> None:
    await state.save_note({**TYPED, "email": "ana@"}, ["email"], 7)
    assert state.noted == 7
    root = shopper()
    (await root.get_state(CartState)).cart_id = (await state.get_state(CartState)).cart_id
    again = await root.get_state(CheckoutState)
    events = await again.load()
    assert again.draft == {**TYPED, "email": "ana@"}
    assert len(events) == 2  # the banks, and the shipping prices for the known address


async def test_problems_are_shown_only_for_fields_that_the_shopper_has_reached(state: CheckoutState) -> None:
    await state.save_note({"email": "ana@", "phone": "12"}, ["email"], 1)
    assert set(state.problems) == {"email"}
    await state.save_note({"email": "ana@example.com", "phone": "12"}, ["email", "phone"], 2)
    assert set(state.problems) == {"phone"}


async def test_typed_values_are_merged_with_the_draft_without_replacing_newer_ones(
    state: CheckoutState,
) -> None:
    """Save input without the earlier values, as a page with an older draft does: the draft keeps them."""
    await state.save_note(TYPED, [], 1)
    await state.save_note({}, ["email"], 2)
    await state.save_note({"phone": "12"}, ["email", "phone"], 3)
    assert set(state.problems) == {"phone"}
    await state.load()
    assert state.draft == {**TYPED, "phone": "12"}


async def test_checkout_step_is_done_when_none_of_its_fields_is_missing(state: CheckoutState) -> None:
    await state.save_note({**TYPED, "bank": ""}, [], 1)
    assert state.steps_done == ["contact"]
    await state.save_note(TYPED, [], 2)
    assert state.steps_done == ["contact", "payment"]


@pytest.mark.parametrize(
    "sent", [({"email": "x" * 301}, [], 1), ("email", [], 1), (TYPED, [], "1"), (TYPED, [], -1)]
)
async def test_invalid_typed_values_change_nothing(shop: Shop, state: CheckoutState, sent: Any) -> None:
    await state.save_note(*sent)
    assert (state.problems, state.noted) == ({}, 0)
    assert (await state.get_state(FrameState)).notice.tone == "problem"


async def test_municipality_is_found_without_accents(state: CheckoutState) -> None:
    await state.find_town(" medell ")
    assert state.towns_for == "medell"
    town = state.towns[0]
    assert (town.value, town.name, town.department, town.label) == (
        MEDELLIN,
        "Medellín",
        "Antioquia",
        "Medellín, Antioquia",
    )


async def test_checkout_finds_the_order_whose_payment_is_pending_at_the_bank(
    shop: Shop, state: CheckoutState
) -> None:
    page = await _place_order(shop, state)
    await state.load()
    assert state.stage == "placed"
    assert state.last_order_view.page == page
    assert "/sandbox/gateway/bank/" in state.last_order_view.bank_url
    assert (await state.get_state(CartState)).cart_id == ""


async def test_two_tabs_of_a_cart_place_one_order_and_lead_to_the_same_bank_page(
    shop: Shop, state: CheckoutState
) -> None:
    """Test a duplicated tab: both have the cart and the typed values, and the shopper pays in both."""
    cart_id = (await state.get_state(CartState)).cart_id
    shown = _ready_shipping(await choose_pickup(shop, cart_id))
    first, second = [
        await place_as_shown(cart_id, TYPED, shown, 18_900, "190.24.1.1", device=device)
        for device in ("tab", "copy")
    ]
    assert (first.order_id, first.token, first.redirect_url) == (
        second.order_id,
        second.token,
        second.redirect_url,
    )
    async with shop.database.read() as session:
        for model in (Order, PaymentSession):
            assert (await session.execute(select(func.count()).select_from(model))).scalar_one() == 1


async def test_order_is_found_by_its_cart_after_the_answer_to_placing_it_was_lost(
    shop: Shop, shopper: Shopper, state: CheckoutState
) -> None:
    """Test a lost answer: a browser that knows only the cart's id finds the order that the cart became."""
    cart_id = (await state.get_state(CartState)).cart_id
    await _place_order(shop, state)
    root = shopper()
    (await root.get_state(CartState)).cart_id = cart_id
    again = await root.get_state(CheckoutState)
    await again.load()
    assert again.stage == "placed"
    assert again.last_order_view.bank_url
    assert (await again.get_state(CartState)).cart_id == ""


async def test_order_is_found_by_a_cart_id_that_the_browser_has_just_removed(
    shop: Shop, shopper: Shopper, state: CheckoutState
) -> None:
    """Let a refresh remove the ordered cart from the browser, and the connection break before the answer."""
    page = await _place_order(shop, state)
    cart = await state.get_state(CartState)
    await refresh_cart(cart)
    root = shopper()
    (await root.get_state(CartState)).forgotten_cart_id = cart.forgotten_cart_id
    again = await root.get_state(CheckoutState)
    await again.load()
    assert (again.stage, again.last_order_view.page, cart.cart_id) == ("placed", page, "")


async def test_text_typed_after_the_order_was_placed_shows_the_placed_order(
    shop: Shop, state: CheckoutState
) -> None:
    await _place_order(shop, state)
    await state.save_note(TYPED, [], 3)
    assert state.stage == "placed"


async def test_text_typed_after_the_cart_was_removed_shows_the_placed_order(
    shop: Shop, state: CheckoutState
) -> None:
    """Save typed text after a refresh has removed the ordered cart: the page shows the order nevertheless."""
    page = await _place_order(shop, state)
    state.last_order = ""
    await refresh_cart(await state.get_state(CartState))
    await state.save_note(TYPED, [], 3)
    assert (state.stage, state.last_order_view.page) == ("placed", page)


async def test_typing_after_an_order_of_another_tab_does_not_change_the_new_cart(
    shop: Shop, state: CheckoutState, variant_id: str
) -> None:
    await _place_order(shop, state)
    cart = await state.get_state(CartState)
    await cart.add(variant_id, 1)
    begun = cart.cart_id
    await state.save_note(TYPED, [], 3)
    assert (state.stage, cart.cart_id) == ("open", begun)


@asynccontextmanager
async def order_in_progress(state: CheckoutState, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Start placing the page's order, and hold the attempt in the block. When the block ends, it is refused."""
    has_begun, may_end = asyncio.Event(), asyncio.Event()

    async def wait(*_arguments: object) -> NoReturn:
        has_begun.set()
        await may_end.wait()
        raise NotAllowed("The order was held")

    async def place_order() -> None:
        handler: Any = CheckoutState.event_handlers["place_order"].fn
        async for _event in handler(InBackground(state), TYPED, 18_900):
            pass

    with monkeypatch.context() as patch:
        patch.setattr(checkout_state, "set_cart_owner", wait)
        placing = asyncio.create_task(place_order())
        await has_begun.wait()
        yield
        may_end.set()
        await placing


async def test_typing_does_not_close_the_form_while_its_order_is_being_placed(
    shop: Shop, state: CheckoutState, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that the form stays open, because it must lead to the bank when the order has been placed."""
    await _place_order(shop, state)
    async with order_in_progress(state, monkeypatch):
        await state.save_note(TYPED, [], 3)
        assert state.stage == "open"


@pytest.mark.parametrize(
    "stored",
    ["", "{", "[]", '{"id": 1}', '{"id": "order_1"}', '{"id": "order_1", "token": "forged"}', "9" * 9],
)
async def test_forged_link_to_the_latest_order_is_ignored(
    shopper: Shopper, variant_id: str, stored: str
) -> None:
    state = await shopper().get_state(CheckoutState)
    state.last_order = stored
    await state.load()
    assert (state.stage, state.last_order_view.page) == ("empty", "")


async def test_checkout_shows_a_new_cart_instead_of_an_old_order(
    shop: Shop, state: CheckoutState, variant_id: str
) -> None:
    await _place_order(shop, state)
    await (await state.get_state(CartState)).add(variant_id, 1)
    await state.load()
    assert state.stage == "open"


async def test_cart_changed_by_another_tab_is_shown(
    shop: Shop, state: CheckoutState, variant_id: str
) -> None:
    cart = await state.get_state(CartState)
    async with shop.database.transaction() as session:
        await add_to_cart(session, cart.cart_id, variant_id, 1)
    assert await state.follow_cart() is None
    assert (state.stage, cart.cart.count) == ("open", 2)


async def test_shipping_is_priced_again_after_another_tab_changed_the_cart(
    shop: Shop, state: CheckoutState, variant_id: str
) -> None:
    cart = await state.get_state(CartState)
    pickup = await choose_pickup(shop, cart.cart_id)
    state.shipping = Shipping("ready", MEDELLIN, [], pickup)
    assert await state.follow_cart() is None  # nothing changed
    async with shop.database.transaction() as session:
        await add_to_cart(session, cart.cart_id, variant_id, 1)
    event = await state.follow_cart()
    assert [str(value) for _name, value in event.args] == [f'"{MEDELLIN}"', '""', f'"{pickup}"']


async def test_shipping_price_that_failed_in_an_outage_can_be_requested_again(
    shop: Shop, state: CheckoutState, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ship = CheckoutState.event_handlers["price_shipping"].fn
    with without_database(shop, monkeypatch):
        await ship(InBackground(state), MEDELLIN, "Carrera 43A # 1-50", "")
    assert (state.shipping.status, state.shipping.problem) == ("failed", SHOP_COMING_BACK)
    assert [one for one in caplog.records if one.name == "storefront.pages.checkout.state"] == []
    await ship(InBackground(state), MEDELLIN, "Carrera 43A # 1-50", "")
    assert (state.shipping.status, state.shipping.problem) == ("ready", "")


async def test_too_many_quotations_show_a_problem_and_retain_the_draft(
    state: CheckoutState, monkeypatch: pytest.MonkeyPatch
) -> None:
    ship = CheckoutState.event_handlers["price_shipping"].fn
    await state.save_note(TYPED, [], 1)
    with monkeypatch.context() as asked_often:
        asked_often.setattr(quote_limits, "QUOTATIONS", replace(quote_limits.QUOTATIONS, per_pair=0))
        await ship(InBackground(state), MEDELLIN, "Carrera 43A # 1-50", "")
    assert state.shipping.status == "failed"
    assert state.shipping.problem.startswith("Desde tu conexión se han pedido muchos precios de envío.")
    await ship(InBackground(state), MEDELLIN, "Carrera 43A # 1-50", "")
    assert (state.shipping.status, state.shipping.problem) == ("ready", "")
    await state.load()
    assert state.draft == TYPED


async def test_order_that_failed_in_an_outage_can_be_placed_again(
    shop: Shop, state: CheckoutState, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = CheckoutState.event_handlers["place_order"].fn
    root: Any = get_root_state(state)
    root.router = RouterData.from_router_data({"ip": "190.24.1.1", "pathname": "/checkout"})
    state.shipping = Shipping(chosen=await choose_pickup(shop, (await state.get_state(CartState)).cart_id))
    with without_database(shop, monkeypatch):
        assert [event async for event in place(InBackground(state), TYPED, 18_900)] == []
    assert (state.answer.kind, state.answer.text) == ("failed", CHECKOUT_UNAVAILABLE)
    assert [event async for event in place(InBackground(state), TYPED, 18_900)] == []
    assert state.answer.kind == "placed", state.answer


async def test_order_with_a_later_delivery_day_is_placed_only_after_the_shopper_saw_it(
    shop: Shop, state: CheckoutState
) -> None:
    ship, place = (CheckoutState.event_handlers[name].fn for name in ("price_shipping", "place_order"))
    root: Any = get_root_state(state)
    root.router = RouterData.from_router_data({"ip": "190.24.1.1", "pathname": "/checkout"})
    await ship(InBackground(state), MEDELLIN, "Carrera 43A # 1-50", "")
    home = state.shipping.choices[0]
    total = (await state.get_state(CartState)).cart.total
    assert home.id == state.shipping.chosen
    seen = date.fromisoformat(home.day) - timedelta(days=1)
    events = [event async for event in place(InBackground(state), TYPED, total, seen.isoformat())]
    assert (state.answer.kind, events) == ("day", [])
    assert state.shipping.choices[0].day == home.day
    assert f"antes era el {day_name(seen)} y ahora es el " in state.answer.text
    changed = [event async for event in place(InBackground(state), TYPED, total - 1, seen.isoformat())]
    assert (state.answer.kind, changed) == ("total", [])
    assert f"antes era el {day_name(seen)} y ahora es el " in state.answer.text
    for malformed in ("tomorrow", 20261210):
        assert [event async for event in place(InBackground(state), TYPED, total, malformed)] == []
        assert state.answer.kind == "failed"
    assert [event async for event in place(InBackground(state), TYPED, total, home.day)] == []
    assert state.answer.kind == "placed", state.answer


@pytest.mark.parametrize("price", [60_000, 250_000])
async def test_changed_total_shown_after_an_order_click_includes_the_new_shipping_price(
    shop: Shop, state: CheckoutState, variant_id: str, price: int
) -> None:
    """Test that the answer's total has the new shipping price, so that the shopper is not asked twice."""
    ship, place = (CheckoutState.event_handlers[name].fn for name in ("price_shipping", "place_order"))
    root: Any = get_root_state(state)
    root.router = RouterData.from_router_data({"ip": "190.24.1.1", "pathname": "/checkout"})
    await ship(InBackground(state), MEDELLIN, "Carrera 43A # 1-50", "")
    cart = await state.get_state(CartState)
    shipping = cart.cart.shipping_total
    async with shop.database.transaction() as session:
        await session.execute(update(Variant).where(Variant.id == variant_id).values(price=price))
    assert [event async for event in place(InBackground(state), TYPED, cart.cart.total)] == []
    assert state.answer.kind == "total"
    assert f"ahora es {cart.cart.total_label}." in state.answer.text
    assert cart.cart.shipping_total != shipping
    assert [event async for event in place(InBackground(state), TYPED, cart.cart.total)] == []
    assert state.answer.kind == "placed", state.answer


@pytest.fixture
async def priced(state: CheckoutState) -> CheckoutState:
    """Return the checkout with the shipping to an address priced."""
    root: Any = get_root_state(state)
    root.router = RouterData.from_router_data({"ip": "190.24.1.1", "pathname": "/checkout"})
    await CheckoutState.event_handlers["price_shipping"].fn(
        InBackground(state), MEDELLIN, "Carrera 43A # 1-50", ""
    )
    return state


async def _press_pay(state: CheckoutState, total: int) -> tuple[str, str]:
    place = CheckoutState.event_handlers["place_order"].fn
    assert [event async for event in place(InBackground(state), TYPED, total)] == []
    return state.answer.kind, state.answer.text


async def test_shipping_chosen_on_another_device_is_replaced_by_the_displayed_one(
    shop: Shop, priced: CheckoutState
) -> None:
    cart = await priced.get_state(CartState)
    total, chosen = cart.cart.total, priced.shipping.chosen
    await choose_pickup(shop, cart.cart_id)
    assert await _press_pay(priced, total) == ("total", text_for(TotalChanged("x"), CHECKOUT))
    assert (cart.cart.total, priced.shipping.chosen) == (total, chosen)
    assert (await _press_pay(priced, total))[0] == "placed"


async def test_no_new_total_is_named_while_the_shipping_has_no_price(
    shop: Shop, priced: CheckoutState, monkeypatch: pytest.MonkeyPatch
) -> None:
    total = (await priced.get_state(CartState)).cart.total
    with monkeypatch.context() as broken:
        broken.setattr(Checkout, "offer_shipping", _refuse_to_price)
        assert await _press_pay(priced, total + 1) == ("total", text_for(TotalChanged("x"), CHECKOUT))
    assert (priced.shipping.status, priced.shipping.chosen) == ("failed", "")
    assert (await _press_pay(priced, total))[0] == "placed"


async def test_order_can_be_placed_after_its_changes_could_not_be_described(
    shop: Shop, priced: CheckoutState, monkeypatch: pytest.MonkeyPatch
) -> None:
    total = (await priced.get_state(CartState)).cart.total
    with monkeypatch.context() as broken:
        broken.setattr(checkout_state, "read_cart_view", _refuse_to_price)
        assert await _press_pay(priced, total + 1) == ("total", text_for(TotalChanged("x"), CHECKOUT))
    assert (await _press_pay(priced, total))[0] == "placed"


async def _refuse_to_price(*_arguments: Any, **_more: Any) -> NoReturn:
    raise RuntimeError


async def test_second_payment_of_a_paid_cart_shows_a_notice_on_the_empty_checkout(
    shop: Shop, state: CheckoutState
) -> None:
    """Cancel a payment, let the bank approve it nevertheless, and pay the same cart again.

    The form disappears with the cart's lines, so a notice shows the reason.
    """
    change_bank, place = (CheckoutState.event_handlers[name].fn for name in ("change_bank", "place_order"))
    root: Any = get_root_state(state)
    root.router = RouterData.from_router_data({"ip": "190.24.1.1", "pathname": "/checkout"})
    cart = await state.get_state(CartState)
    await _place_order(shop, state)
    assert [event async for event in change_bank(InBackground(state))] == [CheckoutState.load]
    await state.load()
    async with shop.database.read() as session:
        given_up = (await session.execute(select(PaymentSession.id))).scalar_one()
    await report_payment(shop, given_up, ProviderState.CAPTURED)
    state.shipping = Shipping(chosen=await choose_pickup(shop, cart.cart_id))
    assert [event async for event in place(InBackground(state), TYPED, 18_900)] == [CheckoutState.load]
    await state.load()
    assert (state.stage, cart.cart.count) == ("empty", 0)
    assert (await state.get_state(FrameState)).notice.text == text_for(PurchasePaid(), CHECKOUT)


async def test_outage_while_loading_banks_shows_a_problem(
    shop: Shop, state: CheckoutState, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_banks = CheckoutState.event_handlers["load_banks"].fn
    with without_database(shop, monkeypatch):
        await load_banks(InBackground(state))
    assert (state.banks, state.banks_problem, state.is_payable) == ([], SHOP_COMING_BACK, True)
    await load_banks(InBackground(state))
    assert state.banks
    assert state.banks_problem == ""


async def test_cart_emptied_in_another_tab_shows_the_empty_checkout(shop: Shop, state: CheckoutState) -> None:
    cart = await state.get_state(CartState)
    async with shop.database.transaction() as session:
        await change_line(session, cart.cart_id, cart.cart.lines[0].id, 0)
    assert await state.follow_cart() == []
    assert (state.stage, state.last_order_view.page) == ("empty", "")


async def test_cart_ordered_by_another_tab_shows_its_order(shop: Shop, state: CheckoutState) -> None:
    """Test that the order is found although this page has neither the cart's id nor a link to the order."""
    page = await _place_order(shop, state)
    state.last_order = ""
    (await state.get_state(CartState)).cart_id = ""
    assert await state.follow_cart() == []
    assert (state.stage, state.last_order_view.page) == ("placed", page)
    assert "/sandbox/gateway/bank/" in state.last_order_view.bank_url


async def test_new_cart_after_the_order_of_another_tab_opens_the_form(
    shop: Shop, state: CheckoutState, variant_id: str
) -> None:
    await _place_order(shop, state)
    cart = await state.get_state(CartState)
    await cart.add(variant_id, 2)
    assert await state.follow_cart() == [CheckoutState.load_banks]
    assert (state.stage, cart.cart.count) == ("open", 2)
    await state.save_note(TYPED, [], 3)
    assert (await _read_draft(shop, cart.cart_id))["phone"] == TYPED["phone"]


async def test_form_stays_open_while_its_order_is_being_placed(
    shop: Shop, state: CheckoutState, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _place_order(shop, state)
    async with order_in_progress(state, monkeypatch):
        assert await state.follow_cart() is None
        assert state.stage == "open"


async def test_order_is_refused_if_shipping_priced_again_changes_the_displayed_total(
    shop: Shop, state: CheckoutState, variant_id: str
) -> None:
    """Test that the order is placed only for the displayed total, and only if shipping was displayed."""
    cart_id = (await state.get_state(CartState)).cart_id
    pickup = await choose_pickup(shop, cart_id)
    async with shop.database.transaction() as session:
        await add_to_cart(session, cart_id, variant_id, 1)
    with pytest.raises(InvalidData) as refusal:
        await place_as_shown(cart_id, TYPED, Shipping("failed"), 18_900, "190.24.1.1")
    assert set(refusal.value.fields) == {"shipping"}
    with pytest.raises(TotalChanged):
        await place_as_shown(cart_id, TYPED, _ready_shipping(pickup), 18_900, "190.24.1.1")
    async with shop.database.transaction() as session:
        assert (await read_cart_view(session, cart_id)).total_label == cop("$ 37.800")
    assert (await place_as_shown(cart_id, TYPED, _ready_shipping(pickup), 37_800, "190.24.1.1")).number > 0


def _ready_shipping(option_id: str) -> Shipping:
    """Return priced shipping with this option chosen."""
    return Shipping("ready", MEDELLIN, chosen=option_id)


async def test_order_can_be_placed_before_a_new_connection_has_loaded_the_shipping(
    shop: Shop, state: CheckoutState, variant_id: str
) -> None:
    """Place the order while the page shows no shipping: the chosen option is selected and priced again."""
    cart_id = (await state.get_state(CartState)).cart_id
    pickup = await choose_pickup(shop, cart_id)
    async with shop.database.transaction() as session:
        await add_to_cart(session, cart_id, variant_id, 1)
    chosen = {**TYPED, "shipping_option": pickup}
    for shown in (Shipping(), Shipping("quoting", chosen="")):
        with pytest.raises(TotalChanged):
            await place_as_shown(cart_id, chosen, shown, 18_900, "190.24.1.1")
        await shop.checkout.set_town(cart_id, "11001000")
    assert (await place_as_shown(cart_id, chosen, Shipping(), 37_800, "190.24.1.1")).number > 0


async def test_shipping_price_is_requested_again_if_the_address_changes_during_an_order(
    shop: Shop, state: CheckoutState, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Change the address while the order requests its shipping price: the price is requested again."""
    cart_id = (await state.get_state(CartState)).cart_id
    pickup = await choose_pickup(shop, cart_id)
    await shop.checkout.set_town(cart_id, MEDELLIN, "Calle 1 # 2-3")
    offer_shipping, times = Checkout.offer_shipping, []

    async def offer_between(checkout: Checkout, *args: Any, **named: Any) -> ShippingOffer:
        times.append(args)
        offer = await offer_shipping(checkout, *args, **named)
        if len(times) == 1:
            await shop.checkout.set_town(cart_id, MEDELLIN)
        return offer

    monkeypatch.setattr(Checkout, "offer_shipping", offer_between)
    chosen = {**TYPED, "shipping_option": pickup}
    assert (await place_as_shown(cart_id, chosen, Shipping(), 18_900, "190.24.1.1")).number > 0
    assert len(times) == 2


async def test_cart_change_that_was_undone_in_another_tab_does_not_prevent_the_order(
    shop: Shop, state: CheckoutState, variant_id: str
) -> None:
    cart = await state.get_state(CartState)
    pickup = await choose_pickup(shop, cart.cart_id)
    for quantity in (2, 1):
        async with shop.database.transaction() as session:
            await change_line(session, cart.cart_id, cart.cart.lines[0].id, quantity)
    assert (
        await place_as_shown(cart.cart_id, TYPED, _ready_shipping(pickup), 18_900, "190.24.1.1")
    ).number > 0


async def _give_cart_away(shop: Shop, state: CheckoutState) -> str:
    """Make Ana the owner of the cart, so that the browser knows only its id. Return the id."""
    cart_id = (await state.get_state(CartState)).cart_id
    async with shop.database.transaction() as session:
        await save_draft(session, cart_id, TYPED)
        ana = Customer(email="ana@example.com")
        session.add(ana)
        await session.flush()
        await set_owner(session, cart_id, ana.id)
    return cart_id


async def _read_draft(shop: Shop, cart_id: str) -> dict[str, str]:
    """Read the draft of a cart."""
    async with shop.database.read() as session:
        return await read_draft(session, cart_id)


async def test_checkout_of_a_customers_cart_is_empty_for_others(
    shop: Shop, shopper: Shopper, state: CheckoutState
) -> None:
    cart_id = await _give_cart_away(shop, state)
    root = shopper()
    (await root.get_state(CartState)).cart_id = cart_id
    stranger = await root.get_state(CheckoutState)
    await stranger.load()
    assert (stranger.stage, stranger.draft, stranger.last_order_view.page) == ("empty", {}, "")
    (await root.get_state(CartState)).cart_id = cart_id
    await stranger.save_note({"phone": "1"}, ["phone", "email"], 1)
    await stranger.save_note({**TYPED, "phone": "2"}, ["phone"], 2)
    assert (await _read_draft(shop, cart_id))["phone"] == TYPED["phone"]
    assert (stranger.stage, stranger.draft, stranger.problems) == ("empty", {}, {})


async def test_order_for_a_customers_cart_cannot_be_placed_by_others(
    shop: Shop, state: CheckoutState
) -> None:
    cart_id = await _give_cart_away(shop, state)
    with pytest.raises(NotFound):
        await set_cart_owner("", cart_id)
    with pytest.raises(NotFound):
        await set_cart_owner("", "cart_made_up")
    await choose_pickup(shop, cart_id)
    placed = await shop.checkout.place_order(cart_id, TYPED, expected_total=18_900, ip="190.24.1.1")
    assert placed.number > 0
    (await state.get_state(CartState)).cart_id = cart_id
    await state.load()
    assert (state.stage, state.last_order_view.page, state.last_order) == ("empty", "", "")


@pytest.mark.parametrize("next_email", ["", "luis@example.com"])
async def test_latest_order_of_a_customer_is_not_shown_to_the_next_user(
    shop: Shop, shopper: Shopper, state: CheckoutState, next_email: str
) -> None:
    await _give_cart_away(shop, state)
    page = await _place_order(shop, state)
    async with shop.database.transaction() as session:
        if next_email:
            session.add(Customer(email=next_email))
            await session.flush()
        found = select(Customer.email, Customer.id)
        people = dict((await session.execute(found)).all())
        tokens = {email: await open_session(session, person) for email, person in people.items()}
    for email, stage, shown in (("ana@example.com", "placed", page), (next_email, "empty", "")):
        root = shopper()
        headers = {"cookie": f"{COOKIE}={tokens.get(email, '')}"}
        root.router = RouterData.from_router_data({"headers": headers, "pathname": "/checkout"})
        browser = await root.get_state(CheckoutState)
        browser.last_order = state.last_order
        await browser.load()
        assert (browser.stage, browser.last_order_view.page) == (stage, shown)
        assert browser.last_order == (state.last_order if shown else "")


async def test_checkout_does_not_find_an_old_order_by_its_cart_id(shop: Shop, state: CheckoutState) -> None:
    await _place_order(shop, state)
    state.last_order = ""
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(created_at=db_now(-JUST_PLACED)))
    await state.load()
    assert (state.stage, state.last_order_view.page) == ("empty", "")


async def test_checkout_draft_cannot_be_read_by_its_cart_id_after_the_order(
    shop: Shop, state: CheckoutState
) -> None:
    cart_id = (await state.get_state(CartState)).cart_id
    await state.save_note(TYPED, [], 1)
    await _place_order(shop, state)
    with pytest.raises(NotFound):
        await _read_draft(shop, cart_id)


async def test_switched_off_payment_provider_is_removed_from_the_open_checkout(
    shop: Shop, state: CheckoutState
) -> None:
    cart_id = (await state.get_state(CartState)).cart_id
    pickup = await choose_pickup(shop, cart_id)
    offer = await shop.checkout.offer_shipping(cart_id, pickup, is_choice=True, ip="190.24.1.1")
    state.shipping = Shipping("ready", MEDELLIN, [shipping_card(one, now()) for one in offer.choices], pickup)
    running = {GATEWAY_PSE: "PSE"}, list(shop.fulfillment_providers)
    async with shop.database.transaction() as session:
        await switch_shop_provider(session, COMMAND_LINE, MANUAL, is_on=False, installed=running)
    await update_state(state)
    assert ([one.is_pickup for one in state.shipping.choices], state.shipping.chosen) == ([False], "")
    with pytest.raises(ProviderSwitchedOff) as refused:
        await place_as_shown(cart_id, TYPED, _ready_shipping(pickup), 18_900, "190.24.1.1")
    assert get_result_kind(refused.value) == "shipping"
    assert (
        text_for(refused.value, CHECKOUT)
        == "Este envío ya no se ofrece. Elige otra forma de recibir tu compra."
    )
    async with shop.database.transaction() as session:
        await switch_shop_provider(session, COMMAND_LINE, MANUAL, is_on=True, installed=running)
        await switch_shop_provider(
            session, COMMAND_LINE, GATEWAY_PSE, is_on=False, is_sure=True, installed=running
        )
    await update_state(state)
    assert not state.is_payable
    with pytest.raises(PaymentOff) as off:
        await place_as_shown(cart_id, TYPED, _ready_shipping(pickup), 18_900, "190.24.1.1")
    assert text_for(off.value, CHECKOUT).startswith("La tienda no está recibiendo pagos de esta forma ahora.")


async def test_checkout_shows_no_choice_of_payment_method_if_pse_is_the_only_one(
    state: CheckoutState,
) -> None:
    assert [method.id for method in state.payment.methods] == [GATEWAY_PSE]
    assert not state.payment.has_cards
    assert PAYMENT_PROVIDER not in state.draft


async def test_page_offers_each_payment_method_with_its_fields(shop: Shop, state: CheckoutState) -> None:
    transfer = await add_transfer(shop)
    await state.load()
    load_banks = CheckoutState.event_handlers["load_banks"].fn
    await load_banks(InBackground(state))
    await state.load()  # a reload keeps the options
    shown = state.payment
    assert ([method.id for method in shown.methods], shown.has_cards) == ([GATEWAY_PSE, TRANSFER], True)
    assert (shown.with_document, shown.field_names) == ([GATEWAY_PSE, TRANSFER], [FROM_BANK])
    assert [one.value for one in shown.methods[1].fields[0].options] == ["nu"]
    assert PAYMENT_PROVIDER not in state.draft  # PSE is chosen until the shopper chooses another one
    await state.save_note({**TYPED, PAYMENT_PROVIDER: TRANSFER}, [FROM_BANK], 1)
    assert (state.problems, state.steps_done) == ({FROM_BANK: NO_BANK}, ["contact"])
    await state.save_note({FROM_BANK: "nu"}, [FROM_BANK], 2)
    assert (state.problems, state.steps_done) == ({}, ["contact", "payment"])
    transfer.is_failing = True
    await load_banks(InBackground(state))
    assert [method.id for method in state.payment.methods] == [GATEWAY_PSE]
    assert state.banks


async def test_field_of_a_payment_provider_is_shown_only_after_its_options_are_loaded(
    shop: Shop, state: CheckoutState
) -> None:
    """Enable a provider while the page is open: its field is not shown until its options are loaded."""
    load_banks = CheckoutState.event_handlers["load_banks"].fn
    await state.load()
    await load_banks(InBackground(state))
    assert await update_state(state) == []
    await add_transfer(shop)
    (answer,) = await update_state(state)
    assert answer.name.endswith("checkout_state.load_banks")
    assert (state.payment.methods[1].fields, state.payment.field_names) == ([], [FROM_BANK])
    await load_banks(InBackground(state))
    assert [one.name for one in state.payment.methods[1].fields] == [FROM_BANK]
    assert await update_state(state) == []


async def test_only_payment_method_of_the_shop_is_chosen_in_advance(shop: Shop, state: CheckoutState) -> None:
    await add_transfer(shop, TRANSFER)
    await state.load()
    assert (state.is_payable, state.payment.has_cards) == (True, True)
    assert state.draft[PAYMENT_PROVIDER] == TRANSFER


async def test_order_paid_by_transfer_opens_the_order_page(shop: Shop, state: CheckoutState) -> None:
    await add_transfer(shop)
    await state.load()
    pickup = await choose_pickup(shop, (await state.get_state(CartState)).cart_id)
    state.shipping = _ready_shipping(pickup)
    place = CheckoutState.event_handlers["place_order"].fn
    typed = {**TYPED, PAYMENT_PROVIDER: TRANSFER}
    assert [event async for event in place(InBackground(state), typed, 18_900)] == []
    assert (state.answer.kind, state.problems) == ("fields", {FROM_BANK: NO_BANK})
    typed[FROM_BANK] = "nu"
    assert [event async for event in place(InBackground(state), typed, 18_900)] == []
    assert (state.answer.kind, state.answer.address.startswith("/order/")) == ("placed", True)
