"""Legal texts: preview, saving, restoring, conflicts and rights."""

from typing import Any

import pytest

from backend.app import Shop
from backend.legal.texts import LegalKind, current_text, save_text
from backend.staff.rights import COMMAND_LINE, Role
from storefront.office.content.page import ContentState
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event

TERMS = "/oficina/contenido?text=terminos"


async def open_screen(browser_of: BrowserFactory, role: Role = Role.OWNER, path: str = TERMS) -> Any:
    root = await browser_of(role, path)
    screen: Any = await root.get_state(ContentState)
    await send_event(screen, "load")
    return screen


async def test_legal_or_mail_text_is_previewed_saved_and_restored(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of)
    template = screen.content.opened.source
    await send_event(screen, "preview_text", "**Hola** de {tienda} <i>")
    assert screen.preview == "<p><strong>Hola</strong> de Trompo &lt;i&gt;</p>\n"
    await send_event(screen, "save", {"source": "Hola", "is_reviewed": "on"})
    text = screen.content.opened
    assert (screen.announcement.tone, text.current, text.source, text.is_reviewed) == (
        "news",
        2,
        "Hola\n",
        True,
    )
    assert [(row.version, row.is_current) for row in text.versions] == [(2, True), (1, False)]
    assert screen.preview == ""
    await send_event(screen, "restore", 1)
    assert (screen.content.opened.current, screen.content.opened.source) == (3, template)
    screen = await open_screen(browser_of, path=f"{TERMS}&version=2")
    assert (screen.content.opened.shown, screen.content.opened.source) == (2, "Hola\n")


@pytest.mark.parametrize(
    ("event", "argument"),
    [
        ("save", {"source": ""}),
        ("save", {"source": "{clave}"}),
        ("save", ["source"]),
        ("preview_text", 7),
        ("preview_text", "x" * 60_001),
        ("restore", 9),
        ("restore", "1"),
    ],
)
async def test_invalid_argument_of_a_text_event_changes_nothing(
    shop: Shop, browser_of: BrowserFactory, event: str, argument: Any
) -> None:
    screen = await open_screen(browser_of)
    await send_event(screen, event, argument)
    assert screen.announcement.tone == "problem"
    async with shop.database.read() as session:
        assert (await current_text(session, LegalKind.TERMS)).version == 1


async def test_text_saved_by_another_staff_member_is_not_overwritten(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of)
    async with shop.database.transaction() as session:
        await save_text(session, COMMAND_LINE, LegalKind.TERMS, "Antes", seen=1, is_reviewed=False)
    await send_event(screen, "save", {"source": "Después"})
    assert screen.announcement.tone == "problem"
    await send_event(screen, "restore", 1)
    assert screen.announcement.tone == "problem"
    async with shop.database.read() as session:
        assert (await current_text(session, LegalKind.TERMS)).source == "Antes\n"


async def test_text_is_read_only_without_the_right(shop: Shop, browser_of: BrowserFactory) -> None:
    screen = await open_screen(browser_of, Role.SHOP)
    assert screen.content.opened.title == "Términos y condiciones"
    for event, argument in (("save", {"source": "Hola"}), ("restore", 1), ("preview_text", "Hola")):
        await send_event(screen, event, argument)
        assert screen.announcement.text == "Tu rol no permite hacer esto."
    assert [
        row.kind for row in (await open_screen(browser_of, path="/oficina/contenido")).content.texts
    ] == list(LegalKind)


@pytest.mark.parametrize("query", ["?text=nada", "?text=terminos&version=8"])
async def test_unknown_text_or_version_is_shown_as_missing(browser_of: BrowserFactory, query: str) -> None:
    assert (await open_screen(browser_of, path=f"/oficina/contenido{query}")).problem == "missing"
