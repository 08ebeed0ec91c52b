"""Search of orders by date, payment, dispatch, pickup, number, name, e-mail, phone, document, tracking number or CUS.

A word finds the orders that have a search term with this prefix (`backend.customers.search_terms`). A rare word is
looked up in the index. For a frequent word, the newest orders are checked one after the other. So both are fast in
a large shop.
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

from backend.core.collation import AFTER_ANY_LETTER, MAX_SEARCH_WORDS
from backend.core.cursors import format_cursor, parse_cursor
from backend.core.dates import day_begin
from backend.core.db.database import planned_literal
from backend.core.db.tables import table_of
from backend.core.errors import InvalidData
from backend.customers.search_terms import customer_terms, parse_search_terms
from backend.orders.models import Fulfillment, Order, OrderLine, OrderTerm
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.payments import HAS_UNACCEPTED_MONEY
from backend.shipping.models import ShippingOption
from backend.staff.rights import Actor, Right

MAX_RARE_MATCHES = 2_000
"""A word is rare if no more orders than this have it."""
MIN_REFERENCE_LENGTH = 4
MIN_DIGITS = 4
"""A number with fewer digits is searched as an order's number only, not as the prefix of a phone or a document."""
MAX_NUMBER_DIGITS = 9
DAY_LENGTH = len("2026-11-21")


def is_one_of(column: object, *values: str) -> ColumnElement[bool]:
    """Return an SQL condition that the column has one of the values.

    The values are literals in the SQL text. With bound parameters, the database would not use a partial index.
    """
    either = [column == literal_column(f"'{value}'") for value in values]
    return or_(*either)


HAS_UNPACKED = (
    select(OrderLine.id)
    .where(OrderLine.order_id == Order.id, OrderLine.quantity > OrderLine.fulfilled + OrderLine.withdrawn)
    .correlate(Order)
    # with an OFFSET, PostgreSQL looks up the lines of each order instead of reading the lines of all orders
    .limit(literal_column("1"))
    .offset(literal_column("0"))
    .exists()
)
"""Condition on `Order`: it has units to send that are in no parcel yet."""
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
"""Condition on `Order`: it is paid and has units to pack."""


HAS_MONEY_TO_ACCEPT = exists().where(
    PaymentCollection.cart_id == Order.cart_id,
    PaymentSession.collection_id == PaymentCollection.id,
    HAS_UNACCEPTED_MONEY,
)
"""Condition on `Order`: a provider took money that pays no order before staff have decided."""
_WITH_MONEY_TO_ACCEPT = select(Order.id).where(
    Order.id.in_(bindparam("order_ids", expanding=True)), HAS_MONEY_TO_ACCEPT
)
AWAITING_BANK = and_(is_one_of(Order.payment_status, "awaiting"), ~HAS_MONEY_TO_ACCEPT)
"""Condition on `Order`: its bank has not decided yet."""


@dataclass(frozen=True, slots=True)
class OrderFilter:
    """Filters of orders. An empty or None field does not filter.

    Attributes:
        text: a number, name, e-mail, phone, document, tracking number or CUS.
        since: placed at this time or later.
        until: placed before this time.
        is_awaiting_bank: only orders whose bank has not decided yet.
        is_to_pack: only orders that are paid and have units to pack.
        is_pickup: True for orders that the customer picks up, False for the others.
    """

    text: str = ""
    since: datetime | None = None
    until: datetime | None = None
    statuses: tuple[str, ...] = ()
    payment: tuple[str, ...] = ()
    fulfillment: tuple[str, ...] = ()
    is_awaiting_bank: bool = False
    is_to_pack: bool = False
    is_pickup: bool | None = None


async def find_orders_with_money_to_accept(session: AsyncSession, order_ids: Sequence[str]) -> set[str]:
    """Return the ids of those orders for which a provider took money about which staff have not decided."""
    return set((await session.execute(_WITH_MONEY_TO_ACCEPT, {"order_ids": list(order_ids)})).scalars())


