"""Ledger of a period by rate of IVA: all captured pesos minus all refunded pesos.

A payment counts on the day of its capture, and a refund on the day of its booking, whatever happens to the order
later. The capture time of a session never changes. The rates are those that the order's lines and its shipping had
when the order was placed. `backend.orders.money.payment_allocation` allocates payments to the rates. Simple
payments, which equal the total of their order (`_IS_PLAIN`), are summed by the database instead.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    and_,
    cast,
    exists,
    func,
    literal,
    not_,
    or_,
    select,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.core.db.tables import Json
from backend.core.money import Cop
from backend.orders.models import Order, OrderLine
from backend.orders.money.payment_allocation import Account, Event, Share, build_parts, sum_discounts_by_part
from backend.payment.models import PaymentCollection, PaymentSession, Refund
from backend.payment.transitions import pays
from backend.pricing import SHIPPING
from backend.reports.periods import Period, split_into_months

BATCH_SIZE = 500
"""Number of payments whose orders are read at a time."""


@dataclass(slots=True)
class TaxedAmount:
    """An amount in pesos including IVA, and the IVA that it includes."""

    total: Cop = 0
    tax: Cop = 0

    @property
    def base(self) -> Cop:
        """Return the amount in pesos without its IVA."""
        return self.total - self.tax

    def add(self, total: Cop, tax: Cop) -> None:
        """Add an amount in pesos that includes IVA, and its IVA."""
        self.total += total
        self.tax += tax


def _new_sums() -> defaultdict[int, TaxedAmount]:
    return defaultdict(TaxedAmount)


@dataclass(slots=True)
class PeriodLedger:
    """Captured and refunded pesos of a period.

    Attributes:
        items: pesos paid for products, by rate of IVA in percent.
        shipping: pesos paid for shipping, by rate.
        refunded_sums: refunded pesos for products and shipping, by rate.
        unallocated: captured pesos that pay no order: paid twice, too much, or for an unknown reason.
        unallocated_refunds: refunded pesos of such payments.
    """

    items: dict[int, TaxedAmount] = field(default_factory=_new_sums)
    shipping: dict[int, TaxedAmount] = field(default_factory=_new_sums)
    refunded_sums: dict[int, TaxedAmount] = field(default_factory=_new_sums)
    unallocated: Cop = 0
    unallocated_refunds: Cop = 0

    @property
    def captured(self) -> Cop:
        """Return all captured pesos."""
        return _sum_totals(self.items) + _sum_totals(self.shipping) + self.unallocated

    @property
    def refunded(self) -> Cop:
        """Return all refunded pesos."""
        return _sum_totals(self.refunded_sums) + self.unallocated_refunds

    @property
    def tax(self) -> Cop:
        """Return the IVA of the captured money minus the IVA of the refunded money, in pesos."""
        sold = (*self.items.values(), *self.shipping.values())
        return sum(one.tax for one in sold) - sum(one.tax for one in self.refunded_sums.values())

    def add_share(self, share: Share, *, is_refund: bool) -> None:
        """Add a share of a capture or a refund."""
        if not share.part and is_refund:
            self.unallocated_refunds += share.amount
        elif not share.part:
            self.unallocated += share.amount
        else:
            sold = self.shipping if share.part == SHIPPING else self.items
            (self.refunded_sums if is_refund else sold)[share.rate].add(share.amount, share.tax)


def _sum_totals(sums: dict[int, TaxedAmount]) -> Cop:
    return sum(one.total for one in sums.values())


async def read_ledger(session: AsyncSession, period: Period) -> PeriodLedger:
    """Return the ledger of a period. The caller must check the right to read it."""
    ledger = PeriodLedger()
    for month in split_into_months(period):
        await _add_plain(session, ledger, month.begin, month.end)
        shared = await _find_shared_collections(session, month.begin, month.end)
        for start in range(0, len(shared), BATCH_SIZE):
            some = shared[start : start + BATCH_SIZE]
            await _add_shared(session, ledger, some, month.begin, month.end)
        await asyncio.sleep(0)  # let other tasks run
    return ledger


_other = aliased(PaymentSession)
_IS_PLAIN = and_(
    Order.total == PaymentSession.captured_amount,
    Order.adjustments == literal([], Json),
    ~exists().where(
        _other.collection_id == PaymentSession.collection_id,
        _other.id != PaymentSession.id,
        _other.captured_at.is_not(None),
    ),
)
"""SQL condition for simple payments.

