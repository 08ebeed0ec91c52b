"""Mappings of lists are remembered by their head, up to a number."""

import pytest

from backend.app import Shop
from backend.imports import column_mapping
from backend.imports.column_mapping import read_mapping, store_mapping
from tests.store_defaults import Defaults

HEAD = ["Código", "Referencia", "Nombre"]


async def test_mapping_is_remembered_for_the_same_head(shop: Shop, defaults: Defaults) -> None:
    async with shop.database.transaction() as session:
        assert await read_mapping(session, HEAD) is None
        await store_mapping(session, HEAD, ["sku", "", "title"])
        await store_mapping(session, HEAD, ["", "sku", "title"])
    async with shop.database.read() as session:
        assert await read_mapping(session, ["CODIGO ", "referencia", "Nombre"]) == ["", "sku", "title"]
        assert await read_mapping(session, ["Referencia", "Código", "Nombre"]) is None


async def test_only_the_newest_mappings_are_stored(
    shop: Shop, defaults: Defaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(column_mapping, "MAX_MAPPINGS", 2)
    for name in ("A", "B", "A", "C"):
        async with shop.database.transaction() as session:
            await store_mapping(session, [name], ["title"])
    async with shop.database.read() as session:
        stored = [name for name in ("A", "B", "C") if await read_mapping(session, [name])]
    assert stored == ["A", "C"]


async def test_column_that_is_no_longer_mappable_is_not_imported(shop: Shop, defaults: Defaults) -> None:
    async with shop.database.transaction() as session:
        await store_mapping(session, HEAD, ["sku", "product_id", "gone"])
        assert await read_mapping(session, HEAD) == ["sku", "", ""]
