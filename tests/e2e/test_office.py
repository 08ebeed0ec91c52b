"""The office at the browser: the way in and out, its keys, its first screens."""

import asyncio
import re
from collections.abc import Callable

import pyotp
import pytest
from playwright.async_api import Browser, Page, Route, WebSocket, expect

from backend.attention import AttentionKind
from storefront.office.navigation import PLACES
from tests.e2e.conftest import STAFF, OpenPage, ShopServer, Watch, pages_of
from tests.e2e.office_steps import (
    AT_ENTRY,
    enter,
    fill_in_entry,
    order_over_the_api,
    paid_order,
    raise_rows,
    visit,
)
from tests.e2e.shopper import PATIENCE
from tests.e2e.test_every_page import AT_REST, RULES, SHIFTS, VIOLATIONS, _short, axe

__all__ = ["axe"]

WIDTHS = {"320": (320, 640), "390": (390, 844), "1280": (1280, 800)}
TELEPHONES = ("320", "390")
AXE_WIDTHS = ("320", "1280")
"""Where the accessibility rules are run, which takes longest: 390 px show what 320 do, with more room."""
ROW = "attention-row"


async def test_the_way_in_leads_to_where_one_was_and_the_way_out_back(
    open_page: OpenPage, watch: Watch
) -> None:
    watch.expect("401")  # the wrong password
    async with open_page(*WIDTHS["390"]) as page:
        await page.goto("/oficina/por-resolver")
        await expect(page).to_have_url(AT_ENTRY, timeout=PATIENCE)
        await fill_in_entry(page, "no es la clave")
        await expect(page.get_by_role("alert").first).to_be_visible(timeout=PATIENCE)
        await fill_in_entry(page)
        await expect(page).to_have_url(re.compile("/oficina/por-resolver$"), timeout=PATIENCE)
        await expect(page.get_by_test_id("office-nav")).to_be_visible(timeout=PATIENCE)
        await page.get_by_role("button", name="Más").click()
        await page.get_by_role("dialog").get_by_test_id("office-leave").click()
        await expect(page).to_have_url(re.compile("/oficina/entrar$"), timeout=PATIENCE)
        await page.goto("/oficina")
        await expect(page).to_have_url(AT_ENTRY, timeout=PATIENCE)


async def test_what_is_said_before_the_script_of_the_office_is_there_is_shown(
    browser: Browser, new_server: Callable[..., ShopServer], watch: Watch
) -> None:
    shop = new_server(ADMIN_EMAIL=STAFF[0], ADMIN_PASSWORD=STAFF[1], RENDERERS="0")
    is_said = asyncio.Event()

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: is_said.set() if "stock_state" in str(frame) else None)

    async def hold(route: Route) -> None:
        response = await route.fetch()
        if "[data-screen-search]" in await response.text():
            await is_said.wait()
        await route.fulfill(response=response)

    async with pages_of(shop, browser, watch)(*WIDTHS["390"]) as page:
        page.on("websocket", listen)
        await page.route("**/assets/*.js", hold)
        await enter(page, shop, "/oficina/bodega")
        await expect(page.get_by_test_id("stock-row").first).to_be_visible(timeout=PATIENCE)
        await page.unroute_all(behavior="wait")
    assert is_said.is_set()


async def test_the_second_factor_is_set_up_and_asked_for(
    browser: Browser, new_server: Callable[..., ShopServer], watch: Watch
) -> None:
    watch.expect("400")  # the wrong code
    shop = new_server(ADMIN_EMAIL=STAFF[0], ADMIN_PASSWORD=STAFF[1])
    async with pages_of(shop, browser, watch)(*WIDTHS["390"]) as page:
        await enter(page, shop)
        await page.get_by_role("link", name="El código de tu teléfono").click()
        await page.get_by_role("button", name="Activar el código").click()
        secret = await page.locator(".o-enrol code").inner_text()
        await expect(page.locator(".o-enrol__qr")).to_be_visible()
        await page.get_by_test_id("office-code").fill("12")
        await page.get_by_test_id("save").click()
        await expect(page.get_by_text("Este código no sirve.")).to_be_visible()
        await page.get_by_test_id("office-code").fill(pyotp.TOTP(secret).now())
        await page.get_by_test_id("save").click()
        recovery = page.locator(".o-enrol__codes code")
        await expect(recovery).to_have_count(10)
        code = await recovery.first.inner_text()
        await page.get_by_role("link", name="Ya los guardé").click()
        await expect(page.get_by_test_id("office-nav")).to_be_visible()
        await page.context.clear_cookies()
        await page.goto("/oficina/entrar")
        await fill_in_entry(page, code=code)
        await expect(page.get_by_test_id("office-nav")).to_be_visible()
        answer = await page.request.get("/auth/staff/sessions", headers={"origin": shop.url})
        assert [
            one["has_second_factor"] for one in (await answer.json())["sessions"] if one["is_current"]
        ] == [True]


