"""No page of the shop is wider than the smallest phone or any wider window, also with large text.

`test_every_page.py` checks each page in each of its states, with its content; this test visits each page once.
"""

from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import Page

from storefront.pages.routes import NOT_FOUND, PAGES
from tests.e2e.conftest import PageWatch
from tests.e2e.scenes import visit
from tests.e2e.shopper import (
    expect_no_overflow,
    expect_no_overflow_at_any_width,
    expect_no_overflow_with_large_text,
    put_in_cart,
)

PRODUCT = "chiva-de-madera"
EXAMPLES = {
    "/age/[slug]": "/age/3-5",
    "/brand/[slug]": "/brand/la-puntada",
    "/collection/[slug]": "/collection/hecho-en-colombia",
    "/product/[slug]": f"/product/{PRODUCT}",
    "/order/[id]": "/order/order_0?token=t",
    "/pay/[id]": "/pay/t",
    "/review/[id]": "/review/order_0?token=t",
    "/legal/[slug]": "/legal/terminos",
    "/pqrs/[id]": "/pqrs/pqrs_0?token=t",
    NOT_FOUND.route: "/naves/espaciales",
}
"""An address of each page with a variable route."""
STATES = (
    "/catalog?category=munecas-y-peluches",
    "/catalog?q=submarino",
    "/gift?age=12%2B&interest=munecas-y-peluches&budget=50000",
    "/product/cocina-de-juguete",
    "/product/nave-espacial",
    "/notify?id=a&token=b",
    "/unsubscribe?said=forgotten",
)
"""More addresses: a long and an empty list, sold-out and unknown products, links of mails."""
SMALL_FIELDS = """[...document.querySelectorAll("input:not([type=hidden]), select, textarea")]
    .filter((one) => parseFloat(getComputedStyle(one).fontSize) < 16).map((one) => one.outerHTML)"""
"""Fields whose text is so small that iOS zooms in."""
ADDRESSES = (*(EXAMPLES.get(page.route, page.route) for page in PAGES), *STATES)


async def check_addresses(page: Page, watch: PageWatch, check: Callable[[str], Awaitable[None]]) -> None:
    """Visit each address with a product in the cart, and check its page."""
    watch.expect("404")
    await put_in_cart(page, PRODUCT)
    for address in ADDRESSES:
        await visit(page, address)
        try:
            await check(address)
        except AssertionError as wide:
            raise AssertionError(f"{address}: {wide}") from wide


@pytest.mark.timeout(1800)  # about thirty pages in sequence
async def test_no_page_is_wider_than_the_smallest_phone(page_320: Page, watch: PageWatch) -> None:
    assert not [address for address in ADDRESSES if "[" in address], "EXAMPLES has no address of a page"

    async def check(_address: str) -> None:
        await expect_no_overflow(page_320)
        assert await page_320.evaluate(SMALL_FIELDS) == []

    await check_addresses(page_320, watch, check)


@pytest.mark.timeout(1800)  # the same pages at twelve widths
async def test_no_page_is_wider_than_its_window_at_twelve_widths_or_with_large_text(
    page_320: Page, watch: PageWatch
) -> None:

    async def check(_address: str) -> None:
        await expect_no_overflow_at_any_width(page_320)
        await expect_no_overflow_with_large_text(page_320)

    await check_addresses(page_320, watch, check)
