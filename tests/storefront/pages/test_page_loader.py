"""Tests of URL parameters, which anyone may have written, and of how often a page is read."""

import logging
from collections.abc import Callable

import pytest
import reflex as rx
from sqlalchemy import update

from backend.app import Shop
from backend.catalog.models import Product
from backend.content.home import HomePage
from backend.core.outage import DatabaseUnavailable
from backend.inventory.models import InventoryLevel
from storefront.pages import home
from storefront.pages.home import HomeState, load
from storefront.pages.page_loader import PageData, PageParams
from tests.store_defaults import Defaults, add_product


def test_url_is_split_into_path_and_query() -> None:
    params = PageParams.from_url("https://trompo.example/catalog?category=peluches&q=oso%20de+anteojos#top")
    assert params.path == "/catalog"
    assert params.get_parameter("category") == "peluches"
    assert params.get_parameter("q") == "oso de anteojos"
    assert params.get_parameter("age") == ""


def test_first_of_two_url_parameters_with_the_same_name_is_used() -> None:
    assert PageParams.from_url("/catalog?q=uno&q=dos").get_parameter("q") == "uno"


def test_too_long_url_parameter_is_ignored() -> None:
    assert PageParams.from_url("/catalog?q=" + "x" * 201).get_parameter("q") == ""


def test_invalid_url_raises_no_error() -> None:
    params = PageParams.from_url("//[?q=uno")
    assert (params.path, params.get_parameter("q")) == ("//[?q=uno", "")


def test_too_many_url_parameters_raise_no_error() -> None:
    assert (
        PageParams.from_url("/catalog?" + "&".join(f"p{n}=1" for n in range(5000))).get_parameter("p1") == "1"
    )


@pytest.mark.parametrize(
    ("url", "last_part"),
    [
        ("/product/trompo-de-madera", "trompo-de-madera"),
        ("/product/trompo-de-madera/?x=/y", "trompo-de-madera"),
        ("/product/a%20b%28c%29", "a b(c)"),
        ("/", ""),
        ("", ""),
    ],
)
def test_last_part_of_a_page_url_is_the_variable_part_of_its_path(url: str, last_part: str) -> None:
    assert PageParams.from_url(url).last_part == last_part


async def test_equal_pages_are_read_only_once_until_the_catalogue_changes(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "oso", brand="Nido Andino")
    reads: list[str] = []

    async def recorded_load(params: PageParams) -> PageData[HomePage]:
        reads.append(params.path)
        return await load(params)

    monkeypatch.setattr(home, "load", recorded_load)
    ana, luis = await shopper().get_state(HomeState), await shopper().get_state(HomeState)
    await ana.load()
    await luis.load()
    assert reads == ["/"]
    assert [card.title for card in luis.content.new_or_featured] == ["Oso"]

    async with shop.database.transaction() as session:
        await session.execute(update(Product).values(title="Oso de felpa"))
    await ana.load()
    assert reads == ["/", "/"]
    assert [card.title for card in ana.content.new_or_featured] == ["Oso de felpa"]
    assert [card.title for card in luis.content.new_or_featured] == ["Oso"]


@pytest.mark.parametrize(
    ("error", "logged"),
    [
        (DatabaseUnavailable("The database does not answer"), []),
        (RuntimeError(), ["storefront.pages.page_loader"]),
    ],
)
async def test_page_that_cannot_be_read_is_marked_as_failed_without_logging_an_outage(
    shopper: Callable[[], rx.State],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    logged: list[str],
) -> None:
    async def fail(_params: PageParams) -> PageData[HomePage]:
        raise error

    monkeypatch.setattr(home, "load", fail)
    state = await shopper().get_state(HomeState)
    await state.load()
    assert state.has_failed
    assert [record.name for record in caplog.records if record.levelno >= logging.WARNING] == logged


async def test_page_with_product_cards_is_read_again_only_when_a_product_sells_out(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "oso", stock=4)
    reads: list[str] = []

    async def recorded_load(params: PageParams) -> PageData[HomePage]:
        reads.append(params.path)
        return await load(params)

    monkeypatch.setattr(home, "load", recorded_load)
    state = await shopper().get_state(HomeState)
    for reserved, read in ((0, 1), (3, 1), (4, 2), (4, 2), (1, 3)):
        async with shop.database.transaction() as session:
            await session.execute(update(InventoryLevel).values(reserved=reserved))
        await state.load()
        assert len(reads) == read
        assert [card.available for card in state.content.new_or_featured] == [reserved < 4]
