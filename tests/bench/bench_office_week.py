"""What an owner needs once a week, on a telephone: `python -m tests.bench.bench_office_week [--pictures FOLDER]`.

Measured as the day's tasks are (`bench_office.py`); whoever works is an owner whose second factor was asked for.
"""

import re
from collections.abc import Awaitable, Callable
from io import BytesIO
from zipfile import ZipFile

from PIL import Image
from playwright.async_api import FilePayload, Locator, expect

from backend.core.clock import now
from backend.core.dates import today_in_colombia
from backend.core.spreadsheet import workbook
from tests.bench.office_day import PATIENCE, Day, measure
from tests.e2e.office_steps import Sold, paid_order, prove, sign_in

TOYS = 200
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
LONG = 600_000
"""Milliseconds for a sheet of toys with their pictures."""
ACCOUNT = {
    "Banco": "Bancolombia",
    "Número de la cuenta": "12345678900",
    "De quién es la cuenta": "Ana Gómez",
    "Documento de quien la tiene": "1020304050",
}


def refund(sold: Sold) -> Callable[[Day], Awaitable[Locator]]:
    """A toy came back: from the telephone call to the transfer's reference."""

    async def task(day: Day) -> Locator:
        await day.page.goto(f"{day.shop.url}/oficina/pedidos/{sold.id}")
        await day.tap(day.of("order-return"))
        await day.choose(day.page.get_by_label("¿Qué es?"), "withdrawal")
        await day.write(day.page.get_by_role("textbox", name=re.compile("Unidades de")), "1")
        await day.tap(day.page.locator("summary", has_text="Cuenta para devolver"))
        for label, text in ACCOUNT.items():
            await day.write(day.page.get_by_label(label), text)
        await day.choose(day.page.get_by_label("Tipo de cuenta"), "savings")
        await day.tap(day.of("save"))
        await day.tap(day.of("return-receive"))
        await day.tap(day.of("return-approve"))
        await day.write(day.page.get_by_label("Referencia de la transferencia"), "TR-2026-001")
        await day.tap(day.of("return-pay"))
        return day.of("return-state").get_by_text("Pagada")

    return task


def cancel(sold: Sold) -> Callable[[Day], Awaitable[Locator]]:
    """A paid order that will not be sent."""

    async def task(day: Day) -> Locator:
        await day.page.goto(f"{day.shop.url}/oficina/pedidos/{sold.id}")
        await day.tap(day.of("order-return"))
        await day.choose(day.page.get_by_label("¿Qué es?"), "not_sent")
        await day.write(day.page.get_by_role("textbox", name=re.compile("Unidades de")), "1")
        await day.tap(day.of("save"))
        return day.of("return-state").get_by_text("Por pagar")

    return task


async def find_customer(day: Day) -> Locator:
    """Somebody by the beginning of their name."""
    await day.go("Clientes")
    await day.write(day.of("customers-search"), "gómez", enter=True)
    await expect(day.page).to_have_url(re.compile("q=g"), timeout=PATIENCE)
    await day.tap(day.of("customer-row").first.get_by_role("link"))
    return day.of("customer-order").first


async def export(day: Day) -> Locator:
    """This week's orders for a spreadsheet."""
    await day.go("Informes")
    await day.tap(day.of("export-prepare"))
    return day.of("export-fetch").first


async def tax(day: Day) -> Locator:
    """The IVA of this month."""
    await day.go("Informes")
    await day.tap(day.page.get_by_role("navigation", name="Días").get_by_text("Este mes"))
    await expect(day.page).to_have_url(re.compile("periodo=mes"), timeout=PATIENCE)
    return day.of("tax-row").first


async def sales_of_the_week(day: Day) -> Locator:
    """What this week brought."""
    await day.go("Informes")
    await day.tap(day.page.get_by_role("navigation", name="Días").get_by_text("Esta semana"))
    await expect(day.page).to_have_url(re.compile("periodo=semana"), timeout=PATIENCE)
    return day.of("report-net")


async def low_stock(day: Day) -> Locator:
    """What is running out."""
    await day.go("Hoy")
    return day.page.locator(".o-low").first


async def sale(day: Day) -> Locator:
    """A tenth off all toys from today to today."""
    await day.go("Ofertas")
    await day.tap(day.of("sale-new"))
    await day.write(day.page.get_by_label("Nombre"), "Rebajas de la semana")
    await day.write(day.page.get_by_label("Valor"), "10")
    await day.write(day.page.get_by_label("Último día"), today_in_colombia(now()).isoformat())
    await day.tap(day.of("sale-look"))
    await day.tap(day.of("save"))
    return day.page.get_by_text("Rebajas de la semana").first


