"""A page is read again after every change, and only then (spec: Storefront view rules 5)."""

from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Variant
from backend.inventory.models import InventoryLevel
from storefront.documents import readings
from storefront.documents.addresses import Address, page_at
from storefront.documents.reading import Reading, read_page
from storefront.documents.readings import Readings
from storefront.pages.routes import Page

Ask = Callable[[str], Awaitable[Reading]]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were really read."""
    addresses: list[str] = []

    async def noted(page: Page, address: Address) -> Reading:
        addresses.append(address.url)
        return await read_page(page, address)

    monkeypatch.setattr(readings, "read_page", noted)
    return addresses


def asks(kept: Readings) -> Ask:
    """Asks for the page at a path."""

    async def ask(path: str) -> Reading:
        segments = tuple(part for part in path.split("/") if part)
        page = page_at(segments)
        assert page is not None
        return await kept.page(page, Address(sent=path, segments=segments, query=""))

    return ask


async def test_nothing_changed_and_nothing_is_read(toyshop: Shop, read: list[str]) -> None:
    ask = asks(Readings())
    assert await ask("/product/oso") is await ask("/product/oso")
    assert read == ["/product/oso"]


async def test_a_change_is_in_the_very_next_reading(toyshop: Shop, read: list[str]) -> None:
    ask = asks(Readings())
    first = await ask("/product/oso")
    async with toyshop.database.transaction() as session:
        for variant in (await session.execute(select(Variant))).scalars():
            variant.price += 1_234
    second = await ask("/product/oso")
    async with toyshop.database.transaction() as session:
        for level in (await session.execute(select(InventoryLevel))).scalars():
            level.stocked = 1
    third = await ask("/product/oso")
    assert len({first.seed, second.seed, third.seed}) == 3
    assert read == ["/product/oso"] * 3


async def test_what_belongs_to_a_shopper_is_not_kept(toyshop: Shop, read: list[str]) -> None:
    ask = asks(Readings())
    await ask("/cart")
    await ask("/cart")
    assert read == ["/cart", "/cart"]


async def test_there_is_room_for_those_asked_for_last(toyshop: Shop, read: list[str]) -> None:
    size = len((await asks(Readings())("/")).seed)
    ask = asks(Readings(room=size + 10))
    for url in ("/", "/product/oso", "/"):
        await ask(url)
    assert read == ["/", "/", "/product/oso", "/"]
