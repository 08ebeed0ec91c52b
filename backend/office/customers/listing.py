"""Customers in the office: the list of customers with and without an account, the newest first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import short_time_label
from backend.core.texts import _
from backend.core.web.contact import full_name
from backend.office.customer_labels import payer_name
from backend.office.customers.search import FoundPerson, search_customers
from backend.office.listing import ListView, active_filters, label_of, read_filters
from backend.office.views import ChipView
from backend.orders.models import Order
from backend.staff.rights import Actor, Right

PAGE_SIZE = 30
MAX_TEXT_LENGTH = 120
FIELDS = ("q", "tipo")
WITH_ACCOUNT, WITHOUT_ACCOUNT = _("Con cuenta"), _("Sin cuenta")
KINDS: dict[str, tuple[str, bool]] = {
    "con-cuenta": (WITH_ACCOUNT, True),
    "sin-cuenta": (WITHOUT_ACCOUNT, False),
}
"""Filters of the list by their name in the URL: a label, and True for customers with an account."""


@dataclass(frozen=True, slots=True)
class CustomerRow:
    """A customer or guest in a list. `orders_label`: number of orders, and the date of the newest."""

    id: str
    name: str
    email: str
    orders_label: str
    chip: ChipView


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomersView(ListView):
    """A list of customers, the newest first. Its filters are `FIELDS`."""

    rows: list[CustomerRow]


async def customers_view(
    session: AsyncSession, actor: Actor, params: Mapping[str, str], cursor: str = ""
) -> CustomersView:
    """Return a page of the customers that match the filters.

    Raises:
        Forbidden: the actor may not see customers.
        InvalidData: the cursor is invalid.
    """
    actor.require(Right.READ_CUSTOMERS)
    filters = read_filters(params, FIELDS, MAX_TEXT_LENGTH)
    kind = KINDS.get(filters["tipo"])
    found, following = await search_customers(
        session, filters["q"], PAGE_SIZE, cursor, has_account=kind[1] if kind else None
    )
    return CustomersView(
        rows=await _customer_rows(session, found),
        cursor=following,
        filters=filters,
        active=active_filters(filters, (label_of(KINDS, filters["tipo"]), "tipo")),
    )


async def find_customers_by_text(
    session: AsyncSession, actor: Actor, text: str, limit: int
) -> list[CustomerRow]:
    """Return the newest customers that match the text, at most `limit`.

    Raises:
        Forbidden: the actor may not see customers.
    """
    actor.require(Right.READ_CUSTOMERS)
    found, _cursor = await search_customers(session, text[:MAX_TEXT_LENGTH], limit)
    return await _customer_rows(session, found)


def customer_name(first_name: str, last_name: str, last: Order | None, email: str) -> str:
    """Return a customer's stored name, else the payer's name in their newest order, else their e-mail."""
    own = full_name({"first_name": first_name, "last_name": last_name})
    return own or (payer_name(last) if last is not None else "") or email


def account_chip(*, has_account: bool) -> ChipView:
    """Return the chip that says if a customer has an account."""
    return ChipView(WITH_ACCOUNT, "good") if has_account else ChipView(WITHOUT_ACCOUNT, "plain")


async def _customer_rows(session: AsyncSession, found: Sequence[FoundPerson]) -> list[CustomerRow]:
    ids = [person.id for person in found]
    buyer = func.coalesce(Order.customer_id, Order.guest_id).label("buyer")
    newest = func.row_number().over(partition_by=buyer, order_by=(Order.created_at.desc(), Order.number))
    ranked = (
        select(
            Order.number, buyer, newest.label("rank"), func.count().over(partition_by=buyer).label("count")
        )
        .where(or_(Order.customer_id.in_(ids), Order.guest_id.in_(ids)))
        .subquery()
    )
    query = select(Order, ranked.c.buyer, ranked.c.count).join(ranked, ranked.c.number == Order.number)
    last = {
        str(person_id): (order, int(count))
        for order, person_id, count in await session.execute(query.where(ranked.c.rank == 1))
    }
    return [_customer_row(person, *last.get(person.id, (None, 0))) for person in found]


def _customer_row(person: FoundPerson, last: Order | None, count: int) -> CustomerRow:
    return CustomerRow(
        id=person.id,
        name=customer_name(person.first_name, person.last_name, last, person.email),
        email=person.email,
        orders_label=_orders_label(count, last),
        chip=account_chip(has_account=person.has_account),
    )


def _orders_label(count: int, last: Order | None) -> str:
    if last is None:
        return _("Sin pedidos")
    moment = short_time_label(last.created_at)
    return (
        _("1 pedido, {moment}").format(moment=moment)
        if count == 1
        else _("{n} pedidos, el último {moment}").format(n=count, moment=moment)
    )
