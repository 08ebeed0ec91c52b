"""Orders in the office at the browser: found, chosen, sent, corrected; two of the staff and a shopper on one order."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from playwright.async_api import expect

from backend.payment.providers.base import ProviderState
from tests.e2e.conftest import OpenPage, ShopServer
from tests.e2e.office_steps import enter, order_over_the_api, paid_order, report, visit
from tests.e2e.shopper import PATIENCE

WIDE = (390, 844)
ROW = "order-row"


async def test_an_order_is_found_chosen_and_sent(open_page: OpenPage, server: ShopServer) -> None:
    number = (await paid_order(server)).number
    async with open_page(*WIDE) as page:
        await enter(page, server, "/oficina/pedidos")
        search = page.get_by_test_id("orders-search")
        await search.fill(f"#{number}")
        await search.press("Enter")
        await expect(page.get_by_test_id(ROW)).to_have_count(1, timeout=PATIENCE)
        await expect(page).to_have_url(re.compile(rf"q=%23{number}$"))
        await page.get_by_label(f"Elegir el pedido {number}").check()
        await expect(page.get_by_test_id("chosen")).to_contain_text("1 elegido")
        await page.get_by_role("button", name="Marcar enviados").click()
        await expect(page.get_by_test_id("results")).to_contain_text(
            "Todavía no tiene guía.", timeout=PATIENCE
        )
        await page.get_by_role("button", name="Hacer guías").click()
        await expect(page.get_by_test_id("results")).to_contain_text("Guía lista.", timeout=PATIENCE)
        await expect(page.get_by_test_id(ROW)).to_contain_text("Empacado")
        path = await page.get_by_role("link", name="Imprimir estas guías").get_attribute("href")
        assert path
        label = await page.request.get(path)
        assert (label.status, label.headers["content-type"]) == (200, "application/pdf")
        await page.get_by_role("link", name=re.compile("quitar")).click()
        await expect(page).to_have_url(re.compile("/oficina/pedidos$"))


async def test_two_of_the_staff_and_the_shopper_on_one_order(open_page: OpenPage, server: ShopServer) -> None:
    sold = await paid_order(server)
    async with open_page(*WIDE) as lina, open_page(*WIDE) as berta, open_page(*WIDE) as shopper:
        for page in (lina, berta):
            await enter(page, server, f"/oficina/pedidos?q={sold.number}")
            await page.get_by_test_id(ROW).filter(has_text=f"#{sold.number}").get_by_role("link").click()
            await expect(page.get_by_test_id("order-pack")).to_be_visible(timeout=PATIENCE)
        await lina.get_by_test_id("order-pack").click()
        for page in (lina, berta):  # told by itself, without a touch
            await expect(page.get_by_test_id("order-parcel")).to_have_count(1, timeout=PATIENCE)
            await expect(page.get_by_test_id("order-pack")).to_have_count(0)
        await lina.get_by_test_id("order-ship").click()
        await expect(berta.get_by_test_id("order-state")).to_contain_text("Enviado", timeout=PATIENCE)
        await expect(berta.get_by_test_id("order-events")).to_contain_text("Empacado, con su guía")
        await shopper.goto(sold.page)
        guide = berta.get_by_test_id("order-parcel").locator("b").first
        number = (await guide.inner_text()).removeprefix("Guía ")
        await expect(shopper.get_by_text(number).first).to_be_visible(timeout=PATIENCE)


async def test_an_order_whose_payment_is_contradicted_leads_to_the_decision(
    open_page: OpenPage, server: ShopServer
) -> None:
    sold = await paid_order(server)
    async with open_page(*WIDE) as page:
        await enter(page, server, f"/oficina/pedidos/{sold.id}")
        await expect(page.get_by_test_id("order-pack")).to_be_visible(timeout=PATIENCE)
        await report(server, sold.id, ProviderState.CANCELED)  # "Reversada"
        await visit(page, f"/oficina/pedidos/{sold.id}")
        held = page.get_by_test_id("order-held")
        await expect(held).to_be_visible(timeout=PATIENCE)
        await expect(page.get_by_test_id("order-pack")).to_have_count(0)
        await visit(page, f"/oficina/empacar?pedido={sold.id}")
        await expect(page.get_by_test_id("pack-stopped")).to_contain_text("se contradice", timeout=PATIENCE)
        await page.get_by_role("link", name="Ver en Por resolver").click()
        row = page.get_by_test_id("attention-row").filter(has_text=f"Pedido {sold.number}")
        await row.locator("summary").first.click()
        await row.get_by_text("Hacer otra cosa").click()
        await row.get_by_role("button", name="El dinero sí está").click()
        await expect(page.get_by_test_id("told")).to_have_text(re.compile("Resuelto"), timeout=PATIENCE)
        await visit(page, f"/oficina/pedidos/{sold.id}")
        await expect(page.get_by_test_id("order-pack")).to_be_visible(timeout=PATIENCE)
        await expect(held).to_have_count(0)


async def test_a_payment_of_another_amount_is_shown_as_it_came(
    open_page: OpenPage, server: ShopServer
) -> None:
    sold = await order_over_the_api(server)
    await report(server, sold.id, ProviderState.CAPTURED, "20000.40")
    async with open_page(*WIDE) as page, open_page(*WIDE) as shopper:
        await enter(page, server, "/oficina/por-resolver")
        row = page.get_by_test_id("attention-row").filter(has_text=f"Pedido {sold.number}")
        await expect(row).to_contain_text("20.000,40")
        await row.locator("summary").first.click()
        await row.get_by_text("Hacer otra cosa").click()
        await row.get_by_role("button", name="Aceptar el pago").click()
        await expect(page.get_by_test_id("told")).to_have_text(re.compile("Resuelto"), timeout=PATIENCE)
        await visit(page, f"/oficina/pedidos/{sold.id}")
        await expect(page.get_by_test_id("order-difference")).to_contain_text("20.000,40")
        await visit(page, f"/oficina/empacar?pedido={sold.id}")
        await expect(page.get_by_test_id("pack-difference")).to_contain_text("faltan")
        await shopper.goto(sold.page)
        await expect(shopper.get_by_test_id("order-received")).to_contain_text("Faltan", timeout=PATIENCE)


async def test_a_better_address_and_a_note(open_page: OpenPage, server: ShopServer) -> None:
    sold = await paid_order(server)
    async with open_page(*WIDE) as page:
        await enter(page, server, f"/oficina/pedidos/{sold.id}")
        address = page.get_by_test_id("order-address")
        await address.get_by_text("Corregir la dirección").click()
        await address.get_by_label("Dirección").fill("")
        await address.get_by_test_id("save").click()
        await expect(address.get_by_text("Escribe la dirección de entrega.")).to_be_visible(timeout=PATIENCE)
        await address.get_by_label("Dirección").fill("Calle 10 # 5-51")
        await address.get_by_test_id("save").click()
        await expect(address.locator("address")).to_contain_text("Calle 10 # 5-51", timeout=PATIENCE)
        await page.get_by_label("Nota para el equipo").fill("Llamar antes")
        await page.get_by_role("button", name="Guardar nota").click()
        await expect(page.get_by_test_id("order-events")).to_contain_text("Llamar antes", timeout=PATIENCE)
        await expect(page.get_by_label("Nota para el equipo")).to_have_value("")


async def test_a_note_that_is_not_kept_keeps_its_text(open_page: OpenPage, server: ShopServer) -> None:
    sold = await paid_order(server)
    async with open_page(*WIDE) as page:
        await enter(page, server, f"/oficina/pedidos/{sold.id}")
        note, save = page.get_by_label("Nota para el equipo"), page.get_by_role("button", name="Guardar nota")
        await note.fill("Llamar antes")
        with notes_refused(server):
            await save.click()
            await expect(page.get_by_text("Algo falló de nuestro lado.")).to_be_visible(timeout=PATIENCE)
            await expect(note).to_have_value("Llamar antes")
        await save.click()
        await expect(page.get_by_test_id("order-events")).to_contain_text("Llamar antes", timeout=PATIENCE)
        await expect(note).to_have_value("")


@contextmanager
def notes_refused(server: ShopServer) -> Iterator[None]:
    """The shop's books take no note for as long as this lasts."""
    with closing(sqlite3.connect(server.folder / "data" / "trompo.db", timeout=30)) as books:
        books.execute(
            "CREATE TRIGGER refuse_notes BEFORE INSERT ON order_note BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )
        try:
            yield
        finally:
            books.execute("DROP TRIGGER refuse_notes")


async def test_a_new_order_is_counted_and_moves_nothing(open_page: OpenPage, server: ShopServer) -> None:
    await paid_order(server)
    async with open_page(*WIDE) as page:
        await enter(page, server, "/oficina/pedidos")
        first = page.get_by_test_id(ROW).first
        before = await first.get_attribute("id")
        assert before
        sold = await order_over_the_api(server)
        await expect(page.get_by_test_id("fresh")).to_be_visible(timeout=PATIENCE)
        assert await first.get_attribute("id") == before
        await page.get_by_test_id("fresh").click()
        await expect(first).to_contain_text(f"#{sold.number}")
        await visit(page, "/oficina")
        await page.get_by_test_id("today-tile").filter(has_text="Por empacar").click()
        await expect(page).to_have_url(re.compile("/oficina/empacar$"))
