"""Buying: stock reserved before the bank, one order per cart (spec: States and transitions; design: 4–7)."""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from decimal import Decimal
from typing import TypeVar

import pytest
from sqlalchemy import func, select, update
from sqlmodel import SQLModel

from backend.attention.models import Attention
from backend.cart.access import create_empty_cart, read_cart
from backend.cart.checkout_drafts import save_draft
from backend.cart.lines import add_to_cart
from backend.cart.models import Cart, CartShippingMethod, LineItem
from backend.cart.views import read_cart_view
from backend.catalog.models import Variant
from backend.checkout.form import Destination
from backend.checkout.payment.start import PaymentStartResult
from backend.checkout.service import Checkout
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import (
    Conflict,
    InsufficientStock,
    OutcomeUnknown,
    PaymentFailed,
    TotalChanged,
)
from backend.inventory.service import read_available_units
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.models import Order
from backend.payment.models import PaymentSession
from backend.payment.providers.base import CheckedPayer, ProviderReport, ProviderState
from backend.payment.providers.system_default import SystemDefault
from backend.payment.service import PaymentService
from backend.payment.transitions import apply_report
from backend.shipping.models import ShippingOption
from backend.shipping.providers.base import FulfillmentProvider
from backend.shipping.providers.registry import ManualProvider
from tests.backend.checkout.paying_kit import create_settings_reader, orders_of
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.checkout_steps import set_destination
from tests.store_defaults import Defaults, add_product, set_up_defaults

ANA = Destination(
    email="ana@example.com",
    first_name="Ana",
    last_name="Gómez",
    phone="3001234567",
    dane_code="05001000",
    address="Carrera 43A # 1-50",
    suburb="El Poblado",
)
PRICE = 40_000

T = TypeVar("T", bound=SQLModel)


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    return await set_up_defaults(database, settings)


@pytest.fixture
def bank() -> ScriptedBank:
    return ScriptedBank()


@pytest.fixture
async def checkout(database: Database, settings: Settings, bank: ScriptedBank) -> Checkout:
    payments = PaymentService(database, {bank.id: bank, "pp_system_default": SystemDefault()})
    carriers: dict[str, FulfillmentProvider] = {"manual_manual": ManualProvider()}
    return Checkout(settings, database, payments, carriers, create_settings_reader(database, settings))


async def _make_variant(database: Database, defaults: Defaults, stock: int) -> str:
    async with database.transaction() as session:
        return await add_product(session, defaults, "trompo", stock=stock, price=PRICE)


async def _ready_cart(checkout: Checkout, variant: str, quantity: int = 1) -> str:
    """Return a cart with a destination and the flat shipping option, which is free."""
    async with checkout.database.transaction() as session:
        cart_id = await create_empty_cart(session)
        await add_to_cart(session, cart_id, variant, quantity)
        option = (
            await session.execute(select(ShippingOption.id).where(ShippingOption.price_type == "flat"))
        ).scalar_one()
    await set_destination(checkout.database, cart_id, ANA)
    await checkout.choose_shipping(cart_id, option, ip="190.24.1.1")
    return cart_id


async def _ready_carts(checkout: Checkout, variant: str, count: int) -> list[str]:
    """Return `count` carts like that of `_ready_cart`, copied from one."""
    first = await _ready_cart(checkout, variant)
    async with checkout.database.transaction() as session:
        cart = (await session.execute(select(Cart).where(Cart.id == first))).scalar_one()
        copies = [_copy(cart, exclude={"order_id"}) for _ in range(count - 1)]
        session.add_all(copies)
        await session.flush()
        for table in (LineItem, CartShippingMethod):
            part = (await session.execute(select(table).where(table.cart_id == first))).scalar_one()
            session.add_all(_copy(part, cart_id=copy.id) for copy in copies)
    return [first, *(copy.id for copy in copies)]


def _copy(row: T, *, exclude: Collection[str] = (), **changes: object) -> T:
    """Return another row like this one, with a new id."""
    return type(row)(**row.model_dump(exclude={"id", *exclude}) | changes)


async def _pay(checkout: Checkout, cart_id: str, ip: str = "190.24.1.1") -> tuple[Order, PaymentSession]:
    payment = (
        await checkout.start_payment(cart_id, "gateway_pse", CheckedPayer({"bank": "1022"}), ip=ip)
    ).payment
    return (await checkout.complete(cart_id)).order, payment


async def _read_available(database: Database, variant: str) -> int:
    async with database.read() as session:
        return (await read_available_units(session, [variant]))[variant]


async def _order(database: Database, order_id: str) -> Order:
    async with database.read() as session:
        return (await session.execute(select(Order).where(Order.id == order_id))).scalar_one()


