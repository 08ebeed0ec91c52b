"""The page that a former address leads to."""

import pytest
from sqlalchemy import select

from backend.catalog.models import Category, Product
from backend.catalog.redirects.service import delete_redirect
from backend.core.clock import now
from backend.core.errors import InvalidData
from backend.staff.rights import COMMAND_LINE
from tests.backend.catalog.redirects.conftest import FormerShop
from tests.statements import record_statements

BALERO, YOYO, WOOD = "/product/balero", "/product/yoyo", "/catalog?category=de-madera"


async def test_redirect_is_found_by_path_and_query_of_the_former_address(former: FormerShop) -> None:
    balero, yoyo = former.products["balero"], former.products["yoyo"]
    await former.redirect("/productos/balero.html", balero)
    await former.redirect("/index.php?id_product=12&controller=product", balero)
    await former.redirect("/index.php?id_product=13&controller=product", yoyo)
    await former.redirect("/?product=balero", balero)
    await former.redirect("/tienda/madera", former.categories["de-madera"])
    pages = {
        "/productos/balero.html": BALERO,
        "/PRODUCTOS/Balero.html/?utm_source=mail": BALERO,
        "/productos/balero.html?page=2": BALERO,
        "/productos/balero": "",
        "/index.php?controller=product&id_product=12": BALERO,
        "/index.php?id_product=12&controller=product&id_lang=4&gclid=x": BALERO,
        "/index.php?id_product=13&controller=product": YOYO,
        "/index.php?id_product=14&controller=product": "",
        "/index.php?id_product=12": "",
        "/index.php": "",
        "/?product=balero": BALERO,
        "/?product=yoyo": "",
        "/tienda/madera/": WOOD,
        "/": "",
        "/%00": "no address",
    }
    assert {address: await former.visit(address) for address in pages} == pages


async def test_redirect_with_the_most_parameters_is_preferred(former: FormerShop) -> None:
    balero, yoyo = former.products["balero"], former.products["yoyo"]
    await former.redirect("/ver?id=1", balero)
    await former.redirect("/ver?id=1&color=rojo", yoyo)
    await former.redirect("/ver", former.categories["juguetes"])
    pages = {
        "/ver?id=1": BALERO,
        "/ver?id=1&color=azul": BALERO,
        "/ver?color=rojo&id=1": YOYO,
        "/ver?pagina=2": "/catalog?category=juguetes",
        "/ver?id=2": "",
        "/ver": "/catalog?category=juguetes",
    }
    assert {address: await former.visit(address) for address in pages} == pages


async def test_product_of_prestashop_is_found_by_the_id_in_its_friendly_address(former: FormerShop) -> None:
    assert await former.visit("/juguetes/12-balero.html") == ""
    await former.redirect("/index.php?controller=product&id_product=12", former.products["balero"])
    pages = {
        "/juguetes/12-balero.html": BALERO,
        "/es/juguetes/12-34-balero.html?id_lang=1": BALERO,
        "/12-otro-nombre.html": BALERO,
        "/juguetes/13-yoyo.html": "",
        "/12-juguetes": "",
    }
    assert {address: await former.visit(address) for address in pages} == pages


async def test_existing_page_is_redirected_only_by_a_query_of_the_former_shop(former: FormerShop) -> None:
    await former.redirect("/?product=balero", former.products["balero"])
    await former.redirect("/catalog?category=viejos", former.categories["juguetes"])
    await former.redirect("/catalog?id=7", former.products["yoyo"])
    await former.redirect("/carrito", former.products["yoyo"])
    assert await former.visit("/?product=balero", has_page=True) == BALERO
    assert await former.visit("/catalog?id=7", has_page=True) == YOYO
    assert await former.visit("/catalog?category=viejos", has_page=True) == ""
    assert await former.visit("/catalog?category=viejos") == "/catalog?category=juguetes"
    assert await former.visit("/carrito", has_page=True) == ""


async def test_redirect_follows_a_renamed_target_until_the_target_is_hidden_or_deleted(
    former: FormerShop,
) -> None:
    await former.redirect("/a", former.products["balero"])
    await former.redirect("/b", former.categories["de-madera"])
    assert (await former.visit("/a"), await former.visit("/b")) == (BALERO, WOOD)
    async with former.shop.database.transaction() as session:
        product = (await session.execute(select(Product).where(Product.handle == "balero"))).scalar_one()
        product.handle = "balero-ñandú"
        category = (
            await session.execute(select(Category).where(Category.handle == "de-madera"))
        ).scalar_one()
        category.handle = "madera"
    assert await former.visit("/a") == "/product/balero-%C3%B1and%C3%BA"
    assert await former.visit("/b") == "/catalog?category=madera"
    for change in ({"status": "draft"}, {"status": "published", "deleted_at": now()}):
        async with former.shop.database.transaction() as session:
            product = (
                await session.execute(select(Product).where(Product.handle == "balero-ñandú"))
            ).scalar_one()
            for name, value in change.items():
                setattr(product, name, value)
        assert await former.visit("/a") == ""


async def test_redirect_to_a_deleted_category_has_no_effect(former: FormerShop) -> None:
    await former.redirect("/b", former.categories["de-madera"])
    async with former.shop.database.transaction() as session:
        await session.delete(
            (await session.execute(select(Category).where(Category.handle == "de-madera"))).scalar_one()
        )
    assert await former.visit("/b") == ""


async def test_created_or_deleted_redirect_takes_effect_immediately(former: FormerShop) -> None:
    assert await former.visit("/?p=7") == ""
    redirect_id = await former.redirect("/?p=7", former.products["balero"])
    assert await former.visit("/?p=7") == BALERO
    async with former.shop.database.transaction() as session:
        await delete_redirect(session, COMMAND_LINE, redirect_id)
    assert await former.visit("/?p=7") == ""


async def test_most_requests_need_no_database_query_for_redirects(former: FormerShop) -> None:
    await former.visit("/a")
    with record_statements(former.shop.database) as statements:
        await former.visit("/a")
        await former.visit("/wp-login.php?x=1")
    assert statements == []
    await former.redirect("/a?id=1", former.products["balero"])
    await former.visit("/a")
    with record_statements(former.shop.database) as statements:
        await former.visit("/catalog?q=oso&page=2", has_page=True)
        await former.visit("/", has_page=True)
        assert statements == []
        await former.visit("/b?id=1")
    assert len([one for one in statements if one.startswith(("SELECT", "WITH"))]) == 1


async def test_address_that_is_redirected_to_another_page_is_refused(former: FormerShop) -> None:
    first = await former.redirect("/a", former.products["balero"])
    assert await former.redirect("/A/", former.products["balero"]) == first
    with pytest.raises(InvalidData, match="another page"):
        await former.redirect("/a", former.products["yoyo"])
