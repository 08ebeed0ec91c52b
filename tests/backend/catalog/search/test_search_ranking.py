"""What sixty searches of shoppers find in the demo shop, and how far up (`search_queries.toml`)."""

import tomllib
from pathlib import Path

import pytest

from backend.catalog.storefront.product_list import catalog_page
from backend.catalog.views import CatalogFilter
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.operations.demo.seed import seed

WANTED: dict[str, list[str]] = tomllib.loads(
    (Path(__file__).parents[1] / "search_queries.toml").read_text(encoding="utf-8")
)["queries"]
FIRST = 10
"""Toys that a shopper looks at; a wanted one further down counts as not found."""


NOT_FIRST = {
    "juguetes didácticos": 2,
    "montessori": 2,
    "cocinita": 2,
    "juguetes para niño de 2 años": 3,
    "18 meses": 3,
    "manualidades": 4,
}


async def test_what_is_meant_stands_at_the_top(database: Database, settings: Settings) -> None:
    await seed(database, settings)
    ranks: dict[str, int] = {}
    async with database.read() as session:
        for text, wanted in WANTED.items():
            page = await catalog_page(session, CatalogFilter(text=text), limit=FIRST)
            found = [card.handle for card in page.cards][: page.near]
            ranks[text] = next((rank for rank, toy in enumerate(found, 1) if toy in wanted), 0)
    assert {text: rank for text, rank in ranks.items() if rank != 1} == NOT_FIRST
    assert sum(1 / rank for rank in ranks.values()) / len(ranks) == pytest.approx(0.9403, abs=5e-5)
