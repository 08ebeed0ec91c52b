"""What came in and went back in a period, by rate of IVA: every peso that was captured, less every one refunded.

A payment counts on the day on which it was captured, a refund on the day on which it was booked, whatever became of
the order. A session has the moment of its capture once it is captured, which it stays. Rates are those that the
order's lines and its shipping were sold at; how payments are shared out over them is in
`backend.orders.money.payment_allocation`. A payment that is simply that of its order is added up by the database.
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
from backend.orders.money.payment_allocation import Account, Event, Share, parts_of, taken_by_part
from backend.payment.models import PaymentCollection, PaymentSession, Refund
from backend.payment.transitions import pays
from backend.pricing import SHIPPING
from backend.reports.periods import Period, months

AT_ONCE = 500
"""Payments whose orders are read at a time."""


@dataclass(slots=True)
class Sum:
    """Pesos with the IVA in them, and that IVA."""

    total: Cop = 0
    tax: Cop = 0

    @property
    def base(self) -> Cop:
        """The pesos without their IVA."""
        return self.total - self.tax

    def add(self, total: Cop, tax: Cop) -> None:
        """Add so many pesos with so much IVA in them."""
        self.total += total
        self.tax += tax


def _sums() -> defaultdict[int, Sum]:
    return defaultdict(Sum)


@dataclass(slots=True)
class Books:
    """What came in and went back.

    Attributes:
        items: what was paid for toys, by rate of IVA in percent.
        shipping: what was paid for shipping, by rate.
        given_back: what of both was refunded, by rate.
        beyond: captured money that paid no order: paid twice, too much, or nobody knows for what.
        beyond_given_back: what of such money was refunded.
    """

    items: dict[int, Sum] = field(default_factory=_sums)
    shipping: dict[int, Sum] = field(default_factory=_sums)
    given_back: dict[int, Sum] = field(default_factory=_sums)
    beyond: Cop = 0
    beyond_given_back: Cop = 0

    @property
    def captured(self) -> Cop:
        """All that was captured."""
        return _total(self.items) + _total(self.shipping) + self.beyond

    @property
    def refunded(self) -> Cop:
        """All that was refunded."""
        return _total(self.given_back) + self.beyond_given_back

    @property
    def tax(self) -> Cop:
        """The IVA that is owed for it."""
        sold = (*self.items.values(), *self.shipping.values())
        return sum(one.tax for one in sold) - sum(one.tax for one in self.given_back.values())

    def note(self, share: Share, *, is_refund: bool) -> None:
        """Add a share of a capture, or of a refund."""
        if not share.part and is_refund:
            self.beyond_given_back += share.amount
        elif not share.part:
            self.beyond += share.amount
        else:
            sold = self.shipping if share.part == SHIPPING else self.items
            (self.given_back if is_refund else sold)[share.rate].add(share.amount, share.tax)


def _total(sums: dict[int, Sum]) -> Cop:
    return sum(one.total for one in sums.values())


async def books_of(session: AsyncSession, period: Period) -> Books:
    """What came in and went back on these days. Whoever shows it has checked the right to see it."""
    books = Books()
    for month in months(period):
        await _add_plain(session, books, month.begin, month.end)
        shared = await _collections(session, month.begin, month.end)
        for start in range(0, len(shared), AT_ONCE):
            some = shared[start : start + AT_ONCE]
            await _add_shared(session, books, some, month.begin, month.end)
        await asyncio.sleep(0)  # others are served in between
    return books


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
"""The payment is its order's only one, of exactly what the order costs, and nothing was taken off a line."""


def _captures(begin: datetime, end: datetime, *columns: Any) -> Select[Any]:
    """Captures of these moments, with the orders that they were for."""
    return (
        select(*columns)
        .select_from(PaymentSession)
        .join(PaymentCollection, PaymentCollection.id == PaymentSession.collection_id)
        .outerjoin(Order, Order.cart_id == PaymentCollection.cart_id)
        .where(PaymentSession.captured_at >= begin, PaymentSession.captured_at < end)
    )


