"""Producto in the browser, on a phone: a product is created, priced, hidden, and edited by two staff members."""

import re

import pytest
from playwright.async_api import Dialog, Page, expect

from tests.e2e.conftest import OpenPage, ShopServer
from tests.e2e.held import HeldMessages
from tests.e2e.office_steps import enter_office, visit
from tests.e2e.shopper import TIMEOUT_MS, resize
from tests.e2e.test_every_page import RECORD_SHIFTS, axe
from tests.e2e.test_office import WIDTHS, check_at_widths

__all__ = ["axe"]

PHONE = (390, 844)
NEW_PRODUCT_PATH = "/oficina/productos/nuevo"
LONG_NAME = "Rojo carmesí con rayas amarillas y azules / XS"
SAVED_URL = re.compile(r"/oficina/productos/prod_\w+$")


@pytest.fixture(scope="module")
def server(private_server: ShopServer) -> ShopServer:
    """Return a shop that only these tests use, because they change its products."""
    return private_server


async def create_product_in_office(page: Page, title: str, price: str = "25.000") -> str:
    """Create a product with title, price and units. Return the URL of its page in the office."""
    await visit(page, NEW_PRODUCT_PATH)
    await page.get_by_label("Título").fill(title)
    await page.get_by_label("Precio", exact=True).fill(price)
    await page.get_by_label("Unidades").fill("7")
    await page.get_by_test_id("save").click()
    await expect(page).to_have_url(SAVED_URL)
    await expect(page.get_by_test_id("product-state")).to_be_visible()  # of the saved product
    return page.url


async def save_form(page: Page) -> None:
    """Save the form and wait until it is saved."""
    await page.get_by_test_id("save").click()
    await expect(page.get_by_test_id("save")).to_be_hidden()


async def test_new_product_is_created_changed_and_hidden(
    open_page: OpenPage, server: ShopServer, axe: str
) -> None:
    async with open_page(*PHONE) as page, open_page(*PHONE) as shopper:
        await enter_office(page, server, "/oficina/productos")
        await page.get_by_test_id("product-new").click()
        await page.get_by_label("Título").fill("Perinola de prueba")
        await page.get_by_test_id("save").click()
        await expect(page.get_by_text("Escribe el precio en pesos")).to_be_visible()
        await expect(page.get_by_label("Precio", exact=True)).to_be_focused()
        await expect(page.get_by_label("Título")).to_have_value("Perinola de prueba")
        await page.get_by_label("Precio", exact=True).fill("$ 25.000")
        await page.get_by_label("Unidades").fill("7")
        await page.get_by_test_id("save").click()
        await expect(page).to_have_url(SAVED_URL)
        await expect(page.get_by_test_id("save")).to_be_hidden()
        await expect(page.get_by_text("7 libres")).to_be_visible()
        path = await page.get_by_test_id("product-in-shop").get_attribute("href")
        assert path == "/product/perinola-de-prueba"
        await shopper.goto(path)
        await expect(shopper.get_by_text("$ 25.000").first).to_be_visible()
        await page.get_by_label("Precio", exact=True).fill("22000")
        await page.get_by_label(re.compile("^Antes")).fill("21000")
        await page.get_by_test_id("save").click()
        await expect(page.get_by_text("Tiene que ser mayor que el precio.")).to_be_visible()
        await page.get_by_label(re.compile("^Antes")).fill("25000")
        await save_form(page)
        await expect(shopper.get_by_text("$ 22.000").first).to_be_visible()
        await page.get_by_label("Publicado en la tienda").uncheck()
        await save_form(page)
        await expect(page.get_by_test_id("product-state")).to_contain_text("Oculto")
        hidden = await shopper.request.get(path)
        assert hidden.status == 404
        await page.get_by_test_id("product-as-shown").click()
        shown = page.get_by_test_id("product-preview")
        await expect(shown).to_contain_text("Perinola de prueba")
        await expect(shown).to_contain_text("$ 22.000")
        await expect(shown.get_by_role("button", name="Agregar al carrito")).to_be_disabled()
        await check_at_widths(page, axe, ("390",))
        here = await page.request.get(page.url)
        assert (here.headers["cache-control"], here.headers["x-robots-tag"]) == (
            "no-store",
            "noindex,nofollow",
        )
        assert "Perinola" in await here.text()
        assert "Perinola" not in await (await shopper.request.get(page.url)).text()
        await page.get_by_role("link", name="Volver").click()
        await expect(page.get_by_label("Título")).to_have_value("Perinola de prueba")
        await page.get_by_test_id("history").locator("summary").click()
        await expect(page.get_by_test_id("history")).to_contain_text("Estado")


