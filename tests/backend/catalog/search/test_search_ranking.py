"""Sixty searches of customers in the demo shop, and the positions of the results (`search_queries.toml`)."""

import tomllib
from pathlib import Path

import pytest

from backend.catalog.storefront.product_list import catalog_page
from backend.catalog.views import CatalogFilter
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.operations.demo.seed import seed

EXPECTED: dict[str, list[str]] = tomllib.loads(
    (Path(__file__).parents[1] / "search_queries.toml").read_text(encoding="utf-8")
)["queries"]
MAX_POSITION = 10
"""Number of results that a customer looks at; an expected product after them counts as not found."""


KNOWN_MISSES = {
    "juguetes didácticos": 2,
    "montessori": 2,
    "cocinita": 2,
    "juguetes para niño de 2 años": 3,
    "18 meses": 3,
    "manualidades": 4,
}


async def test_expected_products_are_among_the_first_results(database: Database, settings: Settings) -> None:
    await seed(database, settings)
    ranks: dict[str, int] = {}
    async with database.read() as session:
        for text, wanted in EXPECTED.items():
            page = await catalog_page(session, CatalogFilter(text=text), limit=MAX_POSITION)
            found = [card.handle for card in page.cards][: page.near]
            ranks[text] = next((rank for rank, handle in enumerate(found, 1) if handle in wanted), 0)
    assert {text: rank for text, rank in ranks.items() if rank != 1} == KNOWN_MISSES
    assert sum(1 / rank for rank in ranks.values()) / len(ranks) == pytest.approx(0.9403, abs=5e-5)
