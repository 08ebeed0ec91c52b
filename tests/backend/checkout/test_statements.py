"""How often the database is asked: what a purchase, or a page that shows a cart, asks more than before is seen here."""

import httpx

from backend.app import Shop
from backend.cart.access import new_cart
from backend.cart.lines import add_to_cart
from backend.cart.views import cart_view
from tests.statements import statements_of
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import bought

STATEMENTS = 40
"""Of a guest's purchase in six requests, in a shop without promotions, without what begins a transaction. One counts
the client's question to the carrier, before it is asked.
"""


def after_beginning(statements: list[str]) -> list[str]:
    """The statements but for what begins a transaction."""
    return [statement for statement in statements if not statement.startswith("BEGIN")]


async def test_a_purchase_asks_no_more_than_it_did(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        toy = await make_toy(session, shop_defaults, "trompo", stock=50, price=40_000)
    await bought(store, toy)  # what is read once and known from then on
    with statements_of(shop.database) as asked:
        await bought(store, toy)
    asked = after_beginning(asked)
    assert len(asked) == STATEMENTS, "\n".join(asked)


async def test_a_cart_is_shown_from_one_statement_and_one_for_its_wrapping(
    shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        toys = [await make_toy(session, shop_defaults, handle, stock=5) for handle in ("trompo", "yoyo")]
        cart_id = await new_cart(session)
        for toy in toys:
            await add_to_cart(session, cart_id, toy)
    async with shop.database.read() as session:
        with statements_of(shop.database) as asked:
            view = await cart_view(session, cart_id)
    assert [line.max_quantity for line in view.lines] == [5, 5]
    asked = after_beginning(asked)
    assert len(asked) == 2, "\n".join(asked)
