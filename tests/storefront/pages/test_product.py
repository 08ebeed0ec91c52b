"""A product's page, for a product that exists and for one that does not."""

from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Picture, Product
from storefront.pages.loading import PageParams
from storefront.pages.product import load
from tests.shop_floor import Floor, make_toy


async def test_a_picture_comes_with_its_background_for_the_magnifier(shop: Shop, floor: Floor) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, floor, "trompo", title="Trompo", description="Baila derecho.")
        product = await session.execute(select(Product.id).where(Product.handle == "trompo"))
        session.add(
            Picture(product_id=product.scalar_one(), url="/demo/Trompo (frente).webp", alt="Un trompo")
        )
    data = await load(PageParams.from_url("/product/trompo"))
    (picture,) = data.content.gallery
    assert picture.background == 'url("/demo/Trompo%20%28frente%29.webp")'
    assert data.meta.title.startswith("Trompo")
    assert data.meta.description == "Baila derecho."
    assert data.meta.image == "http://localhost:3000/demo/Trompo%20%28frente%29.webp"
    assert data.meta.status == 200


async def test_an_unknown_product_is_content_of_its_own(shop: Shop, floor: Floor) -> None:
    data = await load(PageParams.from_url("/product/no%20hay"))
    assert data.content.detail is None
    assert data.content.slug == "no hay"
    assert data.meta.status == 404
    assert data.meta.robots.startswith("noindex")
    assert "Este producto no existe" in data.meta.title
