"""Finding orders: by date, payment, dispatch, pickup, number, name, e-mail, telephone, document, guide or CUS.

A word finds the orders that have a term which begins with it (`backend.customers.search_terms`). A rare word is looked
up first; for one that many orders have, the newest orders are asked whether they have it. So both are quick in a large
shop.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import (
    ColumnElement,
    and_,
    bindparam,
    delete,
    exists,
    false,
    insert,
    literal_column,
    or_,
    select,
    tuple_,
)
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.collation import AFTER_ANY_LETTER, MOST_WORDS
from backend.core.cursors import cursor_at, read_cursor
from backend.core.dates import day_begin
from backend.core.db.database import planned_for
from backend.core.db.tables import table_of
from backend.core.errors import InvalidData
from backend.customers.search_terms import buyer_terms, wanted_terms
from backend.orders.models import Fulfillment, Order, OrderLine, OrderTerm
from backend.payment.models import PaymentCollection, PaymentSession
from backend.shipping.models import ShippingOption
from backend.staff.rights import Actor, Right

MOST_RARE = 2_000
"""A word that more orders have than these is not rare."""
SHORTEST_REFERENCE = 4
FEWEST_DIGITS = 4
"""Fewer digits are an order's number, and not the beginning of a telephone or a document."""
LONGEST_NUMBER = 9
DAY_LENGTH = len("2026-11-21")


def is_one_of(column: object, *values: str) -> ColumnElement[bool]:
    """Whether the column has one of these values, as literals: an index of just those rows can serve it then."""
    either = [column == literal_column(f"'{value}'") for value in values]
    return or_(*either)


HAS_UNPACKED = exists().where(
    OrderLine.order_id == Order.id, OrderLine.quantity > OrderLine.fulfilled + OrderLine.withdrawn
)
"""Units of the order are in no parcel yet and are to be sent."""
TO_PACK = and_(
    is_one_of(Order.status, "pending"),
    is_one_of(Order.payment_status, "captured", "partially_captured", "partially_refunded"),
    is_one_of(
        Order.fulfillment_status,
        "not_fulfilled",
        "partially_fulfilled",
        "partially_shipped",
        "partially_delivered",
    ),
    HAS_UNPACKED,
)
"""Orders that are paid and have units to be packed."""


@dataclass(frozen=True, slots=True)
class OrderFilter:
    """Which orders; what is empty or None does not matter.

    Attributes:
        text: a number, a name, an e-mail, a telephone, a document, a guide or a CUS.
        since: placed at this moment or later.
        until: placed before this moment.
        is_to_pack: only what is paid and has units to be packed.
        is_pickup: whether the buyer fetches it.
    """

    text: str = ""
    since: datetime | None = None
    until: datetime | None = None
    statuses: tuple[str, ...] = ()
    payment: tuple[str, ...] = ()
    fulfillment: tuple[str, ...] = ()
    is_to_pack: bool = False
    is_pickup: bool | None = None


async def conditions_of(session: AsyncSession, wanted: OrderFilter) -> list[ColumnElement[bool]]:
    """What the rows of `Order` must meet. Whoever shows them has checked the right to see orders."""
    one_of = (
        (Order.status, wanted.statuses),
        (Order.payment_status, wanted.payment),
        (Order.fulfillment_status, wanted.fulfillment),
    )
    conditions: list[ColumnElement[bool]] = [column.in_(values) for column, values in one_of if values]
    if wanted.since is not None:
        conditions.append(Order.created_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(Order.created_at < wanted.until)
    if wanted.is_to_pack:
        conditions.append(TO_PACK)
    if wanted.is_pickup is not None:
        fetched = Order.shipping_option_id.in_(await pickup_options(session))
        conditions.append(fetched if wanted.is_pickup else or_(~fetched, Order.shipping_option_id.is_(None)))
    if wanted.text.strip():
        conditions.append(await _mentions(session, wanted.text))
    return conditions


def within(
    wanted: OrderFilter,
    *,
    since: str | None = None,
    after: str | None = None,
    until: str | None = None,
    before: str | None = None,
) -> OrderFilter:
    """The filter with a range of dates. Each bound is a day in Colombia (`2026-11-21`) or a moment in ISO 8601.

    Args:
        wanted: the filter.
        since: from this on.
        after: later than this; the day after, for a day.
        until: up to this and with it; with all of the day, for a day.
        before: earlier than this.

    Raises:
        InvalidData: one is neither.
    """
    first = [_begin(since, is_past=False), _begin(after, is_past=True)]
    last = [_begin(until, is_past=True), _begin(before, is_past=False)]
    return replace(
        wanted,
        since=max((moment for moment in first if moment), default=wanted.since),
        until=min((moment for moment in last if moment), default=wanted.until),
    )


def _begin(text: str | None, *, is_past: bool) -> datetime | None:
    """When the bound begins; `is_past`: when it is over."""
    if not text:
        return None
    try:
        if len(text) == DAY_LENGTH:
            return day_begin(date.fromisoformat(text) + timedelta(days=int(is_past)))
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC) + timedelta(microseconds=int(is_past))
    except (ValueError, OverflowError) as error:
        raise InvalidData(f"'{text[:40]}' is neither a day (2026-11-21) nor a moment in ISO 8601") from error


