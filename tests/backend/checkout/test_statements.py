"""How often the database is asked: what a purchase, or a page that shows a cart, asks more than before is seen here."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from sqlalchemy import event

from backend.app import Shop
from backend.cart import service as carts
from backend.cart.views import cart_view
from tests.shop_floor import Floor, make_toy
from tests.store_steps import bought

STATEMENTS = 37
"""Of a guest's purchase in six requests, in a shop without promotions, without what begins a transaction."""


@contextmanager
def asked_of(shop: Shop) -> Iterator[list[str]]:
    """What the database is asked meanwhile."""
    asked: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        if not statement.startswith("BEGIN"):
            asked.append(statement)

    event.listen(shop.database.engine.sync_engine, "before_cursor_execute", note)
    yield asked
    event.remove(shop.database.engine.sync_engine, "before_cursor_execute", note)


async def test_a_purchase_asks_no_more_than_it_did(
    store: httpx.AsyncClient, shop: Shop, shop_floor: Floor
) -> None:
    async with shop.database.transaction() as session:
        toy = await make_toy(session, shop_floor, "trompo", stock=50, price=40_000)
    await bought(store, toy)  # what is read once and known from then on
    with asked_of(shop) as asked:
        await bought(store, toy)
    assert len(asked) == STATEMENTS, "\n".join(asked)


async def test_a_cart_is_shown_from_one_statement_and_one_for_its_wrapping(
    shop: Shop, shop_floor: Floor
) -> None:
    async with shop.database.transaction() as session:
        toys = [await make_toy(session, shop_floor, handle, stock=5) for handle in ("trompo", "yoyo")]
        cart_id = await carts.create(session)
        for toy in toys:
            await carts.add(session, cart_id, toy)
    async with shop.database.read() as session:
        with asked_of(shop) as asked:
            view = await cart_view(session, cart_id)
    assert [line.max_quantity for line in view.lines] == [5, 5]
    assert len(asked) == 2, "\n".join(asked)
