"""The handlers behind the checkout's page: what is typed is kept, told of, and never another shopper's."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import reflex as rx
from reflex.istate.data import RouterData
from sqlalchemy import select, update

from backend.app import Shop
from backend.cart.checkout_drafts import read_draft, save_draft
from backend.cart.lines import add_to_cart, change_line
from backend.cart.owners import set_owner
from backend.cart.views import cart_view
from backend.checkout.payment.paid_purchases import PurchasePaid
from backend.checkout.payment.start import PaymentOff
from backend.checkout.quotes import quote_limits
from backend.core.config.modules import GATEWAY_PSE, MANUAL
from backend.core.db.database import db_now
from backend.core.error_texts import CHECKOUT, text_for
from backend.core.errors import InvalidData, NotFound, TotalChanged
from backend.customers.auth.sessions import COOKIE, open_session
from backend.customers.models import Customer
from backend.office.settings.page import switch
from backend.orders.models import Order
from backend.orders.service import JUST_PLACED
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.shipping.provider_switches import ShippingOff
from backend.staff.rights import COMMAND_LINE
from storefront.pages.checkout import state as checkout_state
from storefront.pages.checkout.error_texts import COMING_BACK, kind_of
from storefront.pages.checkout.state import CheckoutState, ordered
from storefront.pages.checkout.views import Shipping, shipping_card
from storefront.state.cart import CartState, refresh
from storefront.state.frame import COMING_BACK as SHOP_COMING_BACK
from storefront.state.frame import FrameState
from storefront.state.session import bind_cart
from tests.backend.orders.paying import said
from tests.checkout_steps import MEDELLIN, choose_pickup
from tests.checkout_steps import TYPED as TYPED_ANYWHERE
from tests.store_defaults import Defaults, make_toy
from tests.storefront.background import InBackground
from tests.storefront.outage import without_database

Shopper = Callable[[], rx.State]
TYPED = {**TYPED_ANYWHERE, "town": "Medellín, Antioquia"}


@pytest.fixture
async def toy(shop: Shop, defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await make_toy(session, defaults, "trompo", stock=5, price=18_900)


@pytest.fixture
async def state(shopper: Shopper, toy: str) -> CheckoutState:
    """The checkout of a shopper with a toy in the cart."""
    root = shopper()
    cart = await root.get_state(CartState)
    await cart.add(toy, 1)
    state = await root.get_state(CheckoutState)
    await state.load()
    return state


async def _placed(shop: Shop, state: CheckoutState) -> str:
    """The shopper's cart becomes an order. Returns its page."""
    cart_id = (await state.get_state(CartState)).cart_id
    await choose_pickup(shop, cart_id)
    placed = await shop.checkout.place_order(cart_id, TYPED, expected_total=18_900, ip="190.24.1.1")
    state.last_order = json.dumps({"id": placed.order_id, "token": placed.token})
    return f"/order/{placed.order_id}?token={placed.token}"


async def test_without_a_cart_the_checkout_is_empty(shopper: Shopper, toy: str) -> None:
    state = await shopper().get_state(CheckoutState)
    assert state.stage == "waiting"
    assert await state.load() == []
    assert (state.stage, state.last.page) == ("empty", "")


async def test_a_new_form_is_nearly_empty(state: CheckoutState) -> None:
    assert state.stage == "open"
    assert state.draft == {"person_type": "0", "doc_type": "CC"}
    assert state.meta.robots.startswith("noindex")


async def test_what_is_typed_comes_back_to_another_connection(shopper: Shopper, state: CheckoutState) -> None:
    await state.note({**TYPED, "email": "ana@"}, ["email"], 7)
    assert state.noted == 7
    root = shopper()
    (await root.get_state(CartState)).cart_id = (await state.get_state(CartState)).cart_id
    again = await root.get_state(CheckoutState)
    events = await again.load()
    assert again.draft == {**TYPED, "email": "ana@"}
    assert len(events) == 2  # the banks, and the prices for the place that is known


async def test_only_fields_that_were_reached_are_told_of(state: CheckoutState) -> None:
    await state.note({"email": "ana@", "phone": "12"}, ["email"], 1)
    assert set(state.problems) == {"email"}
    await state.note({"email": "ana@example.com", "phone": "12"}, ["email", "phone"], 2)
    assert set(state.problems) == {"phone"}


