"""A return in the browser: the customer requests it on the order's page with pictures, and both sides see each step."""

from io import BytesIO

from PIL import Image
from playwright.async_api import FilePayload, Page, expect

from tests.e2e.conftest import OpenPage, ShopServer
from tests.e2e.office_steps import enter_office, place_paid_order
from tests.e2e.shopper import TIMEOUT_MS

PHONE = (390, 844)
ACCOUNT = {
    "Banco": "Bancolombia",
    "Número de la cuenta": "12345678900",
    "De quién es la cuenta": "Ana Gómez",
    "Documento de quien la tiene": "1020304050",
}


async def request_return(page: Page, kind: str) -> None:
    """Open the form, fill in the bank account, and send it."""
    offer = page.get_by_test_id(f"offer-{kind}")
    await offer.locator("summary").click()
    for label, text in ACCOUNT.items():
        await offer.get_by_label(label).fill(text)
    await offer.get_by_label("Tipo de cuenta").select_option("savings")
    await offer.get_by_test_id("ask-return").click()
    await expect(page.get_by_test_id("returns-said")).to_contain_text("Recibido")


async def test_customer_cancels_an_unshipped_order(open_page: OpenPage, server: ShopServer) -> None:
    placed_order = await place_paid_order(server)
    async with open_page(*PHONE) as shopper, open_page(*PHONE) as office:
        await enter_office(office, server, f"/oficina/pedidos/{placed_order.id}")
        await expect(office.get_by_test_id("order-returns")).not_to_contain_text("No entregado")
        await shopper.goto(placed_order.page)
        await request_return(shopper, "not_sent")
        await expect(shopper.get_by_test_id("order-status")).to_have_attribute("data-status", "returning")
        await expect(shopper.get_by_test_id("return")).to_have_attribute("data-state", "to_pay")
        mark = office.get_by_test_id("order-returns")
        await expect(mark).to_contain_text("No entregado")  # shown without a reload
        await expect(office.get_by_test_id("order-state")).to_contain_text("Cancelado")
        await mark.get_by_role("link", name="No entregado").click()
        await expect(office.get_by_test_id("return-state")).to_contain_text("Por pagar")
        await expect(office.get_by_text("Bancolombia").first).to_be_visible()


async def test_return_is_requested_with_a_picture_and_approved(
    open_page: OpenPage, server: ShopServer
) -> None:
    placed_order = await place_paid_order(server)
    async with open_page(*PHONE) as shopper, open_page(*PHONE) as office:
        await enter_office(office, server, f"/oficina/pedidos/{placed_order.id}")
        await office.get_by_test_id("order-pack").click()
        await office.get_by_test_id("order-ship").click(timeout=TIMEOUT_MS)
        await expect(office.get_by_test_id("order-state")).to_contain_text("Enviado")
        await shopper.goto(placed_order.page)
        offer = shopper.get_by_test_id("offer-withdrawal")
        picture = FilePayload(name="foto.png", mimeType="image/png", buffer=build_png())
        await offer.locator("input[type=file]").set_input_files(picture)
        await request_return(shopper, "withdrawal")
        await expect(shopper.get_by_test_id("return")).to_have_attribute("data-state", "requested")
        await expect(shopper.get_by_test_id("offer-withdrawal")).to_have_count(0)
        await enter_office(office, server, "/oficina/devoluciones")
        row = office.get_by_test_id("return-row").filter(has_text=f"Pedido {placed_order.number}")
        await expect(row).to_contain_text("Quedan 15 días")
        await row.get_by_role("link").click()
        await expect(office.locator(".o-return__picture")).to_have_count(1)
        await office.get_by_test_id("return-arrival").select_option("all good")
        await office.get_by_test_id("return-receive").click()
        await expect(office.get_by_test_id("return-state")).to_contain_text("Recibida")
        await office.get_by_test_id("return-approve").click()
        await expect(office.get_by_test_id("return-state")).to_contain_text("Por pagar")
        await shopper.reload()
        await expect(shopper.get_by_test_id("return")).to_have_attribute("data-state", "to_pay")


def build_png() -> bytes:
    """Return a PNG picture."""
    content = BytesIO()
    Image.new("RGB", (640, 480), "#cc3344").save(content, "PNG")
    return content.getvalue()
