"""The order button: a second click continues the first, and nothing is started twice."""

import pytest
from sqlalchemy import update

from backend.catalog.models import Product, Variant
from backend.checkout.placed_orders import PlacedOrder
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InsufficientStock, InvalidData
from backend.payment.providers.base import CheckedPayer, ProviderState
from backend.payment.sessions import PaymentUnderWay
from tests.backend.checkout.paying_kit import IP, PRICE, Till
from tests.checkout_steps import CHECKOUT_INPUT


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


async def place_order(till: Till, cart_id: str, expected_total: int = PRICE) -> PlacedOrder:
    return await till.checkout.place_order(cart_id, CHECKOUT_INPUT, expected_total=expected_total, ip=IP)


async def set_price(till: Till, price: int) -> None:
    async with till.database.transaction() as session:
        await session.execute(update(Variant).values(price=price))


async def test_payment_started_by_an_earlier_click_is_continued(till: Till) -> None:
    cart_id = await till.cart(await till.make_variant())
    payment = await till.start(cart_id)
    placed = await place_order(till, cart_id)
    assert (placed.redirect_url, len(till.bank.started)) == (payment.redirect_url, 1)


async def test_second_click_while_the_bank_answers_starts_no_second_payment(till: Till) -> None:
    cart_id = await till.cart(await till.make_variant())
    refused: list[PaymentUnderWay] = []

    async def press_again() -> None:
        till.bank.on_call = None
        with pytest.raises(PaymentUnderWay) as error:
            await place_order(till, cart_id)
        refused.append(error.value)

    till.bank.on_call = press_again
    await place_order(till, cart_id)
    assert [one.is_starting for one in refused] == [True]
    assert (len(till.bank.started), len(await till.orders())) == (1, 1)


async def test_payment_with_an_outdated_total_is_replaced_by_one_with_the_shown_total(till: Till) -> None:
    cart_id = await till.cart(await till.make_variant())
    cheap = await till.start(cart_id)
    await set_price(till, PRICE + 1_000)
    placed = await place_order(till, cart_id, PRICE + 1_000)
    assert await till.state(cheap) == "closed"
    assert [one.amount for one in till.bank.started] == [PRICE, PRICE + 1_000]
    assert (await till.read_order(placed.order_id)).total == PRICE + 1_000


async def test_approved_payment_with_an_outdated_total_becomes_the_order(till: Till) -> None:
    cart_id = await till.cart(await till.make_variant())
    cheap = await till.start(cart_id)
    await set_price(till, PRICE + 1_000)
    till.bank.states[cheap.invoice] = ProviderState.CAPTURED
    placed = await place_order(till, cart_id, PRICE + 1_000)
    order = await till.read_order(placed.order_id)
    assert (order.total, order.payment_status, placed.redirect_url) == (PRICE, "captured", None)
    assert len(till.bank.started) == 1


async def test_order_placed_concurrently_by_another_tab_is_returned(
    till: Till, monkeypatch: pytest.MonkeyPatch
) -> None:
    cart_id = await till.cart(await till.make_variant())

    async def other_tab(_answers: object) -> CheckedPayer:
        await till.start(cart_id, "pp_system_default")
        await till.checkout.complete(cart_id)
        return CheckedPayer()

    monkeypatch.setattr(till.bank, "check_payer", other_tab)
    placed = await place_order(till, cart_id)
    (order,) = await till.orders()
    assert (placed.order_id, placed.number, placed.redirect_url) == (order.id, order.number, None)
    assert till.bank.started == []


async def test_form_without_a_valid_email_and_suburb_is_refused(till: Till) -> None:
    cart_id = await till.cart(await till.make_variant())
    typed = {**CHECKOUT_INPUT, "email": "ana@", "suburb": ""}
    with pytest.raises(InvalidData) as refused:
        await till.checkout.place_order(cart_id, typed, expected_total=PRICE, ip=IP)
    assert (refused.value.message, set(refused.value.fields)) == (CHECK_FIELDS, {"email", "suburb"})
    assert till.bank.started == []


async def test_payment_collection_keeps_its_amount_while_a_payment_is_at_the_bank(till: Till) -> None:
    cart_id = await till.cart(await till.make_variant())
    payment = await till.start(cart_id)
    await set_price(till, PRICE + 1_000)
    owed, _ = await till.checkout.create_collection(cart_id)
    assert (owed.id, owed.amount) == (payment.collection_id, PRICE)
    await till.decide(payment, ProviderState.REJECTED)
    owed, _ = await till.checkout.create_collection(cart_id)
    assert (owed.id, owed.amount) == (payment.collection_id, PRICE + 1_000)


async def test_payment_of_a_hidden_product_is_refused(till: Till) -> None:
    cart_id = await till.cart(await till.make_variant())
    async with till.database.transaction() as session:
        await session.execute(update(Product).values(status="draft"))
    with pytest.raises(InsufficientStock, match="required inventory"):
        await till.start(cart_id)
    assert till.bank.started == []
