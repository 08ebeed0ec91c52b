"""Numbers of orders, for customers and staff. They are random, so that they don't reveal how much the shop sells."""

import secrets

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.tables import attach_row, insert_into, row_values, table_of
from backend.orders.models import Order

MIN_NUMBER = 10_000_000
NUMBER_COUNT = 90_000_000
"""How many numbers with eight digits exist. Older orders were numbered from 1, so their numbers are lower."""

_INSERT = (
    insert_into(table_of(Order))
    .on_conflict_do_nothing(index_elements=["number"])
    .returning(table_of(Order).c.number)
)


async def insert_numbered(session: AsyncSession, order: Order) -> Order:
    """Insert the order with a new random number, and return the order attached to the session.

    If the number is already used, even in a transaction that is not committed yet, another number is generated.
    """
    number = None
    while number is None:
        order.number = MIN_NUMBER + secrets.randbelow(NUMBER_COUNT)
        number = (await session.execute(_INSERT, row_values(order))).scalar_one_or_none()
    return attach_row(session, order)