async def _settle(
    checkout: Checkout, payment: PaymentSession, state: ProviderState, **report: object
) -> None:
    told = ProviderReport(
        state=state, amount=Decimal(payment.amount), currency="COP", invoice=payment.invoice
    )
    await apply_report(checkout.database, payment.id, replace(told, **report))  # type: ignore[arg-type]


async def test_order_and_reservation_exist_before_the_bank_page(
    checkout: Checkout, defaults: Defaults, bank: ScriptedBank
) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=3)
    order, payment = await _pay(checkout, await _ready_cart(checkout, trompo, 2))
    assert (order.status, order.payment_status, order.total) == ("pending", "awaiting", 2 * PRICE)
    assert payment.redirect_url == f"https://bank.example/{payment.invoice}"
    assert await _read_available(checkout.database, trompo) == 1
    assert bank.started[0].amount == 2 * PRICE
    assert order.id in bank.started[0].return_url


async def test_approval_captures_the_payment_and_makes_the_reservation_permanent(
    checkout: Checkout, defaults: Defaults
) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=3)
    order, payment = await _pay(checkout, await _ready_cart(checkout, trompo))
    await _settle(checkout, payment, ProviderState.CAPTURED)
    paid = await _order(checkout.database, order.id)
    assert (paid.status, paid.payment_status, paid.paid_at is not None) == ("pending", "captured", True)
    async with checkout.database.transaction() as session:
        from backend.inventory.service import read_reserved_units, release_expired

        await release_expired(session)
        assert await read_reserved_units(session, paid.cart_id) == {trompo: 1}


@pytest.mark.parametrize("state", [ProviderState.REJECTED, ProviderState.CANCELED, ProviderState.EXPIRED])
async def test_failed_payment_cancels_the_order_and_frees_the_stock(
    checkout: Checkout, defaults: Defaults, state: ProviderState
) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=3)
    order, payment = await _pay(checkout, await _ready_cart(checkout, trompo, 2))
    await _settle(checkout, payment, state)
    lost = await _order(checkout.database, order.id)
    assert (lost.status, lost.payment_status) == ("canceled", "canceled")
    assert await _read_available(checkout.database, trompo) == 3


@pytest.mark.parametrize("late", [ProviderState.REJECTED, ProviderState.CANCELED, ProviderState.HELD])
async def test_late_report_of_another_state_does_not_change_a_paid_order(
    checkout: Checkout, defaults: Defaults, late: ProviderState
) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=3)
    order, payment = await _pay(checkout, await _ready_cart(checkout, trompo))
    for state in (ProviderState.CAPTURED, late, ProviderState.CAPTURED, ProviderState.PENDING):
        await _settle(checkout, payment, state)
    assert (await _order(checkout.database, order.id)).payment_status == "captured"
    assert await _read_available(checkout.database, trompo) == 2


async def _list_attention(database: Database) -> list[tuple[str, str, int | None]]:
    """Return kind, subject and amount of every attention, also of resolved ones."""
    async with database.read() as session:
        rows = (await session.execute(select(Attention).order_by(Attention.created_at))).scalars()
        return [(row.kind, row.subject_id, row.amount) for row in rows]


async def test_approval_after_a_rejection_raises_attention(checkout: Checkout, defaults: Defaults) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=3)
    order, payment = await _pay(checkout, await _ready_cart(checkout, trompo))
    await _settle(checkout, payment, ProviderState.REJECTED)
    for _ in range(2):
        await _settle(checkout, payment, ProviderState.CAPTURED)
    late = await _order(checkout.database, order.id)
    assert (late.status, late.payment_status, late.meta) == ("canceled", "canceled", {})
    assert await _list_attention(checkout.database) == [("approved_late", payment.id, PRICE)]


@pytest.mark.parametrize(
    "wrong",
    [
        {"amount": Decimal(1)},
        {"amount": None},
        {"currency": "USD"},
        {"currency": None},
        {"invoice": "another"},
    ],
)
async def test_approval_with_another_amount_or_currency_is_held(
    checkout: Checkout, defaults: Defaults, wrong: dict[str, object]
) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=3)
    order, payment = await _pay(checkout, await _ready_cart(checkout, trompo))
    for _ in range(2):
        await _settle(checkout, payment, ProviderState.CAPTURED, **wrong)
    assert (await _order(checkout.database, order.id)).payment_status == "awaiting"
    assert await _read_available(checkout.database, trompo) == 2
    ((kind, subject, _),) = await _list_attention(checkout.database)
    assert (kind, subject) == ("amount_differs", payment.id)