async def test_a_note_holds_what_is_new_and_counts_on_what_is_kept(state: CheckoutState) -> None:
    """A page just loaded again may show an older draft for a moment, which must not take a newer one's place."""
    await state.note(TYPED, [], 1)
    await state.note({}, ["email"], 2)
    await state.note({"phone": "12"}, ["email", "phone"], 3)
    assert set(state.problems) == {"phone"}
    await state.load()
    assert state.draft == {**TYPED, "phone": "12"}


async def test_a_step_is_done_when_nothing_is_missing(state: CheckoutState) -> None:
    await state.note({**TYPED, "bank": ""}, [], 1)
    assert state.steps_done == ["contact"]
    await state.note(TYPED, [], 2)
    assert state.steps_done == ["contact", "payment"]


@pytest.mark.parametrize(
    "sent", [({"email": "x" * 301}, [], 1), ("email", [], 1), (TYPED, [], "1"), (TYPED, [], -1)]
)
async def test_what_no_page_sends_changes_nothing(shop: Shop, state: CheckoutState, sent: Any) -> None:
    await state.note(*sent)
    assert (state.problems, state.noted) == ({}, 0)
    assert (await state.get_state(FrameState)).notice.tone == "problem"


async def test_municipalities_are_found_without_accents(state: CheckoutState) -> None:
    await state.find_town(" medell ")
    assert state.towns_for == "medell"
    town = state.towns[0]
    assert (town.value, town.name, town.department, town.label) == (
        MEDELLIN,
        "Medellín",
        "Antioquia",
        "Medellín, Antioquia",
    )


async def test_an_order_that_waits_at_the_bank_is_within_reach(shop: Shop, state: CheckoutState) -> None:
    page = await _placed(shop, state)
    await state.load()
    assert state.stage == "placed"
    assert state.last.page == page
    assert "/sandbox/gateway/bank/" in state.last.bank
    assert (await state.get_state(CartState)).cart_id == ""


async def test_an_order_whose_answer_was_lost_is_found_by_its_cart(
    shop: Shop, shopper: Shopper, state: CheckoutState
) -> None:
    """The server was away as it answered: the browser knows the cart alone, and asks what has become of it."""
    cart_id = (await state.get_state(CartState)).cart_id
    await _placed(shop, state)
    root = shopper()
    (await root.get_state(CartState)).cart_id = cart_id
    again = await root.get_state(CheckoutState)
    await again.load()
    assert again.stage == "placed"
    assert again.last.bank
    assert (await again.get_state(CartState)).cart_id == ""


async def test_an_order_is_found_though_the_browser_has_forgotten_its_cart(
    shop: Shop, shopper: Shopper, state: CheckoutState
) -> None:
    """The cart was shown anew while its order was placed, and the connection broke before the order was told of."""
    page = await _placed(shop, state)
    cart = await state.get_state(CartState)
    await refresh(cart)
    root = shopper()
    (await root.get_state(CartState)).forgotten_cart_id = cart.forgotten_cart_id
    again = await root.get_state(CheckoutState)
    await again.load()
    assert (again.stage, again.last.page, cart.cart_id) == ("placed", page, "")


async def test_a_note_after_the_order_leads_to_the_order(shop: Shop, state: CheckoutState) -> None:
    await _placed(shop, state)
    await state.note(TYPED, [], 3)
    assert state.stage == "placed"


async def test_a_note_leads_to_the_order_though_the_browser_has_forgotten_the_cart(
    shop: Shop, state: CheckoutState
) -> None:
    """Whatever shows the cart anew finds no cart there any more, and may come first."""
    page = await _placed(shop, state)
    state.last_order = ""
    await refresh(await state.get_state(CartState))
    await state.note(TYPED, [], 3)
    assert (state.stage, state.last.page) == ("placed", page)


async def test_a_note_after_another_tab_s_order_leaves_the_cart_begun_there(
    shop: Shop, state: CheckoutState, toy: str
) -> None:
    await _placed(shop, state)
    cart = await state.get_state(CartState)
    await cart.add(toy, 1)
    begun = cart.cart_id
    await state.note(TYPED, [], 3)
    assert (state.stage, cart.cart_id) == ("open", begun)


