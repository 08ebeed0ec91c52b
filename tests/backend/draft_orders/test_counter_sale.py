"""A sale at the counter is an order like any other: the same price, stock, IVA, invoice, reports and returns.

| fault | outcome |
|---|---|
| the same sale is sent twice, or by two tabs at once | one order |
| the total differs from the one that the seller saw | refused, nothing is stored |
| the only unit is sold on the web at the same time | refused, nothing is stored |
| another seller sells the only unit at the same time | one order, one refusal |
| a role without the right | refused |
| a discount above the limit by a seller | refused; the owner may |
| the lines change after the discount | the discount no longer applies |
| the draft was cancelled, or is empty | refused |
| the customer of a sale in person requests retracto | refused; sales by telephone and WhatsApp allow it |
"""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit.models import AuditEntry
from backend.cart.models import LineItem
from backend.core.clock import now
from backend.core.errors import Forbidden, InsufficientStock, InvalidData, NotAllowed, TotalChanged
from backend.draft_orders.contact import parse_contact
from backend.draft_orders.counter_sale import parse_received
from backend.draft_orders.drafts import (
    DiscountTooLarge,
    cancel_draft,
    find_current_draft,
    open_current_draft,
    set_discount,
    set_origin,
    set_units,
)
from backend.inventory import service as inventory
from backend.inventory.models import InventoryLevel, StockMovement
from backend.orders.origins import OrderOrigin
from backend.orders.service import compute_order_totals, list_order_lines
from backend.payment.cash import sum_cash
from backend.payment.manual_methods import ManualMethod
from backend.payment.providers.base import ProviderState
from backend.payment.sessions import list_payment_sessions
from backend.pricing import tax_inside
from backend.returns.forms import UNITS_PREFIX
from backend.returns.models import Return, ReturnKind
from backend.returns.requests import list_offers, store_customer_request
from backend.staff.rights import Actor
from tests.backend.checkout.paying_kit import PRICE, Till
from tests.backend.draft_orders.selling import (
    OTHER_SELLER,
    OWNER,
    SELLER,
    STOCKROOM,
    prepare,
    read_fulfillments,
    read_total,
    take_money,
)
from tests.backend.returns.steps import ACCOUNT
from tests.backend.rivals import run_against_rival


async def discount(
    till: Till, draft_id: str, amount: int, reason: str = "cliente de siempre", actor: Actor = SELLER
) -> None:
    async with till.database.transaction() as session:
        await set_discount(session, actor, till.checkout.settings, draft_id, amount=amount, reason=reason)


async def test_counter_sale_in_cash_creates_a_paid_and_delivered_order(till: Till) -> None:
    variant = await till.make_variant(stock=3)
    draft = await prepare(till, {variant: 2})
    order = await take_money(till, draft, 2 * PRICE)
    assert (order.id, order.origin, order.email) == (draft.id, "counter", "")
    assert (order.status, order.payment_status, order.fulfillment_status) == (
        "pending",
        "captured",
        "delivered",
    )
    assert await till.available(variant) == 1
    async with till.database.read() as session:
        lines = await list_order_lines(session, order.id)
        assert compute_order_totals(order, lines).tax_total == tax_inside(2 * PRICE, 19)
        moved = (await session.execute(select(StockMovement.delta, StockMovement.reason))).all()
        assert [tuple(one) for one in moved] == [(-2, "sale")]
        (payment,) = await list_payment_sessions(session, order.cart_id)
        assert (payment.method, payment.captured_amount) == ("cash", 2 * PRICE)
        begin = now() - timedelta(hours=1)
        [cash] = await sum_cash(session, [(begin, now() + timedelta(hours=1))])
        assert cash.captured == 2 * PRICE
        entries = select(AuditEntry.action).where(AuditEntry.subject_id == order.id)
        assert (await session.execute(entries)).scalars().all() == ["sold"]
        assert await find_current_draft(session, SELLER) is None
    (parcel,) = await read_fulfillments(till, order)
    assert parcel.delivered_at is not None


async def test_order_sold_in_person_allows_a_guarantee_claim_and_no_retracto(till: Till) -> None:
    variant = await till.make_variant()
    order = await take_money(till, await prepare(till, {variant: 1}), PRICE)
    async with till.database.read() as session:
        kinds = [offer.kind for offer in await list_offers(session, order)]
        (line,) = await list_order_lines(session, order.id)
    assert kinds == [ReturnKind.WARRANTY]
    typed = {"kind": "withdrawal", f"{UNITS_PREFIX}{line.id}": "1", **ACCOUNT}
    with pytest.raises(NotAllowed):
        await store_customer_request(till.database, order.id, typed)
    async with till.database.read() as session:
        assert (await session.execute(select(func.count()).select_from(Return))).scalar_one() == 0


