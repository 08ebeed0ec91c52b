"""Contenido: what the office says of its texts, and what it takes from a browser."""

from typing import Any

import pytest

from backend.app import Shop
from backend.legal.texts import LegalKind, current_text, save_text
from backend.staff.rights import COMMAND_LINE, Role
from storefront.office.content.page import ContentState
from tests.storefront.office.conftest import At

TERMS = "/oficina/contenido?text=terminos"


async def sent(screen: Any, name: str, *arguments: Any) -> Any:
    """What a browser sends."""
    return await type(screen).event_handlers[name].fn(screen, *arguments)


async def opened(browser_of: At, role: Role = Role.OWNER, path: str = TERMS) -> Any:
    root = await browser_of(role, path)
    screen: Any = await root.get_state(ContentState)
    await sent(screen, "load")
    return screen


async def test_a_text_is_looked_at_saved_and_brought_back(shop: Shop, browser_of: At) -> None:
    screen = await opened(browser_of)
    template = screen.content.opened.source
    await sent(screen, "look", "**Hola** de {tienda} <i>")
    assert screen.preview == "<p><strong>Hola</strong> de Trompo &lt;i&gt;</p>\n"
    await sent(screen, "save", {"source": "Hola", "is_reviewed": "on"})
    text = screen.content.opened
    assert (screen.told.tone, text.current, text.source, text.is_reviewed) == ("news", 2, "Hola\n", True)
    assert [(row.version, row.is_current) for row in text.versions] == [(2, True), (1, False)]
    assert screen.preview == ""
    await sent(screen, "restore", 1)
    assert (screen.content.opened.current, screen.content.opened.source) == (3, template)
    screen = await opened(browser_of, path=f"{TERMS}&version=2")
    assert (screen.content.opened.shown, screen.content.opened.source) == (2, "Hola\n")


@pytest.mark.parametrize(
    ("event", "argument"),
    [
        ("save", {"source": ""}),
        ("save", {"source": "{clave}"}),
        ("save", ["source"]),
        ("look", 7),
        ("look", "x" * 60_001),
        ("restore", 9),
        ("restore", "1"),
    ],
)
async def test_what_does_not_fit_changes_nothing(
    shop: Shop, browser_of: At, event: str, argument: Any
) -> None:
    screen = await opened(browser_of)
    await sent(screen, event, argument)
    assert screen.told.tone == "problem"
    async with shop.database.read() as session:
        assert (await current_text(session, LegalKind.TERMS)).version == 1


async def test_what_somebody_else_saved_meanwhile_stays(shop: Shop, browser_of: At) -> None:
    screen = await opened(browser_of)
    async with shop.database.transaction() as session:
        await save_text(session, COMMAND_LINE, LegalKind.TERMS, "Antes", seen=1, is_reviewed=False)
    await sent(screen, "save", {"source": "Después"})
    assert screen.told.tone == "problem"
    await sent(screen, "restore", 1)
    assert screen.told.tone == "problem"
    async with shop.database.read() as session:
        assert (await current_text(session, LegalKind.TERMS)).source == "Antes\n"


async def test_who_may_not_change_them_only_reads(shop: Shop, browser_of: At) -> None:
    screen = await opened(browser_of, Role.SHOP)
    assert screen.content.opened.title == "Términos y condiciones"
    for event, argument in (("save", {"source": "Hola"}), ("restore", 1), ("look", "Hola")):
        await sent(screen, event, argument)
        assert screen.told.text == "Tu rol no permite hacer esto."
    assert [row.kind for row in (await opened(browser_of, path="/oficina/contenido")).content.texts] == list(
        LegalKind
    )


@pytest.mark.parametrize("asked", ["?text=nada", "?text=terminos&version=8"])
async def test_what_is_not_there_is_said(browser_of: At, asked: str) -> None:
    assert (await opened(browser_of, path=f"/oficina/contenido{asked}")).problem == "missing"
