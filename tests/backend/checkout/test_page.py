"""The checkout page: prices from the municipality on, one button, one order."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import func, select, update

from backend.app import Shop
from backend.cart.access import Caller, create_empty_cart
from backend.cart.lines import add_to_cart
from backend.cart.shipping_method import find_shipping_method
from backend.checkout.placed_orders import PlacedOrder
from backend.checkout.service import Checkout
from backend.core.config.settings import Settings
from backend.core.db.database import db_now
from backend.core.errors import Conflict, InvalidData, NotFound, TotalChanged
from backend.core.money import Cop
from backend.orders.models import Order
from backend.orders.service import JUST_PLACED
from backend.payment.models import PaymentSession
from backend.payment.providers.pse.banks import list_offered_banks
from backend.shipping.providers.registry import ManualProvider
from tests.backend.checkout.paying_kit import ANA, orders_of
from tests.backend.checkout.scripted_carrier import LETICIA, ScriptedCarrier
from tests.checkout_steps import CHECKOUT_INPUT, MEDELLIN, set_destination
from tests.store_defaults import add_product, set_up_defaults

PRICE = 40_000
IP = "190.24.1.1"


@pytest.fixture
def carrier() -> ScriptedCarrier:
    return ScriptedCarrier()


@pytest.fixture
async def checkout(
    database_url: str, settings: Settings, carrier: ScriptedCarrier
) -> AsyncIterator[Checkout]:
    """Return the checkout of a shop with the practice gateway and a scripted carrier."""
    shop = Shop(settings.model_copy(update={"database_url": database_url}))
    carriers = {carrier.id: carrier, "manual_manual": ManualProvider()}
    yield Checkout(shop.settings, shop.database, shop.payments, carriers, shop.effective_settings.now)
    await shop.stop()


@pytest.fixture
async def cart_id(checkout: Checkout, settings: Settings) -> str:
    defaults = await set_up_defaults(checkout.database, settings)
    async with checkout.database.transaction() as session:
        variant = await add_product(session, defaults, "trompo", stock=5, price=PRICE)
        cart_id = await create_empty_cart(session)
        await add_to_cart(session, cart_id, variant, 1)
    return cart_id


async def _shipping(checkout: Checkout, cart_id: str) -> Cop | None:
    async with checkout.database.read() as session:
        method = await find_shipping_method(session, cart_id)
    return method.amount if method else None


async def _ready(checkout: Checkout, cart_id: str) -> None:
    await checkout.set_town(cart_id, MEDELLIN)
    await checkout.offer_shipping(cart_id, ip="190.24.1.1")


async def test_shipping_is_priced_as_soon_as_the_municipality_is_known(
    checkout: Checkout, cart_id: str
) -> None:
    await checkout.set_town(cart_id, MEDELLIN)
    offer = await checkout.offer_shipping(cart_id, ip="190.24.1.1")
    home, store = offer.choices
    assert (home.amount, home.carrier, home.is_pickup) == (12_000, "Envía", False)
    assert (store.amount, store.is_pickup) == (0, True)
    assert offer.chosen == home.id
    assert await _shipping(checkout, cart_id) == 12_000


async def test_requested_shipping_option_is_chosen_and_an_unknown_one_is_ignored(
    checkout: Checkout, cart_id: str
) -> None:
    await checkout.set_town(cart_id, MEDELLIN)
    home, store = (await checkout.offer_shipping(cart_id, ip="190.24.1.1")).choices
    assert (await checkout.offer_shipping(cart_id, store.id, ip="190.24.1.1")).chosen == store.id
    assert await _shipping(checkout, cart_id) == 0
    assert (await checkout.offer_shipping(cart_id, "so_made_up", ip="190.24.1.1")).chosen == home.id


async def test_only_a_different_municipality_removes_the_shipping_price(
    checkout: Checkout, cart_id: str
) -> None:
    await _ready(checkout, cart_id)
    await checkout.set_town(cart_id, MEDELLIN)
    assert await _shipping(checkout, cart_id) == 12_000
    await checkout.set_town(cart_id, LETICIA)
    assert await _shipping(checkout, cart_id) is None


async def test_shipping_price_of_the_previous_municipality_is_not_stored(
    checkout: Checkout, cart_id: str, carrier: ScriptedCarrier
) -> None:
    await checkout.set_town(cart_id, MEDELLIN)

    async def moves_once() -> None:
        carrier.on_call = None
        await checkout.set_town(cart_id, LETICIA)

    carrier.on_call = moves_once
    offer = await checkout.offer_shipping(cart_id, ip="190.24.1.1")
    assert carrier.asked == [MEDELLIN, LETICIA]
    assert offer.choices[0].amount == 48_000
    assert await _shipping(checkout, cart_id) == 48_000


async def test_unknown_municipality_is_refused(checkout: Checkout, cart_id: str) -> None:
    with pytest.raises(InvalidData) as refused:
        await checkout.set_town(cart_id, "00000000")
    assert refused.value.fields == {"dane_code": "Elige tu municipio de la lista."}


async def test_order_has_the_address_that_is_in_the_checkout_form(checkout: Checkout, cart_id: str) -> None:
    await _ready(checkout, cart_id)
    placed = await checkout.place_order(cart_id, CHECKOUT_INPUT, expected_total=PRICE + 12_000, ip=IP)
    assert placed.redirect_url
    order = await _order(checkout, placed)
    assert (order.email, order.total) == ("ana@example.com", PRICE + 12_000)
    assert order.shipping_address["address_1"] == CHECKOUT_INPUT["address"]
    assert order.shipping_address["city"] == "Medellín"
    assert order.shipping_address["metadata"]["suburb"] == CHECKOUT_INPUT["suburb"]


async def test_new_municipality_in_the_form_is_priced_before_the_payment(
    checkout: Checkout, cart_id: str
) -> None:
    await _ready(checkout, cart_id)
    elsewhere = {**CHECKOUT_INPUT, "dane_code": LETICIA}
    with pytest.raises(TotalChanged):
        await checkout.place_order(cart_id, elsewhere, expected_total=PRICE + 12_000, ip=IP)
    assert await _count(checkout, PaymentSession) == 0
    placed = await checkout.place_order(cart_id, elsewhere, expected_total=PRICE + 48_000, ip=IP)
    assert (await _order(checkout, placed)).shipping_total == 48_000


async def test_payment_without_shipping_is_refused(checkout: Checkout, cart_id: str) -> None:
    with pytest.raises(InvalidData) as refused:
        await checkout.place_order(cart_id, CHECKOUT_INPUT, expected_total=PRICE, ip=IP)
    assert refused.value.fields == {"shipping": "Elige cómo quieres recibir tu compra."}
    assert await _count(checkout, PaymentSession) == 0


async def test_order_of_an_unknown_cart_is_not_found(checkout: Checkout, cart_id: str) -> None:
    with pytest.raises(NotFound):
        await checkout.place_order("cart_made_up", CHECKOUT_INPUT, expected_total=PRICE, ip=IP)


async def test_concurrent_clicks_make_one_order(checkout: Checkout, cart_id: str) -> None:
    await _ready(checkout, cart_id)
    presses = [
        checkout.place_order(cart_id, CHECKOUT_INPUT, expected_total=PRICE + 12_000, ip=IP)
        for _press in range(4)
    ]
    answers = await asyncio.gather(*presses, return_exceptions=True)
    placed = [answer for answer in answers if isinstance(answer, PlacedOrder)]
    refused = [answer for answer in answers if not isinstance(answer, PlacedOrder)]
    assert placed
    assert all(isinstance(answer, Conflict) for answer in refused)
    assert len({answer.order_id for answer in placed}) == 1
    assert await _count(checkout, Order) == 1
    assert await _count(checkout, PaymentSession) == 1
    again = await checkout.place_order(cart_id, CHECKOUT_INPUT, expected_total=PRICE + 12_000, ip=IP)
    assert again == placed[0]


@pytest.fixture
def bank_list_reads(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return a list with one item for each time that the list of banks is read."""
    reads: list[object] = []

    async def count(*given: Any, **named: Any) -> Any:
        reads.append(given)
        return await list_offered_banks(*given, **named)

    monkeypatch.setattr("backend.payment.providers.pse.provider.list_offered_banks", count)
    return reads


