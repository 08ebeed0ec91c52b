"""A cart through signing in and out: nothing of it is lost, doubled, or left to whoever comes next."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import select

from backend.cart.access import new_cart, open_cart
from backend.cart.checkout_drafts import read_draft, save_draft
from backend.cart.lines import add_to_cart
from backend.cart.models import Cart
from backend.cart.owners import cart_for
from backend.cart.promotion_codes import MOST_CODES, add_codes
from backend.cart.purchase_chains import chain_of
from backend.cart.views import cart_view
from backend.core.clock import now
from backend.core.db.database import Database
from backend.customers.models import Customer
from backend.inventory.service import reserve
from backend.promotions.models import CartPromotion, Promotion
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


async def offer(database: Database, *codes: str) -> None:
    """A thousand pesos off for each of these codes."""
    off: dict[str, Any] = {
        "method_type": "fixed",
        "target_type": "order",
        "allocation": "across",
        "value": 1_000,
    }
    async with database.transaction() as session:
        for code in codes:
            session.add(Promotion(code=code, code_key=code.lower(), status="active", **off))


async def type_codes(database: Database, cart_id: str, *codes: str) -> None:
    async with database.transaction() as session:
        await add_codes(session, await open_cart(session, cart_id), codes)


async def typed_codes(database: Database, cart_id: str) -> set[str]:
    async with database.read() as session:
        typed = select(Promotion.code).join(CartPromotion, CartPromotion.promotion_id == Promotion.id)
        return set((await session.execute(typed.where(CartPromotion.cart_id == cart_id))).scalars())


async def test_codes_and_what_was_written_for_a_gift_come_along(
    database: Database, toys: dict[str, str]
) -> None:
    ana = await customer(database)
    own = await cart_for(database, await cart(database, toys, trompo=1), ana)
    guests = await cart(database, toys, yoyo=1)
    await offer(database, "UNO", "DOS", "TRES")
    await type_codes(database, own, "UNO")
    await type_codes(database, guests, "DOS", "UNO")
    async with database.transaction() as session:
        (await session.get_one(Cart, own)).meta = {"channel": "web"}
        (await session.get_one(Cart, guests)).meta = {"channel": "app", "gift_message": "Feliz día"}
    assert await cart_for(database, guests, ana) == own
    assert await typed_codes(database, own) == {"UNO", "DOS"}
    async with database.read() as session:
        assert (await session.get_one(Cart, own)).meta == {"channel": "web", "gift_message": "Feliz día"}
    await type_codes(database, own, "TRES")
    async with database.transaction() as session:
        (await session.get_one(Cart, own)).meta = {"channel": "web"}  # the message was deleted
    assert await cart_for(database, guests, ana) == own  # again, from a tab that was slower
    assert await typed_codes(database, own) == {"UNO", "DOS", "TRES"}
    async with database.read() as session:
        assert (await session.get_one(Cart, own)).meta == {"channel": "web"}


async def test_a_code_whose_offer_applies_by_itself_since_stays_behind(
    database: Database, toys: dict[str, str]
) -> None:
    """The office took the code away between typing it and signing in: the offer holds without it."""
    ana = await customer(database)
    own = await cart_for(database, await cart(database, toys, trompo=1), ana)
    guests = await cart(database, toys, yoyo=1)
    await offer(database, "UNO", "DOS")
    await type_codes(database, guests, "UNO", "DOS")
    async with database.transaction() as session:
        of_one = select(Promotion).where(Promotion.code == "UNO")
        (await session.execute(of_one)).scalar_one().is_automatic = True
    assert await cart_for(database, guests, ana) == own
    assert await content(database, toys, own) == {"trompo": 1, "yoyo": 1}
    assert await typed_codes(database, own) == {"DOS"}


async def test_no_more_codes_come_along_than_a_cart_may_have(
    database: Database, toys: dict[str, str]
) -> None:
    ana = await customer(database)
    own = await cart_for(database, await cart(database, toys, trompo=1), ana)
    guests = await cart(database, toys, yoyo=1)
    mine, theirs = (
        [f"{name}{at}" for at in range(count)] for name, count in (("M", MOST_CODES - 1), ("G", 2))
    )
    await offer(database, *mine, *theirs)
    await type_codes(database, own, *mine)
    await type_codes(database, guests, *theirs)
    assert await cart_for(database, guests, ana) == own
    found = await typed_codes(database, own)
    assert (len(found), found >= set(mine)) == (MOST_CODES, True)


async def test_a_purchase_stays_one_whose_cart_was_restored(database: Database, toys: dict[str, str]) -> None:
    """The order's cart belongs to the guest's cart, and then to the account's, too."""
    ana = await customer(database)
    own = await cart_for(database, await cart(database, toys, trompo=1), ana)
    ordered, guests = await cart(database, toys), await cart(database, toys, yoyo=1)
    async with database.transaction() as session:
        (await session.get_one(Cart, ordered)).completed_at = now()
        (await session.get_one(Cart, guests)).replaces_cart_id = ordered
    assert await cart_for(database, guests, ana) == own
    async with database.read() as session:
        assert await chain_of(session, own) == {ordered, guests, own}


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
