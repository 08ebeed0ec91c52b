"""Tests of a review's page: each link has its own form, so that text typed for one product is not sent for another."""

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.cart.access import create_empty_cart
from backend.cart.lines import add_to_cart
from backend.orders.models import OrderLine
from backend.reviews.tokens import review_path
from storefront.pages import review
from storefront.pages.page_loader import PageParams
from storefront.pages.review import CLOSED, SHOWN_PAGE, ReviewPage, load
from tests.checkout_steps import CHECKOUT_INPUT, choose_pickup
from tests.store_defaults import Defaults, add_product


@pytest.fixture
async def line_id(shop: Shop, defaults: Defaults) -> str:
    """Return the id of an order's line."""
    async with shop.database.transaction() as session:
        variant_id = await add_product(session, defaults, "trompo", stock=5, price=18_900)
        cart_id = await create_empty_cart(session)
        await add_to_cart(session, cart_id, variant_id, 1)
    await choose_pickup(shop, cart_id)
    placed = await shop.checkout.place_order(cart_id, CHECKOUT_INPUT, expected_total=18_900, ip="190.24.1.1")
    async with shop.database.read() as session:
        lines = await session.execute(select(OrderLine.id).where(OrderLine.order_id == placed.order_id))
        return lines.scalar_one()


async def test_review_link_opens_only_the_page_of_its_order_line(shop: Shop, line_id: str) -> None:
    link = review_path(shop.settings.signing_key, line_id)
    known = (await load(PageParams.from_url(link))).content
    assert (known.line, known.mode, known.product) == (line_id, CLOSED, "Trompo")
    forged = await load(PageParams.from_url(f"{link}x"))
    assert (forged.content, forged.meta.status) == (ReviewPage(line_id), 404)


def test_each_review_link_has_its_own_form() -> None:
    assert f"key:{SHOWN_PAGE.action!s}" in str(review.page().render())
