"""An owner's weekly tasks on a telephone: `python -m tests.bench.bench_office_week [--pictures FOLDER]`.

Measured like the daily tasks (`bench_office.py`); the staff member is an owner who has entered the second factor.
"""

import re
from collections.abc import Awaitable, Callable
from io import BytesIO
from zipfile import ZipFile

from PIL import Image
from playwright.async_api import FilePayload, Locator, expect

from backend.core.clock import now
from backend.core.dates import today_in_colombia
from backend.core.spreadsheet import build_workbook
from tests.bench.office_tasks import TIMEOUT_MS, PhoneUser, measure
from tests.e2e.office_steps import PlacedOrder, confirm_second_factors, place_paid_order, sign_in

PRODUCTS = 200
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
IMPORT_TIMEOUT_MS = 600_000
"""Milliseconds for an import of a spreadsheet with pictures."""
ACCOUNT = {
    "Banco": "Bancolombia",
    "Número de la cuenta": "12345678900",
    "De quién es la cuenta": "Ana Gómez",
    "Documento de quien la tiene": "1020304050",
}


def refund_return(sold: PlacedOrder) -> Callable[[PhoneUser], Awaitable[Locator]]:
    """Return the task to refund a returned product: from the customer's call to the transfer's reference."""

    async def task(user: PhoneUser) -> Locator:
        await user.page.goto(f"{user.shop.url}/oficina/pedidos/{sold.id}")
        await user.tap(user.by_test_id("order-return"))
        await user.choose(user.page.get_by_label("¿Qué es?"), "withdrawal")
        await user.fill_field(user.page.get_by_role("textbox", name=re.compile("Unidades de")), "1")
        await user.tap(user.page.locator("summary", has_text="Cuenta para devolver"))
        for label, text in ACCOUNT.items():
            await user.fill_field(user.page.get_by_label(label), text)
        await user.choose(user.page.get_by_label("Tipo de cuenta"), "savings")
        await user.tap(user.by_test_id("save"))
        await user.choose(user.by_test_id("return-arrival"), "all good")
        await user.tap(user.by_test_id("return-receive"))
        await user.tap(user.by_test_id("return-approve"))
        await user.fill_field(user.page.get_by_label("Referencia o número del recibo"), "TR-2026-001")
        await user.tap(user.by_test_id("return-pay"))
        return user.by_test_id("return-state").get_by_text("Pagada")

    return task


def cancel_order(sold: PlacedOrder) -> Callable[[PhoneUser], Awaitable[Locator]]:
    """Return the task to cancel a paid order before it ships."""

    async def task(user: PhoneUser) -> Locator:
        await user.page.goto(f"{user.shop.url}/oficina/pedidos/{sold.id}")
        await user.tap(user.by_test_id("order-return"))
        await user.choose(user.page.get_by_label("¿Qué es?"), "not_sent")
        await user.fill_field(user.page.get_by_role("textbox", name=re.compile("Unidades de")), "1")
        await user.tap(user.by_test_id("save"))
        return user.by_test_id("return-state").get_by_text("Por pagar")

    return task


async def find_customer(user: PhoneUser) -> Locator:
    """Find a customer by the beginning of their name."""
    await user.open_section("Clientes")
    await user.fill_field(user.by_test_id("customers-search"), "gómez", enter=True)
    await expect(user.page).to_have_url(re.compile("q=g"), timeout=TIMEOUT_MS)
    await user.tap(user.by_test_id("customer-row").first.get_by_role("link"))
    return user.by_test_id("customer-order").first


async def export_orders(user: PhoneUser) -> Locator:
    """Export this week's orders to a spreadsheet."""
    await user.open_section("Informes")
    await user.tap(user.by_test_id("export-prepare"))
    return user.by_test_id("export-fetch").first


async def show_tax(user: PhoneUser) -> Locator:
    """Show this month's IVA."""
    await user.open_section("Informes")
    await user.tap(user.page.get_by_role("navigation", name="Días").get_by_text("Este mes"))
    await expect(user.page).to_have_url(re.compile("periodo=mes"), timeout=TIMEOUT_MS)
    return user.by_test_id("tax-row").first


async def show_weeks_sales(user: PhoneUser) -> Locator:
    """Show this week's sales."""
    await user.open_section("Informes")
    await user.tap(user.page.get_by_role("navigation", name="Días").get_by_text("Esta semana"))
    await expect(user.page).to_have_url(re.compile("periodo=semana"), timeout=TIMEOUT_MS)
    return user.by_test_id("report-net")


async def show_low_stock(user: PhoneUser) -> Locator:
    """Show the products with low stock."""
    await user.open_section("Hoy")
    return user.page.locator(".o-low").first


async def create_sale(user: PhoneUser) -> Locator:
    """Create a sale: 10 % off all products, today only."""
    await user.open_section("Ofertas")
    await user.tap(user.by_test_id("sale-new"))
    await user.fill_field(user.page.get_by_label("Nombre"), "Rebajas de la semana")
    await user.fill_field(user.page.get_by_label("Valor"), "10")
    await user.fill_field(user.page.get_by_label("Último día"), today_in_colombia(now()).isoformat())
    await user.tap(user.by_test_id("sale-look"))
    await user.tap(user.by_test_id("save"))
    return user.page.get_by_text("Rebajas de la semana").first


async def create_coupon(user: PhoneUser) -> Locator:
    """Create a code for 5,000 pesos."""
    await user.open_section("Ofertas")
    await user.tap(user.by_test_id("offer-new"))
    await user.fill_field(user.page.get_by_label("Código o nombre"), "GRACIAS")
    await user.choose(user.page.get_by_label("¿Cuánto se descuenta?"), "fixed")
    await user.fill_field(user.page.get_by_label("Valor"), "5000")
    await user.tap(user.by_test_id("offer-look"))
    await user.tap(user.by_test_id("save"))
    return user.page.get_by_text("GRACIAS").first


