"""Carts through signing in and out: nothing is lost, doubled, or left to the next person at the browser."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import select

from backend.cart.access import create_empty_cart, open_cart
from backend.cart.checkout_drafts import read_draft, save_draft
from backend.cart.lines import add_to_cart
from backend.cart.models import Cart
from backend.cart.owners import find_browser_cart
from backend.cart.promotion_codes import MAX_CODES, add_codes
from backend.cart.purchase_chains import read_chain
from backend.cart.views import read_cart_view
from backend.core.clock import now
from backend.core.db.database import Database
from backend.customers.models import Customer
from backend.inventory.service import reserve
from backend.promotions.models import CartPromotion, Promotion
from tests.store_defaults import Defaults, add_product


@pytest.fixture
async def variants(database: Database, defaults: Defaults) -> dict[str, str]:
    """Return variants by the handle of their product."""
    async with database.transaction() as session:
        stock = {"trompo": 5, "yoyo": 9, "balero": 9}
        return {
            handle: await add_product(session, defaults, handle, stock=units)
            for handle, units in stock.items()
        }


async def customer(database: Database, email: str = "ana@example.com") -> str:
    async with database.transaction() as session:
        person = Customer(email=email)
        session.add(person)
        await session.flush()
    return person.id


async def cart(database: Database, variants: dict[str, str], **quantities: int) -> str:
    async with database.transaction() as session:
        cart_id = await create_empty_cart(session)
        for handle, quantity in quantities.items():
            await add_to_cart(session, cart_id, variants[handle], quantity)
    return cart_id


async def read_content(database: Database, variants: dict[str, str], cart_id: str) -> dict[str, int]:
    names = {variant: handle for handle, variant in variants.items()}
    async with database.read() as session:
        lines = (await read_cart_view(session, cart_id)).lines
    return {names[line.variant_id]: line.quantity for line in lines}


async def test_cart_of_a_guest_is_assigned_to_the_account_at_sign_in(
    database: Database, variants: dict[str, str]
) -> None:
    ana, guests = await customer(database), await cart(database, variants, trompo=2)
    assert await find_browser_cart(database, guests, ana) == guests
    assert await find_browser_cart(database, "", ana) == guests  # on another device
    assert await read_content(database, variants, guests) == {"trompo": 2}


async def test_two_carts_are_merged_up_to_the_stock(database: Database, variants: dict[str, str]) -> None:
    ana = await customer(database)
    own = await find_browser_cart(database, await cart(database, variants, trompo=3, yoyo=2), ana)
    guests = await cart(database, variants, trompo=4, yoyo=1, balero=1)
    async with database.transaction() as session:
        await save_draft(session, own, {"phone": "300", "suburb": "Centro"})
        await save_draft(session, guests, {"phone": "310", "suburb": ""})
    assert await find_browser_cart(database, guests, ana) == own
    assert await read_content(database, variants, own) == {"trompo": 5, "yoyo": 3, "balero": 1}
    async with database.read() as session:
        assert await read_draft(session, own) == {"phone": "310", "suburb": "Centro"}
    assert await find_browser_cart(database, guests, ana) == own  # again, from a tab that was slower
    assert await read_content(database, variants, own) == {"trompo": 5, "yoyo": 3, "balero": 1}
    assert await read_content(database, variants, guests) == {}


async def create_promotions(database: Database, *codes: str) -> None:
    """Create promotions with a discount of a thousand pesos for these codes."""
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


async def test_codes_and_gift_message_of_two_carts_are_merged(
    database: Database, variants: dict[str, str]
) -> None:
    ana = await customer(database)
    own = await find_browser_cart(database, await cart(database, variants, trompo=1), ana)
    guests = await cart(database, variants, yoyo=1)
    await create_promotions(database, "UNO", "DOS", "TRES")
    await type_codes(database, own, "UNO")
    await type_codes(database, guests, "DOS", "UNO")
    async with database.transaction() as session:
        (await session.get_one(Cart, own)).meta = {"channel": "web"}
        (await session.get_one(Cart, guests)).meta = {"channel": "app", "gift_message": "Feliz día"}
    assert await find_browser_cart(database, guests, ana) == own
    assert await typed_codes(database, own) == {"UNO", "DOS"}
    async with database.read() as session:
        assert (await session.get_one(Cart, own)).meta == {"channel": "web", "gift_message": "Feliz día"}
    await type_codes(database, own, "TRES")
    async with database.transaction() as session:
        (await session.get_one(Cart, own)).meta = {"channel": "web"}  # the message was deleted
    assert await find_browser_cart(database, guests, ana) == own  # again, from a tab that was slower
    assert await typed_codes(database, own) == {"UNO", "DOS", "TRES"}
    async with database.read() as session:
        assert (await session.get_one(Cart, own)).meta == {"channel": "web"}


async def test_code_whose_promotion_became_automatic_is_not_merged(
    database: Database, variants: dict[str, str]
) -> None:
    """Check a promotion that staff make automatic after a guest has typed its code, and before the guest signs in."""
    ana = await customer(database)
    own = await find_browser_cart(database, await cart(database, variants, trompo=1), ana)
    guests = await cart(database, variants, yoyo=1)
    await create_promotions(database, "UNO", "DOS")
    await type_codes(database, guests, "UNO", "DOS")
    async with database.transaction() as session:
        of_one = select(Promotion).where(Promotion.code == "UNO")
        (await session.execute(of_one)).scalar_one().is_automatic = True
    assert await find_browser_cart(database, guests, ana) == own
    assert await read_content(database, variants, own) == {"trompo": 1, "yoyo": 1}
    assert await typed_codes(database, own) == {"DOS"}


async def test_merge_does_not_exceed_the_maximum_of_codes(
    database: Database, variants: dict[str, str]
) -> None:
    ana = await customer(database)
    own = await find_browser_cart(database, await cart(database, variants, trompo=1), ana)
    guests = await cart(database, variants, yoyo=1)
    mine, theirs = (
        [f"{name}{at}" for at in range(count)] for name, count in (("M", MAX_CODES - 1), ("G", 2))
    )
    await create_promotions(database, *mine, *theirs)
    await type_codes(database, own, *mine)
    await type_codes(database, guests, *theirs)
    assert await find_browser_cart(database, guests, ana) == own
    found = await typed_codes(database, own)
    assert (len(found), found >= set(mine)) == (MAX_CODES, True)


async def test_restored_guest_cart_stays_linked_to_its_order_after_sign_in(
    database: Database, variants: dict[str, str]
) -> None:
    """Sign in with a guest's cart that was restored from an order. The account's cart is then linked to both."""
    ana = await customer(database)
    own = await find_browser_cart(database, await cart(database, variants, trompo=1), ana)
    ordered, guests = await cart(database, variants), await cart(database, variants, yoyo=1)
    async with database.transaction() as session:
        (await session.get_one(Cart, ordered)).completed_at = now()
        (await session.get_one(Cart, guests)).replaces_cart_id = ordered
    assert await find_browser_cart(database, guests, ana) == own
    async with database.read() as session:
        assert await read_chain(session, own) == {ordered, guests, own}


async def test_sold_out_line_is_kept_when_carts_are_merged(
    database: Database, variants: dict[str, str]
) -> None:
    """Check that the cart shows the problem to the shopper, and that signing in loses nothing."""
    ana = await customer(database)
    own = await find_browser_cart(database, await cart(database, variants, trompo=3), ana)
    guests = await cart(database, variants, trompo=4)
    async with database.transaction() as session:
        others = await create_empty_cart(session)
        await add_to_cart(session, others, variants["trompo"], 5)
        await reserve(session, others, {variants["trompo"]: 5}, None)
    assert await find_browser_cart(database, guests, ana) == own
    assert await read_content(database, variants, own) == {"trompo": 4}


async def test_carts_of_many_concurrent_sign_ins_become_one_cart(
    database: Database, variants: dict[str, str]
) -> None:
    ana = await customer(database)
    guests = [await cart(database, variants, yoyo=2) for _ in range(4)]
    found = await asyncio.gather(*(find_browser_cart(database, one, ana) for one in [*guests, *guests]))
    assert len(set(found)) == 1
    assert await read_content(database, variants, found[0]) == {"yoyo": 8}


async def test_cart_stays_with_the_account_after_signing_out(
    database: Database, variants: dict[str, str]
) -> None:
    ana, luis = await customer(database), await customer(database, "luis@example.com")
    own = await find_browser_cart(database, await cart(database, variants, trompo=2), ana)
    assert await find_browser_cart(database, own, None) == ""
    assert await find_browser_cart(database, own, luis) == ""
    luiss = await find_browser_cart(database, await cart(database, variants, yoyo=1), luis)
    assert await find_browser_cart(database, own, luis) == luiss
    assert await read_content(database, variants, luiss) == {"yoyo": 1}
    assert await find_browser_cart(database, "", ana) == own


async def test_completed_cart_is_not_returned_as_the_browsers_cart(
    database: Database, variants: dict[str, str]
) -> None:
    ana = await customer(database)
    own = await find_browser_cart(database, await cart(database, variants, trompo=2), ana)
    async with database.transaction() as session:
        (await session.get_one(Cart, own)).completed_at = now()
    assert await find_browser_cart(database, own, ana) == ""
    guests = await cart(database, variants, yoyo=1)
    assert await find_browser_cart(database, guests, ana) == guests
    assert await find_browser_cart(database, own, None) == ""
    assert await find_browser_cart(database, "cart_made_up", None) == ""