async def test_changes_of_two_staff_members_editing_one_product_are_both_saved(
    open_page: OpenPage, server: ShopServer
) -> None:
    async with open_page(*PHONE) as lina, open_page(*PHONE) as berta:
        await enter_office(lina, server, NEW_PRODUCT_PATH)
        path = await create_product_in_office(lina, "Trompo de dos")
        await enter_office(berta, server, path.removeprefix(server.url))
        await lina.get_by_label("Título").fill("Trompo de Lina")
        await berta.get_by_label("Título").fill("Trompo de Berta")
        await berta.get_by_label(re.compile("^Antes")).fill("30000")
        await save_form(berta)
        # fields that Lina did not edit are updated, her own text stays
        await expect(lina.get_by_label(re.compile("^Antes"))).to_have_value("30.000")
        await expect(lina.get_by_label("Título")).to_have_value("Trompo de Lina")
        await lina.get_by_test_id("save").click()
        clash = lina.get_by_test_id("clash")
        await expect(clash).to_contain_text("Trompo de Berta")
        await expect(clash).to_contain_text("Trompo de Lina")
        await clash.get_by_role("button", name="Dejar lo que hay").click()
        await expect(lina.get_by_label("Título")).to_have_value("Trompo de Berta")
        await lina.get_by_label("Título").fill("Trompo de las dos")
        await save_form(lina)
        await expect(clash).to_have_count(0)
        await expect(berta.get_by_label("Título")).to_have_value("Trompo de las dos")


async def test_leaving_the_product_form_with_unsaved_changes_asks_first(
    open_page: OpenPage, server: ShopServer
) -> None:
    async with open_page(*PHONE) as page:
        await enter_office(page, server, NEW_PRODUCT_PATH)
        await create_product_in_office(page, "Trompo a medias")
        await page.get_by_label("Título").fill("Otro título")
        dialog_messages: list[str] = []

        async def stay(dialog: Dialog) -> None:
            dialog_messages.append(dialog.message)
            await dialog.dismiss()

        page.on("dialog", stay)
        async with page.expect_event("dialog", timeout=TIMEOUT_MS):
            await page.get_by_test_id("office-nav").get_by_role("link", name="Pedidos").click()
        await expect(page).to_have_url(SAVED_URL)
        await expect(page.get_by_label("Título")).to_have_value("Otro título")
        assert len(dialog_messages) == 1
        await page.get_by_role("button", name="Descartar").click()
        await expect(page.get_by_label("Título")).to_have_value("Trompo a medias")
        await page.get_by_test_id("office-nav").get_by_role("link", name="Pedidos").click()
        await expect(page).to_have_url(re.compile("/oficina/pedidos$"))


async def test_new_product_form_does_not_keep_the_previous_input(
    open_page: OpenPage, server: ShopServer
) -> None:
    async with open_page(*PHONE) as page:
        await enter_office(page, server, NEW_PRODUCT_PATH)
        path = await create_product_in_office(page, "Trompo primero")
        await visit(page, NEW_PRODUCT_PATH)
        for label in ("Título", "Precio", "Dirección"):
            await expect(page.get_by_label(label, exact=True)).to_have_value("")
        await create_product_in_office(page, "Trompo segundo", "31000")
        await page.goto(path)
        await expect(page.get_by_label("Precio", exact=True)).to_have_value("25.000")
        await expect(page.get_by_label("Título")).to_have_value("Trompo primero")