async def test_approval_completes_a_cart_that_the_storefront_did_not_complete(
    checkout: Checkout, defaults: Defaults
) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=3)
    cart_id = await _ready_cart(checkout, trompo)
    payment = (await checkout.start_payment(cart_id, "gateway_pse", CheckedPayer(), ip="190.24.1.1")).payment
    await _settle(checkout, payment, ProviderState.CAPTURED)
    order = (await checkout.complete(cart_id)).order
    assert order.payment_status == "captured"
    assert await _read_available(checkout.database, trompo) == 2


async def test_fifty_concurrent_completions_make_one_order(checkout: Checkout, defaults: Defaults) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=3)
    cart_id = await _ready_cart(checkout, trompo)
    await checkout.start_payment(cart_id, "gateway_pse", CheckedPayer(), ip="190.24.1.1")
    completed = await asyncio.gather(*(checkout.complete(cart_id) for _ in range(50)))
    assert len({one.order.id for one in completed}) == 1
    assert await _read_available(checkout.database, trompo) == 2


async def test_only_ten_of_sixty_concurrent_shoppers_buy_the_last_ten_units(
    checkout: Checkout, defaults: Defaults
) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=10)
    ready = await _ready_carts(checkout, trompo, 60)  # twice the number of connections in a pool

    async def buy(cart_id: str, number: int) -> bool:
        try:
            await _pay(checkout, cart_id, ip=f"190.24.1.{number}")
        except InsufficientStock:
            return False
        return True

    assert sum(await asyncio.gather(*(buy(cart_id, number) for number, cart_id in enumerate(ready)))) == 10
    async with checkout.database.read() as session:
        assert (await session.execute(select(func.count()).select_from(Order))).scalar_one() == 10


async def test_payment_of_a_total_that_has_changed_is_refused(
    checkout: Checkout, defaults: Defaults, bank: ScriptedBank
) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=3)
    cart_id = await _ready_cart(checkout, trompo)
    async with checkout.database.transaction() as session:
        await session.execute(update(Variant).values(price=PRICE + 1))
    with pytest.raises(TotalChanged):
        await checkout.start_payment(
            cart_id, "gateway_pse", CheckedPayer(), ip="190.24.1.1", expected_total=PRICE
        )
    assert bank.started == []


async def test_price_change_while_the_bank_answers_does_not_change_the_purchase(
    checkout: Checkout, defaults: Defaults, bank: ScriptedBank
) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=3)
    cart_id = await _ready_cart(checkout, trompo)

    async def dearer() -> None:
        async with checkout.database.transaction() as session:
            await session.execute(update(Variant).values(price=PRICE + 5_000))

    bank.on_call = dearer
    await checkout.start_payment(cart_id, "gateway_pse", CheckedPayer(), ip="190.24.1.1")
    assert (await checkout.complete(cart_id)).order.total == bank.started[0].amount == PRICE


async def test_item_cannot_be_added_while_the_bank_answers(
    checkout: Checkout, defaults: Defaults, bank: ScriptedBank
) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=3)
    cart_id = await _ready_cart(checkout, trompo)
    refused = []

    async def add_one() -> None:
        try:
            async with checkout.database.transaction() as session:
                await add_to_cart(session, cart_id, trompo, 1)
        except Conflict as error:
            refused.append(error)

    bank.on_call = add_one
    await checkout.start_payment(cart_id, "gateway_pse", CheckedPayer(), ip="190.24.1.1")
    assert len(refused) == 1
    assert (await checkout.complete(cart_id)).order.total == PRICE


async def test_only_one_of_eight_concurrent_payments_of_a_cart_is_started(
    checkout: Checkout, defaults: Defaults, bank: ScriptedBank
) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=3)
    cart_id = await _ready_cart(checkout, trompo)
    tries = (
        checkout.start_payment(cart_id, "gateway_pse", CheckedPayer(), ip="190.24.1.1") for _ in range(8)
    )
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(outcome, PaymentStartResult) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 7
    assert len(bank.started) == 1


async def test_payment_start_refused_by_the_bank_frees_the_stock_and_can_be_repeated(
    checkout: Checkout, defaults: Defaults, bank: ScriptedBank
) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=1)
    cart_id = await _ready_cart(checkout, trompo)
    bank.refusal = PaymentFailed("the bank is down")
    with pytest.raises(PaymentFailed):
        await checkout.start_payment(cart_id, "gateway_pse", CheckedPayer(), ip="190.24.1.1")
    assert await _read_available(checkout.database, trompo) == 1
    bank.refusal = None
    order, _ = await _pay(checkout, cart_id)
    assert order.payment_status == "awaiting"


