"""The numbers of orders: what people read. Drawn by lot, so that nobody can count by them what the shop sells."""

import secrets

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.tables import insert_into, know, table_of, values_of
from backend.orders.models import Order

LEAST = 10_000_000
NUMBERS = 90_000_000
"""Eight digits, the first of which is no zero. The numbers of older orders, counted from 1, stay below them."""

_INSERT = (
    insert_into(table_of(Order))
    .on_conflict_do_nothing(index_elements=["number"])
    .returning(table_of(Order).c.number)
)


async def insert_numbered(session: AsyncSession, order: Order) -> Order:
    """Insert the order under a number that no other has, and give it as the session knows it.

    A number that is taken, be it by an order of a transaction that is still under way, is drawn again.
    """
    number = None
    while number is None:
        order.number = LEAST + secrets.randbelow(NUMBERS)
        number = (await session.execute(_INSERT, values_of(order))).scalar_one_or_none()
    return know(session, order)
