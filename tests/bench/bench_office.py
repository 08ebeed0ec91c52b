"""A staff member's day on a telephone: `python -m tests.bench.bench_office [--pictures FOLDER]`.

The twelve daily tasks of docs/office.md, each done in a real browser at 390 px against a shop in a separate
process. The output: the taps (filling a field counts as one) and the seconds from the first tap to the final answer
on the screen, without reading and thinking. `--pictures` stores screenshots.
"""

import re
from collections.abc import Awaitable, Callable

from playwright.async_api import Locator, expect

from tests.bench.office_tasks import TIMEOUT_MS, PhoneUser, measure, wait_for_rows
from tests.e2e.conftest import OWNER_LOGIN
from tests.e2e.office_steps import PlacedOrder, place_paid_order


async def log_in(user: PhoneUser) -> Locator:
    """Log in with address and password."""
    await user.page.goto(f"{user.shop.url}/oficina/entrar")
    await user.fill_field(user.by_test_id("office-email"), OWNER_LOGIN[0])
    await user.fill_field(user.by_test_id("office-password"), OWNER_LOGIN[1])
    await user.tap(user.by_test_id("office-enter"))
    return user.page.get_by_text("Ventas de hoy")


async def create_product(user: PhoneUser) -> Locator:
    """Create a product with three photographs."""
    await user.open_section("Productos")
    await user.tap(user.by_test_id("product-new"))
    await user.fill_field(user.page.get_by_label("Título"), "Perinola de colores")
    await user.fill_field(user.page.get_by_label("Precio", exact=True), "25.000")
    await user.fill_field(user.page.get_by_label("Unidades"), "7")
    await user.upload(user.by_test_id("upload-input"), user.photos)
    await expect(user.by_test_id("product-picture")).to_have_count(3, timeout=TIMEOUT_MS)
    await user.tap(user.by_test_id("save"))
    return user.page.get_by_text("7 libres")


async def change_price(user: PhoneUser) -> Locator:
    """Change a price in the list."""
    row = await user.open_only_row("/oficina/productos?q=perinola", "product-row")
    await user.tap(row.get_by_text("Cambiar el precio").locator(".."))
    await user.fill_field(row.get_by_label("Precio", exact=True), "22.000")
    await user.tap(row.get_by_role("button", name="Guardar el precio"))
    return row.get_by_text("$ 22.000").first


async def hide_product(user: PhoneUser) -> Locator:
    """Hide a product from the shop."""
    row = await user.open_only_row("/oficina/productos?q=perinola", "product-row")
    await user.tap(row.get_by_role("link").first)
    await user.tap(user.page.get_by_label("Publicado en la tienda"))
    await user.tap(user.by_test_id("save"))
    return user.by_test_id("product-state").get_by_text("Oculto")


async def receive_delivery(user: PhoneUser) -> Locator:
    """Receive a delivery of products."""
    await user.open_section("Bodega")
    await user.tap(user.by_test_id("stock-receive"))
    await user.fill_field(user.by_test_id("stock-code"), "TRO-TRA-001", enter=True)
    await user.fill_field(user.page.get_by_role("textbox", name=re.compile("Unidades de")), "12")
    await user.fill_field(user.page.get_by_label("Proveedor"), "Maderas del Sur")
    await user.tap(user.by_test_id("save"))
    return user.page.get_by_text("Llegaron 12 unidades.").first


async def correct_stock(user: PhoneUser) -> Locator:
    """Correct the stock to a lower count."""
    row = await user.open_only_row("/oficina/bodega?q=TRO-TRA-001", "stock-row")
    await user.tap(row.locator("summary").first)
    await user.fill_field(row.get_by_label("Contaste"), "40")
    await user.tap(row.get_by_role("button", name="Guardar conteo"))
    return user.page.get_by_text("Ahora hay 40.").first


async def list_todays_orders(user: PhoneUser) -> Locator:
    """List today's orders."""
    await user.open_section("Pedidos")
    await user.tap(user.page.get_by_role("navigation", name="Filtros de siempre").get_by_text("Hoy"))
    await expect(user.page).to_have_url(re.compile("fecha=hoy"), timeout=TIMEOUT_MS)
    return user.by_test_id("order-row").first


def check_payment(sold: PlacedOrder) -> Callable[[PhoneUser], Awaitable[Locator]]:
    """Return the task to find an order by its number and check its payment."""

    async def task(user: PhoneUser) -> Locator:
        await user.page.goto(f"{user.shop.url}/oficina/pedidos")
        await user.fill_field(user.by_test_id("orders-search"), str(sold.number), enter=True)
        await expect(user.page).to_have_url(re.compile("q="), timeout=TIMEOUT_MS)
        await expect(user.by_test_id("order-row")).to_have_count(1, timeout=TIMEOUT_MS)
        await user.tap(user.by_test_id("order-row").get_by_role("link"))
        return user.page.get_by_text("CUS").first

    return task


async def pack_order(user: PhoneUser) -> Locator:
    """Pack the oldest order and create its label."""
    await user.open_section("Empacar")
    for line in await wait_for_rows(user.by_test_id("pack-line")):
        await user.tap(line)
    await user.tap(user.by_test_id("pack-label"))
    return user.by_test_id("pack-print")


def ship_order(sold: PlacedOrder) -> Callable[[PhoneUser], Awaitable[Locator]]:
    """Return the task to mark an order as shipped."""

    async def task(user: PhoneUser) -> Locator:
        await user.page.goto(f"{user.shop.url}/oficina/pedidos/{sold.id}")
        await user.tap(user.by_test_id("order-ship"))
        return user.by_test_id("order-state").get_by_text("Enviado")

    return task


def find_parcel(sold: PlacedOrder) -> Callable[[PhoneUser], Awaitable[Locator]]:
    """Return the task to find the parcel of a customer who calls."""

    async def task(user: PhoneUser) -> Locator:
        await user.fill_field(user.by_test_id("office-search"), str(sold.number))
        await user.tap(user.page.get_by_role("option").first)
        return user.by_test_id("order-parcel").first

    return task


async def open_audit(user: PhoneUser) -> Locator:
    """Open the audit log."""
    await user.open_section("Auditoría")
    return user.page.get_by_text("Marcó enviado").or_(user.page.locator("[data-row]")).first


async def run_day(user: PhoneUser) -> None:
    """Do the tasks of a day in the office, and measure each."""
    await user.measure_task("log in", log_in)
    await user.measure_task("a new product with three photographs", create_product)
    await user.measure_task("price", change_price)
    await user.measure_task("hide", hide_product)
    await user.measure_task("receive", receive_delivery)
    await user.measure_task("correct", correct_stock)
    sold = await place_paid_order(user.shop)
    await user.measure_task("today's orders", list_todays_orders)
    await user.measure_task("is it paid", check_payment(sold))
    await user.measure_task("pack and print", pack_order)
    await user.measure_task("ship", ship_order(sold))
    await user.measure_task("where is my parcel", find_parcel(sold))
    await user.measure_task("who did what", open_audit)


if __name__ == "__main__":
    measure("Measure the daily tasks of the office on a telephone.", run_day)
