"""Number of database statements of a purchase, of its mail, and of a page with a cart. An increase fails here."""

import httpx

from backend.app import Shop
from backend.cart.access import create_empty_cart
from backend.cart.lines import add_to_cart
from backend.cart.views import read_cart_view
from tests.statements import record_statements
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase

STATEMENTS = 38
"""Of a guest's purchase in six requests, in a shop without promotions, without what begins a transaction. One counts
the client's question to the carrier, before it is asked. Two ask for the programs that want events.
"""

MAIL_STATEMENTS = 17
"""Of the confirmation of an order: 5 of its job and its state, 8 that read its contents, 4 of the limit of mails."""


def drop_begin_statements(statements: list[str]) -> list[str]:
    """Return the statements except those that begin a transaction."""
    return [statement for statement in statements if not statement.startswith("BEGIN")]


async def test_purchase_has_the_expected_number_of_database_statements(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", stock=50, price=40_000)
    await complete_purchase(store, variant)  # rows that are read once and cached
    with record_statements(shop.database) as asked:
        await complete_purchase(store, variant)
    asked = drop_begin_statements(asked)
    assert len(asked) == STATEMENTS, "\n".join(asked)


async def test_confirmation_mail_has_the_expected_number_of_database_statements(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", stock=50, price=40_000)
    await complete_purchase(store, variant)
    with record_statements(shop.database) as asked:
        assert await shop.worker.run_due("mail.send") == 1
    asked = drop_begin_statements(asked)
    assert len(asked) == MAIL_STATEMENTS, "\n".join(asked)


async def test_cart_view_is_read_with_two_database_statements(shop: Shop, shop_defaults: Defaults) -> None:
    async with shop.database.transaction() as session:
        variants = [
            await add_product(session, shop_defaults, handle, stock=5) for handle in ("trompo", "yoyo")
        ]
        cart_id = await create_empty_cart(session)
        for variant in variants:
            await add_to_cart(session, cart_id, variant)
    async with shop.database.read() as session:
        with record_statements(shop.database) as asked:
            view = await read_cart_view(session, cart_id)
    assert [line.max_quantity for line in view.lines] == [5, 5]
    asked = drop_begin_statements(asked)
    assert len(asked) == 2, "\n".join(asked)
