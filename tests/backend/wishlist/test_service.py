"""Wishlists of accounts: the latest change of a product wins, whatever the order in which browsers report changes."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import permutations
from unittest.mock import AsyncMock

import pytest
from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product
from backend.core.config.settings import Settings
from backend.core.db.database import Database, database_now
from backend.core.errors import NotFound
from backend.customers.models import Customer
from backend.wishlist import service
from backend.wishlist.models import WishlistEntry
from backend.wishlist.service import REMOVAL_RETENTION, WishChange, merge_wishlist, read_wishlist
from tests.backend.rivals import run_against_rival
from tests.store_defaults import add_product, set_up_defaults

HANDLES = ("oso", "trompo", "yoyo", "zancos")


@pytest.fixture
async def ana(database: Database, settings: Settings) -> str:
    """Create four products and a customer. Return the customer's id."""
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        for handle in HANDLES:
            await add_product(session, defaults, handle)
        customer = Customer(email="ana@example.com")
        session.add(customer)
        await session.flush()
        return customer.id


def added(handle: str, minutes: float = 0) -> WishChange:
    """Return an addition that was made `minutes` ago."""
    return WishChange(handle, True, timedelta(minutes=minutes))


def removed(handle: str, minutes: float = 0) -> WishChange:
    """Return a removal that was made `minutes` ago."""
    return WishChange(handle, False, timedelta(minutes=minutes))


async def merge(database: Database, customer_id: str, *changes: WishChange) -> list[str]:
    async with database.transaction() as session:
        return await merge_wishlist(session, customer_id, changes)


async def read_rows(database: Database) -> dict[str, tuple[bool, datetime]]:
    async with database.read() as session:
        query = select(Product.handle, WishlistEntry.is_saved, WishlistEntry.changed_at).join(
            Product, Product.id == WishlistEntry.product_id
        )
        return {handle: (is_saved, at) for handle, is_saved, at in await session.execute(query)}


async def test_wishlists_of_two_browsers_are_merged_the_latest_first(database: Database, ana: str) -> None:
    assert await merge(database, ana, added("oso", 30), added("trompo", 10)) == ["trompo", "oso"]
    assert await merge(database, ana, added("yoyo", 20)) == ["trompo", "yoyo", "oso"]
    assert await merge(database, ana) == ["trompo", "yoyo", "oso"]


@pytest.mark.parametrize(
    ("changes", "is_saved"),
    [
        ([added("oso", 30), removed("oso", 20)], False),
        ([removed("oso", 30), added("oso", 20)], True),
        ([added("oso", 40), removed("oso", 30), added("oso", 20)], True),
        ([removed("oso", 40), added("oso", 30), removed("oso", 20)], False),
    ],
)
async def test_latest_wishlist_change_wins_in_whatever_sequence_changes_arrive(
    database: Database, ana: str, changes: list[WishChange], is_saved: bool
) -> None:
    for order in permutations(changes):
        for change in order:
            await merge(database, ana, change)
        assert await merge(database, ana, *order) == (["oso"] if is_saved else []), order  # repeated at once
        async with database.transaction() as session:
            await session.execute(delete(WishlistEntry))