async def test_variants_are_added_reordered_and_removed(open_page: OpenPage, server: ShopServer) -> None:
    async with open_page(*PHONE) as page:
        await enter_office(page, server, NEW_PRODUCT_PATH)
        await create_product_in_office(page, "Trompo en colores")
        await page.get_by_role("button", name="Otra presentación").click()
        rows = page.get_by_test_id("product-variant")
        await expect(rows).to_have_count(2)
        await rows.nth(0).get_by_label("Presentación", exact=True).fill("Azul")
        await rows.nth(1).get_by_label("Presentación", exact=True).fill("Rojo")
        await rows.nth(1).get_by_label("Precio", exact=True).fill("27000")
        await rows.nth(1).get_by_role("button", name="Presentación: antes").click()
        await expect(rows.nth(0).get_by_label("Presentación", exact=True)).to_have_value("Rojo")
        await expect(rows.nth(0).get_by_role("button", name="Presentación: antes")).to_be_focused()
        await save_form(page)
        await page.reload()
        await expect(rows.nth(0).get_by_label("Presentación", exact=True)).to_have_value("Rojo")
        await rows.nth(1).get_by_role("button", name=re.compile("Quitar")).click()
        await expect(rows).to_have_count(1)
        await page.get_by_test_id("save").click()
        await expect(page.get_by_text("No se puede quitar «Azul»: en bodega hay 7 unidades.")).to_be_visible()
        await page.reload()
        await rows.nth(0).get_by_role("button", name=re.compile("Quitar")).click()
        await expect(rows).to_have_count(1)
        await save_form(page)
        await expect(page.get_by_label("Precio", exact=True)).to_have_value("25.000")


async def test_product_changes_typed_during_a_save_are_kept(open_page: OpenPage, server: ShopServer) -> None:
    answers = HeldMessages('"announcement_rx_state_"', in_order=True)
    async with open_page(*PHONE) as page:
        await answers.intercept(page)
        await enter_office(page, server, NEW_PRODUCT_PATH)
        await create_product_in_office(page, "Trompo lento")
        await expect(page.get_by_test_id("save")).to_be_hidden()
        title = page.get_by_label("Título")
        await title.fill("Trompo muy lento")
        answers.is_holding = True
        await page.get_by_test_id("save").click()
        await answers.wait_until_held()
        await title.fill("Trompo muy lento de madera")
        await page.get_by_role("button", name="Otra presentación").click()
        rows = page.get_by_test_id("product-variant")
        await rows.nth(0).get_by_label("Presentación", exact=True).fill("Azul")
        await rows.nth(1).get_by_label("Presentación", exact=True).fill("Rojo")
        await rows.nth(1).get_by_label("Precio", exact=True).fill("27000")
        answers.release()
        await expect(page.get_by_test_id("save")).to_be_enabled()
        await expect(title).to_have_value("Trompo muy lento de madera")
        await expect(rows.nth(1).get_by_label("Presentación", exact=True)).to_have_value("Rojo")
        answers.discard()
        answers.is_holding = True
        await page.get_by_test_id("save").click()
        await answers.wait_until_held()
        price = rows.nth(1).get_by_label("Precio", exact=True)
        await price.fill("28000")
        answers.release()
        await expect(page.get_by_test_id("save")).to_be_enabled()
        await expect(rows).to_have_count(2)
        await expect(price).to_have_value("28000")
        await expect(price).to_be_focused()
        await expect(rows.nth(1).get_by_label("Presentación", exact=True)).to_have_value("Rojo")
        await save_form(page)
        await page.reload()
        await expect(rows).to_have_count(2)
        await expect(price).to_have_value("28.000")
        await expect(title).to_have_value("Trompo muy lento de madera")
        await expect(rows.nth(0).get_by_label("Presentación", exact=True)).to_have_value("Azul")
        await expect(rows.nth(1).get_by_label("Presentación", exact=True)).to_have_value("Rojo")


async def open_all(page: Page) -> None:
    """Open every section of the form, with two variants."""
    await page.get_by_role("button", name="Otra presentación").click()
    await page.evaluate("for (const one of document.querySelectorAll('form details')) one.open = true")


