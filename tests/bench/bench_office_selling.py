"""Sales of staff on a telephone: `python -m tests.bench.bench_office_selling [--pictures FOLDER]`.

Measured like the daily tasks (`bench_office.py`): a sale at the counter, a payment link, an edited order and its
difference, and the closing of the day.
"""

from collections.abc import Awaitable, Callable

from playwright.async_api import Locator

from tests.bench.office_tasks import PhoneUser, measure
from tests.e2e.office_steps import PlacedOrder, place_paid_order, sign_in

SKU = "TRO-TRA-001"


async def add_by_code(user: PhoneUser) -> None:
    """Open Vender, and add a product by its code."""
    await user.open_section("Vender")
    await user.fill_field(user.by_test_id("sell-search"), SKU, enter=True)
    await user.by_test_id("sell-line").wait_for()


async def sell_for_cash(user: PhoneUser) -> Locator:
    """Sell a product at the counter for cash."""
    await add_by_code(user)
    form = user.by_test_id("sell-payment")
    await user.choose(form.locator('[name="method"]'), "cash")
    await user.tap(form.get_by_test_id("save"))
    return user.by_test_id("sell-done").get_by_text("Venta guardada")


async def sell_with_discount(user: PhoneUser) -> Locator:
    """Sell a product by transfer, with a discount and the reason for it."""
    await add_by_code(user)
    await user.tap(user.page.get_by_text("Dar un descuento"))
    form = user.by_test_id("sell-discount")
    await user.fill_field(form.get_by_label("Pesos de descuento"), "1.000")
    await user.fill_field(form.get_by_label("Por qué"), "Caja abierta")
    await user.tap(form.get_by_role("button", name="Poner el descuento"))
    await user.by_test_id("sell-total").get_by_text("1.000").first.wait_for()
    payment = user.by_test_id("sell-payment")
    await user.choose(payment.locator('[name="method"]'), "transfer")
    await user.fill_field(payment.locator('[name="reference"]'), "T-1")
    await user.tap(payment.get_by_test_id("save"))
    return user.by_test_id("sell-done").get_by_text("Venta guardada")


async def create_link(user: PhoneUser) -> Locator:
    """Create a payment link for a customer on WhatsApp."""
    await add_by_code(user)
    await user.tap(user.page.get_by_text("Cobrar con un enlace de pago"))
    await user.fill_field(user.page.locator("#link-phone"), "300 123 4567")
    await user.tap(user.page.get_by_role("button", name="Hacer el enlace"))
    return user.by_test_id("sell-link-url")


def edit_order(sold: PlacedOrder) -> Callable[[PhoneUser], Awaitable[Locator]]:
    """Return the task to add a product to a paid order, as the customer asked on the telephone."""

    async def task(user: PhoneUser) -> Locator:
        await user.page.goto(f"{user.shop.url}/oficina/pedidos/{sold.id}")
        await user.tap(user.by_test_id("order-edit"))
        await user.fill_field(user.by_test_id("edit-search"), SKU, enter=True)
        await user.by_test_id("edit-difference").wait_for()
        await user.fill_field(user.page.get_by_label("Por qué"), "Llamó")
        await user.tap(user.by_test_id("save"))
        return user.by_test_id("order-edit-difference").first

    return task


async def receive_difference(user: PhoneUser) -> Locator:
    """Book the difference that the customer paid in cash."""
    await user.choose(user.by_test_id("order-edit-difference").locator('[name="method"]'), "cash")
    await user.tap(user.by_test_id("difference-save"))
    return user.page.get_by_text("Diferencia recibida").first


async def close_day(user: PhoneUser) -> Locator:
    """Count the cash, and close the day."""
    await user.open_section("Vender")
    await user.tap(user.page.get_by_role("link", name="Cerrar el día"))
    await user.fill_field(user.page.locator('[name="counted"]'), "0")
    await user.fill_field(user.page.locator('[name="left"]'), "0")
    await user.fill_field(user.page.get_by_label("Por qué no cuadra"), "Se guardó en la caja fuerte")
    await user.tap(user.by_test_id("save"))
    return user.by_test_id("closing-row").first


async def run_sales(user: PhoneUser) -> None:
    """Do the tasks as a signed-in owner."""
    await sign_in(user.page, user.shop)
    await user.page.goto(f"{user.shop.url}/oficina")
    await user.measure_task("counter sale in cash", sell_for_cash)
    await user.measure_task("counter sale with a discount", sell_with_discount)
    await user.measure_task("payment link", create_link)
    await user.measure_task("edit a paid order", edit_order(await place_paid_order(user.shop)))
    await user.measure_task("receive the difference", receive_difference)
    await user.measure_task("close the day", close_day)


if __name__ == "__main__":
    measure("Measure the sales of staff on a telephone.", run_sales)