The payment is the only captured one of its order, it equals the order's total, and the order has no discount.
"""


def _select_captures(begin: datetime, end: datetime, *columns: Any) -> Select[Any]:
    """Return the query for these columns of the captures in a time range, joined with their orders."""
    return (
        select(*columns)
        .select_from(PaymentSession)
        .join(PaymentCollection, PaymentCollection.id == PaymentSession.collection_id)
        .outerjoin(Order, Order.cart_id == PaymentCollection.cart_id)
        .where(PaymentSession.captured_at >= begin, PaymentSession.captured_at < end)
    )


async def _add_plain(session: AsyncSession, ledger: PeriodLedger, begin: datetime, end: datetime) -> None:
    shipping, line = _to_bigint(Order.shipping_total), _to_bigint(OrderLine.unit_price) * OrderLine.quantity
    whole = _select_captures(
        begin,
        end,
        Order.shipping_tax_rate,
        func.sum(_to_bigint(PaymentSession.captured_amount)),
        func.sum(shipping),
        func.sum(_tax_inside(shipping, Order.shipping_tax_rate)),
    )
    captured = 0
    for rate, amount, total, tax in await session.execute(
        whole.where(_IS_PLAIN).group_by(Order.shipping_tax_rate)
    ):
        captured += int(amount)
        ledger.shipping[rate].add(int(total), int(tax))
        captured -= int(total)
    sold = _select_captures(
        begin, end, OrderLine.tax_rate, func.sum(line), func.sum(_tax_inside(line, OrderLine.tax_rate))
    )
    of_lines = sold.join(OrderLine, OrderLine.order_id == Order.id).where(_IS_PLAIN)
    for rate, total, tax in await session.execute(of_lines.group_by(OrderLine.tax_rate)):
        ledger.items[rate].add(int(total), int(tax))
        captured -= int(total)
    ledger.unallocated += captured  # the remainder of orders whose lines differ from their total


def _to_bigint(amount: Any) -> ColumnElement[int]:
    return cast(amount, BigInteger)


def _tax_inside(amount: ColumnElement[int], rate: Any) -> ColumnElement[int]:
    """Return the SQL expression of the IVA inside an amount, equal to the result of `backend.pricing.tax_inside`."""
    base: ColumnElement[int] = (200 * amount + 100 + rate) // (2 * (100 + rate))
    return amount - base


async def _find_shared_collections(session: AsyncSession, begin: datetime, end: datetime) -> list[str]:
    """Return the ids of payment collections whose money in the time range must be divided among rates of IVA.

    These are the collections with a refund, or with a capture that is no simple payment (see `_IS_PLAIN`).
    """
    is_shared = or_(Order.id.is_(None), not_(_IS_PLAIN))
    captured = _select_captures(begin, end, PaymentSession.collection_id).where(is_shared)
    refunded = (
        select(PaymentSession.collection_id)
        .join(Refund, Refund.payment_session_id == PaymentSession.id)
        .where(Refund.created_at >= begin, Refund.created_at < end)
    )
    found = [*(await session.execute(captured)).scalars(), *(await session.execute(refunded)).scalars()]
    return list(dict.fromkeys(found))


async def _add_shared(
    session: AsyncSession, ledger: PeriodLedger, collection_ids: Sequence[str], begin: datetime, end: datetime
) -> None:
    accounts = await _read_accounts(session, collection_ids)
    events, plain = await _read_events(session, collection_ids)
    for collection_id in collection_ids:
        account = accounts.get(collection_id, Account({}))
        for event in sorted(events[collection_id]):
            shares = account.book(event)
            if begin <= event.at < end and event.id not in plain:
                for share in shares:
                    ledger.add_share(share, is_refund=event.is_refund)


async def _read_events(
    session: AsyncSession, collection_ids: Sequence[str]
) -> tuple[dict[str, list[Event]], set[str]]:
    """Return all captures and refunds of these payment collections by collection, also those outside the period.

    Also return the ids of the simple payments (see `_IS_PLAIN`), which an SQL statement sums.
    """
    found: dict[str, list[Event]] = defaultdict(list)
    plain: set[str] = set()
    captures = (
        select(PaymentSession, func.coalesce(_IS_PLAIN, False))
        .join(PaymentCollection, PaymentCollection.id == PaymentSession.collection_id)
        .outerjoin(Order, Order.cart_id == PaymentCollection.cart_id)
        .where(PaymentSession.collection_id.in_(collection_ids), PaymentSession.captured_at.is_not(None))
    )
    payments: dict[str, tuple[str, bool]] = {}
    for payment, is_plain in await session.execute(captures):
        at, amount = payment.captured_at or BEGINNING, payment.captured_amount or 0
        counts = is_plain or pays(payment)  # the database has added up plain payments
        payments[payment.id] = payment.collection_id, counts
        event = Event(at, is_refund=False, id=payment.id, amount=amount, pays=counts)
        found[payment.collection_id].append(event)
        if is_plain:
            plain.add(payment.id)
    refunds = select(Refund).where(Refund.payment_session_id.in_(payments))
    for refund in (await session.execute(refunds)).scalars():
        units = tuple((str(line.get("line_id")), int(line.get("quantity", 0))) for line in refund.lines)
        collection_id, counts = payments[refund.payment_session_id]
        found[collection_id].append(
            Event(
                refund.created_at,
                is_refund=True,
                id=refund.id,
                amount=refund.amount,
                units=units,
                pays=counts,
            )
        )
    return found, plain


BEGINNING = datetime.min.replace(tzinfo=UTC)


async def _read_accounts(session: AsyncSession, collection_ids: Sequence[str]) -> dict[str, Account]:
    columns = (Order.id, Order.shipping_tax_rate, Order.shipping_total, Order.adjustments)
    query = (
        select(PaymentCollection.id, *columns)
        .join(Order, Order.cart_id == PaymentCollection.cart_id)
        .where(PaymentCollection.id.in_(collection_ids))
    )
    orders = (await session.execute(query)).all()
    lines: dict[str, list[tuple[str, int, int, Cop]]] = defaultdict(list)
    sold = select(
        OrderLine.order_id, OrderLine.id, OrderLine.tax_rate, OrderLine.quantity, OrderLine.unit_price
    ).where(OrderLine.order_id.in_([order_id for _id, order_id, *_rest in orders]))
    for order_id, id_, tax_rate, quantity, price in await session.execute(sold.order_by(OrderLine.id)):
        lines[order_id].append((id_, tax_rate, quantity, price))
    return {
        collection_id: Account(
            build_parts(lines[order_id], (rate, total), sum_discounts_by_part(adjustments))
        )
        for collection_id, order_id, rate, total, adjustments in orders
    }