async def test_keys_lead_anywhere(open_page: OpenPage, server: ShopServer) -> None:
    async with open_page(*WIDTHS["1280"]) as page:
        await enter(page, server)
        search = page.get_by_test_id("office-search")
        tiles = page.get_by_test_id("today-tile")
        await page.keyboard.press("j")
        await expect(tiles.first).to_be_focused()
        await page.keyboard.press("/")
        await expect(search).to_be_focused()
        await page.keyboard.press("Escape")
        await expect(tiles.first).to_be_focused()
        await page.keyboard.press("Control+k")
        await search.press_sequentially("resol")
        await expect(page.get_by_role("option")).to_have_count(1, timeout=PATIENCE)
        await page.keyboard.press("Enter")
        await expect(page).to_have_url(re.compile("/oficina/por-resolver$"))
        await expect(page.get_by_role("heading", level=1)).to_have_text("Por resolver")


async def test_something_is_resolved_once(open_page: OpenPage, server: ShopServer) -> None:
    await raise_rows(server, AttentionKind.NOT_DELIVERED)
    async with open_page(*WIDTHS["390"]) as page:
        await enter(page, server, "/oficina/por-resolver")
        row = page.get_by_test_id(ROW).filter(has_text="Un paquete no llegó")
        await row.locator("summary").first.click()
        await row.get_by_role("button", name="No hay que hacer nada").click()
        await expect(row.get_by_text("Escribe por qué no hay que hacer nada.")).to_be_visible(
            timeout=PATIENCE
        )
        await row.get_by_label("Nota").fill("Lo recibió el vecino")
        await row.get_by_role("button", name="No hay que hacer nada").click()
        await expect(page.get_by_test_id("told")).to_have_text(re.compile("Resuelto"), timeout=PATIENCE)
        await expect(row).to_have_count(0)


async def opened(page: Page) -> None:
    """What is to be resolved, opened."""
    row = page.get_by_test_id(ROW).first
    await row.locator("summary").first.click()
    await row.get_by_text("Hacer otra cosa").click()


async def more(page: Page) -> None:
    """The places that a telephone's bar has no room for."""
    await page.get_by_role("button", name="Más").click()
    await expect(page.get_by_role("dialog")).to_be_visible()


async def searching(page: Page) -> None:
    """The search with what it found."""
    await page.get_by_test_id("office-search").press_sequentially("hoy")
    await expect(page.get_by_role("option")).to_have_count(1, timeout=PATIENCE)


async def chosen(page: Page) -> None:
    """Orders that are chosen, what can be done with them, and every filter."""
    await page.get_by_text("Filtros", exact=True).click()
    await page.locator("[data-chooses]").first.check()
    await expect(page.get_by_test_id("chosen")).to_be_visible()


async def none_found(page: Page) -> None:
    """No order meets what is asked for."""
    await page.get_by_test_id("orders-search").fill("nadie se llama asi")
    await page.get_by_test_id("orders-search").press("Enter")
    await expect(page.get_by_test_id("order-row")).to_have_count(0, timeout=PATIENCE)


async def one_order(page: Page) -> None:
    """An order, with the form for its address and the question before it is cancelled."""
    await page.get_by_test_id("order-row").first.get_by_role("link").click()
    await expect(page.get_by_test_id("order-events")).to_be_visible(timeout=PATIENCE)
    await page.get_by_text("Corregir la dirección").click()
    await page.get_by_role("button", name="Cancelar el pedido").click()
    await expect(page.get_by_role("button", name="Sí, cancelarlo")).to_be_focused()


