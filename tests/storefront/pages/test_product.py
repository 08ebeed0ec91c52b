"""A product's page, for a product that exists and for one that does not."""

from collections.abc import Callable

import pytest
import reflex as rx
from reflex.event import EventSpec
from reflex.istate.data import RouterData
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.catalog.models import FormerHandle, Picture, Product
from backend.catalog.storefront.page_content import product_detail
from backend.catalog.views import ProductDetail
from backend.inventory.models import InventoryLevel
from storefront.pages import product
from storefront.pages.page_loader import PageParams
from storefront.pages.product import ProductState, load
from tests.store_defaults import Defaults, make_toy


async def test_a_picture_comes_with_its_background_for_the_magnifier(shop: Shop, defaults: Defaults) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, defaults, "trompo", title="Trompo", description="Baila derecho.")
        toy = (await session.execute(select(Product.id).where(Product.handle == "trompo"))).scalar_one()
        session.add(Picture(product_id=toy, url="/demo/Trompo (frente).webp", alt="Un trompo"))
    data = await load(PageParams.from_url("/product/trompo"))
    (picture,) = data.content.gallery
    assert picture.background == 'url("/demo/Trompo%20%28frente%29.webp")'
    assert data.meta.title.startswith("Trompo")
    assert data.meta.description == "Baila derecho."
    assert data.meta.image == "http://localhost:3000/demo/Trompo%20%28frente%29.webp"
    assert data.meta.status == 200


async def test_an_unknown_product_is_content_of_its_own(shop: Shop, defaults: Defaults) -> None:
    data = await load(PageParams.from_url("/product/no%20hay"))
    assert data.content.detail is None
    assert data.content.slug == "no hay"
    assert data.meta.status == 404
    assert data.meta.robots.startswith("noindex")
    assert "Este producto no existe" in data.meta.title


async def test_a_former_address_leads_on_inside_the_shop(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, defaults, "trompo")
        toy = (await session.execute(select(Product.id).where(Product.handle == "trompo"))).scalar_one()
        session.add(FormerHandle(handle="peonza", product_id=toy))
    root = shopper()
    state = await root.get_state(ProductState)
    root.router = RouterData.from_router_data({"pathname": "/product/[slug]", "asPath": "/product/peonza"})
    leads = await state.load()
    assert dict(_texts(leads)) == dict(_texts(rx.redirect("/product/trompo", replace=True)))
    assert not state.is_ready  # it is not said first that there is no such toy
    root.router = RouterData.from_router_data({"pathname": "/product/[slug]", "asPath": "/product/trompo"})
    assert await state.load() is None
    assert state.is_ready


def _texts(event: EventSpec) -> list[tuple[str, str]]:
    """The arguments of an event as the browser gets them."""
    return [(str(name), str(value)) for name, value in event.args]


@pytest.mark.parametrize("left", [3, 0])
async def test_a_sale_is_in_the_very_next_reading(shop: Shop, defaults: Defaults, left: int) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, defaults, "trompo", stock=4)
    assert await _units() == (4, True, True)
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(reserved=4 - left))
    assert await _units() == (left, left > 0, left > 0)


async def test_a_sale_has_the_units_read_again_and_nothing_else(
    shop: Shop, defaults: Defaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, defaults, "trompo", stock=4)
    read, reads = product_detail, list[str]()

    async def noted(session: AsyncSession, handle: str) -> ProductDetail:
        reads.append(handle)
        return await read(session, handle)

    monkeypatch.setattr(product, "product_detail", noted)
    assert await _units() == (4, True, True)
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(reserved=1))
    assert await _units() == (3, True, True)
    assert reads == ["trompo"]


async def _units() -> tuple[int, bool, bool]:
    """Of the only variant, whether it can be bought, and whether the toy's card says so."""
    detail = (await load(PageParams.from_url("/product/trompo"))).content.detail
    assert detail is not None
    (variant,) = detail.variants
    return variant.stock, variant.available, detail.card.available