@pytest.mark.parametrize("origin", [OrderOrigin.PHONE, OrderOrigin.WHATSAPP])
async def test_distance_sale_allows_retracto(till: Till, origin: OrderOrigin) -> None:
    draft = await prepare(till, {await till.make_variant(): 1})
    async with till.database.transaction() as session:
        await set_origin(session, SELLER, draft.id, origin)
    order = await take_money(till, draft, PRICE)
    async with till.database.read() as session:
        kinds = {offer.kind for offer in await list_offers(session, order)}
    assert kinds == {ReturnKind.WITHDRAWAL, ReturnKind.WARRANTY}


async def test_counter_sale_sent_twice_creates_one_order(till: Till) -> None:
    variant = await till.make_variant(stock=3)
    draft = await prepare(till, {variant: 1})
    orders = await asyncio.gather(*(take_money(till, draft, PRICE) for _ in range(3)))
    assert len({order.id for order in orders}) == 1
    assert len(await till.orders()) == 1
    assert await till.available(variant) == 2
    async with till.database.read() as session:
        sold = select(func.count()).where(AuditEntry.action == "sold")
        assert (await session.execute(sold)).scalar_one() == 1


async def test_two_concurrent_tabs_open_the_same_draft(till: Till) -> None:
    async def open_one() -> str:
        async with till.database.transaction() as session:
            return (await open_current_draft(session, SELLER)).id

    assert len(set(await asyncio.gather(open_one(), open_one()))) == 1


async def test_counter_sale_is_refused_if_the_seller_saw_another_total(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    with pytest.raises(TotalChanged):
        await take_money(till, draft, PRICE - 1)
    assert await till.orders() == []
    assert await till.available(variant) == 3


async def test_counter_sale_is_refused_if_a_web_cart_reserved_the_last_unit_first(till: Till) -> None:
    variant = await till.make_variant(stock=1)
    draft = await prepare(till, {variant: 1})
    web_cart = await till.cart(variant)

    async def hold(session: AsyncSession) -> None:
        await inventory.reserve(session, web_cart, {variant: 1}, until=now() + timedelta(hours=1))

    with pytest.raises(InsufficientStock):
        await run_against_rival(till.database, hold, lambda: take_money(till, draft, PRICE))
    assert await till.orders() == []


async def test_two_sellers_cannot_sell_the_last_unit_twice(till: Till) -> None:
    variant = await till.make_variant(stock=1)
    drafts = [(await prepare(till, {variant: 1}, actor), actor) for actor in (SELLER, OTHER_SELLER)]
    results = await asyncio.gather(
        *(take_money(till, draft, PRICE, actor=actor) for draft, actor in drafts), return_exceptions=True
    )
    assert sorted(type(one).__name__ for one in results) == ["InsufficientStock", "Order"]
    assert await till.available(variant) == 0


async def test_stockroom_role_may_not_sell(till: Till) -> None:
    variant = await till.make_variant()
    with pytest.raises(Forbidden):
        await prepare(till, {variant: 1}, STOCKROOM)
    draft = await prepare(till, {variant: 1})
    with pytest.raises(Forbidden):
        await take_money(till, draft, PRICE, actor=STOCKROOM)


async def test_discount_on_a_counter_sale_reduces_its_total_and_iva(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 2})
    await discount(till, draft.id, 8_000)
    assert await read_total(till, draft) == 72_000
    order = await take_money(till, draft, 72_000, ManualMethod.TERMINAL)
    async with till.database.read() as session:
        lines = await list_order_lines(session, order.id)
        totals = compute_order_totals(order, lines)
        actions = (await session.execute(select(AuditEntry.action).order_by(AuditEntry.id))).scalars().all()
    assert (totals.total, totals.tax_total, totals.discount_total) == (72_000, tax_inside(72_000, 19), 8_000)
    assert sorted(actions) == ["discounted", "sold"]