async def one_customer(page: Page) -> None:
    """A customer, with the form for their data."""
    await page.get_by_test_id("customer-row").first.get_by_role("link").click()
    await expect(page.get_by_test_id("customer-person")).to_be_visible(timeout=PATIENCE)
    await page.get_by_text("Corregir los datos").click()


async def counting(page: Page) -> None:
    """What is being received, and a toy that is counted."""
    await page.get_by_test_id("stock-receive").click()
    await page.get_by_test_id("stock-code").fill("trompo")
    await page.get_by_role("button", name="Agregar").click()
    await expect(page.get_by_test_id("stock-row").first).to_be_visible()
    await page.get_by_test_id("stock-row").first.locator("summary").first.click()
    await expect(page.get_by_label("Contaste").first).to_be_visible()


async def cells(page: Page) -> None:
    """Every filter, and a price and units that are being changed, with what is wrong with one."""
    await page.get_by_text("Filtros", exact=True).click()
    row = page.get_by_test_id("product-row").first
    await row.get_by_text("Cambiar las unidades").locator("..").click()
    await expect(row.get_by_role("button", name="Guardar las unidades")).to_be_visible()
    await row.get_by_text("Cambiar el precio").locator("..").click()
    await row.get_by_label("Precio", exact=True).fill("mil")
    await row.get_by_role("button", name="Guardar el precio").click()
    await expect(row.get_by_text("Escribe un precio en pesos")).to_be_visible(timeout=PATIENCE)


async def many_chosen(page: Page) -> None:
    """Products that are chosen, and what a sale of them would do."""
    await page.locator("[data-chooses]").nth(0).check()
    await page.locator("[data-chooses]").nth(1).check()
    await page.get_by_role("button", name="Más cambios…").click()
    await page.get_by_label("Qué cambiar").select_option("sale")
    await page.get_by_label("Porcentaje").fill("20")
    await page.get_by_role("button", name="Ver qué va a cambiar").click()
    await expect(page.get_by_test_id("bulk-preview")).to_be_visible(timeout=PATIENCE)


async def told_apart(page: Page) -> None:
    """An entry with its values."""
    await page.get_by_test_id("audit-row").first.locator("summary").click()


async def of_one_person(page: Page) -> None:
    """The entries of one person, with all filters open."""
    await page.get_by_text("Filtros", exact=True).click()
    await page.get_by_label("Quién").select_option(index=1)
    await page.get_by_role("button", name="Filtrar").click()
    await expect(page.get_by_role("list", name="Filtros puestos")).to_be_visible(timeout=PATIENCE)
    await expect(page).to_have_url(re.compile("actor_id="))


async def sold_out(page: Page) -> None:
    """Toys that are sold out, found by a quick filter."""
    await page.get_by_role("link", name="Agotados").click()
    await expect(page.get_by_role("list", name="Filtros puestos")).to_be_visible(timeout=PATIENCE)
    await expect(page).to_have_url(re.compile("only=out"))


async def ticked(page: Page) -> None:
    """All of an order is in the box."""
    for line in await page.get_by_test_id("pack-line").all():
        await line.click()
    await expect(page.get_by_test_id("pack-label")).to_be_enabled()


async def inviting(page: Page) -> None:
    """Somebody of the team, and the form that invites another."""
    await page.get_by_test_id("team-invite").click()
    await page.get_by_test_id("team-row").first.locator("summary").first.click()
    await page.get_by_test_id("history").locator("summary").first.click()
    await expect(page.locator(".o-history li").first).to_be_visible(timeout=PATIENCE)


async def story(page: Page) -> None:
    """Who did what to an order."""
    await page.get_by_test_id("order-row").first.get_by_role("link").click()
    await page.get_by_test_id("history").locator("summary").click()
    await expect(page.get_by_test_id("history")).to_contain_text("nadie ha hecho nada", timeout=PATIENCE)


