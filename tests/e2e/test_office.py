"""The office in the browser: login and logout, its keyboard shortcuts, its first screens."""

import asyncio
import re
from collections.abc import Callable

import pyotp
import pytest
from playwright.async_api import Browser, Page, Route, WebSocket, expect

from backend.attention import AttentionKind
from storefront.office.navigation import PLACES
from tests.e2e.conftest import OWNER_LOGIN, OpenPage, PageWatch, ShopServer, build_page_opener
from tests.e2e.held import HeldMessages
from tests.e2e.office_steps import (
    ENTRY_URL,
    enter_office,
    place_order,
    place_paid_order,
    raise_attentions,
    submit_entry_form,
    visit,
)
from tests.e2e.shopper import TIMEOUT_MS, resize
from tests.e2e.test_every_page import (
    RECORD_SHIFTS,
    RULES,
    VIOLATIONS,
    axe,
    format_violation,
)

__all__ = ["axe"]

WIDTHS = {"320": (320, 640), "390": (390, 844), "1280": (1280, 800)}
TELEPHONES = ("320", "390")
AXE_WIDTHS = ("320", "1280")
"""Widths for the accessibility rules, which take longest: 390 px is like 320 px with more space."""
ATTENTION_ROW = "attention-row"


async def test_office_login_returns_to_the_requested_page_and_logout_leaves_the_office(
    open_page: OpenPage, watch: PageWatch
) -> None:
    watch.expect("401")  # the wrong password
    async with open_page(*WIDTHS["390"]) as page:
        await page.goto("/oficina/por-resolver")
        await expect(page).to_have_url(ENTRY_URL)
        await submit_entry_form(page, "no es la clave")
        await expect(page.get_by_role("alert").first).to_be_visible()
        await submit_entry_form(page)
        await expect(page).to_have_url(re.compile("/oficina/por-resolver$"))
        await expect(page.get_by_test_id("office-nav")).to_be_visible()
        await page.get_by_role("button", name="Más").click()
        await page.get_by_role("dialog").get_by_test_id("office-leave").click()
        await expect(page).to_have_url(re.compile("/oficina/entrar$"))
        await page.goto("/oficina")
        await expect(page).to_have_url(ENTRY_URL)


async def test_server_message_received_before_the_office_script_loads_is_shown(
    browser: Browser, new_server: Callable[..., ShopServer], watch: PageWatch
) -> None:
    shop = new_server(ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1], RENDERERS="0")
    is_received = asyncio.Event()

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: is_received.set() if "stock_state" in str(frame) else None)

    async def hold(route: Route) -> None:
        response = await route.fetch()
        if "[data-screen-search]" in await response.text():
            await is_received.wait()
        await route.fulfill(response=response)

    async with build_page_opener(shop, browser, watch)(*WIDTHS["390"]) as page:
        page.on("websocket", listen)
        await page.route("**/assets/*.js", hold)
        await enter_office(page, shop, "/oficina/bodega")
        await expect(page.get_by_test_id("stock-row").first).to_be_visible()
        await page.unroute_all(behavior="wait")
    assert is_received.is_set()


async def test_second_factor_is_set_up_and_required(
    browser: Browser, new_server: Callable[..., ShopServer], watch: PageWatch
) -> None:
    watch.expect("400")  # the wrong code
    shop = new_server(ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1])
    async with build_page_opener(shop, browser, watch)(*WIDTHS["390"]) as page:
        await enter_office(page, shop)
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
        await submit_entry_form(page, code=code)
        await expect(page.get_by_test_id("office-nav")).to_be_visible()
        answer = await page.request.get("/auth/staff/sessions", headers={"origin": shop.url})
        assert [
            session["has_second_factor"]
            for session in (await answer.json())["sessions"]
            if session["is_current"]
        ] == [True]


