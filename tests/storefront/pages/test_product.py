"""Tests of a product's page, for existing and unknown products."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import reflex as rx
from reflex.event import EventSpec
from reflex.istate.data import RouterData
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.catalog.models import FormerHandle, Picture, Product, Variant
from backend.catalog.storefront.page_content import product_detail
from backend.catalog.views import ProductDetail
from backend.inventory.models import InventoryLevel
from storefront.pages import product
from storefront.pages.page_loader import PageParams
from storefront.pages.product import ProductState, load
from tests.store_defaults import Defaults, add_product

ROOT = Path(__file__).parents[3]


async def test_picture_has_a_css_background_for_the_magnifier(shop: Shop, defaults: Defaults) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "trompo", title="Trompo", description="Baila derecho.")
        product_id = (
            await session.execute(select(Product.id).where(Product.handle == "trompo"))
        ).scalar_one()
        session.add(Picture(product_id=product_id, url="/demo/Trompo (frente).webp", alt="Un trompo"))
    data = await load(PageParams.from_url("/product/trompo"))
    (picture,) = data.content.gallery
    assert picture.background == 'url("/demo/Trompo%20%28frente%29.webp")'
    assert data.meta.title.startswith("Trompo")
    assert data.meta.description == "Baila derecho."
    assert data.meta.image == "http://localhost:3000/demo/Trompo%20%28frente%29.webp"
    assert data.meta.status == 200


async def test_html_of_a_description_is_shown_as_text(shop: Shop, defaults: Defaults) -> None:
    html = "<p>Trompo de <strong>madera</strong>.</p><ul><li>Con cuerda</li></ul>&nbsp;"
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "trompo", title="Trompo", description=html)
    data = await load(PageParams.from_url("/product/trompo"))
    assert data.content.detail is not None
    assert data.content.detail.description == "Trompo de madera.\n\n• Con cuerda"
    assert data.meta.description == "Trompo de madera. • Con cuerda"
    assert '"description":"Trompo de madera. • Con cuerda"' in data.meta.structured_data


@pytest.mark.parametrize("selector", [".product__description", ".product__facts dd"])
def test_product_page_preserves_line_breaks_of_description_and_facts(selector: str) -> None:
    style = (ROOT / "assets/styles/product.css").read_text("utf-8")
    document = (ROOT / "storefront/documents/templates/product.html").read_text("utf-8")
    assert "white-space: pre-line;" in style.partition(f"\n{selector} {{")[2].partition("}")[0]
    for page in (str(product.page().render()), document):
        assert selector.removeprefix(".").removesuffix(" dd") in page


async def test_seo_texts_replace_title_and_description_in_the_head(shop: Shop, defaults: Defaults) -> None:
    async with shop.database.transaction() as session:
        variant_id = await add_product(
            session, defaults, "trompo", title="Trompo", description="Baila derecho."
        )
        variant = await session.get_one(Variant, variant_id)
        variant.cost = 43_210
        toy = await session.get_one(Product, variant.product_id)
        toy.extra_metadata = {
            "seo_title": " Trompo  de guayacán",
            "seo_description": "El clásico <b>que baila",
        }
    data = await load(PageParams.from_url("/product/trompo"))
    assert (data.meta.title, data.meta.description) == ("Trompo de guayacán", "El clásico <b>que baila")
    assert "43210" not in repr(data)
    async with shop.database.transaction() as session:
        await session.execute(update(Product).values(extra_metadata={"seo_title": 7, "seo_description": ""}))
    data = await load(PageParams.from_url("/product/trompo"))
    assert (data.meta.title, data.meta.description) == ("Trompo", "Baila derecho.")


async def test_structured_data_has_the_bar_code_and_the_ages(shop: Shop, defaults: Defaults) -> None:
    async with shop.database.transaction() as session:
        variant_id = await add_product(session, defaults, "trompo", age_range="6-8")
        (await session.get_one(Variant, variant_id)).ean = "7701234567897"
    data = json.loads((await load(PageParams.from_url("/product/trompo"))).meta.structured_data)
    assert data["gtin"] == "7701234567897"
    assert data["audience"] == {"@type": "PeopleAudience", "suggestedMinAge": 6, "suggestedMaxAge": 8}


async def test_page_of_an_unknown_product_has_its_own_content(shop: Shop, defaults: Defaults) -> None:
    data = await load(PageParams.from_url("/product/no%20hay"))
    assert data.content.detail is None
    assert data.content.slug == "no hay"
    assert data.meta.status == 404
    assert data.meta.robots.startswith("noindex")
    assert "Este producto no existe" in data.meta.title


async def test_former_handle_redirects_to_the_current_one(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "trompo")
        product_id = (
            await session.execute(select(Product.id).where(Product.handle == "trompo"))
        ).scalar_one()
        session.add(FormerHandle(handle="peonza", product_id=product_id))
    root = shopper()
    state = await root.get_state(ProductState)
    root.router = RouterData.from_router_data({"pathname": "/product/[slug]", "asPath": "/product/peonza"})
    event = await state.load()
    assert dict(_texts(event)) == dict(_texts(rx.redirect("/product/trompo", replace=True)))
    assert not state.is_ready  # the page must not first display that the product is unknown
    root.router = RouterData.from_router_data({"pathname": "/product/[slug]", "asPath": "/product/trompo"})
    assert await state.load() is None
    assert state.is_ready


def _texts(event: EventSpec) -> list[tuple[str, str]]:
    """Return the arguments of an event as the browser gets them."""
    return [(str(name), str(value)) for name, value in event.args]


@pytest.mark.parametrize("left", [3, 0])
async def test_product_page_loaded_after_an_order_has_the_remaining_units(
    shop: Shop, defaults: Defaults, left: int
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "trompo", stock=4)
    assert await _load_units() == (4, True, True)
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(reserved=4 - left))
    assert await _load_units() == (left, left > 0, left > 0)


async def test_product_page_loaded_after_an_order_reads_only_the_units_again(
    shop: Shop, defaults: Defaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "trompo", stock=4)
    read, reads = product_detail, list[str]()

    async def recorded_detail(session: AsyncSession, handle: str) -> ProductDetail:
        reads.append(handle)
        return await read(session, handle)

    monkeypatch.setattr(product, "product_detail", recorded_detail)
    assert await _load_units() == (4, True, True)
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(reserved=1))
    assert await _load_units() == (3, True, True)
    assert reads == ["trompo"]


async def _load_units() -> tuple[int, bool, bool]:
    """Return the units of the only variant, and whether the variant and the product's card can be bought."""
    detail = (await load(PageParams.from_url("/product/trompo"))).content.detail
    assert detail is not None
    (variant,) = detail.variants
    return variant.stock, variant.available, detail.card.available