async def test_a_note_does_not_take_the_form_away_while_its_order_is_being_placed(
    shop: Shop, state: CheckoutState
) -> None:
    """The page would have nobody left to go to the bank when the answer comes."""
    await _placed(shop, state)
    state._is_placing = True
    await state.note(TYPED, [], 3)
    assert state.stage == "open"


@pytest.mark.parametrize(
    "told", ["", "{", "[]", '{"id": 1}', '{"id": "order_1"}', '{"id": "order_1", "token": "forged"}', "9" * 9]
)
async def test_an_order_somebody_made_up_is_none(shopper: Shopper, toy: str, told: str) -> None:
    state = await shopper().get_state(CheckoutState)
    state.last_order = told
    await state.load()
    assert (state.stage, state.last.page) == ("empty", "")


async def test_a_new_cart_goes_before_an_old_order(shop: Shop, state: CheckoutState, toy: str) -> None:
    await _placed(shop, state)
    await (await state.get_state(CartState)).add(toy, 1)
    await state.load()
    assert state.stage == "open"


async def test_what_another_tab_did_to_the_cart_is_shown(shop: Shop, state: CheckoutState, toy: str) -> None:
    cart = await state.get_state(CartState)
    async with shop.database.transaction() as session:
        await add_to_cart(session, cart.cart_id, toy, 1)
    assert await state.follow() is None
    assert (state.stage, cart.cart.count) == ("open", 2)


async def test_shipping_that_went_with_another_tabs_change_is_priced_anew(
    shop: Shop, state: CheckoutState, toy: str
) -> None:
    cart = await state.get_state(CartState)
    pickup = await choose_pickup(shop, cart.cart_id)
    state.shipping = Shipping("ready", MEDELLIN, [], pickup)
    assert await state.follow() is None  # nothing has changed
    async with shop.database.transaction() as session:
        await add_to_cart(session, cart.cart_id, toy, 1)
    event = await state.follow()
    assert [str(value) for _name, value in event.args] == [f'"{MEDELLIN}"', '""', f'"{pickup}"']


