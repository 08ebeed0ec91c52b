"""Finding who buys: by the words of a name, an e-mail, a telephone or a document, of themselves or of their orders.

A word finds those who have a term that begins with it (`backend.customers.search_index`), and the buyers of orders that
do. As with orders, a rare word is looked up first; for one that many have, the newest customers are asked whether they
do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, exists, func, literal, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.collation import AFTER_ANY_LETTER, MOST_WORDS
from backend.core.cursors import cursor_at, read_cursor
from backend.core.db.database import planned_for
from backend.core.db.tables import table_of
from backend.customers.directory import Person
from backend.customers.models import Customer, CustomerTerm, GuestCustomer
from backend.customers.search_terms import wanted_terms
from backend.orders.models import Order, OrderTerm
from backend.orders.search import MOST_RARE

KINDS: dict[bool, type[Person]] = {True: Customer, False: GuestCustomer}
"""The tables of those with an account, and of those without."""


@dataclass(frozen=True, slots=True)
class FoundPerson:
    """Somebody who buys, as they are stored."""

    id: str
    email: str
    first_name: str
    last_name: str
    phone: str
    created_at: datetime
    has_account: bool


async def persons_page(
    session: AsyncSession, text: str, limit: int, cursor: str = "", *, has_account: bool | None = None
) -> tuple[list[FoundPerson], str]:
    """Who buys, the newest first. Whoever shows them has checked the right to see customers.

    Args:
        session: for reading.
        text: what they have; empty for everybody.
        limit: how many at most.
        cursor: where the page before ended; empty for the first.
        has_account: only with an account, or only without; None for both.

    Returns:
        The people, and the cursor of the next page; empty where there is none.

    Raises:
        InvalidData: the cursor is none of ours.
    """
    place = read_cursor(cursor) if cursor else None
    words = wanted_terms(text)[:MOST_WORDS]
    if text.strip() and not words:
        return [], ""
    rare, common = await _meant_by(session, words)
    found: list[FoundPerson] = []
    for with_account, model in KINDS.items():
        if has_account in (None, with_account):
            conditions = [_has(model, word) for word in common]
            if rare is not None:
                conditions.append(model.id.in_(sorted(rare)))
            if place is not None:
                conditions.append(tuple_(model.created_at, model.id) < place)
            found += await _read(session, model, conditions, limit, with_account=with_account)
    found.sort(key=lambda person: (person.created_at, person.id), reverse=True)
    page = found[:limit]
    return page, cursor_at(page[-1].created_at, page[-1].id) if len(found) > limit else ""


async def _read(
    session: AsyncSession,
    model: type[Person],
    conditions: Sequence[ColumnElement[bool]],
    limit: int,
    *,
    with_account: bool,
) -> list[FoundPerson]:
    columns = (model.id, model.email, model.first_name, model.last_name, model.phone, model.created_at)
    query: Any = select(*columns, literal(with_account).label("has_account")).where(*conditions)
    query = query.order_by(model.created_at.desc(), model.id.desc()).limit(planned_for(limit + 1))
    return [FoundPerson(**row) for row in (await session.execute(query)).mappings()]


async def _meant_by(session: AsyncSession, words: Sequence[str]) -> tuple[set[str] | None, list[str]]:
    """Who has all of the rare words, None where no word is rare; and the words that many have."""
    rare: set[str] | None = None
    common: list[str] = []
    term, ordered = table_of(CustomerTerm), table_of(OrderTerm)
    of_order = func.coalesce(Order.customer_id, Order.guest_id)
    for word in words:
        own = select(term.c.customer_id).where(_begins(term, word))
        bought = (
            select(of_order)
            .join(ordered, ordered.c.order_number == Order.number)
            .where(_begins(ordered, word), of_order.is_not(None))
        )
        people: set[str] = set()
        for query in (own, bought):
            some: Any = query.distinct().limit(planned_for(MOST_RARE + 1))
            people.update((await session.execute(some)).scalars())
        if len(people) > MOST_RARE:
            common.append(word)
        else:
            rare = people if rare is None else rare & people
    return rare, common


def _has(model: type[Person], word: str) -> ColumnElement[bool]:
    """Whether whoever it is, or an order of theirs, has the word."""
    term, ordered = table_of(CustomerTerm), table_of(OrderTerm)
    buyer = Order.customer_id if model is Customer else Order.guest_id
    return or_(
        exists().where(term.c.customer_id == model.id, _begins(term, word)),
        exists().where(buyer == model.id, ordered.c.order_number == Order.number, _begins(ordered, word)),
    )


def _begins(table: Any, word: str) -> ColumnElement[bool]:
    # parameters, as these words are personal data, which no log of statements is to hold
    return and_(table.c.term >= word, table.c.term < word + AFTER_ANY_LETTER)