async def publish_banner(user: PhoneUser) -> Locator:
    """Upload a picture to the banner."""
    await user.page.goto(f"{user.shop.url}/oficina/contenido/carrusel")
    await user.upload(user.by_test_id("upload-input"), user.photos[:1])
    row = user.by_test_id("area-row")
    await expect(row).to_have_count(1, timeout=TIMEOUT_MS)
    await user.fill_field(row.get_by_label("Título"), "Navidad")
    await user.fill_field(row.get_by_label("Enlace"), "/gift")
    await user.tap(user.by_test_id("look"))
    await user.tap(user.by_test_id("save"))
    return user.by_test_id("told").get_by_text("Publicado")


def import_products(spreadsheet: bytes, pictures: bytes) -> Callable[[PhoneUser], Awaitable[Locator]]:
    """Return the task to import a spreadsheet of products and a zip with their pictures."""

    async def task(user: PhoneUser) -> Locator:
        await user.open_section("Importar")
        files = [
            FilePayload(name="juguetes.xlsx", mimeType=XLSX, buffer=spreadsheet),
            FilePayload(name="fotos.zip", mimeType="application/zip", buffer=pictures),
        ]
        await user.upload(user.by_test_id("import-input"), files)
        summary = user.by_test_id("import-summary").get_by_text(f"{PRODUCTS} nuevos")
        await expect(summary).to_be_visible(timeout=IMPORT_TIMEOUT_MS)
        await user.tap(user.by_test_id("import-run"))
        done = user.page.locator('[data-testid="import-current"][data-status="done"]')
        await expect(done).to_be_visible(timeout=IMPORT_TIMEOUT_MS)
        return done

    return task


def build_import_files() -> tuple[bytes, bytes]:
    """Return a spreadsheet of `PRODUCTS` products, and a zip with their photographs of two megapixels."""
    header = ["Nombre", "SKU", "Precio", "Unidades", "Categorías", "Peso (kg)", "Fotos"]
    rows = [
        [f"Ballena {n}", f"BALLENA-{n}", 10_000 + n * 50, n % 20, "Juguetes", 0.3, f"ballena-{n}.jpg"]
        for n in range(PRODUCTS)
    ]
    zipped = BytesIO()
    with ZipFile(zipped, "w") as archive:
        for n in range(PRODUCTS):
            picture = Image.effect_noise((75, 60), 80).resize((1500, 1200)).convert("RGB")
            picture.paste((n, 255 - n, 90), (300, 200, 1100, 900))
            stored = BytesIO()
            picture.save(stored, "JPEG", quality=85)
            archive.writestr(f"fotos/ballena-{n}.jpg", stored.getvalue())
    return build_workbook([header, *rows]), zipped.getvalue()


async def edit_legal_text(user: PhoneUser) -> Locator:
    """Add a sentence to the terms."""
    await user.page.goto(f"{user.shop.url}/oficina/contenido?text=terminos")
    area = user.page.locator("#text-source")
    await user.fill_field(area, await area.input_value() + "\n\nAtendemos de lunes a sábado.\n")
    await user.tap(user.by_test_id("save"))
    return user.page.get_by_text("Ya se ve en la tienda.").first


async def invite_stockroom_member(user: PhoneUser) -> Locator:
    """Invite a staff member for the stockroom only."""
    await user.open_section("Equipo")
    await user.tap(user.by_test_id("team-invite"))
    await user.fill_field(user.by_test_id("invite-email"), "bodega@trompo.example")
    await user.choose(user.by_test_id("invite-role"), "stockroom")
    await user.tap(user.by_test_id("save"))
    return user.by_test_id("invite-row").first


async def open_audit(user: PhoneUser) -> Locator:
    """Open the audit log to see who changed a price."""
    await user.open_section("Auditoría")
    return user.page.locator("[data-row]").first


async def run_week(user: PhoneUser) -> None:
    """Do the tasks of a week in the office, and measure each."""
    first, second = await place_paid_order(user.shop), await place_paid_order(user.shop)
    await sign_in(user.page, user.shop)
    await confirm_second_factors(user.shop)
    await user.page.goto(f"{user.shop.url}/oficina/pedidos/{first.id}")
    await user.by_test_id("order-pack").click(timeout=TIMEOUT_MS)
    await user.by_test_id("order-ship").click(timeout=TIMEOUT_MS)
    await expect(user.by_test_id("order-state")).to_contain_text("Enviado", timeout=TIMEOUT_MS)
    await user.measure_task("refund", refund_return(first))
    await user.measure_task("cancel", cancel_order(second))
    await user.measure_task("find customer", find_customer)
    await user.measure_task("export", export_orders)
    await user.measure_task("IVA", show_tax)
    await user.measure_task("sales of the week", show_weeks_sales)
    await user.measure_task("low stock", show_low_stock)
    await user.measure_task("sale", create_sale)
    await user.measure_task("coupon", create_coupon)
    await user.measure_task("banner", publish_banner)
    await user.measure_task("legal text", edit_legal_text)
    await user.measure_task("staff with fewer rights", invite_stockroom_member)
    await user.measure_task("who changed what", open_audit)
    await user.measure_task(f"import of {PRODUCTS} with pictures", import_products(*build_import_files()))


if __name__ == "__main__":
    measure("Measure the weekly tasks of an owner on a telephone.", run_week)