async def test_shipping_that_meets_an_outage_has_failed_and_can_be_priced_again(
    shop: Shop, state: CheckoutState, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ship = CheckoutState.event_handlers["ship"].fn
    with without_database(shop, monkeypatch):
        await ship(InBackground(state), MEDELLIN, "Carrera 43A # 1-50", "")
    assert (state.shipping.status, state.shipping.problem) == ("failed", SHOP_COMING_BACK)
    assert [one for one in caplog.records if one.name == "storefront.pages.checkout.state"] == []
    await ship(InBackground(state), MEDELLIN, "Carrera 43A # 1-50", "")
    assert (state.shipping.status, state.shipping.problem) == ("ready", "")


async def test_who_asks_for_too_many_prices_is_told_and_loses_nothing(
    state: CheckoutState, monkeypatch: pytest.MonkeyPatch
) -> None:
    ship = CheckoutState.event_handlers["ship"].fn
    await state.note(TYPED, [], 1)
    with monkeypatch.context() as asked_often:
        asked_often.setattr(quote_limits, "QUOTATIONS", replace(quote_limits.QUOTATIONS, per_pair=0))
        await ship(InBackground(state), MEDELLIN, "Carrera 43A # 1-50", "")
    assert state.shipping.status == "failed"
    assert state.shipping.problem.startswith("Desde tu conexión se han pedido muchos precios de envío.")
    await ship(InBackground(state), MEDELLIN, "Carrera 43A # 1-50", "")
    assert (state.shipping.status, state.shipping.problem) == ("ready", "")
    await state.load()
    assert state.draft == TYPED


async def test_an_order_that_meets_an_outage_has_failed_and_can_be_placed_again(
    shop: Shop, state: CheckoutState, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = CheckoutState.event_handlers["place"].fn
    root: Any = state._get_root_state()
    root.router = RouterData.from_router_data({"ip": "190.24.1.1", "pathname": "/checkout"})
    state.shipping = Shipping(chosen=await choose_pickup(shop, (await state.get_state(CartState)).cart_id))
    with without_database(shop, monkeypatch):
        assert [event async for event in place(InBackground(state), TYPED, 18_900)] == []
    assert (state.answer.kind, state.answer.text) == ("failed", COMING_BACK)
    assert not state._is_placing
    assert [event async for event in place(InBackground(state), TYPED, 18_900)] == []
    assert state.answer.kind == "placed", state.answer


async def test_whoever_would_pay_again_what_is_paid_reads_so_where_nothing_is_left_to_pay(
    shop: Shop, state: CheckoutState
) -> None:
    """The bank approved what was given up: with the toys the form goes, and what it would say."""
    change_bank, place = (CheckoutState.event_handlers[name].fn for name in ("change_bank", "place"))
    root: Any = state._get_root_state()
    root.router = RouterData.from_router_data({"ip": "190.24.1.1", "pathname": "/checkout"})
    cart = await state.get_state(CartState)
    await _placed(shop, state)
    assert [event async for event in change_bank(InBackground(state))] == [CheckoutState.load]
    await state.load()
    async with shop.database.read() as session:
        given_up = (await session.execute(select(PaymentSession.id))).scalar_one()
    await said(shop, given_up, ProviderState.CAPTURED)
    state.shipping = Shipping(chosen=await choose_pickup(shop, cart.cart_id))
    assert [event async for event in place(InBackground(state), TYPED, 18_900)] == [CheckoutState.load]
    await state.load()
    assert (state.stage, cart.cart.count) == ("empty", 0)
    assert (await state.get_state(FrameState)).notice.text == text_for(PurchasePaid(), CHECKOUT)


async def test_banks_that_meet_an_outage_are_a_problem_that_is_told(
    shop: Shop, state: CheckoutState, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_banks = CheckoutState.event_handlers["load_banks"].fn
    with without_database(shop, monkeypatch):
        await load_banks(InBackground(state))
    assert (state.banks, state.banks_problem, state.is_payable) == ([], SHOP_COMING_BACK, True)
    await load_banks(InBackground(state))
    assert state.banks
    assert state.banks_problem == ""


async def test_a_cart_that_another_tab_emptied_is_no_purchase(shop: Shop, state: CheckoutState) -> None:
    cart = await state.get_state(CartState)
    async with shop.database.transaction() as session:
        await change_line(session, cart.cart_id, cart.cart.lines[0].id, 0)
    assert await state.follow() == []
    assert (state.stage, state.last.page) == ("empty", "")


async def test_a_cart_that_another_tab_ordered_leads_to_its_order(shop: Shop, state: CheckoutState) -> None:
    """That tab's browser has let go of the cart, and this page never learned of the order's link."""
    page = await _placed(shop, state)
    state.last_order = ""
    (await state.get_state(CartState)).cart_id = ""
    assert await state.follow() == []
    assert (state.stage, state.last.page) == ("placed", page)
    assert "/sandbox/gateway/bank/" in state.last.bank


async def test_a_cart_begun_after_another_tabs_order_is_filled_in(
    shop: Shop, state: CheckoutState, toy: str
) -> None:
    await _placed(shop, state)
    cart = await state.get_state(CartState)
    await cart.add(toy, 2)
    assert await state.follow() == [CheckoutState.load_banks]
    assert (state.stage, state._cart_id, cart.cart.count) == ("open", cart.cart_id, 2)


async def test_the_form_stays_while_its_order_is_being_placed(shop: Shop, state: CheckoutState) -> None:
    await _placed(shop, state)
    state._is_placing = True
    assert await state.follow() is None


async def test_shipping_that_another_tab_dropped_is_priced_before_the_order(
    shop: Shop, state: CheckoutState, toy: str
) -> None:
    """Only for the total that was shown, and only where shipping was shown."""
    cart_id = (await state.get_state(CartState)).cart_id
    pickup = await choose_pickup(shop, cart_id)
    async with shop.database.transaction() as session:
        await add_to_cart(session, cart_id, toy, 1)
    with pytest.raises(InvalidData) as refusal:
        await ordered(cart_id, TYPED, Shipping("failed"), 18_900, "190.24.1.1")
    assert set(refusal.value.fields) == {"shipping"}
    with pytest.raises(TotalChanged):
        await ordered(cart_id, TYPED, _shown(pickup), 18_900, "190.24.1.1")
    async with shop.database.transaction() as session:
        assert (await cart_view(session, cart_id)).total_label == "$ 37.800"
    assert (await ordered(cart_id, TYPED, _shown(pickup), 37_800, "190.24.1.1")).number > 0


def _shown(option_id: str) -> Shipping:
    return Shipping("ready", MEDELLIN, chosen=option_id)


async def test_a_press_before_a_new_connection_knows_what_is_shown_is_kept(
    shop: Shop, state: CheckoutState, toy: str
) -> None:
    """The server was away while the address was typed: its shipping went, and is being priced for both."""
    cart_id = (await state.get_state(CartState)).cart_id
    pickup = await choose_pickup(shop, cart_id)
    async with shop.database.transaction() as session:
        await add_to_cart(session, cart_id, toy, 1)
    chosen = {**TYPED, "shipping_option": pickup}
    for shown in (Shipping(), Shipping("quoting", chosen="")):
        with pytest.raises(TotalChanged):
            await ordered(cart_id, chosen, shown, 18_900, "190.24.1.1")
        await shop.checkout.set_town(cart_id, "11001000")
    assert (await ordered(cart_id, chosen, Shipping(), 37_800, "190.24.1.1")).number > 0


async def test_the_pages_own_pricing_may_come_between(
    shop: Shop, state: CheckoutState, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first pricing of a new connection is for the address that was noted before the server went away."""
    cart_id = (await state.get_state(CartState)).cart_id
    pickup = await choose_pickup(shop, cart_id)
    await shop.checkout.set_town(cart_id, MEDELLIN, "Calle 1 # 2-3")
    priced, times = checkout_state._priced, []

    async def priced_between(*args: Any, **named: Any) -> Shipping:
        times.append(args)
        shipping = await priced(*args, **named)
        if len(times) == 1:
            await shop.checkout.set_town(cart_id, MEDELLIN)
        return shipping

    monkeypatch.setattr(checkout_state, "_priced", priced_between)
    chosen = {**TYPED, "shipping_option": pickup}
    assert (await ordered(cart_id, chosen, Shipping(), 18_900, "190.24.1.1")).number > 0
    assert len(times) == 2


async def test_a_change_that_another_tab_took_back_stands_in_nobodys_way(
    shop: Shop, state: CheckoutState, toy: str
) -> None:
    cart = await state.get_state(CartState)
    pickup = await choose_pickup(shop, cart.cart_id)
    for quantity in (2, 1):
        async with shop.database.transaction() as session:
            await change_line(session, cart.cart_id, cart.cart.lines[0].id, quantity)
    assert (await ordered(cart.cart_id, TYPED, _shown(pickup), 18_900, "190.24.1.1")).number > 0


async def _taken(shop: Shop, state: CheckoutState) -> str:
    """The shopper's cart is Ana's now, and the shopper has only its id."""
    cart_id = (await state.get_state(CartState)).cart_id
    async with shop.database.transaction() as session:
        await save_draft(session, cart_id, TYPED)
        ana = Customer(email="ana@example.com")
        session.add(ana)
        await session.flush()
        await set_owner(session, cart_id, ana.id)
    return cart_id


async def _draft_of(shop: Shop, cart_id: str) -> dict[str, str]:
    async with shop.database.read() as session:
        return await read_draft(session, cart_id)


async def test_a_customers_checkout_opens_for_nobody_else(
    shop: Shop, shopper: Shopper, state: CheckoutState
) -> None:
    cart_id = await _taken(shop, state)
    root = shopper()
    (await root.get_state(CartState)).cart_id = cart_id
    stranger = await root.get_state(CheckoutState)
    await stranger.load()
    assert (stranger.stage, stranger.draft, stranger.last.page) == ("empty", {}, "")
    stranger._cart_id = cart_id
    await stranger.note({"phone": "1"}, ["phone", "email"], 1)
    await stranger.note({**TYPED, "phone": "2"}, ["phone"], 2)
    assert (await _draft_of(shop, cart_id))["phone"] == TYPED["phone"]
    assert (stranger.stage, stranger.draft, stranger.problems) == ("empty", {}, {})


async def test_a_customers_order_is_placed_by_nobody_else(shop: Shop, state: CheckoutState) -> None:
    cart_id = await _taken(shop, state)
    with pytest.raises(NotFound):
        await bind_cart("", cart_id)
    with pytest.raises(NotFound):
        await bind_cart("", "cart_made_up")
    await choose_pickup(shop, cart_id)
    placed = await shop.checkout.place_order(cart_id, TYPED, expected_total=18_900, ip="190.24.1.1")
    assert placed.number > 0
    (await state.get_state(CartState)).cart_id = cart_id
    await state.load()
    assert (state.stage, state.last.page, state.last_order) == ("empty", "", "")


@pytest.mark.parametrize("next_one", ["", "luis@example.com"])
async def test_a_customers_last_order_is_forgotten_for_whoever_comes_next(
    shop: Shop, shopper: Shopper, state: CheckoutState, next_one: str
) -> None:
    await _taken(shop, state)
    page = await _placed(shop, state)
    async with shop.database.transaction() as session:
        if next_one:
            session.add(Customer(email=next_one))
            await session.flush()
        found = select(Customer.email, Customer.id)
        people = dict((await session.execute(found)).all())
        tokens = {email: await open_session(session, person) for email, person in people.items()}
    for email, stage, shown in (("ana@example.com", "placed", page), (next_one, "empty", "")):
        root = shopper()
        headers = {"cookie": f"{COOKIE}={tokens.get(email, '')}"}
        root.router = RouterData.from_router_data({"headers": headers, "pathname": "/checkout"})
        browser = await root.get_state(CheckoutState)
        browser.last_order = state.last_order
        await browser.load()
        assert (browser.stage, browser.last.page) == (stage, shown)
        assert browser.last_order == (state.last_order if shown else "")


async def test_an_hour_later_a_carts_id_leads_to_no_order(shop: Shop, state: CheckoutState) -> None:
    await _placed(shop, state)
    state.last_order = ""
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(created_at=db_now(-JUST_PLACED)))
    await state.load()
    assert (state.stage, state.last.page) == ("empty", "")


async def test_what_was_typed_for_an_order_is_not_read_by_its_carts_id(
    shop: Shop, state: CheckoutState
) -> None:
    cart_id = (await state.get_state(CartState)).cart_id
    await state.note(TYPED, [], 1)
    await _placed(shop, state)
    with pytest.raises(NotFound):
        await _draft_of(shop, cart_id)


async def test_what_the_office_switches_off_leaves_the_open_checkout(
    shop: Shop, state: CheckoutState
) -> None:
    cart_id = (await state.get_state(CartState)).cart_id
    pickup = await choose_pickup(shop, cart_id)
    offer = await shop.checkout.offer_shipping(cart_id, pickup, is_choice=True, ip="190.24.1.1")
    state.shipping = Shipping("ready", MEDELLIN, [shipping_card(one) for one in offer.choices], pickup)
    running = list(shop.payments.providers), list(shop.fulfillment_providers)
    async with shop.database.transaction() as session:
        await switch(session, COMMAND_LINE, MANUAL, is_on=False, running=running)
    await state._update()
    assert ([one.is_pickup for one in state.shipping.choices], state.shipping.chosen) == ([False], "")
    with pytest.raises(ShippingOff) as refused:
        await ordered(cart_id, TYPED, _shown(pickup), 18_900, "190.24.1.1")
    assert kind_of(refused.value) == "shipping"
    assert (
        text_for(refused.value, CHECKOUT)
        == "Este envío ya no se ofrece. Elige otra forma de recibir tu pedido."
    )
    async with shop.database.transaction() as session:
        await switch(session, COMMAND_LINE, MANUAL, is_on=True, running=running)
        await switch(session, COMMAND_LINE, GATEWAY_PSE, is_on=False, is_sure=True, running=running)
    await state._update()
    assert not state.is_payable
    with pytest.raises(PaymentOff) as off:
        await ordered(cart_id, TYPED, _shown(pickup), 18_900, "190.24.1.1")
    assert text_for(off.value, CHECKOUT).startswith("La tienda no está recibiendo pagos de esta forma ahora.")
