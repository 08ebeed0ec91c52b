"""A review's page is that of its own link: what was typed for one toy is not another's."""

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.cart.access import new_cart
from backend.cart.lines import add_to_cart
from backend.orders.models import OrderLine
from backend.reviews.tokens import review_path
from storefront.pages import review
from storefront.pages.page_loader import PageParams
from storefront.pages.review import CLOSED, SHOWN_PAGE, ReviewPage, load
from tests.checkout_steps import TYPED, choose_pickup
from tests.store_defaults import Defaults, make_toy


@pytest.fixture
async def line_id(shop: Shop, defaults: Defaults) -> str:
    """The line of an order."""
    async with shop.database.transaction() as session:
        toy = await make_toy(session, defaults, "trompo", stock=5, price=18_900)
        cart_id = await new_cart(session)
        await add_to_cart(session, cart_id, toy, 1)
    await choose_pickup(shop, cart_id)
    placed = await shop.checkout.place_order(cart_id, TYPED, expected_total=18_900, ip="190.24.1.1")
    async with shop.database.read() as session:
        lines = await session.execute(select(OrderLine.id).where(OrderLine.order_id == placed.order_id))
        return lines.scalar_one()


async def test_a_link_opens_the_page_of_its_line_alone(shop: Shop, line_id: str) -> None:
    link = review_path(shop.settings.signing_key, line_id)
    known = (await load(PageParams.from_url(link))).content
    assert (known.line, known.mode, known.toy) == (line_id, CLOSED, "Trompo")
    forged = await load(PageParams.from_url(f"{link}x"))
    assert (forged.content, forged.meta.status) == (ReviewPage(line_id), 404)


def test_the_form_of_another_link_is_another_form() -> None:
    assert f"key:{SHOWN_PAGE.action!s}" in review._form().render()["props"]