async def test_discount_above_the_limit_needs_the_owner(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    with pytest.raises(DiscountTooLarge):
        await discount(till, draft.id, 4_001)
    await discount(till, draft.id, 4_001, actor=OWNER)
    with pytest.raises(DiscountTooLarge):
        await take_money(till, draft, PRICE - 4_001)
    await take_money(till, draft, PRICE - 4_001, actor=OWNER)


@pytest.mark.parametrize(("amount", "reason"), [(-1, "x"), (PRICE + 1, "x"), (100, " "), (100, "x" * 201)])
async def test_invalid_discount_is_refused(till: Till, amount: int, reason: str) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    with pytest.raises(InvalidData):
        await discount(till, draft.id, amount, reason, OWNER)
    assert await read_total(till, draft) == PRICE


async def test_discount_of_a_draft_is_removed_when_its_lines_change(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 2})
    await discount(till, draft.id, 8_000)
    async with till.database.transaction() as session:
        line_id = (await session.execute(select(func.min(LineItem.id)))).scalar_one()
        await set_units(session, SELLER, draft.id, line_id, 1)
    assert await read_total(till, draft) == PRICE


async def test_discount_of_the_whole_price_makes_a_paid_order_of_0_pesos(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1}, OWNER)
    await discount(till, draft.id, PRICE, "regalo", OWNER)
    order = await take_money(till, draft, 0, actor=OWNER)
    assert (order.total, order.payment_status) == (0, "captured")


async def test_cancelled_or_empty_draft_is_not_sold(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    async with till.database.transaction() as session:
        await cancel_draft(session, SELLER, draft.id)
    with pytest.raises(NotAllowed):
        await take_money(till, draft, PRICE)
    empty = await prepare(till, {})
    assert empty.id != draft.id
    with pytest.raises(InvalidData):
        await take_money(till, empty, 0)


async def test_counter_sale_stores_a_customer_with_document_as_the_payer(till: Till) -> None:
    variant = await till.make_variant()
    draft = await prepare(till, {variant: 1})
    contact = parse_contact(
        {"first_name": "Ana", "last_name": "Gómez", "email": "ana@example.com", "phone": "300 123 4567",
         "doc_type": "CC", "doc_number": "1.020.304.050"}
    )  # fmt: skip
    order = await take_money(till, draft, PRICE, ManualMethod.NEQUI, contact=contact)
    assert order.email == "ana@example.com"
    assert order.guest_id is not None
    assert order.payer == {
        "person_type": "0", "doc_type": "CC", "doc_number": "1020304050", "email": "ana@example.com",
    }  # fmt: skip
    assert order.billing_address["first_name"] == "Ana"
    assert await till.mails() == ["order_paid"]


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"doc_type": "CC", "doc_number": "12"}, "doc_number"),
        ({"doc_type": "CC", "doc_number": "1020304050"}, "first_name"),
        ({"email": "no"}, "email"),
        ({"phone": "12"}, "phone"),
    ],
)
def test_invalid_contact_of_a_counter_sale_is_reported_at_its_field(
    typed: dict[str, str], field: str
) -> None:
    with pytest.raises(InvalidData) as refused:
        parse_contact(typed)
    assert list(refused.value.fields) == [field]


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"method": "gold"}, "method"),
        ({"method": "transfer", "reference": " "}, "reference"),
        ({"method": "nequi", "reference": "9" * 61}, "reference"),
    ],
)
def test_money_without_method_or_reference_is_refused(typed: dict[str, str], field: str) -> None:
    with pytest.raises(InvalidData) as refused:
        parse_received(typed, 100)
    assert list(refused.value.fields) == [field]


async def test_payments_stock_and_orders_of_web_and_counter_sales_add_up(till: Till) -> None:
    """Check money, stock and orders of a day with a web order and two counter sales, to the peso."""
    variant = await till.make_variant(stock=10)
    web, payment = await till.order(variant, 2)
    await till.decide(payment, ProviderState.CAPTURED)
    first = await take_money(till, await prepare(till, {variant: 1}), PRICE)
    draft = await prepare(till, {variant: 3}, OTHER_SELLER)
    await discount(till, draft.id, 10_000, actor=OTHER_SELLER)
    second = await take_money(till, draft, 3 * PRICE - 10_000, ManualMethod.TRANSFER, actor=OTHER_SELLER)
    orders = await till.orders()
    assert [order.id for order in orders] == [web.id, first.id, second.id]
    async with till.database.read() as session:
        begin = now() - timedelta(hours=1)
        [cash] = await sum_cash(session, [(begin, now() + timedelta(hours=1))])
    assert cash.captured == sum(order.total for order in orders)
    assert await till.available(variant) == 10 - 2 - 1 - 3


async def test_preorder_that_has_not_arrived_is_not_handed_over(till: Till) -> None:
    variant = await till.make_variant(stock=0)
    async with till.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(incoming=2))
    draft = await prepare(till, {variant: 1})
    with pytest.raises(InsufficientStock):
        await take_money(till, draft, PRICE)
    assert await till.orders() == []
