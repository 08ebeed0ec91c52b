"""A cart through signing in and out: nothing of it is lost, doubled, or left to whoever comes next."""

import asyncio

import pytest

from backend.cart.access import new_cart
from backend.cart.drafts import read_draft, save_draft
from backend.cart.lines import add_to_cart
from backend.cart.models import Cart
from backend.cart.owners import cart_for
from backend.cart.views import cart_view
from backend.clock import now
from backend.customers.models import Customer
from backend.database import Database
from backend.inventory.service import reserve
from tests.store_defaults import Defaults, make_toy


@pytest.fixture
async def toys(database: Database, defaults: Defaults) -> dict[str, str]:
    """Variants by the handle of their toy."""
    async with database.transaction() as session:
        stock = {"trompo": 5, "yoyo": 9, "balero": 9}
        return {
            handle: await make_toy(session, defaults, handle, stock=units) for handle, units in stock.items()
        }


async def customer(database: Database, email: str = "ana@example.com") -> str:
    async with database.transaction() as session:
        person = Customer(email=email)
        session.add(person)
        await session.flush()
    return person.id


async def cart(database: Database, toys: dict[str, str], **quantities: int) -> str:
    async with database.transaction() as session:
        cart_id = await new_cart(session)
        for handle, quantity in quantities.items():
            await add_to_cart(session, cart_id, toys[handle], quantity)
    return cart_id


async def content(database: Database, toys: dict[str, str], cart_id: str) -> dict[str, int]:
    names = {variant: handle for handle, variant in toys.items()}
    async with database.read() as session:
        lines = (await cart_view(session, cart_id)).lines
    return {names[line.variant_id]: line.quantity for line in lines}


async def test_a_guests_cart_becomes_the_accounts(database: Database, toys: dict[str, str]) -> None:
    ana, guests = await customer(database), await cart(database, toys, trompo=2)
    assert await cart_for(database, guests, ana) == guests
    assert await cart_for(database, "", ana) == guests  # on another device
    assert await content(database, toys, guests) == {"trompo": 2}


async def test_two_carts_become_one_as_far_as_there_is_stock(
    database: Database, toys: dict[str, str]
) -> None:
    ana = await customer(database)
    own = await cart_for(database, await cart(database, toys, trompo=3, yoyo=2), ana)
    guests = await cart(database, toys, trompo=4, yoyo=1, balero=1)
    async with database.transaction() as session:
        await save_draft(session, own, {"phone": "300", "suburb": "Centro"})
        await save_draft(session, guests, {"phone": "310", "suburb": ""})
    assert await cart_for(database, guests, ana) == own
    assert await content(database, toys, own) == {"trompo": 5, "yoyo": 3, "balero": 1}
    async with database.read() as session:
        assert await read_draft(session, own) == {"phone": "310", "suburb": "Centro"}
    assert await cart_for(database, guests, ana) == own  # again, from a tab that was slower
    assert await content(database, toys, own) == {"trompo": 5, "yoyo": 3, "balero": 1}
    assert await content(database, toys, guests) == {}


async def test_what_is_sold_out_meanwhile_keeps_its_line(database: Database, toys: dict[str, str]) -> None:
    """The shopper is told in the cart, and loses nothing by signing in."""
    ana = await customer(database)
    own = await cart_for(database, await cart(database, toys, trompo=3), ana)
    guests = await cart(database, toys, trompo=4)
    async with database.transaction() as session:
        others = await new_cart(session)
        await add_to_cart(session, others, toys["trompo"], 5)
        await reserve(session, others, {toys["trompo"]: 5}, None)
    assert await cart_for(database, guests, ana) == own
    assert await content(database, toys, own) == {"trompo": 4}


async def test_many_browsers_sign_in_at_once(database: Database, toys: dict[str, str]) -> None:
    ana = await customer(database)
    guests = [await cart(database, toys, yoyo=2) for _ in range(4)]
    found = await asyncio.gather(*(cart_for(database, one, ana) for one in [*guests, *guests]))
    assert len(set(found)) == 1
    assert await content(database, toys, found[0]) == {"yoyo": 8}


async def test_signing_out_leaves_the_cart_with_the_account(database: Database, toys: dict[str, str]) -> None:
    ana, luis = await customer(database), await customer(database, "luis@example.com")
    own = await cart_for(database, await cart(database, toys, trompo=2), ana)
    assert await cart_for(database, own, None) == ""
    assert await cart_for(database, own, luis) == ""
    luiss = await cart_for(database, await cart(database, toys, yoyo=1), luis)
    assert await cart_for(database, own, luis) == luiss
    assert await content(database, toys, luiss) == {"yoyo": 1}
    assert await cart_for(database, "", ana) == own


async def test_an_order_is_no_cart_any_more(database: Database, toys: dict[str, str]) -> None:
    ana = await customer(database)
    own = await cart_for(database, await cart(database, toys, trompo=2), ana)
    async with database.transaction() as session:
        (await session.get_one(Cart, own)).completed_at = now()
    assert await cart_for(database, own, ana) == ""
    guests = await cart(database, toys, yoyo=1)
    assert await cart_for(database, guests, ana) == guests
    assert await cart_for(database, own, None) == ""
    assert await cart_for(database, "cart_made_up", None) == ""