async def coupon(day: Day) -> Locator:
    """A code for 5,000 pesos."""
    await day.go("Ofertas")
    await day.tap(day.of("offer-new"))
    await day.write(day.page.get_by_label("Código o nombre"), "GRACIAS")
    await day.choose(day.page.get_by_label("¿Cuánto se descuenta?"), "fixed")
    await day.write(day.page.get_by_label("Valor"), "5000")
    await day.tap(day.of("offer-look"))
    await day.tap(day.of("save"))
    return day.page.get_by_text("GRACIAS").first


async def banner(day: Day) -> Locator:
    """A picture of one's own in the banner."""
    await day.page.goto(f"{day.shop.url}/oficina/contenido/carrusel")
    await day.send(day.of("upload-input"), day.photos[:1])
    row = day.of("area-row")
    await expect(row).to_have_count(1, timeout=PATIENCE)
    await day.write(row.get_by_label("Título"), "Navidad")
    await day.write(row.get_by_label("Enlace"), "/gift")
    await day.tap(day.of("look"))
    await day.tap(day.of("save"))
    return day.of("told").get_by_text("Publicado")


def import_toys(sheet: bytes, pictures: bytes) -> Callable[[Day], Awaitable[Locator]]:
    """A sheet of toys and a zip of their pictures."""

    async def task(day: Day) -> Locator:
        await day.go("Importar")
        files = [
            FilePayload(name="juguetes.xlsx", mimeType=XLSX, buffer=sheet),
            FilePayload(name="fotos.zip", mimeType="application/zip", buffer=pictures),
        ]
        await day.send(day.of("import-input"), files)
        summary = day.of("import-summary").get_by_text(f"{TOYS} nuevos")
        await expect(summary).to_be_visible(timeout=LONG)
        await day.tap(day.of("import-begin"))
        done = day.page.locator('[data-testid="import-current"][data-status="done"]')
        await expect(done).to_be_visible(timeout=LONG)
        return done

    return task


def toys_to_import() -> tuple[bytes, bytes]:
    """A sheet of `TOYS` toys, and the zip of their photographs of two million pixels."""
    head = ["Nombre", "SKU", "Precio", "Unidades", "Categorías", "Peso (kg)", "Fotos"]
    rows = [
        [f"Ballena {n}", f"BALLENA-{n}", 10_000 + n * 50, n % 20, "Juguetes", 0.3, f"ballena-{n}.jpg"]
        for n in range(TOYS)
    ]
    zipped = BytesIO()
    with ZipFile(zipped, "w") as archive:
        for n in range(TOYS):
            picture = Image.effect_noise((75, 60), 80).resize((1500, 1200)).convert("RGB")
            picture.paste((n, 255 - n, 90), (300, 200, 1100, 900))
            stored = BytesIO()
            picture.save(stored, "JPEG", quality=85)
            archive.writestr(f"fotos/ballena-{n}.jpg", stored.getvalue())
    return workbook([head, *rows]), zipped.getvalue()


async def legal_text(day: Day) -> Locator:
    """A sentence more in the conditions."""
    await day.page.goto(f"{day.shop.url}/oficina/contenido?text=terminos")
    area = day.page.locator("#text-source")
    await day.write(area, await area.input_value() + "\n\nAtendemos de lunes a sábado.\n")
    await day.tap(day.of("save"))
    return day.page.get_by_text("Ya se ve en la tienda.").first


async def fewer_rights(day: Day) -> Locator:
    """Somebody for the stockroom alone."""
    await day.go("Equipo")
    await day.tap(day.of("team-invite"))
    await day.write(day.of("invite-email"), "bodega@trompo.example")
    await day.choose(day.of("invite-role"), "stockroom")
    await day.tap(day.of("save"))
    return day.of("invite-row").first


async def who_changed_what(day: Day) -> Locator:
    """Which of the staff changed a price."""
    await day.go("Auditoría")
    return day.page.locator("[data-row]").first


async def work(day: Day) -> None:
    """The week."""
    first, second = await paid_order(day.shop), await paid_order(day.shop)
    await sign_in(day.page, day.shop)
    await prove(day.shop)
    await day.page.goto(f"{day.shop.url}/oficina/pedidos/{first.id}")
    await day.of("order-pack").click(timeout=PATIENCE)
    await day.of("order-ship").click(timeout=PATIENCE)
    await expect(day.of("order-state")).to_contain_text("Enviado", timeout=PATIENCE)
    await day.do("refund", refund(first))
    await day.do("cancel", cancel(second))
    await day.do("find customer", find_customer)
    await day.do("export", export)
    await day.do("IVA", tax)
    await day.do("sales of the week", sales_of_the_week)
    await day.do("low stock", low_stock)
    await day.do("sale", sale)
    await day.do("coupon", coupon)
    await day.do("banner", banner)
    await day.do("legal text", legal_text)
    await day.do("staff with fewer rights", fewer_rights)
    await day.do("who changed what", who_changed_what)
    await day.do(f"import of {TOYS} with pictures", import_toys(*toys_to_import()))


if __name__ == "__main__":
    measure("An owner's week on a telephone.", work)
