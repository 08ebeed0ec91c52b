"""Search for customers by words of a name, e-mail address, telephone number or identity document.

A word matches the beginning of a term of the customer or of one of their orders (`backend.customers.search_index`).
As in the search for orders, rare words are looked up first. Words that many customers have are then checked only
against the newest customers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, exists, func, literal, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.collation import AFTER_ANY_LETTER, MAX_SEARCH_WORDS
from backend.core.cursors import format_cursor, parse_cursor
from backend.core.db.database import planned_literal
from backend.core.db.tables import table_of
from backend.customers.directory import Person
from backend.customers.models import Customer, CustomerTerm, GuestCustomer
from backend.customers.search_terms import parse_search_terms
from backend.orders.models import Order, OrderTerm
from backend.orders.search import MAX_RARE_MATCHES

KINDS: dict[bool, type[Person]] = {True: Customer, False: GuestCustomer}
"""The tables: True for customers with an account, False for guests."""


@dataclass(frozen=True, slots=True)
class FoundPerson:
    """A found customer or guest."""

    id: str
    email: str
    first_name: str
    last_name: str
    phone: str
    created_at: datetime
    has_account: bool


async def search_customers(
    session: AsyncSession, text: str, limit: int, cursor: str = "", *, has_account: bool | None = None
) -> tuple[list[FoundPerson], str]:
    """Return a page of customers and guests, the newest first. The caller must check the right to see customers.

    Args:
        session: for reading.
        text: the search text; empty for all customers.
        limit: maximum number of results.
        cursor: the cursor of the page; empty for the first page.
        has_account: True for customers with an account, False for guests, None for both.

    Returns:
        The results, and the cursor of the next page; empty at the end.

    Raises:
        InvalidData: the cursor is invalid.
    """
    place = parse_cursor(cursor) if cursor else None
    words = parse_search_terms(text)[:MAX_SEARCH_WORDS]
    if text.strip() and not words:
        return [], ""
    rare, common = await _split_words(session, words)
    found: list[FoundPerson] = []
    for with_account, model in KINDS.items():
        if has_account in (None, with_account):
            conditions = [_word_condition(model, word) for word in common]
            if rare is not None:
                conditions.append(model.id.in_(sorted(rare)))
            if place is not None:
                conditions.append(tuple_(model.created_at, model.id) < place)
            found += await _read_table(session, model, conditions, limit, with_account=with_account)
    found.sort(key=lambda person: (person.created_at, person.id), reverse=True)
    page = found[:limit]
    return page, format_cursor(page[-1].created_at, page[-1].id) if len(found) > limit else ""


async def _read_table(
    session: AsyncSession,
    model: type[Person],
    conditions: Sequence[ColumnElement[bool]],
    limit: int,
    *,
    with_account: bool,
) -> list[FoundPerson]:
    columns = (model.id, model.email, model.first_name, model.last_name, model.phone, model.created_at)
    query: Any = select(*columns, literal(with_account).label("has_account")).where(*conditions)
    query = query.order_by(model.created_at.desc(), model.id.desc()).limit(planned_literal(limit + 1))
    return [FoundPerson(**row) for row in (await session.execute(query)).mappings()]


async def _split_words(session: AsyncSession, words: Sequence[str]) -> tuple[set[str] | None, list[str]]:
    """Split the words into rare and common ones. A common word matches more than `MAX_RARE_MATCHES` people.

    Returns:
        The ids of the customers and guests that match every rare word (None if no word is rare), and the common
            words.
    """
    rare: set[str] | None = None
    common: list[str] = []
    term, ordered = table_of(CustomerTerm), table_of(OrderTerm)
    of_order = func.coalesce(Order.customer_id, Order.guest_id)
    for word in words:
        own = select(term.c.customer_id).where(_prefix_condition(term, word))
        bought = (
            select(of_order)
            .join(ordered, ordered.c.order_number == Order.number)
            .where(_prefix_condition(ordered, word), of_order.is_not(None))
        )
        ids: set[str] = set()
        for query in (own, bought):
            some: Any = query.distinct().limit(planned_literal(MAX_RARE_MATCHES + 1))
            ids.update((await session.execute(some)).scalars())
        if len(ids) > MAX_RARE_MATCHES:
            common.append(word)
        else:
            rare = ids if rare is None else rare & ids
    return rare, common


def _word_condition(model: type[Person], word: str) -> ColumnElement[bool]:
    """Return the SQL condition for customers whose data or orders have a word that begins with `word`."""
    term, ordered = table_of(CustomerTerm), table_of(OrderTerm)
    buyer = Order.customer_id if model is Customer else Order.guest_id
    return or_(
        exists().where(term.c.customer_id == model.id, _prefix_condition(term, word)),
        exists().where(
            buyer == model.id, ordered.c.order_number == Order.number, _prefix_condition(ordered, word)
        ),
    )


def _prefix_condition(table: Any, word: str) -> ColumnElement[bool]:
    # bound parameters: these words are personal data and must not appear in a log of statements
    return and_(table.c.term >= word, table.c.term < word + AFTER_ANY_LETTER)
