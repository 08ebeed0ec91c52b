"""The words that find customers and guests. They follow the row by themselves, however it is written."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, delete, event, false, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.collation import AFTER_ANY_LETTER, MOST_WORDS
from backend.core.db.tables import JsonObject, insert_into, table_of
from backend.customers.models import Customer, CustomerTerm, GuestCustomer
from backend.customers.search_terms import buyer_terms, wanted_terms

_TERMS = table_of(CustomerTerm)
_FORGET = delete(_TERMS).where(_TERMS.c.customer_id == bindparam("of"))
_INSERT = insert(_TERMS)
_ADD = insert_into(_TERMS).on_conflict_do_nothing()


async def index_guest(session: AsyncSession, guest_id: str, email: str) -> None:
    """Let a guest be found who was inserted by a statement."""
    await session.execute(_ADD, _rows(guest_id, email, {}))


async def forget_terms(session: AsyncSession, customer_ids: Sequence[str]) -> None:
    """Let these customers or guests, who are deleted by a statement, be found no more."""
    await session.execute(delete(_TERMS).where(_TERMS.c.customer_id.in_(customer_ids)))


def with_words(person_id: Any, text: str) -> list[ColumnElement[bool]]:
    """The conditions on the id of a customer or guest: each word of the text begins one of their terms."""
    words = wanted_terms(text)[:MOST_WORDS]
    if not words:
        return [false()] if text.strip() else []
    # parameters, as these words are personal data, which no log of statements is to hold
    begins = [(_TERMS.c.term >= word) & (_TERMS.c.term < word + AFTER_ANY_LETTER) for word in words]
    return [person_id.in_(select(_TERMS.c.customer_id).where(one)) for one in begins]


def _rows(person_id: str, email: str, names: JsonObject) -> list[JsonObject]:
    return [{"term": term, "customer_id": person_id} for term in buyer_terms(email, [names], None)]


@event.listens_for(Customer, "after_insert")
@event.listens_for(Customer, "after_update")
@event.listens_for(GuestCustomer, "after_insert")
@event.listens_for(GuestCustomer, "after_update")
def _index(_mapper: object, connection: Connection, person: Any) -> None:
    connection.execute(_FORGET, {"of": person.id})
    names = {
        "first_name": person.first_name,
        "last_name": person.last_name,
        "company": person.company_name,
        "phone": person.phone,
    }
    if rows := _rows(person.id, person.email, names):
        connection.execute(_INSERT, rows)


@event.listens_for(Customer, "after_delete")
@event.listens_for(GuestCustomer, "after_delete")
def _forget(_mapper: object, connection: Connection, person: Any) -> None:
    connection.execute(_FORGET, {"of": person.id})