async def test_keyboard_shortcuts_reach_every_office_screen(open_page: OpenPage, server: ShopServer) -> None:
    async with open_page(*WIDTHS["1280"]) as page:
        await enter_office(page, server)
        search = page.get_by_test_id("office-search")
        tiles = page.get_by_test_id("waiting-tile")
        await page.keyboard.press("j")
        await expect(tiles.first).to_be_focused()
        await page.keyboard.press("/")
        await expect(search).to_be_focused()
        await page.keyboard.press("Escape")
        await expect(tiles.first).to_be_focused()
        await page.keyboard.press("Control+k")
        await search.press_sequentially("resol")
        await expect(page.get_by_role("option")).to_have_count(1)
        await page.keyboard.press("Enter")
        await expect(page).to_have_url(re.compile("/oficina/por-resolver$"))
        await expect(page.get_by_role("heading", level=1)).to_have_text("Por resolver")


async def test_enter_waits_for_the_suggestions_of_the_typed_text(
    open_page: OpenPage, server: ShopServer
) -> None:
    requests = HeldMessages("office_search_state.find", is_from_page=True)
    async with open_page(*WIDTHS["1280"]) as page:
        await requests.intercept(page)
        await enter_office(page, server)
        search, option = page.get_by_test_id("office-search"), page.get_by_role("option")
        await search.fill("hoy")
        await expect(option).to_have_count(1)
        requests.is_holding = True
        await search.fill("resol")
        await search.press("Enter")
        await requests.wait_until_held()
        requests.release()
        await expect(page).to_have_url(re.compile("/oficina/por-resolver$"))


async def test_attention_is_resolved_with_a_note(open_page: OpenPage, server: ShopServer) -> None:
    await raise_attentions(server, AttentionKind.NOT_DELIVERED)
    async with open_page(*WIDTHS["390"]) as page:
        await enter_office(page, server, "/oficina/por-resolver")
        row = page.get_by_test_id(ATTENTION_ROW).filter(has_text="Un paquete no llegó")
        await row.locator("summary").first.click()
        await row.get_by_role("button", name="No hay que hacer nada").click()
        await expect(row.get_by_text("Escribe por qué no hay que hacer nada.")).to_be_visible()
        await row.get_by_label("Nota").fill("Lo recibió el vecino")
        await row.get_by_role("button", name="No hay que hacer nada").click()
        await expect(page.get_by_test_id("told")).to_have_text(re.compile("Resuelto"))
        await expect(row).to_have_count(0)


async def open_attention(page: Page) -> None:
    """Unfold the first row of the attention list, and then its other actions."""
    row = page.get_by_test_id(ATTENTION_ROW).first
    await row.locator("summary").first.click()
    await row.get_by_text("Hacer otra cosa").click()


async def open_more_places(page: Page) -> None:
    """Open the «Más» menu, with the sections for which a phone's bar has no space."""
    await page.get_by_role("button", name="Más").click()
    await expect(page.get_by_role("dialog")).to_be_visible()


async def open_search(page: Page) -> None:
    """Show the search with its results."""
    await page.get_by_test_id("office-search").press_sequentially("hoy")
    await expect(page.get_by_role("option")).to_have_count(1)


async def select_orders(page: Page) -> None:
    """Select orders, which shows the actions on them, and open every filter."""
    await page.get_by_text("Filtros", exact=True).click()
    await page.locator("[data-chooses]").first.check()
    await expect(page.get_by_test_id("chosen")).to_be_visible()


async def search_without_results(page: Page) -> None:
    """Show the list without a matching order."""
    await page.get_by_test_id("orders-search").fill("nadie se llama asi")
    await page.get_by_test_id("orders-search").press("Enter")
    await expect(page.get_by_test_id("order-row")).to_have_count(0)


async def open_order(page: Page) -> None:
    """Open an order, its address form, and the question whether to cancel it."""
    await page.get_by_test_id("order-row").first.get_by_role("link").click()
    await expect(page.get_by_test_id("order-events")).to_be_visible()
    await page.get_by_text("Corregir la dirección").click()
    await page.get_by_role("button", name="Cancelar el pedido").click()
    await expect(page.get_by_role("button", name="Sí, cancelarlo")).to_be_focused()


async def open_customer(page: Page) -> None:
    """Open a customer and the form for their data."""
    await page.get_by_test_id("customer-row").first.get_by_role("link").click()
    await expect(page.get_by_test_id("customer-person")).to_be_visible()
    await page.get_by_text("Corregir los datos").click()