async def test_list_of_banks_is_read_once_per_purchase(
    checkout: Checkout, cart_id: str, bank_list_reads: list[object]
) -> None:
    await _ready(checkout, cart_id)
    placed = await checkout.place_order(cart_id, CHECKOUT_INPUT, expected_total=PRICE + 12_000, ip=IP)
    assert placed.redirect_url is not None
    assert len(bank_list_reads) == 1


async def test_store_api_reads_the_list_of_banks_once_to_check_the_payer(
    checkout: Checkout, cart_id: str, bank_list_reads: list[object]
) -> None:
    """Check also that wrong data of the payer store no payment session, and that right data go to the bank."""
    await set_destination(checkout.database, cart_id, ANA)
    await checkout.offer_shipping(cart_id, ip=IP)
    collection, _ = await checkout.create_collection(cart_id)
    payer = {name: CHECKOUT_INPUT[name] for name in ("person_type", "doc_type", "doc_number", "bank")}
    how: dict[str, Any] = {"caller": Caller(None), "ip": IP, "replace": False, "return_url": None}
    for wrong in ({"bank": "0"}, {"doc_number": "1"}, {"email": "ana@"}):
        with pytest.raises(InvalidData) as refused:
            await checkout.start_collection_payment(collection.id, "gateway_pse", {**payer, **wrong}, **how)
        assert set(refused.value.fields) == set(wrong)
    assert await _count(checkout, PaymentSession) == 0
    bank_list_reads.clear()
    started = await checkout.start_collection_payment(
        collection.id, "gateway_pse", {**payer, "ip": "8.8.8.8"}, **how
    )
    assert (started.payment.state, started.payment.data["payer_ip"]) == ("pending_authorization", IP)
    assert len(bank_list_reads) == 1


