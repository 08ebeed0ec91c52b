"""No page of the shop is wider than the smallest phone.

`test_every_page.py` looks at each page in each of its states, and at what is in it; this is one walk past all of them.
"""

import pytest
from playwright.async_api import Page

from storefront.pages.routes import NOT_FOUND, PAGES
from tests.e2e.conftest import Watch
from tests.e2e.scenes import visit
from tests.e2e.shopper import expect_no_overflow, put_in_cart

TOY = "chiva-de-madera"
EXAMPLES = {
    "/age/[slug]": "/age/3-5",
    "/brand/[slug]": "/brand/la-puntada",
    "/product/[slug]": f"/product/{TOY}",
    "/order/[id]": "/order/order_0?token=t",
    "/review/[id]": "/review/order_0?token=t",
    "/legal/[slug]": "/legal/terminos",
    "/pqrs/[id]": "/pqrs/pqrs_0?token=t",
    NOT_FOUND.route: "/naves/espaciales",
}
"""An address of each page whose route varies."""
STATES = (
    "/catalog?category=munecas-y-peluches",
    "/catalog?q=submarino",
    "/product/cocina-de-juguete",
    "/product/nave-espacial",
    "/notify?id=a&token=b",
    "/unsubscribe?said=forgotten",
)
"""More of what shoppers meet: a long and an empty list, products that are sold out or unknown, links of mails."""
WALK = (*(EXAMPLES.get(page.route, page.route) for page in PAGES), *STATES)


@pytest.mark.timeout(300)  # some thirty pages, one after the other
async def test_no_page_is_wider_than_the_smallest_phone(page_320: Page, watch: Watch) -> None:
    assert not [address for address in WALK if "[" in address], "EXAMPLES has no address of a page"
    watch.expect("404")
    await put_in_cart(page_320, TOY)
    for address in WALK:
        await visit(page_320, address)
        try:
            await expect_no_overflow(page_320)
        except AssertionError as wide:
            raise AssertionError(f"{address} is wider than the window") from wide
