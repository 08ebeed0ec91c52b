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
    """A catalogue that changes when it is told to, and readers of it that wait until they may read."""

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


async def begun(cache: VersionCache[str, str], catalogue: Catalogue) -> asyncio.Task[str]:
    """A reading that has begun, and ends once it may read."""
    catalogue.may_read.clear()
    reading = asyncio.create_task(cache.get("home", catalogue.read))
    await catalogue.begun.get()
    return reading


async def test_what_did_not_change_is_read_once(catalogue: Catalogue) -> None:
    cache = VersionCache[str, str](catalogue.now, 10)
    assert [await cache.get("home", catalogue.read) for _ in range(3)] == ["read at 1"] * 3
    assert catalogue.reads == 1


@pytest.mark.parametrize("changed", OTHERS)
async def test_any_other_number_is_another_version(catalogue: Catalogue, changed: Version) -> None:
    """On PostgreSQL a later version may be a lower number."""
    cache = VersionCache[str, str](catalogue.now, 10)
    await cache.get("home", catalogue.read)
    catalogue.version = changed
    assert await cache.get("home", catalogue.read) == f"read at {changed.catalog}"


@pytest.mark.parametrize("changed", OTHERS)
async def test_units_are_no_change_to_what_shows_none(catalogue: Catalogue, changed: Version) -> None:
    cache = VersionCache[str, str](catalogue.now, 10)
    await cache.get("home", catalogue.read, shows_units=False)
    catalogue.version = changed
    await cache.get("home", catalogue.read, shows_units=False)
    assert catalogue.reads == (1 if changed.stock == 2 else 2)


async def test_who_asks_at_one_version_shares_a_reading(catalogue: Catalogue) -> None:
    cache = VersionCache[str, str](catalogue.now, 10)
    assert await asyncio.gather(*(cache.get("home", catalogue.read) for _ in range(5))) == ["read at 1"] * 5
    assert catalogue.reads == 1


async def test_who_asks_after_a_change_gets_no_reading_from_before_it(catalogue: Catalogue) -> None:
    cache = VersionCache[str, str](catalogue.now, 10)
    first = await begun(cache, catalogue)
    catalogue.change()
    others = [asyncio.create_task(cache.get("home", catalogue.read)) for _ in range(3)]
    await asyncio.gather(*(asyncio.create_task(catalogue.now()) for _ in range(3)))  # they wait by now
    assert catalogue.reads == 1
    catalogue.may_read.set()
    assert [await first, *(await asyncio.gather(*others))] == ["read at 1", *["read at 2"] * 3]
    assert await cache.get("home", catalogue.read) == "read at 2"
    assert catalogue.reads == 2


async def test_who_waited_for_a_reading_of_the_same_version_reads_nothing(catalogue: Catalogue) -> None:
    cache = VersionCache[str, str](catalogue.now, 10)
    first = await begun(cache, catalogue)
    second = asyncio.create_task(cache.get("home", catalogue.read))
    await asyncio.create_task(catalogue.now())  # it waits by now
    catalogue.may_read.set()
    assert await first == await second == "read at 1"
    assert catalogue.reads == 1


async def test_a_failure_is_told_to_all_who_share_it_and_not_kept(catalogue: Catalogue) -> None:
    cache = VersionCache[str, str](catalogue.now, 10)

    async def fail() -> str:
        raise ZeroDivisionError

    failures = await asyncio.gather(*(cache.get("home", fail) for _ in range(3)), return_exceptions=True)
    assert [type(failure) for failure in failures] == [ZeroDivisionError] * 3
    assert await cache.get("home", catalogue.read) == "read at 1"


async def test_the_least_recently_used_go_first_and_what_is_too_large_is_not_kept() -> None:
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