async def build_conditions(session: AsyncSession, filters: OrderFilter) -> list[ColumnElement[bool]]:
    """Return the SQL conditions on `Order` for the filters. The caller has checked the right to see orders."""
    one_of = (
        (Order.status, filters.statuses),
        (Order.payment_status, filters.payment),
        (Order.fulfillment_status, filters.fulfillment),
    )
    conditions: list[ColumnElement[bool]] = [column.in_(values) for column, values in one_of if values]
    if filters.since is not None:
        conditions.append(Order.created_at >= filters.since)
    if filters.until is not None:
        conditions.append(Order.created_at < filters.until)
    if filters.is_awaiting_bank:
        conditions.append(AWAITING_BANK)
    if filters.is_to_pack:
        conditions.append(TO_PACK)
    if filters.is_pickup is not None:
        fetched = Order.shipping_option_id.in_(await list_pickup_options(session))
        conditions.append(fetched if filters.is_pickup else or_(~fetched, Order.shipping_option_id.is_(None)))
    if filters.text.strip():
        conditions.append(await _text_condition(session, filters.text))
    return conditions


def with_date_range(
    filters: OrderFilter,
    *,
    since: str | None = None,
    after: str | None = None,
    until: str | None = None,
    before: str | None = None,
) -> OrderFilter:
    """Return the filter with a range of dates. Each bound is a day in Colombia (`2026-11-21`) or a time in ISO 8601.

    Args:
        filters: the filter.
        since: inclusive lower bound.
        after: exclusive lower bound; for a day, the range starts on the next day.
        until: inclusive upper bound; for a day, the whole day is included.
        before: exclusive upper bound.

    Raises:
        InvalidData: a bound is neither a day nor a time.
    """
    first = [_parse_bound(since, is_past=False), _parse_bound(after, is_past=True)]
    last = [_parse_bound(until, is_past=True), _parse_bound(before, is_past=False)]
    return replace(
        filters,
        since=max((moment for moment in first if moment), default=filters.since),
        until=min((moment for moment in last if moment), default=filters.until),
    )


def _parse_bound(text: str | None, *, is_past: bool) -> datetime | None:
    """Parse a day or a time. Return its start, or with `is_past` its end; None for an empty text."""
    if not text:
        return None
    try:
        if len(text) == DAY_LENGTH:
            return day_begin(date.fromisoformat(text) + timedelta(days=int(is_past)))
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC) + timedelta(microseconds=int(is_past))
    except (ValueError, OverflowError) as error:
        raise InvalidData(f"'{text[:40]}' is neither a day (2026-11-21) nor a time in ISO 8601") from error


async def read_orders_page(
    session: AsyncSession, actor: Actor, filters: OrderFilter, limit: int, cursor: str = ""
) -> tuple[Sequence[Order], str]:
    """Return a page of orders, the newest first.

    Args:
        session: for reading.
        actor: the caller.
        filters: the filters.
        limit: maximum number of orders.
        cursor: the cursor that the previous page returned; empty for the first page.

    Returns:
        The orders, and the cursor of the next page; empty if this is the final page.

    Raises:
        Forbidden: the actor may not see orders.
        InvalidData: the cursor is invalid.
    """
    actor.require(Right.READ_ORDERS)
    return await read_page_where(session, actor, await build_conditions(session, filters), limit, cursor)


async def read_page_where(
    session: AsyncSession,
    actor: Actor,
    conditions: Sequence[ColumnElement[bool]],
    limit: int,
    cursor: str = "",
) -> tuple[Sequence[Order], str]:
    """Return a page of the orders that match these SQL conditions. See `read_orders_page`."""
    actor.require(Right.READ_ORDERS)
    if cursor:
        conditions = [*conditions, tuple_(Order.created_at, Order.number) < parse_order_cursor(cursor)]
    query = (
        select(Order)
        .where(*conditions)
        .order_by(Order.created_at.desc(), Order.number.desc())
        .limit(planned_literal(limit + 1))
    )
    found = (await session.execute(query)).scalars().all()
    return found[:limit], make_order_cursor(found[limit - 1]) if len(found) > limit else ""


