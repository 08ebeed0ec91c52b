"""320 px is a real width: nothing reaches beyond it, on any page, in any state (spec: Storefront view rules 8)."""

from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import Page, expect

from tests.e2e.conftest import Watch

Step = Callable[[Page], Awaitable[None]]


async def _settled(page: Page) -> None:
    await expect(page.get_by_test_id("product-card").first).to_be_visible()


async def _menu(page: Page) -> None:
    await page.get_by_role("button", name="Abrir el menú").click()
    await expect(page.get_by_role("dialog")).to_be_visible()


async def _suggestions(page: Page) -> None:
    await page.get_by_test_id("search-input").fill("madera")
    await expect(page.get_by_test_id("search-result").first).to_be_visible()


async def _nothing_found(page: Page) -> None:
    await page.get_by_test_id("search-input").fill("submarino")
    await expect(page.get_by_test_id("search-empty")).to_be_visible()


async def _filters(page: Page) -> None:
    await page.get_by_test_id("open-filters").click()
    await page.get_by_test_id("filter-brand").get_by_label("La Puntada").check()
    await expect(page.locator(".chip").first).to_be_attached()


async def _drawer(page: Page) -> None:
    await page.get_by_test_id("add-to-cart").click()
    await expect(page.get_by_test_id("added-notice")).to_be_visible()
    await page.locator("a[href='/cart'].icon-button").click()
    await expect(page.get_by_test_id("cart-line")).to_be_visible()


async def _cart(page: Page) -> None:
    await page.get_by_test_id("add-to-cart").click()
    await page.get_by_role("link", name="Ver carrito").click()
    await expect(page.get_by_test_id("cart-total")).to_be_visible()


async def _large_view(page: Page) -> None:
    await page.get_by_role("button", name="Ampliar la foto").click()
    await page.get_by_role("button", name="Acercar o alejar").click()


async def _present(page: Page) -> None:
    await expect(page.get_by_role("heading", level=1)).to_be_visible()


@pytest.mark.parametrize(
    ("path", "step"),
    [
        pytest.param("/", _settled, id="home"),
        pytest.param("/", _menu, id="home, menu open"),
        pytest.param("/", _suggestions, id="home, suggestions"),
        pytest.param("/", _nothing_found, id="home, nothing found"),
        pytest.param("/catalog", _settled, id="catalogue"),
        pytest.param("/catalog", _filters, id="catalogue, filters open"),
        pytest.param("/catalog?q=submarino", _present, id="catalogue, no results"),
        pytest.param("/product/mapa-de-colombia", _settled, id="product"),
        pytest.param("/product/mapa-de-colombia", _drawer, id="product, cart open"),
        pytest.param("/product/mapa-de-colombia", _large_view, id="product, large view"),
        pytest.param("/product/cocina-de-juguete", _present, id="product, sold out"),
        pytest.param("/product/nave-espacial", _present, id="product, unknown"),
        pytest.param("/product/telescopio-primeras-lunas", _cart, id="cart"),
        pytest.param("/cart", _present, id="cart, empty"),
        pytest.param("/wishlist", _present, id="wishlist, empty"),
        pytest.param("/naves/espaciales", _present, id="unknown page"),
    ],
)
async def test_nothing_reaches_beyond_320_px(page_320: Page, watch: Watch, path: str, step: Step) -> None:
    watch.expect("404")
    await page_320.goto(path)
    await step(page_320)
    width = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    assert await page_320.evaluate(width) == [320, 320]
