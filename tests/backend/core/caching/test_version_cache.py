"""Values are read again after every change of the catalogue or the stock, and only then."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from backend.core.caching.version_cache import VersionCache
from backend.core.caching.version_probe import Version

FIRST = Version(catalog=1, stock=1, lists=1, sold_out=1, shared=1, product_changes=1)
OTHERS = [
    FIRST._replace(catalog=2),
    FIRST._replace(stock=2),
    FIRST._replace(lists=2),
    FIRST._replace(sold_out=2),
    FIRST._replace(shared=2),
    FIRST._replace(product_changes=2),
    FIRST._replace(catalog=0),
]


class Catalogue:
    """A catalogue that changes on demand, with readers that wait until they may read."""

    def __init__(self) -> None:
        self.version = FIRST
        self.reads = 0
        self.begun = asyncio.Queue[None]()
        self.may_read = asyncio.Event()
        self.may_read.set()

    async def now(self) -> Version:
        return self.version

    def change(self) -> None:
        self.version = FIRST._replace(catalog=self.version.catalog + 1)

    async def read(self) -> str:
        self.reads += 1
        self.begun.put_nowait(None)
        seen = f"read at {self.version.catalog}"
        await self.may_read.wait()
        return seen


@pytest.fixture
def catalogue() -> Catalogue:
    return Catalogue()


async def start_reading(cache: VersionCache[str, str], catalogue: Catalogue) -> asyncio.Task[str]:
    """Start a read through the cache. Return its task, which ends once `catalogue.may_read` is set."""
    catalogue.may_read.clear()
    reading = asyncio.create_task(cache.get("home", catalogue.read))
    await catalogue.begun.get()
    return reading


async def test_value_of_an_unchanged_version_is_read_once(catalogue: Catalogue) -> None:
    cache = VersionCache[str, str](catalogue.now, 10)
    assert [await cache.get("home", catalogue.read) for _ in range(3)] == ["read at 1"] * 3
    assert catalogue.reads == 1


@pytest.mark.parametrize("changed", OTHERS)
async def test_value_is_read_again_for_any_other_version_number(
    catalogue: Catalogue, changed: Version
) -> None:
    """Check also lower numbers: on PostgreSQL, a later version may have a lower number."""
    cache = VersionCache[str, str](catalogue.now, 10)
    await cache.get("home", catalogue.read)
    catalogue.version = changed
    assert await cache.get("home", catalogue.read) == f"read at {changed.catalog}"


@pytest.mark.parametrize("changed", OTHERS)
async def test_cached_value_that_shows_no_units_is_not_read_again_after_a_stock_change(
    catalogue: Catalogue, changed: Version
) -> None:
    cache = VersionCache[str, str](catalogue.now, 10)
    await cache.get("home", catalogue.read, shows_units=False)
    catalogue.version = changed
    await cache.get("home", catalogue.read, shows_units=False)
    assert catalogue.reads == (1 if changed.stock == 2 else 2)


async def test_concurrent_callers_at_one_version_share_one_read(catalogue: Catalogue) -> None:
    cache = VersionCache[str, str](catalogue.now, 10)
    assert await asyncio.gather(*(cache.get("home", catalogue.read) for _ in range(5))) == ["read at 1"] * 5
    assert catalogue.reads == 1


async def test_caller_after_a_change_gets_no_value_read_before_the_change(catalogue: Catalogue) -> None:
    cache = VersionCache[str, str](catalogue.now, 10)
    first = await start_reading(cache, catalogue)
    catalogue.change()
    others = [asyncio.create_task(cache.get("home", catalogue.read)) for _ in range(3)]
    await asyncio.gather(*(asyncio.create_task(catalogue.now()) for _ in range(3)))  # now they wait
    assert catalogue.reads == 1
    catalogue.may_read.set()
    assert [await first, *(await asyncio.gather(*others))] == ["read at 1", *["read at 2"] * 3]
    assert await cache.get("home", catalogue.read) == "read at 2"
    assert catalogue.reads == 2


async def test_caller_that_waited_for_a_read_of_its_version_does_not_read_again(
    catalogue: Catalogue,
) -> None:
    cache = VersionCache[str, str](catalogue.now, 10)
    first = await start_reading(cache, catalogue)
    second = asyncio.create_task(cache.get("home", catalogue.read))
    await asyncio.create_task(catalogue.now())  # now it waits
    catalogue.may_read.set()
    assert await first == await second == "read at 1"
    assert catalogue.reads == 1


async def test_failed_read_is_raised_for_all_callers_and_not_cached(catalogue: Catalogue) -> None:
    cache = VersionCache[str, str](catalogue.now, 10)

    async def fail() -> str:
        raise ZeroDivisionError

    failures = await asyncio.gather(*(cache.get("home", fail) for _ in range(3)), return_exceptions=True)
    assert [type(failure) for failure in failures] == [ZeroDivisionError] * 3
    assert await cache.get("home", catalogue.read) == "read at 1"


async def test_least_recently_used_values_are_removed_and_large_ones_not_cached() -> None:
    catalogue, read = Catalogue(), list[str]()

    def reads(text: str) -> Callable[[], Awaitable[str]]:
        async def read_it() -> str:
            read.append(text)
            return text

        return read_it

    cache = VersionCache[str, str](catalogue.now, 6, lambda _key, value: len(value))
    for text in ("abc", "def", "abc", "ghi", "abc", "def", "larger than all", "larger than all"):
        await cache.get(text, reads(text))
    assert read == ["abc", "def", "ghi", "def", "larger than all", "larger than all"]
