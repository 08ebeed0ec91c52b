"""Searches of customers in the demo shop, and the positions of the results (`search_queries.toml`)."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from backend.catalog.search.query_intents import ShopperSearch, parse_search
from backend.catalog.search.query_words import search_words
from backend.catalog.storefront.page_content import suggest_products
from backend.catalog.storefront.product_list import catalog_page, search_filter
from backend.catalog.views import CatalogPage
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.operations.demo.seed import seed

JUDGED: dict[str, dict[str, Any]] = tomllib.loads(
    (Path(__file__).parents[1] / "search_queries.toml").read_text(encoding="utf-8")
)
QUERIES, HELP_PAGES, PRICES = JUDGED["queries"], JUDGED["help_pages"], JUDGED["prices"]
MAX_POSITION = 10
"""Number of results that a customer looks at; an expected product after them counts as not found."""
KNOWN_MISSES = {
    "niña 5 años": 2,
    "juguetes para niño de 2 años": 2,
    "18 meses": 2,
    "cocinita": 2,
    "juguetes sin pilas": 7,
}


def rank_of(text: str, search: ShopperSearch, page: CatalogPage) -> int:
    """Return the position of the first wanted result, from 1 on; 0 if there is none.

    For a question, a help page is wanted. For a product that the shop does not sell, the message that nothing was
    found is wanted: its position is 1.
    """
    if text in HELP_PAGES:
        return next((rank for rank, topic in enumerate(search.topics, 1) if topic in HELP_PAGES[text]), 0)
    if text in JUDGED["absent"]:
        return int(page.near is not None)
    found = [card.handle for card in page.cards][: page.near]
    return next((rank for rank, handle in enumerate(found, 1) if handle in QUERIES[text]), 0)


async def test_expected_products_come_first_in_the_search_results(
    database: Database, settings: Settings
) -> None:
    await seed(database, settings)
    words = search_words()
    ranks: dict[str, int] = {}
    async with database.read() as session:
        for text in QUERIES:
            search = parse_search(text, words)
            page = await catalog_page(session, search_filter(text, search), limit=MAX_POSITION)
            ranks[text] = rank_of(text, search, page)
            if text in PRICES:
                lowest, highest = PRICES[text].get("min", 0), PRICES[text].get("max", 10**9)
                assert all(lowest <= card.price <= highest for card in page.cards), text
            if text in JUDGED["absent"]:
                suggested = await suggest_products(session, text)
                near = {hit.handle for hit in suggested.near}
                assert (suggested.hits, near.intersection(JUDGED["absent"][text])) == ([], set()), text
    assert {text: rank for text, rank in ranks.items() if rank != 1} == KNOWN_MISSES
    assert len(ranks) == 120
    assert sum(1 / rank for rank in ranks.values() if rank) / len(ranks) == pytest.approx(0.9762, abs=5e-5)