async def open_stock_count(page: Page) -> None:
    """Add a product to a delivery, and open its form for a count."""
    await page.get_by_test_id("stock-receive").click()
    await page.get_by_test_id("stock-code").fill("trompo")
    await page.get_by_role("button", name="Agregar").click()
    await expect(page.get_by_test_id("stock-row").first).to_be_visible()
    await page.get_by_test_id("stock-row").first.locator("summary").first.click()
    await expect(page.get_by_label("Contaste").first).to_be_visible()


async def edit_row(page: Page) -> None:
    """Open every filter, and edit the units and the price of a row, with an error in the price."""
    await page.get_by_text("Filtros", exact=True).click()
    row = page.get_by_test_id("product-row").first
    await row.get_by_text("Cambiar las unidades").locator("..").click()
    await expect(row.get_by_role("button", name="Guardar las unidades")).to_be_visible()
    await row.get_by_text("Cambiar el precio").locator("..").click()
    await row.get_by_label("Precio", exact=True).fill("mil")
    await row.get_by_role("button", name="Guardar el precio").click()
    await expect(row.get_by_text("Escribe un precio en pesos")).to_be_visible()


async def preview_bulk_sale(page: Page) -> None:
    """Select products, and show the preview of a sale of them."""
    await page.locator("[data-chooses]").nth(0).check()
    await page.locator("[data-chooses]").nth(1).check()
    await page.get_by_role("button", name="Más cambios…").click()
    await page.get_by_label("Qué cambiar").select_option("sale")
    await page.get_by_label("Porcentaje").fill("20")
    await page.get_by_role("button", name="Ver qué va a cambiar").click()
    await expect(page.get_by_test_id("bulk-preview")).to_be_visible()


async def open_audit_entry(page: Page) -> None:
    """Unfold the first audit entry, which shows the changed values."""
    await page.get_by_test_id("audit-row").first.locator("summary").click()


async def filter_audit_by_person(page: Page) -> None:
    """Show the entries of one staff member, with all filters open."""
    await page.get_by_text("Filtros", exact=True).click()
    await page.get_by_label("Quién").select_option(index=1)
    await page.get_by_role("button", name="Filtrar").click()
    await expect(page.get_by_role("list", name="Filtros puestos")).to_be_visible()
    await expect(page).to_have_url(re.compile("actor_id="))


async def filter_sold_out(page: Page) -> None:
    """Show the sold-out products by a quick filter."""
    await page.get_by_role("link", name="Agotados").click()
    await expect(page.get_by_role("list", name="Filtros puestos")).to_be_visible()
    await expect(page).to_have_url(re.compile("only=out"))


async def tick_all_lines(page: Page) -> None:
    """Tick all lines of an order as packed."""
    for line in await page.get_by_test_id("pack-line").all():
        await line.click()
    await expect(page.get_by_test_id("pack-label")).to_be_enabled()


async def open_invitation(page: Page) -> None:
    """Open the form that invites a staff member, and another member with their history."""
    await page.get_by_test_id("team-invite").click()
    await page.get_by_test_id("team-row").first.locator("summary").first.click()
    await page.get_by_test_id("history").locator("summary").first.click()
    await expect(page.locator(".o-history li").first).to_be_visible()


async def open_order_history(page: Page) -> None:
    """Show the audit history of an order."""
    await page.get_by_test_id("order-row").first.get_by_role("link").click()
    await page.get_by_test_id("history").locator("summary").click()
    await expect(page.get_by_test_id("history")).to_contain_text("nadie ha hecho nada")


async def open_year_report(page: Page) -> None:
    """Show the report of a long period with a purchase, unfold its table, and download an export."""
    await page.get_by_label("Desde").fill("2025-01-01")
    await page.get_by_role("button", name="Ver", exact=True).click()
    await expect(page.get_by_test_id("report-days")).to_contain_text("2025")
    await page.get_by_text("Ver en tabla").click()
    await page.get_by_label("Qué").select_option("lines")
    await page.get_by_test_id("export-prepare").click()
    made = page.get_by_test_id("export-row").filter(has_text="Productos vendidos").first
    async with page.expect_download() as download:
        await made.get_by_test_id("export-fetch").click(timeout=TIMEOUT_MS)
    assert (await download.value).suggested_filename.startswith("Productos vendidos 2025-01-01")


