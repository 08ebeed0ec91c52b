"""Orders in the office: found, selected, sent, corrected; two staff members and a shopper work on one order."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from playwright.async_api import expect

from backend.payment.providers.base import ProviderState
from tests.e2e.conftest import OpenPage, ShopServer
from tests.e2e.held import HeldMessages
from tests.e2e.office_steps import enter_office, place_order, place_paid_order, report_payment, visit
from tests.e2e.shopper import TIMEOUT_MS

PHONE = (390, 844)
ORDER_ROW = "order-row"


async def test_order_is_found_selected_and_shipped(open_page: OpenPage, server: ShopServer) -> None:
    number = (await place_paid_order(server)).number
    async with open_page(*PHONE) as page:
        await enter_office(page, server, "/oficina/pedidos")
        search = page.get_by_test_id("orders-search")
        await search.fill(f"#{number}")
        await search.press("Enter")
        await expect(page.get_by_test_id(ORDER_ROW)).to_have_count(1)
        await expect(page).to_have_url(re.compile(rf"q=%23{number}$"))
        await page.get_by_label(f"Elegir el pedido {number}").check()
        await expect(page.get_by_test_id("chosen")).to_contain_text("1 elegido")
        await page.get_by_role("button", name="Marcar enviados").click()
        await expect(page.get_by_test_id("results")).to_contain_text("Todavía no tiene guía.")
        await page.get_by_role("button", name="Hacer guías").click()
        await expect(page.get_by_test_id("results")).to_contain_text("Guía lista.")
        await expect(page.get_by_test_id(ORDER_ROW)).to_contain_text("Empacado")
        path = await page.get_by_role("link", name="Imprimir estas guías").get_attribute("href")
        assert path
        label = await page.request.get(path)
        assert (label.status, label.headers["content-type"]) == (200, "application/pdf")
        await page.get_by_role("link", name=re.compile("quitar")).click()
        await expect(page).to_have_url(re.compile("/oficina/pedidos$"))


async def test_packing_by_a_staff_member_is_shown_to_a_colleague_and_the_shopper(
    open_page: OpenPage, server: ShopServer
) -> None:
    placed_order = await place_paid_order(server)
    async with open_page(*PHONE) as lina, open_page(*PHONE) as berta, open_page(*PHONE) as shopper:
        for page in (lina, berta):
            await enter_office(page, server, f"/oficina/pedidos?q={placed_order.number}")
            await (
                page.get_by_test_id(ORDER_ROW)
                .filter(has_text=f"#{placed_order.number}")
                .get_by_role("link")
                .click()
            )
            await expect(page.get_by_test_id("order-pack")).to_be_visible()
        await lina.get_by_test_id("order-pack").click()
        for page in (lina, berta):  # shown without a reload
            await expect(page.get_by_test_id("order-parcel")).to_have_count(1)
            await expect(page.get_by_test_id("order-pack")).to_have_count(0)
        await lina.get_by_test_id("order-ship").click()
        await expect(berta.get_by_test_id("order-state")).to_contain_text("Enviado")
        await expect(berta.get_by_test_id("order-events")).to_contain_text("Empacado, con su guía")
        await shopper.goto(placed_order.page)
        guide = berta.get_by_test_id("order-parcel").locator("b").first
        number = (await guide.inner_text()).removeprefix("Guía ")
        await expect(shopper.get_by_text(number).first).to_be_visible()


async def test_order_with_a_contradicted_payment_links_to_its_attention(
    open_page: OpenPage, server: ShopServer
) -> None:
    placed_order = await place_paid_order(server)
    async with open_page(*PHONE) as page:
        await enter_office(page, server, f"/oficina/pedidos/{placed_order.id}")
        await expect(page.get_by_test_id("order-pack")).to_be_visible()
        await report_payment(server, placed_order.id, ProviderState.CANCELED)  # "Reversada"
        await visit(page, f"/oficina/pedidos/{placed_order.id}")
        held = page.get_by_test_id("order-held")
        await expect(held).to_be_visible()
        await expect(page.get_by_test_id("order-pack")).to_have_count(0)
        await visit(page, f"/oficina/empacar?pedido={placed_order.id}")
        await expect(page.get_by_test_id("pack-stopped")).to_contain_text("espera una decisión")
        await page.get_by_role("link", name="Ver en Por resolver").click()
        row = page.get_by_test_id("attention-row").filter(has_text=f"Pedido {placed_order.number}")
        await row.locator("summary").first.click()
        await row.get_by_text("Hacer otra cosa").click()
        await row.get_by_role("button", name="El dinero sí está").click()
        await expect(page.get_by_test_id("told")).to_have_text(re.compile("Resuelto"))
        await visit(page, f"/oficina/pedidos/{placed_order.id}")
        await expect(page.get_by_test_id("order-pack")).to_be_visible()
        await expect(held).to_have_count(0)


async def test_partly_paid_order_shows_the_received_amount_until_it_is_packed(
    open_page: OpenPage, server: ShopServer
) -> None:
    placed_order = await place_order(server)
    await report_payment(server, placed_order.id, ProviderState.CAPTURED, "20000.40")
    async with open_page(*PHONE) as page, open_page(*PHONE) as shopper:
        await enter_office(page, server, "/oficina/por-resolver")
        row = page.get_by_test_id("attention-row").filter(has_text=f"Pedido {placed_order.number}")
        await expect(row).to_contain_text("20.000,40")
        await row.locator("summary").first.click()
        await row.get_by_text("Hacer otra cosa").click()
        await row.get_by_role("button", name=re.compile("Aceptar .*: faltan")).click()
        await expect(page.get_by_test_id("told")).to_have_text(re.compile("Resuelto"))
        await visit(page, f"/oficina/pedidos/{placed_order.id}")
        await expect(page.get_by_test_id("order-difference")).to_contain_text("20.000,40")
        await visit(page, f"/oficina/empacar?pedido={placed_order.id}")
        await expect(page.get_by_test_id("pack-difference")).to_contain_text("faltan")
        await shopper.goto(placed_order.page)
        await expect(shopper.get_by_test_id("order-received")).to_contain_text("Faltan")
        status = shopper.get_by_test_id("order-status")
        await expect(status).to_contain_text("Tus productos siguen apartados.")
        await expect(shopper.get_by_test_id("order-promise")).to_have_count(0)
        await expect(page.get_by_test_id("pack-stopped")).to_contain_text("espera una decisión")
        await visit(page, "/oficina/por-resolver")
        row = page.get_by_test_id("attention-row").filter(has_text=f"Pedido {placed_order.number}")
        await row.locator("summary").first.click()
        await row.get_by_text("Hacer otra cosa").click()
        await row.get_by_role("button", name="Empacarlo así").click()
        await expect(page.get_by_test_id("told")).to_have_text(re.compile("Resuelto"))
        await visit(page, f"/oficina/empacar?pedido={placed_order.id}")
        await expect(page.get_by_test_id("pack-line")).to_be_visible()
        await shopper.reload()
        await expect(status).to_contain_text("Ya estamos alistando tu pedido.")
        await expect(shopper.get_by_test_id("order-promise")).to_be_visible()


async def test_address_is_corrected_and_a_note_added(open_page: OpenPage, server: ShopServer) -> None:
    placed_order = await place_paid_order(server)
    async with open_page(*PHONE) as page:
        await enter_office(page, server, f"/oficina/pedidos/{placed_order.id}")
        address = page.get_by_test_id("order-address")
        await address.get_by_text("Corregir la dirección").click()
        await address.get_by_label("Dirección").fill("")
        await address.get_by_test_id("save").click()
        await expect(address.get_by_text("Escribe la dirección de entrega.")).to_be_visible()
        await address.get_by_label("Dirección").fill("Calle 10 # 5-51")
        await address.get_by_test_id("save").click()
        await expect(address.locator("address")).to_contain_text("Calle 10 # 5-51")
        await page.get_by_label("Nota para el equipo").fill("Llamar antes")
        await page.get_by_role("button", name="Guardar nota").click()
        await expect(page.get_by_test_id("order-events")).to_contain_text("Llamar antes")
        await expect(page.get_by_label("Nota para el equipo")).to_have_value("")


async def test_rejected_note_keeps_its_text(open_page: OpenPage, server: ShopServer) -> None:
    placed_order = await place_paid_order(server)
    async with open_page(*PHONE) as page:
        await enter_office(page, server, f"/oficina/pedidos/{placed_order.id}")
        note, save = page.get_by_label("Nota para el equipo"), page.get_by_role("button", name="Guardar nota")
        await note.fill("Llamar antes")
        with refuse_notes(server):
            await save.click()
            await expect(page.get_by_text("Algo falló de nuestro lado.")).to_be_visible()
            await expect(note).to_have_value("Llamar antes")
        await save.click()
        await expect(page.get_by_test_id("order-events")).to_contain_text("Llamar antes")
        await expect(note).to_have_value("")


async def test_text_typed_while_a_note_is_saved_is_kept(open_page: OpenPage, server: ShopServer) -> None:
    placed_order, answers = await place_paid_order(server), HeldMessages('"note_count_rx_state_"')
    async with open_page(*PHONE) as page:
        await answers.intercept(page)
        await enter_office(page, server, f"/oficina/pedidos/{placed_order.id}")
        note = page.get_by_label("Nota para el equipo")
        await note.fill("Llamar antes")
        answers.is_holding = True
        await page.get_by_role("button", name="Guardar nota").click()
        await answers.wait_until_held()
        await note.press_sequentially(" de ir")
        answers.release()
        await expect(page.locator('[aria-busy="true"]').filter(has=note)).to_have_count(0)
        await expect(page.get_by_test_id("order-events")).to_contain_text("Llamar antes")
        await expect(note).to_have_value("Llamar antes de ir")


@contextmanager
def refuse_notes(server: ShopServer) -> Iterator[None]:
    """Let the database refuse order notes in the block."""
    with closing(
        sqlite3.connect(server.folder / "data" / "trompo.db", timeout=TIMEOUT_MS / 1000)
    ) as connection:
        connection.execute(
            "CREATE TRIGGER refuse_notes BEFORE INSERT ON order_note BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )
        try:
            yield
        finally:
            connection.execute("DROP TRIGGER refuse_notes")


async def test_new_order_appears_in_the_list_only_after_a_click_on_its_notice(
    open_page: OpenPage, server: ShopServer
) -> None:
    await place_paid_order(server)
    async with open_page(*PHONE) as page:
        await enter_office(page, server, "/oficina/pedidos")
        first = page.get_by_test_id(ORDER_ROW).first
        before = await first.get_attribute("id")
        assert before
        placed_order = await place_order(server)
        await expect(page.get_by_test_id("fresh")).to_be_visible()
        assert await first.get_attribute("id") == before
        await page.get_by_test_id("fresh").click()
        await expect(first).to_contain_text(f"#{placed_order.number}")
        await visit(page, "/oficina")
        await page.get_by_test_id("waiting-tile").filter(has_text="Por empacar").click()
        await expect(page).to_have_url(re.compile("/oficina/empacar$"))