def make_order_cursor(order: Order) -> str:
    """Return the cursor of a page that ends with this order."""
    return format_cursor(order.created_at, order.number or 0)


async def list_pickup_options(session: AsyncSession) -> list[str]:
    """Return the ids of the shipping options for pickup."""
    options = await session.execute(select(ShippingOption.id, ShippingOption.data))
    return [option_id for option_id, data in options if data.get("pickup")]


async def index_order(session: AsyncSession, order: Order, *, is_new: bool = False) -> None:
    """Update the search terms of the (stored) order from its customer's data."""
    if not is_new:
        await session.execute(_FORGET, {"number": order.number})
    terms = customer_terms(order.email, [order.shipping_address, order.billing_address], order.payer)
    if terms:
        rows = [{"term": term, "order_number": order.number} for term in terms]
        await session.execute(_INSERT, rows)


_TERMS = table_of(OrderTerm)
_FORGET = delete(_TERMS).where(_TERMS.c.order_number == bindparam("number"))
_INSERT = insert(_TERMS)


async def _text_condition(session: AsyncSession, text: str) -> ColumnElement[bool]:
    """Return an SQL condition for orders that have `text` as a number or reference, or have all its words."""
    either: list[ColumnElement[bool]] = []
    named = await _find_by_reference(session, text)
    if named:
        either.append(Order.number.in_(named))
    words = parse_search_terms(text)[:MAX_SEARCH_WORDS]
    if words and not (words[0].isdigit() and len(words[0]) < MIN_DIGITS):
        either.append(await _words_condition(session, words))
    return or_(*either) if either else false()


async def _find_by_reference(session: AsyncSession, text: str) -> list[int]:
    """Return the numbers of orders with this order number, tracking number, CUS, gateway reference or invoice."""
    numbers: set[int] = set()
    written = text.strip().removeprefix("#")
    if written.isascii() and written.isdigit() and len(written) <= MAX_NUMBER_DIGITS:
        numbers.add(int(written))
    reference = "".join(text.split())
    if len(reference) >= MIN_REFERENCE_LENGTH and reference.isascii():
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
            numbers.update(filter(None, (await session.execute(query.limit(MAX_RARE_MATCHES))).scalars()))
    return sorted(numbers)


async def _words_condition(session: AsyncSession, words: Sequence[str]) -> ColumnElement[bool]:
    rare: set[int] | None = None
    common: list[ColumnElement[bool]] = []
    for word in words:
        # bound as parameters: the words are personal data and must not appear in logs of statements
        begins = (OrderTerm.term >= word) & (OrderTerm.term < word + AFTER_ANY_LETTER)
        some = select(OrderTerm.order_number).where(begins).limit(planned_literal(MAX_RARE_MATCHES + 1))
        found = await session.execute(some)
        numbers = found.scalars().all()
        if len(numbers) > MAX_RARE_MATCHES:
            common.append(exists().where(OrderTerm.order_number == Order.number, begins))
        else:
            rare = set(numbers) if rare is None else rare & set(numbers)
    if rare is not None:
        common.insert(0, Order.number.in_(sorted(rare)))
    return and_(*common)


def parse_order_cursor(cursor: str) -> tuple[datetime, int]:
    """Return the time and the number of the order in the cursor.

    Raises:
        InvalidData: the cursor is invalid.
    """
    moment, number = parse_cursor(cursor)
    if not (number.isascii() and number.isdecimal() and len(number) <= MAX_NUMBER_DIGITS):
        raise InvalidData("not a cursor")
    return moment, int(number)