async def test_removal_wins_over_an_addition_of_the_same_moment(
    database: Database, ana: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with database.read() as session:
        now = await database_now(session)
    monkeypatch.setattr(service, "database_now", AsyncMock(return_value=now))
    assert await merge(database, ana, removed("oso", 5), added("oso", 5)) == []
    assert await merge(database, ana, added("trompo", 5)) == ["trompo"]
    assert await merge(database, ana, removed("trompo", 5)) == []
    assert await merge(database, ana, added("trompo", 5)) == []


async def test_wishlist_change_dated_in_the_future_is_stored_with_the_current_time(
    database: Database, ana: str
) -> None:
    await merge(database, ana, added("oso", -60 * 24))
    async with database.read() as session:
        assert (await read_rows(database))["oso"][1] <= await database_now(session)
    assert await merge(database, ana, removed("oso")) == []  # a later removal is not blocked


async def test_wishlist_change_older_than_the_retention_is_stored_with_that_age(
    database: Database, ana: str
) -> None:
    await merge(database, ana, WishChange("oso", True, timedelta(days=20_000)))
    async with database.read() as session:
        age = await database_now(session) - (await read_rows(database))["oso"][1]
    assert REMOVAL_RETENTION <= age < REMOVAL_RETENTION + timedelta(minutes=1)
    assert await merge(database, ana, removed("trompo", 60)) == ["oso"]
    assert await merge(database, ana, WishChange("trompo", True, timedelta(days=20_000))) == ["oso"]


@pytest.mark.parametrize(
    ("age", "wishlist"),
    [(REMOVAL_RETENTION - timedelta(hours=1), []), (REMOVAL_RETENTION + timedelta(hours=1), ["oso"])],
)
async def test_removal_wins_over_an_older_addition_until_its_retention_ends(
    database: Database, ana: str, age: timedelta, wishlist: list[str]
) -> None:
    """Merge before an expired removal is deleted: only its age decides, not the time of the deletion."""
    await merge(database, ana, removed("oso"))
    async with database.transaction() as session:
        await session.execute(update(WishlistEntry).values(changed_at=await database_now(session) - age))
    assert await merge(database, ana, WishChange("oso", True, timedelta(days=20_000))) == wishlist


async def test_unknown_products_are_ignored_and_hidden_products_are_kept(
    database: Database, ana: str
) -> None:
    assert await merge(database, ana, added("nave"), added("oso", 2), added("trompo", 3)) == ["oso", "trompo"]
    async with database.transaction() as session:
        await session.execute(update(Product).where(Product.handle == "oso").values(status="draft"))
    assert await merge(database, ana) == ["trompo"]
    async with database.transaction() as session:
        await session.execute(update(Product).where(Product.handle == "oso").values(status="published"))
    assert await merge(database, ana) == ["oso", "trompo"]


async def test_renamed_product_is_found_by_both_handles(database: Database, ana: str) -> None:
    await merge(database, ana, added("oso", 30))
    async with database.transaction() as session:
        product = (await session.execute(select(Product).where(Product.handle == "oso"))).scalar_one()
        product.handle = "osito"
    assert await merge(database, ana, removed("oso", 20), added("osito", 10)) == ["osito"]
    assert await merge(database, ana, removed("oso", 5)) == []


async def test_number_of_products_and_removals_is_limited(
    database: Database, ana: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_WISHES", 2)
    assert await merge(database, ana, added("oso", 1), added("trompo", 2), added("yoyo", 3)) == [
        "oso",
        "trompo",
    ]
    await merge(database, ana, *(removed(handle) for handle in HANDLES))
    assert [is_saved for is_saved, _at in (await read_rows(database)).values()] == [False, False]


async def test_changes_beyond_the_limit_of_a_merge_are_ignored(
    database: Database, ana: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_CHANGES", 2)
    assert await merge(database, ana, added("oso", 2), added("trompo", 3), added("yoyo", 1)) == [
        "oso",
        "trompo",
    ]


async def test_deletion_of_an_account_deletes_only_the_wishlist_of_its_customer(
    database: Database, ana: str
) -> None:
    async with database.transaction() as session:
        other = Customer(email="beto@example.com")
        session.add(other)
        await session.flush()
    await merge(database, ana, added("oso"))
    assert await merge(database, other.id, added("trompo")) == ["trompo"]
    async with database.transaction() as session:
        await session.execute(delete(Customer).where(Customer.id == other.id))
    with pytest.raises(NotFound):
        await merge(database, other.id, added("trompo"))
    async with database.read() as session:
        assert await read_wishlist(session, ana) == ["oso"]
        assert (await session.execute(select(func.count()).select_from(WishlistEntry))).scalar_one() == 1


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([added("oso", 20), added("yoyo", 20)], [removed("oso", 10)], ["yoyo"]),
        ([removed("oso", 10), added("yoyo", 20)], [added("oso", 20)], ["yoyo"]),
        ([removed("oso", 20), added("yoyo", 20)], [added("oso", 10)], ["oso", "yoyo"]),
        ([added("oso", 20), added("trompo", 30)], [added("trompo", 10), added("oso", 40)], ["trompo", "oso"]),
    ],
)
async def test_latest_change_wins_in_concurrent_merges_of_two_browsers(
    database: Database,
    ana: str,
    first: Sequence[WishChange],
    second: Sequence[WishChange],
    expected: list[str],
) -> None:
    async def rival(session: AsyncSession) -> None:
        await merge_wishlist(session, ana, first)

    assert await run_against_rival(database, rival, lambda: merge(database, ana, *second)) == expected


async def test_two_browsers_that_concurrently_fill_the_wishlist_do_not_exceed_its_limit(
    database: Database, ana: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_WISHES", 2)

    async def rival(session: AsyncSession) -> None:
        await merge_wishlist(session, ana, [added("oso", 1), added("trompo", 4)])

    merged = await run_against_rival(
        database, rival, lambda: merge(database, ana, added("yoyo", 2), added("zancos", 3))
    )
    assert merged == ["oso", "yoyo"]
    assert set(await read_rows(database)) == {"oso", "yoyo"}