async def test_payment_start_without_a_bank_answer_is_looked_up_and_never_repeated(
    checkout: Checkout, defaults: Defaults, bank: ScriptedBank
) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=1)
    cart_id = await _ready_cart(checkout, trompo)
    bank.refusal = OutcomeUnknown("no answer")
    with pytest.raises(OutcomeUnknown):
        await checkout.start_payment(cart_id, "gateway_pse", CheckedPayer(), ip="190.24.1.1")
    invoice = bank.started[0].invoice
    bank.states[invoice] = ProviderState.CAPTURED  # it was started, and the shopper paid
    assert await checkout.payments.check_all() == 1
    order = (await checkout.complete(cart_id)).order
    assert (order.payment_status, len(bank.started)) == ("captured", 1)


async def test_cart_of_a_failed_order_is_restored(checkout: Checkout, defaults: Defaults) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=3)
    order, payment = await _pay(checkout, await _ready_cart(checkout, trompo, 2))
    token = ORDER_LINK.token(checkout.settings.signing_key, order.id)
    with pytest.raises(Conflict):
        await orders_of(checkout).restore_canceled_cart(order.id, token)
    await _settle(checkout, payment, ProviderState.REJECTED)
    cart_id = await orders_of(checkout).restore_canceled_cart(order.id, token)
    async with checkout.database.read() as session:
        cart = await read_cart_view(session, cart_id)
    assert [(line.variant_id, line.quantity) for line in cart.lines] == [(trompo, 2)]


async def _fail_order(checkout: Checkout, variant: str, quantity: int) -> tuple[str, str]:
    """Return an order whose payment was rejected, and its token."""
    order, payment = await _pay(checkout, await _ready_cart(checkout, variant, quantity))
    await _settle(checkout, payment, ProviderState.REJECTED)
    return order.id, ORDER_LINK.token(checkout.settings.signing_key, order.id)


async def _read_content(database: Database, cart_id: str) -> dict[str, int]:
    async with database.read() as session:
        return {line.variant_id: line.quantity for line in (await read_cart_view(session, cart_id)).lines}


async def test_restored_lines_are_added_to_the_current_cart(checkout: Checkout, defaults: Defaults) -> None:
    database = checkout.database
    trompo = await _make_variant(database, defaults, stock=5)
    async with database.transaction() as session:
        yoyo = await add_product(session, defaults, "yoyo", stock=5)
    lost = await _fail_order(checkout, trompo, 3)
    async with database.transaction() as session:
        present = await create_empty_cart(session)
        await add_to_cart(session, present, yoyo, 2)
        await add_to_cart(session, present, trompo, 1)
        await save_draft(session, present, {"suburb": "Centro"})
    assert await orders_of(checkout).restore_canceled_cart(*lost, present) == present
    assert await _read_content(database, present) == {yoyo: 2, trompo: 3}
    async with database.read() as session:
        cart = await read_cart(session, present)
    assert (cart.email, cart.draft["suburb"]) == (ANA.email, "Centro")
    assert (cart.shipping_address or {})["address_1"] == ANA.address
    assert (
        await asyncio.gather(*(orders_of(checkout).restore_canceled_cart(*lost, present) for _ in range(3)))
        == [present] * 3
    )
    assert await _read_content(database, present) == {yoyo: 2, trompo: 3}


async def test_only_available_units_of_a_failed_order_are_restored_to_the_cart(
    checkout: Checkout, defaults: Defaults
) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=3)
    lost = await _fail_order(checkout, trompo, 3)
    await _pay(checkout, await _ready_cart(checkout, trompo, 1))
    async with checkout.database.transaction() as session:
        present = await create_empty_cart(session)
        await add_to_cart(session, present, trompo, 1)
    await orders_of(checkout).restore_canceled_cart(*lost, present)
    assert await _read_content(checkout.database, present) == {trompo: 2}


async def test_restored_lines_are_not_added_to_a_completed_cart(
    checkout: Checkout, defaults: Defaults
) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=5)
    lost = await _fail_order(checkout, trompo, 1)
    ordered = await _ready_cart(checkout, trompo, 1)
    await _pay(checkout, ordered)
    for gone in (ordered, "cart_01J00000000000000000000000"):
        cart_id = await orders_of(checkout).restore_canceled_cart(*lost, gone)
        assert cart_id != gone
        assert await _read_content(checkout.database, cart_id) == {trompo: 1}


async def test_manual_payment_is_authorized_when_the_cart_is_completed(
    checkout: Checkout, defaults: Defaults
) -> None:
    trompo = await _make_variant(checkout.database, defaults, stock=3)
    cart_id = await _ready_cart(checkout, trompo)
    payment = (
        await checkout.start_payment(cart_id, "pp_system_default", CheckedPayer(), ip="190.24.1.1")
    ).payment
    assert payment.state == "pending"
    assert (await checkout.complete(cart_id)).order.payment_status == "authorized"