STATES = {
    "/oficina/empacar": [tick_all_lines],
    "/oficina": [open_more_places, open_search],
    "/oficina/por-resolver": [open_attention],
    "/oficina/pedidos": [select_orders, search_without_results, open_order, open_order_history],
    "/oficina/clientes": [open_customer],
    "/oficina/productos": [edit_row, preview_bulk_sale],
    "/oficina/bodega": [open_stock_count, filter_sold_out],
    "/oficina/informes": [open_year_report],
    "/oficina/auditoria": [open_audit_entry, filter_audit_by_person],
    "/oficina/equipo": [open_invitation],
}


@pytest.mark.timeout(1800)  # every screen in every state
async def test_office_screens_have_no_overflow_and_are_accessible(
    open_page: OpenPage, server: ShopServer, axe: str
) -> None:
    await raise_attentions(server, AttentionKind.LABEL_IN_DOUBT, AttentionKind.APPROVED_LATE)
    await place_paid_order(server)
    await place_order(server)  # the newest order can still be cancelled
    async with open_page(*WIDTHS["390"]) as page:
        await page.emulate_media(reduced_motion="reduce")
        await page.goto("/oficina/entrar")
        await expect(page.get_by_test_id("office-enter")).to_be_visible()
        await check_at_widths(page, axe)
        await enter_office(page, server)
        for path in [place.path for place in PLACES]:
            await visit(page, path)
            await check_at_widths(page, axe)
            for state in STATES.get(path, ()):
                await visit(page, path)
                await state(page)
                await check_at_widths(page, axe, TELEPHONES if state is open_more_places else tuple(WIDTHS))


async def check_at_widths(page: Page, axe: str, widths: tuple[str, ...] = tuple(WIDTHS)) -> None:
    """Check the page at each width: no overflow, no violation of the accessibility rules, no target below 44 px."""
    initial_size = page.viewport_size
    await page.evaluate(axe)
    await page.mouse.move(0, 0)
    for width in widths:  # only the stylesheet decides what the same document shows
        await resize(page, *WIDTHS[width])
        await _check_at_width(page, width)
    if initial_size is not None:
        await resize(page, initial_size["width"], initial_size["height"])


async def _check_at_width(page: Page, width: str) -> None:
    inner = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    assert await page.evaluate(inner) == [int(width), int(width)], page.url
    if width in AXE_WIDTHS:
        # show the whole page: targets below the bottom bar would count as too small
        whole = await page.evaluate("document.documentElement.scrollHeight")
        await resize(page, int(width), whole)
        violations = await page.evaluate(VIOLATIONS, RULES)
        assert [format_violation(violation) for violation in violations] == [], (page.url, width)
        await resize(page, *WIDTHS[width])
    small = """() => [...document.querySelectorAll("a, button, input:not([type=hidden]), summary")]
        .filter((one) => one.getClientRects().length && !one.closest(".skip-link, .sr-only"))
        .map((one) => (one.matches("label > input[type=checkbox]") ? one.parentElement : one))
        .filter((one) => one.getBoundingClientRect().height < 43.5)
        .map((one) => one.outerHTML.slice(0, 120))"""
    assert await page.evaluate(small) == [], (page.url, width)


@pytest.mark.parametrize("width", ["390", "1280"])
async def test_office_layout_does_not_shift_while_loading(
    open_page: OpenPage, server: ShopServer, width: str
) -> None:
    async with open_page(*WIDTHS[width]) as page:
        await enter_office(page, server)
        await page.add_init_script(RECORD_SHIFTS)
        for path in [place.path for place in PLACES]:
            await visit(page, path)
            assert await page.evaluate("window.shifts") == [], (path, await page.evaluate("window.moved"))