async def test_only_invalid_checkout_fields_have_messages(checkout: Checkout, cart_id: str) -> None:
    assert await checkout.find_problems(CHECKOUT_INPUT, IP) == {}
    problems = await checkout.find_problems(
        {**CHECKOUT_INPUT, "email": "ana@", "doc_number": "1", "bank": "0"}, IP
    )
    assert set(problems) == {"email", "doc_number", "bank"}
    assert set(await checkout.find_problems({}, IP)) == {
        *("email", "first_name", "last_name", "phone", "dane_code", "address", "suburb"),
        *("person_type", "doc_type", "doc_number", "bank", "consent_data", "consent_terms"),
    }


async def test_order_is_found_by_its_cart_or_its_link(checkout: Checkout, cart_id: str) -> None:
    assert await checkout.find_placed_order(cart_id) is None
    await _ready(checkout, cart_id)
    placed = await checkout.place_order(cart_id, CHECKOUT_INPUT, expected_total=PRICE + 12_000, ip=IP)
    assert await checkout.find_placed_order(cart_id) == placed
    assert await orders_of(checkout).get_placed_order(placed.order_id, placed.token) == placed
    with pytest.raises(NotFound):
        await orders_of(checkout).get_placed_order(placed.order_id, "forged")


async def test_placed_order_is_opened_after_an_hour_only_with_its_link(
    checkout: Checkout, cart_id: str
) -> None:
    await _ready(checkout, cart_id)
    placed = await checkout.place_order(cart_id, CHECKOUT_INPUT, expected_total=PRICE + 12_000, ip=IP)
    async with checkout.database.transaction() as session:
        await session.execute(update(Order).values(created_at=db_now(-JUST_PLACED)))
    assert await checkout.find_placed_order(cart_id) is None
    with pytest.raises(NotFound):
        await checkout.place_order(cart_id, CHECKOUT_INPUT, expected_total=PRICE + 12_000, ip=IP)
    assert await orders_of(checkout).get_placed_order(placed.order_id, placed.token) == placed


async def test_order_page_without_refresh_does_not_ask_the_bank(
    checkout: Checkout, cart_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _ready(checkout, cart_id)
    placed = await checkout.place_order(cart_id, CHECKOUT_INPUT, expected_total=PRICE + 12_000, ip=IP)
    asked: list[str] = []

    async def ask(session_id: str) -> None:
        asked.append(session_id)

    monkeypatch.setattr(checkout.payments, "check_on_return", ask)
    order = await orders_of(checkout).get_order_page(placed.order_id, placed.token, refresh=False)
    assert (order.status, order.number, asked) == ("pending", placed.number, [])
    await orders_of(checkout).get_order_page(placed.order_id, placed.token)
    assert len(asked) == 1


async def _order(checkout: Checkout, placed: PlacedOrder) -> Order:
    async with checkout.database.read() as session:
        return (await session.execute(select(Order).where(Order.id == placed.order_id))).scalar_one()


async def _count(checkout: Checkout, table: type) -> int:
    async with checkout.database.read() as session:
        return (await session.execute(select(func.count()).select_from(table))).scalar_one()
