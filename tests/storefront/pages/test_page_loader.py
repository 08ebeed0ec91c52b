"""What a page is asked for, out of an address that anybody may have written, and how often it is read."""

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
from tests.store_defaults import Defaults, make_toy


def test_the_parts_of_an_address() -> None:
    params = PageParams.from_url("https://trompo.example/catalog?category=peluches&q=oso%20de+anteojos#top")
    assert params.path == "/catalog"
    assert params.asked("category") == "peluches"
    assert params.asked("q") == "oso de anteojos"
    assert params.asked("age") == ""


def test_of_a_parameter_given_twice_the_first_counts() -> None:
    assert PageParams.from_url("/catalog?q=uno&q=dos").asked("q") == "uno"


def test_an_absurdly_long_parameter_is_none() -> None:
    assert PageParams.from_url("/catalog?q=" + "x" * 201).asked("q") == ""


def test_an_address_that_is_none_is_no_failure() -> None:
    params = PageParams.from_url("//[?q=uno")
    assert (params.path, params.asked("q")) == ("//[?q=uno", "")


def test_an_absurd_number_of_parameters_is_no_failure() -> None:
    assert PageParams.from_url("/catalog?" + "&".join(f"p{n}=1" for n in range(5000))).asked("p1") == "1"


@pytest.mark.parametrize(
    ("url", "tail"),
    [
        ("/product/trompo-de-madera", "trompo-de-madera"),
        ("/product/trompo-de-madera/?x=/y", "trompo-de-madera"),
        ("/product/a%20b%28c%29", "a b(c)"),
        ("/", ""),
        ("", ""),
    ],
)
def test_the_part_of_the_path_that_varies(url: str, tail: str) -> None:
    assert PageParams.from_url(url).tail == tail


async def test_pages_that_show_alike_are_read_once_until_something_changes(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, defaults, "oso", brand="Nido Andino")
    reads: list[str] = []

    async def noted(params: PageParams) -> PageData[HomePage]:
        reads.append(params.path)
        return await load(params)

    monkeypatch.setattr(home, "load", noted)
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
    ("error", "told"),
    [
        (DatabaseUnavailable("The database does not answer"), []),
        (RuntimeError(), ["storefront.pages.page_loader"]),
    ],
)
async def test_a_page_that_cannot_be_read_has_failed_and_an_outage_is_not_told_by_it(
    shopper: Callable[[], rx.State],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    told: list[str],
) -> None:
    async def fail(_params: PageParams) -> PageData[HomePage]:
        raise error

    monkeypatch.setattr(home, "load", fail)
    state = await shopper().get_state(HomeState)
    await state.load()
    assert state.has_failed
    assert [record.name for record in caplog.records if record.levelno >= logging.WARNING] == told


async def test_a_sale_is_no_change_to_a_page_of_cards_until_a_toy_is_sold_out(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, defaults, "oso", stock=4)
    reads: list[str] = []

    async def noted(params: PageParams) -> PageData[HomePage]:
        reads.append(params.path)
        return await load(params)

    monkeypatch.setattr(home, "load", noted)
    state = await shopper().get_state(HomeState)
    for reserved, read in ((0, 1), (3, 1), (4, 2), (4, 2), (1, 3)):
        async with shop.database.transaction() as session:
            await session.execute(update(InventoryLevel).values(reserved=reserved))
        await state.load()
        assert len(reads) == read
        assert [card.available for card in state.content.new_or_featured] == [reserved < 4]