async def _add_plain(session: AsyncSession, books: Books, begin: datetime, end: datetime) -> None:
    shipping, line = _big(Order.shipping_total), _big(OrderLine.unit_price) * OrderLine.quantity
    whole = _captures(
        begin,
        end,
        Order.shipping_tax_rate,
        func.sum(_big(PaymentSession.captured_amount)),
        func.sum(shipping),
        func.sum(_tax(shipping, Order.shipping_tax_rate)),
    )
    captured = 0
    for rate, amount, total, tax in await session.execute(
        whole.where(_IS_PLAIN).group_by(Order.shipping_tax_rate)
    ):
        captured += int(amount)
        books.shipping[rate].add(int(total), int(tax))
        captured -= int(total)
    sold = _captures(begin, end, OrderLine.tax_rate, func.sum(line), func.sum(_tax(line, OrderLine.tax_rate)))
    of_lines = sold.join(OrderLine, OrderLine.order_id == Order.id).where(_IS_PLAIN)
    for rate, total, tax in await session.execute(of_lines.group_by(OrderLine.tax_rate)):
        books.items[rate].add(int(total), int(tax))
        captured -= int(total)
    books.beyond += captured  # an order whose lines do not come to its total


def _big(amount: Any) -> ColumnElement[int]:
    return cast(amount, BigInteger)


def _tax(amount: ColumnElement[int], rate: Any) -> ColumnElement[int]:
    """`backend.pricing.tax_inside`, by the database."""
    base: ColumnElement[int] = (200 * amount + 100 + rate) // (2 * (100 + rate))
    return amount - base


async def _collections(session: AsyncSession, begin: datetime, end: datetime) -> list[str]:
    """The payment collections with something of these moments that has to be shared out."""
    is_shared = or_(Order.id.is_(None), not_(_IS_PLAIN))
    captured = _captures(begin, end, PaymentSession.collection_id).where(is_shared)
    refunded = (
        select(PaymentSession.collection_id)
        .join(Refund, Refund.payment_session_id == PaymentSession.id)
        .where(Refund.created_at >= begin, Refund.created_at < end)
    )
    found = [*(await session.execute(captured)).scalars(), *(await session.execute(refunded)).scalars()]
    return list(dict.fromkeys(found))


async def _add_shared(
    session: AsyncSession, books: Books, collection_ids: Sequence[str], begin: datetime, end: datetime
) -> None:
    accounts = await _accounts(session, collection_ids)
    events, plain = await _events(session, collection_ids)
    for collection_id in collection_ids:
        account = accounts.get(collection_id, Account({}))
        for event in sorted(events[collection_id]):
            shares = account.book(event)
            if begin <= event.at < end and event.id not in plain:
                for share in shares:
                    books.note(share, is_refund=event.is_refund)


async def _events(
    session: AsyncSession, collection_ids: Sequence[str]
) -> tuple[dict[str, list[Event]], set[str]]:
    """All captures and refunds of these payment collections, not of the period alone; which are added up already."""
    found: dict[str, list[Event]] = defaultdict(list)
    plain: set[str] = set()
    captures = (
        select(PaymentSession, func.coalesce(_IS_PLAIN, False))
        .join(PaymentCollection, PaymentCollection.id == PaymentSession.collection_id)
        .outerjoin(Order, Order.cart_id == PaymentCollection.cart_id)
        .where(PaymentSession.collection_id.in_(collection_ids), PaymentSession.captured_at.is_not(None))
    )
    known: dict[str, tuple[str, bool]] = {}
    for payment, is_plain in await session.execute(captures):
        at, amount = payment.captured_at or BEGINNING, payment.captured_amount or 0
        counts = is_plain or pays(payment)  # the database has added up what is plain
        known[payment.id] = payment.collection_id, counts
        event = Event(at, is_refund=False, id=payment.id, amount=amount, pays=counts)
        found[payment.collection_id].append(event)
        if is_plain:
            plain.add(payment.id)
    refunds = select(Refund).where(Refund.payment_session_id.in_(known))
    for refund in (await session.execute(refunds)).scalars():
        units = tuple((str(line.get("line_id")), int(line.get("quantity", 0))) for line in refund.lines)
        collection_id, counts = known[refund.payment_session_id]
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


async def _accounts(session: AsyncSession, collection_ids: Sequence[str]) -> dict[str, Account]:
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
        collection_id: Account(parts_of(lines[order_id], (rate, total), taken_by_part(adjustments)))
        for collection_id, order_id, rate, total, adjustments in orders
    }