async def orders_page(
    session: AsyncSession, actor: Actor, wanted: OrderFilter, limit: int, cursor: str = ""
) -> tuple[Sequence[Order], str]:
    """The orders, the newest first.

    Args:
        session: for reading.
        actor: who asks.
        wanted: which orders.
        limit: how many at most.
        cursor: where the page before ended; empty for the first.

    Returns:
        The orders, and the cursor of the next page; empty where there is none.

    Raises:
        Forbidden: the actor may not see orders.
        InvalidData: the cursor is none of ours.
    """
    actor.require(Right.READ_ORDERS)
    return await page_where(session, actor, await conditions_of(session, wanted), limit, cursor)


async def page_where(
    session: AsyncSession,
    actor: Actor,
    conditions: Sequence[ColumnElement[bool]],
    limit: int,
    cursor: str = "",
) -> tuple[Sequence[Order], str]:
    """As `orders_page`, for orders that meet these conditions."""
    actor.require(Right.READ_ORDERS)
    if cursor:
        conditions = [*conditions, tuple_(Order.created_at, Order.number) < read_place(cursor)]
    query = (
        select(Order)
        .where(*conditions)
        .order_by(Order.created_at.desc(), Order.number.desc())
        .limit(planned_for(limit + 1))
    )
    found = (await session.execute(query)).scalars().all()
    return found[:limit], cursor_after(found[limit - 1]) if len(found) > limit else ""


def cursor_after(order: Order) -> str:
    """Where a page ends whose last order this is."""
    return cursor_at(order.created_at, order.number or 0)


async def pickup_options(session: AsyncSession) -> list[str]:
    """The shipping options with which buyers fetch what they bought."""
    options = await session.execute(select(ShippingOption.id, ShippingOption.data))
    return [option_id for option_id, data in options if data.get("pickup")]


async def index_order(session: AsyncSession, order: Order, *, is_new: bool = False) -> None:
    """Let the (stored) order be found by what it says now of its buyer."""
    if not is_new:
        await session.execute(_FORGET, {"number": order.number})
    terms = buyer_terms(order.email, [order.shipping_address, order.billing_address], order.payer)
    if terms:
        rows = [{"term": term, "order_number": order.number} for term in terms]
        await session.execute(_INSERT, rows)


_TERMS = table_of(OrderTerm)
_FORGET = delete(_TERMS).where(_TERMS.c.order_number == bindparam("number"))
_INSERT = insert(_TERMS)


async def _mentions(session: AsyncSession, text: str) -> ColumnElement[bool]:
    """Orders with this number, guide or reference, or with all of these words."""
    either: list[ColumnElement[bool]] = []
    named = await _referred(session, text)
    if named:
        either.append(Order.number.in_(named))
    words = wanted_terms(text)[:MOST_WORDS]
    if words and not (words[0].isdigit() and len(words[0]) < FEWEST_DIGITS):
        either.append(await _with_words(session, words))
    return or_(*either) if either else false()


async def _referred(session: AsyncSession, text: str) -> list[int]:
    """The numbers of the orders whose number, guide, CUS, gateway reference or invoice this is."""
    numbers: set[int] = set()
    written = text.strip().removeprefix("#")
    if written.isascii() and written.isdigit() and len(written) <= LONGEST_NUMBER:
        numbers.add(int(written))
    reference = "".join(text.split())
    if len(reference) >= SHORTEST_REFERENCE and reference.isascii():
        same = list({reference, reference.upper()})
        by_guide = (
            select(Order.number)
            .join(Fulfillment, Fulfillment.order_id == Order.id)
            .where(Fulfillment.tracking_number.in_(same))
        )
        of_bank = (PaymentSession.transaction_id, PaymentSession.reference, PaymentSession.invoice)
        by_payment = (
            select(Order.number)
            .join(PaymentCollection, PaymentCollection.cart_id == Order.cart_id)
            .join(PaymentSession, PaymentSession.collection_id == PaymentCollection.id)
            .where(or_(*(column.in_(same) for column in of_bank)))
        )
        for query in (by_guide, by_payment):
            numbers.update(filter(None, (await session.execute(query.limit(MOST_RARE))).scalars()))
    return sorted(numbers)


async def _with_words(session: AsyncSession, words: Sequence[str]) -> ColumnElement[bool]:
    rare: set[int] | None = None
    common: list[ColumnElement[bool]] = []
    for word in words:
        # parameters, as these words are personal data, which no log of statements is to hold
        begins = (OrderTerm.term >= word) & (OrderTerm.term < word + AFTER_ANY_LETTER)
        some = select(OrderTerm.order_number).where(begins).limit(planned_for(MOST_RARE + 1))
        found = await session.execute(some)
        numbers = found.scalars().all()
        if len(numbers) > MOST_RARE:
            common.append(exists().where(OrderTerm.order_number == Order.number, begins))
        else:
            rare = set(numbers) if rare is None else rare & set(numbers)
    if rare is not None:
        common.insert(0, Order.number.in_(sorted(rare)))
    return and_(*common)


def read_place(cursor: str) -> tuple[datetime, int]:
    """When the order that the cursor names was placed, and its number. InvalidData: it is none of ours."""
    moment, number = read_cursor(cursor)
    if not (number.isascii() and number.isdecimal() and len(number) <= LONGEST_NUMBER):
        raise InvalidData("not a cursor")
    return moment, int(number)
