"""Tests of search suggestions while typing (spec: Storefront view rules 2)."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import reflex as rx

from backend.app import Shop
from backend.catalog.search.query_intents import HelpTopic, parse_search
from backend.catalog.search.query_words import search_words
from storefront.state.search import (
    MAX_INPUT_LENGTH,
    MAX_SEARCH_LENGTH,
    HelpLink,
    SearchState,
    find_help_links,
    to_search_text,
)
from tests.store_defaults import Defaults, add_product


async def test_search_state_contains_the_text_that_its_results_answer(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "camion", title="Camión")
    search = await shopper().get_state(SearchState)
    await search.suggest(" CAMION ")
    assert [hit.title for hit in search.hits] == ["Camión"]
    assert search.answered_text == "CAMION"
    await search.suggest("zzz")
    assert (search.hits, search.answered_text) == ([], "zzz")


async def test_long_search_text_is_searched_by_its_beginning(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "camion", title="Camión", brand="Camioneros")
    long = "camion " * 42
    search = await shopper().get_state(SearchState)
    await search.suggest(long)
    assert ([hit.title for hit in search.hits], search.answered_text) == (["Camión"], long.strip())
    await search.suggest("camio")
    assert [place.name for place in search.places] == ["Camioneros"]
    assert to_search_text("x" * MAX_SEARCH_LENGTH) == "x" * MAX_SEARCH_LENGTH
    assert to_search_text("x" * 300) == "x" * MAX_SEARCH_LENGTH
    assert to_search_text(f"trompo {'x' * 300}") == "trompo"


async def test_too_long_search_text_is_not_searched(shop: Shop, shopper: Callable[[], rx.State]) -> None:
    search = await shopper().get_state(SearchState)
    await search.suggest("x" * (MAX_INPUT_LENGTH + 1))
    assert search.answered_text == ""


async def test_suggestions_are_pages_exact_matches_and_near_matches(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "camion", title="Camión", price=30_000)
        await add_product(session, defaults, "camion-grande", title="Camión grande", price=90_000)
        await add_product(session, defaults, "camion-rojo", title="Camión rojo", price=20_000, stock=0)
    search = await shopper().get_state(SearchState)
    await search.suggest("camiones de menos de 50 mil")
    assert [(hit.handle, hit.available) for hit in search.hits] == [("camion", True), ("camion-rojo", False)]
    assert (search.near, search.help_links) == ([], [])
    await search.suggest("camion submarino")
    assert (search.hits, [hit.handle for hit in search.near][-1]) == ([], "camion-rojo")
    await search.suggest("camiones de menos de 5 mil")
    assert (search.hits, [hit.handle for hit in search.near][-1]) == ([], "camion-rojo")
    await search.suggest("cambios")
    assert search.help_links == [HelpLink("Derecho de retracto", "/legal/retracto")]
    await search.suggest("c")
    assert (search.hits, search.near, search.help_links) == ([], [], [])


def test_search_for_each_help_topic_links_to_its_page() -> None:
    queries = Path(__file__).parents[2] / "backend/catalog/search_queries.toml"
    pages: dict[str, str] = tomllib.loads(queries.read_text("utf-8"))["pages"]
    words = search_words()
    links = find_help_links(parse_search("pedido garantía cambios envío ofertas queja pagos regalo", words))
    assert {link.path for link in links} == set(pages.values())
    assert set(pages) == set(HelpTopic)
    gift = find_help_links(parse_search("regalo para niña de 4 años", words))
    assert gift == [HelpLink("Encuentra un regalo", "/gift?age=3-5")]