async def of_the_year(page: Page) -> None:
    """A long period with a purchase in it, and its table."""
    await page.get_by_label("Desde").fill("2025-01-01")
    await page.get_by_role("button", name="Ver", exact=True).click()
    await expect(page.get_by_test_id("report-days")).to_contain_text("2025", timeout=PATIENCE)
    await page.get_by_text("Ver en tabla").click()
    await page.get_by_label("Qué").select_option("lines")
    await page.get_by_test_id("export-prepare").click()
    made = page.get_by_test_id("export-row").filter(has_text="Juguetes vendidos").first
    async with page.expect_download() as download:
        await made.get_by_test_id("export-fetch").click(timeout=PATIENCE)
    assert (await download.value).suggested_filename.startswith("Juguetes vendidos 2025-01-01")


STATES = {
    "/oficina/empacar": [ticked],
    "/oficina": [more, searching],
    "/oficina/por-resolver": [opened],
    "/oficina/pedidos": [chosen, none_found, one_order, story],
    "/oficina/clientes": [one_customer],
    "/oficina/productos": [cells, many_chosen],
    "/oficina/bodega": [counting, sold_out],
    "/oficina/informes": [of_the_year],
    "/oficina/auditoria": [told_apart, of_one_person],
    "/oficina/equipo": [inviting],
}


@pytest.mark.timeout(360)  # every screen in every state
async def test_nothing_sticks_out_and_nobody_is_shut_out(
    open_page: OpenPage, server: ShopServer, axe: str
) -> None:
    await raise_rows(server, AttentionKind.LABEL_IN_DOUBT, AttentionKind.APPROVED_LATE)
    await paid_order(server)
    await order_over_the_api(server)  # the newest can still be cancelled
    async with open_page(*WIDTHS["390"]) as page:
        await page.emulate_media(reduced_motion="reduce")
        await page.goto("/oficina/entrar")
        await expect(page.get_by_test_id("office-enter")).to_be_visible()
        await check(page, axe)
        await enter(page, server)
        for path in [place.path for place in PLACES]:
            await visit(page, path)
            await check(page, axe)
            for state in STATES.get(path, ()):
                await visit(page, path)
                await state(page)
                await check(page, axe, TELEPHONES if state is more else tuple(WIDTHS))


async def check(page: Page, axe: str, widths: tuple[str, ...] = tuple(WIDTHS)) -> None:
    """No overflow, no violation of the accessibility rules, no target below 44 px in the navigation; at each width."""
    opened = page.viewport_size
    await page.evaluate(axe)
    await page.mouse.move(0, 0)
    for width in widths:  # it is the same document: what is shown of it is the stylesheet's
        await page.set_viewport_size({"width": WIDTHS[width][0], "height": WIDTHS[width][1]})
        await _check_at(page, width)
    if opened is not None:
        await page.set_viewport_size(opened)


async def _check_at(page: Page, width: str) -> None:
    inner = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    assert await page.evaluate(inner) == [int(width), int(width)], page.url
    if width in AXE_WIDTHS:
        # all of it at once: what the bar at the bottom covers while one scrolls counts as too small
        whole = await page.evaluate("document.documentElement.scrollHeight")
        await page.set_viewport_size({"width": int(width), "height": whole})
        await page.evaluate(AT_REST)
        violations = await page.evaluate(VIOLATIONS, RULES)
        assert [_short(violation) for violation in violations] == [], (page.url, width)
        await page.set_viewport_size({"width": WIDTHS[width][0], "height": WIDTHS[width][1]})
    small = """() => [...document.querySelectorAll("a, button, input:not([type=hidden]), summary")]
        .filter((one) => one.getClientRects().length && !one.closest(".skip-link, .sr-only"))
        .map((one) => (one.matches("label > input[type=checkbox]") ? one.parentElement : one))
        .filter((one) => one.getBoundingClientRect().height < 43.5)
        .map((one) => one.outerHTML.slice(0, 120))"""
    assert await page.evaluate(small) == [], (page.url, width)


@pytest.mark.parametrize("width", ["390", "1280"])
async def test_nothing_jumps_while_it_loads(open_page: OpenPage, server: ShopServer, width: str) -> None:
    async with open_page(*WIDTHS[width]) as page:
        await enter(page, server)
        await page.add_init_script(SHIFTS)
        for path in [place.path for place in PLACES]:
            await visit(page, path)
            assert await page.evaluate("window.shifts") == [], (path, await page.evaluate("window.moved"))
