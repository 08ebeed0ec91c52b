"""A shop's day on a telephone: `python -m tests.bench.bench_office [--pictures FOLDER]`.

The twelve daily tasks of docs/office.md, each done in a real browser at 390 px against a shop in a process of its own.
Printed are the taps (a field that is typed into is one) and the seconds from the first of them to the last answer on
the screen: what the shop takes, without reading and thinking. `--pictures` stores what the screens look like.
"""

import re
from collections.abc import Awaitable, Callable

from playwright.async_api import Locator, expect

from tests.bench.office_day import PATIENCE, Day, measure, seen
from tests.e2e.conftest import STAFF
from tests.e2e.office_steps import Sold, paid_order


async def log_in(day: Day) -> Locator:
    """Address and password."""
    await day.page.goto(f"{day.shop.url}/oficina/entrar")
    await day.write(day.of("office-email"), STAFF[0])
    await day.write(day.of("office-password"), STAFF[1])
    await day.tap(day.of("office-enter"))
    return day.page.get_by_text("Ventas de hoy")


async def new_toy(day: Day) -> Locator:
    """A toy with three photographs."""
    await day.go("Productos")
    await day.tap(day.of("product-new"))
    await day.write(day.page.get_by_label("Título"), "Perinola de colores")
    await day.write(day.page.get_by_label("Precio", exact=True), "25.000")
    await day.write(day.page.get_by_label("Unidades"), "7")
    await day.send(day.of("upload-input"), day.photos)
    await expect(day.of("product-picture")).to_have_count(3, timeout=PATIENCE)
    await day.tap(day.of("save"))
    return day.page.get_by_text("7 libres")


async def price(day: Day) -> Locator:
    """Another price, in the list."""
    row = await day.only("/oficina/productos?q=perinola", "product-row")
    await day.tap(row.get_by_text("Cambiar el precio").locator(".."))
    await day.write(row.get_by_label("Precio", exact=True), "22.000")
    await day.tap(row.get_by_role("button", name="Guardar el precio"))
    return row.get_by_text("$ 22.000").first


async def hide(day: Day) -> Locator:
    """Nobody sees the toy any more."""
    row = await day.only("/oficina/productos?q=perinola", "product-row")
    await day.tap(row.get_by_role("link").first)
    await day.tap(day.page.get_by_label("Publicado en la tienda"))
    await day.tap(day.of("save"))
    return day.of("product-state").get_by_text("Oculto")


async def receive(day: Day) -> Locator:
    """A box of toys has come."""
    await day.go("Bodega")
    await day.tap(day.of("stock-receive"))
    await day.write(day.of("stock-code"), "TRO-TRA-001", enter=True)
    await day.write(day.page.get_by_role("textbox", name=re.compile("Unidades de")), "12")
    await day.write(day.page.get_by_label("Proveedor"), "Maderas del Sur")
    await day.tap(day.of("save"))
    return day.page.get_by_text("Llegaron 12 unidades.").first


async def correct(day: Day) -> Locator:
    """Fewer are stocked there than the shop thinks."""
    row = await day.only("/oficina/bodega?q=TRO-TRA-001", "stock-row")
    await day.tap(row.locator("summary").first)
    await day.write(row.get_by_label("Contaste"), "40")
    await day.tap(row.get_by_role("button", name="Guardar conteo"))
    return day.page.get_by_text("Ahora hay 40.").first


async def todays_orders(day: Day) -> Locator:
    """What was ordered today."""
    await day.go("Pedidos")
    await day.tap(day.page.get_by_role("navigation", name="Filtros de siempre").get_by_text("Hoy"))
    await expect(day.page).to_have_url(re.compile("fecha=hoy"), timeout=PATIENCE)
    return day.of("order-row").first


def is_it_paid(sold: Sold) -> Callable[[Day], Awaitable[Locator]]:
    """By the order's number."""

    async def task(day: Day) -> Locator:
        await day.page.goto(f"{day.shop.url}/oficina/pedidos")
        await day.write(day.of("orders-search"), str(sold.number), enter=True)
        await expect(day.of("order-row")).to_have_count(1, timeout=PATIENCE)
        await day.tap(day.of("order-row").get_by_role("link"))
        return day.page.get_by_text("CUS").first

    return task


async def pack(day: Day) -> Locator:
    """The oldest order into its box, with its label."""
    await day.go("Empacar")
    for line in await seen(day.of("pack-line")):
        await day.tap(line)
    await day.tap(day.of("pack-label"))
    return day.of("pack-print")


def ship(sold: Sold) -> Callable[[Day], Awaitable[Locator]]:
    """The carrier has taken it."""

    async def task(day: Day) -> Locator:
        await day.page.goto(f"{day.shop.url}/oficina/pedidos/{sold.id}")
        await day.tap(day.of("order-ship"))
        return day.of("order-state").get_by_text("Enviado")

    return task


def where_is_it(sold: Sold) -> Callable[[Day], Awaitable[Locator]]:
    """Somebody telephones and tells their name."""

    async def task(day: Day) -> Locator:
        await day.write(day.of("office-search"), str(sold.number))
        await day.tap(day.page.get_by_role("option").first)
        return day.of("order-parcel").first

    return task


async def who_did_what(day: Day) -> Locator:
    """In the audit."""
    await day.go("Auditoría")
    return day.page.get_by_text("Marcó enviado").or_(day.page.locator("[data-row]")).first


async def work(day: Day) -> None:
    """The day."""
    await day.do("log in", log_in)
    await day.do("a new toy with three photographs", new_toy)
    await day.do("price", price)
    await day.do("hide", hide)
    await day.do("receive", receive)
    await day.do("correct", correct)
    sold = await paid_order(day.shop)
    await day.do("today's orders", todays_orders)
    await day.do("is it paid", is_it_paid(sold))
    await day.do("pack and print", pack)
    await day.do("ship", ship(sold))
    await day.do("where is my parcel", where_is_it(sold))
    await day.do("who did what", who_did_what)


if __name__ == "__main__":
    measure("A shop's day on a telephone.", work)
