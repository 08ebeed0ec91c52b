"""How often a purchase asks the database: what a step asks more than before is seen here."""

from typing import Any

import httpx
from sqlalchemy import event

from backend.app import Shop
from tests.shop_floor import Floor, make_toy
from tests.store_steps import bought

STATEMENTS = 37
"""Of a guest's purchase in six requests, in a shop without promotions, without what begins a transaction."""


async def test_a_purchase_asks_no_more_than_it_did(
    store: httpx.AsyncClient, shop: Shop, shop_floor: Floor
) -> None:
    async with shop.database.transaction() as session:
        toy = await make_toy(session, shop_floor, "trompo", stock=50, price=40_000)
    await bought(store, toy)  # what is read once and known from then on
    asked: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        if not statement.startswith("BEGIN"):
            asked.append(statement)

    event.listen(shop.database.engine.sync_engine, "before_cursor_execute", note)
    await bought(store, toy)
    event.remove(shop.database.engine.sync_engine, "before_cursor_execute", note)
    assert len(asked) == STATEMENTS, "\n".join(asked)
