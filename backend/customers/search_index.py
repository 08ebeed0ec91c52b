"""Search terms of customers and guests. ORM event listeners update them with each change of a row."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, delete, event, false, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.collation import AFTER_ANY_LETTER, MAX_SEARCH_WORDS
from backend.core.db.tables import JsonObject, insert_into, table_of
from backend.customers.models import Customer, CustomerTerm, GuestCustomer
from backend.customers.search_terms import customer_terms, parse_search_terms

_TERMS = table_of(CustomerTerm)
_DELETE = delete(_TERMS).where(_TERMS.c.customer_id == bindparam("of"))
_INSERT = insert(_TERMS)
_ADD = insert_into(_TERMS).on_conflict_do_nothing()


async def index_guest(session: AsyncSession, guest_id: str, email: str) -> None:
    """Add the search terms of a guest that was inserted by an SQL statement.

    The caller must do this, because ORM listeners are not called for SQL statements.
    """
    await session.execute(_ADD, _term_rows(guest_id, email, {}))


async def delete_terms(session: AsyncSession, customer_ids: Sequence[str]) -> None:
    """Delete the search terms of customers or guests that an SQL statement deletes.

    The caller must do this, because ORM listeners are not called for SQL statements.
    """
    await session.execute(delete(_TERMS).where(_TERMS.c.customer_id.in_(customer_ids)))


def match_words(person_id: Any, text: str) -> list[ColumnElement[bool]]:
    """Return SQL conditions on the id of a customer or guest: each word of the text must be the beginning of a term."""
    words = parse_search_terms(text)[:MAX_SEARCH_WORDS]
    if not words:
        return [false()] if text.strip() else []
    # bound parameters: these words are personal data and must not appear in a log of statements
    begins = [(_TERMS.c.term >= word) & (_TERMS.c.term < word + AFTER_ANY_LETTER) for word in words]
    return [person_id.in_(select(_TERMS.c.customer_id).where(one)) for one in begins]


def _term_rows(person_id: str, email: str, names: JsonObject) -> list[JsonObject]:
    return [{"term": term, "customer_id": person_id} for term in customer_terms(email, [names], None)]


@event.listens_for(Customer, "after_insert")
@event.listens_for(Customer, "after_update")
@event.listens_for(GuestCustomer, "after_insert")
@event.listens_for(GuestCustomer, "after_update")
def _index_person(_mapper: object, connection: Connection, person: Any) -> None:
    connection.execute(_DELETE, {"of": person.id})
    names = {
        "first_name": person.first_name,
        "last_name": person.last_name,
        "company": person.company_name,
        "phone": person.phone,
    }
    if rows := _term_rows(person.id, person.email, names):
        connection.execute(_INSERT, rows)


@event.listens_for(Customer, "after_delete")
@event.listens_for(GuestCustomer, "after_delete")
def _delete_person_terms(_mapper: object, connection: Connection, person: Any) -> None:
    connection.execute(_DELETE, {"of": person.id})
