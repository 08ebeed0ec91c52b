"""Customers as the office lists them: the newest first, with and without an account."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import short_time_label
from backend.core.texts import _
from backend.core.web.contact import full_name
from backend.office.customer_labels import buyer_of
from backend.office.customers.search import FoundPerson, persons_page
from backend.office.listing import ListView, active_filters, label_of, read_asked
from backend.office.views import ChipView
from backend.orders.models import Order
from backend.staff.rights import Actor, Right

MOST_ROWS = 30
LONGEST_TEXT = 120
FIELDS = ("q", "tipo")
WITH_ACCOUNT, WITHOUT_ACCOUNT = _("Con cuenta"), _("Sin cuenta")
KINDS: dict[str, tuple[str, bool]] = {
    "con-cuenta": (WITH_ACCOUNT, True),
    "sin-cuenta": (WITHOUT_ACCOUNT, False),
}
"""What the address says of each kind, what a person reads, and whether it is with an account."""


@dataclass(frozen=True, slots=True)
class CustomerRow:
    """Somebody who buys, in a list. `orders_label`: how often they bought, and when last."""

    id: str
    name: str
    email: str
    orders_label: str
    chip: ChipView


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomersView(ListView):
    """A list of customers, the newest first. Its fields are `FIELDS`."""

    rows: list[CustomerRow]


async def customers_view(
    session: AsyncSession, actor: Actor, asked: Mapping[str, str], cursor: str = ""
) -> CustomersView:
    """The customers that are asked for.

    Raises:
        Forbidden: the actor may not see customers.
        InvalidData: the cursor is none of ours.
    """
    actor.require(Right.READ_CUSTOMERS)
    kept = read_asked(asked, FIELDS, LONGEST_TEXT)
    kind = KINDS.get(kept["tipo"])
    found, following = await persons_page(
        session, kept["q"], MOST_ROWS, cursor, has_account=kind[1] if kind else None
    )
    return CustomersView(
        rows=await _shown(session, found),
        cursor=following,
        asked=kept,
        active=active_filters(kept, (label_of(KINDS, kept["tipo"]), "tipo")),
    )


async def customers_named(session: AsyncSession, actor: Actor, text: str, limit: int) -> list[CustomerRow]:
    """The newest customers that the text may mean: at most `limit`.

    Raises:
        Forbidden: the actor may not see customers.
    """
    actor.require(Right.READ_CUSTOMERS)
    found, _cursor = await persons_page(session, text[:LONGEST_TEXT], limit)
    return await _shown(session, found)


def name_of(first_name: str, last_name: str, last: Order | None, email: str) -> str:
    """Return the stored name of a customer, else the recipient of their last order, else their e-mail address."""
    own = full_name({"first_name": first_name, "last_name": last_name})
    return own or (buyer_of(last) if last is not None else "") or email


def account_chip(*, has_account: bool) -> ChipView:
    """Whether they have an account."""
    return ChipView(WITH_ACCOUNT, "good") if has_account else ChipView(WITHOUT_ACCOUNT, "plain")


async def _shown(session: AsyncSession, found: Sequence[FoundPerson]) -> list[CustomerRow]:
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
    return [_row(person, *last.get(person.id, (None, 0))) for person in found]


def _row(person: FoundPerson, last: Order | None, count: int) -> CustomerRow:
    return CustomerRow(
        id=person.id,
        name=name_of(person.first_name, person.last_name, last, person.email),
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