async def test_product_form_has_no_overflow_and_is_accessible(
    open_page: OpenPage, server: ShopServer, axe: str
) -> None:
    async with open_page(*PHONE) as page:
        await page.emulate_media(reduced_motion="reduce")
        await enter_office(page, server, NEW_PRODUCT_PATH)
        await check_at_widths(page, axe)
        await open_all(page)
        await page.get_by_label("Título").fill("Trompo larguísimo " + "supercalifragilístico" * 4)
        name = page.get_by_label("Presentación", exact=True).first
        await name.fill(LONG_NAME.replace(" y ", "\ny "))
        await expect(name).to_have_value(LONG_NAME)
        assert await name.evaluate("(one) => one.scrollHeight <= one.clientHeight && one.clientHeight > 60")
        await name.press("Enter")
        await expect(name).to_have_value(LONG_NAME)
        await expect(page.get_by_text("Escribe el precio").first).to_be_visible()
        await page.get_by_role("button", name="Cerrar").first.click()
        await check_at_widths(page, axe)
        found = await page.request.get("/admin/products?q=trompo-de-madera", headers={"origin": server.url})
        product = (await found.json())["products"][0]["id"]
        await page.evaluate("window.onbeforeunload = null")
        other = await page.context.new_page()
        await other.add_init_script(RECORD_SHIFTS)
        await other.emulate_media(reduced_motion="reduce")
        for width, height in WIDTHS.values():
            await resize(other, width, height)
            await visit(other, f"/oficina/productos/{product}")
            await expect(other.get_by_test_id("product-picture").first).to_be_visible()
            assert sum(await other.evaluate("window.shifts")) < 0.01, width
        await open_all(other)
        await other.get_by_test_id("history").locator("summary").click()
        await expect(other.get_by_test_id("history").get_by_role("paragraph").first).to_be_visible()
        await check_at_widths(other, axe)


async def test_product_pictures_are_reordered_and_described(open_page: OpenPage, server: ShopServer) -> None:
    async with open_page(*PHONE) as page:
        await enter_office(page, server)
        found = await page.request.get("/admin/products?limit=50", headers={"origin": server.url})
        images = next(
            image["images"] for image in (await found.json())["products"] if len(image["images"]) == 3
        )
        new = {
            "title": "Con tres fotos",
            "price": 9_000,
            "images": [{"url": image["url"]} for image in images],
        }
        made = await page.request.post("/admin/products", data=new, headers={"origin": server.url})
        product = (await made.json())["product"]
        await visit(page, f"/oficina/productos/{product['id']}")
        shots = page.get_by_test_id("product-picture")
        alts = ["Por delante", "Por arriba"]
        for place, alt in enumerate(alts):
            await shots.nth(place).get_by_label("Qué se ve").fill(alt)
        await shots.nth(0).get_by_role("button", name="Foto: después").click()
        await shots.nth(2).get_by_label("Qué se ve").fill("De lado")
        await shots.nth(1).get_by_role("button", name="Quitar la foto").click()
        await save_form(page)
        await page.reload()
        await expect(shots).to_have_count(2)
        await expect(shots.nth(0).get_by_label("Qué se ve")).to_have_value(alts[1])
        await expect(shots.nth(1).get_by_label("Qué se ve")).to_have_value("De lado")
        await shots.nth(0).evaluate("(one) => one.scrollIntoView({ block: 'center' })")
        first, second = await shots.nth(0).bounding_box(), await shots.nth(1).bounding_box()
        assert first
        assert second
        await page.mouse.move(first["x"] + 40, first["y"] + 40)
        await page.mouse.down()
        await page.mouse.move(second["x"] + 40, second["y"] + 40, steps=5)
        await page.mouse.up()
        await expect(shots.nth(0).get_by_label("Qué se ve")).to_have_value("De lado")
        await save_form(page)
        saved = await page.request.get(f"/admin/products/{product['id']}", headers={"origin": server.url})
        images = (await saved.json())["product"]["images"]
        assert [image["url"] for image in images] == [
            product["images"][2]["url"],
            product["images"][1]["url"],
        ]


async def test_price_of_0_is_accepted_only_with_the_free_checkbox(
    open_page: OpenPage, server: ShopServer, axe: str
) -> None:
    """Check that a price of 0 is refused, and that a product marked «Gratis» can be saved and bought."""
    async with open_page(*PHONE) as page, open_page(*PHONE) as shopper:
        await enter_office(page, server, NEW_PRODUCT_PATH)
        await page.get_by_label("Título").fill("Calcomanía de prueba")
        price = page.get_by_label("Precio", exact=True)
        await price.fill("0")
        await page.get_by_label("Unidades").fill("5")
        await page.get_by_test_id("save").click()
        await expect(page.get_by_text("marca «Gratis»")).to_be_visible()
        tick = page.get_by_label("Gratis: se vende con precio 0")
        await tick.check()
        await check_at_widths(page, axe)
        await page.get_by_test_id("save").click()
        await expect(page).to_have_url(SAVED_URL)
        await expect(page.get_by_test_id("save")).to_be_hidden()
        await expect(tick).to_be_checked()
        await shopper.goto("/product/calcomania-de-prueba")
        await expect(shopper.get_by_test_id("add-to-cart")).to_be_enabled()
