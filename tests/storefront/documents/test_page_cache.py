"""A page is loaded again after every change, and only then (spec: Storefront view rules 5)."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta, tzinfo

import pytest
from sqlalchemy import insert, select, update

from backend.app import Shop
from backend.catalog.models import NEW_PRODUCT_PERIOD, FormerHandle, Product, Variant
from backend.core.clock import now
from backend.core.dates import day_begin, today_in_colombia
from backend.inventory.models import InventoryLevel
from storefront.documents import page_cache
from storefront.documents.page_cache import LoadedPage, PageCache, load_page, size_of
from storefront.pages.routes import Page, find_page

Get = Callable[[str], Awaitable[LoadedPage]]


@pytest.fixture
def loaded_urls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the pages that the cache loads. Return the list of their addresses."""
    addresses: list[str] = []

    async def record_load(page: Page, url: str) -> LoadedPage:
        addresses.append(url)
        return await load_page(page, url)

    monkeypatch.setattr(page_cache, "load_page", record_load)
    return addresses


def getter(cache: PageCache) -> Get:
    """Return a function that gets the page at a path."""

    async def get(path: str) -> LoadedPage:
        page = find_page(tuple(part for part in path.split("/") if part))
        assert page is not None
        return await cache.page(page, path)

    return get


async def test_unchanged_page_is_not_loaded_again(toyshop: Shop, loaded_urls: list[str]) -> None:
    get = getter(PageCache())
    assert await get("/product/oso") is await get("/product/oso")
    assert loaded_urls == ["/product/oso"]


async def test_catalogue_change_is_in_the_next_document(toyshop: Shop, loaded_urls: list[str]) -> None:
    get = getter(PageCache())
    first = await get("/product/oso")
    async with toyshop.database.transaction() as session:
        for variant in (await session.execute(select(Variant))).scalars():
            variant.price += 1_234
    second = await get("/product/oso")
    async with toyshop.database.transaction() as session:
        for level in (await session.execute(select(InventoryLevel))).scalars():
            level.stocked = 1
    third = await get("/product/oso")
    assert len({first.initial_state, second.initial_state, third.initial_state}) == 3
    assert loaded_urls == ["/product/oso"] * 3


async def test_former_handle_added_in_the_database_redirects_immediately(toyshop: Shop) -> None:
    get = getter(PageCache())
    assert (await get("/product/osito")).meta.status == 404
    async with toyshop.database.transaction() as session:
        oso = (await session.execute(select(Product.id).where(Product.handle == "oso"))).scalar_one()
        former = FormerHandle(handle="osito", product_id=oso)
        await session.execute(insert(FormerHandle).values(former.model_dump()))
    meta = (await get("/product/osito")).meta
    assert (meta.status, meta.moved_to) == (301, "/product/oso")


async def test_product_marked_as_new_is_no_longer_new_after_midnight(
    toyshop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    today = day_begin(today_in_colombia(now()))
    shown = today

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return shown.astimezone(tz)

    monkeypatch.setattr("backend.core.clock.datetime", Clock)
    async with toyshop.database.transaction() as session:
        await session.execute(update(Product).values(created_at=today - NEW_PRODUCT_PERIOD))
    get = getter(PageCache())
    for later, is_new in ((0, True), (24 * 3600 - 1, True), (24 * 3600, False)):
        shown = today + timedelta(seconds=later)
        for path in ("/", "/catalog", "/product/oso"):
            assert (b'"is_new":true' in (await get(path)).initial_state) is is_new


async def test_page_of_a_customer_is_not_cached(toyshop: Shop, loaded_urls: list[str]) -> None:
    get = getter(PageCache())
    await get("/cart")
    await get("/cart")
    assert loaded_urls == ["/cart", "/cart"]


async def test_memory_limit_of_the_page_cache_includes_its_keys(
    toyshop: Shop, loaded_urls: list[str]
) -> None:
    home, cache = find_page(()), PageCache(max_bytes=300_000)
    assert home is not None
    for number in (1, 2, 3, 3, 1):
        await cache.page(home, f"/?{'x' * 100_000}{number}")
    assert [address[-1] for address in loaded_urls] == ["1", "2", "3", "1"]


async def test_least_recently_used_pages_are_removed_first(toyshop: Shop, loaded_urls: list[str]) -> None:
    get = getter(PageCache())
    sizes = [size_of(url, await get(url)) for url in ("/", "/product/oso")]
    loaded_urls.clear()
    get = getter(PageCache(max_bytes=max(sizes)))
    for url in ("/", "/product/oso", "/"):
        await get(url)
    assert loaded_urls == ["/", "/product/oso", "/"]
