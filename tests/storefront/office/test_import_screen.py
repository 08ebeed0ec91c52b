"""The import screen: the preview of an upload, and unfinished imports that are opened and continued."""

from typing import Any

import pytest

from backend.app import Shop
from backend.imports.confirmation import start_import
from backend.imports.preview import preview_import
from backend.imports.spreadsheet_upload import store_spreadsheet
from backend.imports.stopping import stop_import
from backend.staff.rights import Actor, Role
from storefront.office.imports import state as module
from storefront.office.imports.state import ImportState
from storefront.office.staff_session import find_actor
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event

pytestmark = pytest.mark.usefixtures("defaults")


async def open_screen(browser_of: BrowserFactory) -> tuple[Any, Actor]:
    screen: Any = await (await browser_of(Role.OWNER, "/oficina/importar")).get_state(ImportState)
    await send_event(screen, "load")
    actor = await find_actor(screen)
    assert actor is not None
    return screen, actor


async def upload(shop: Shop, actor: Actor, name: str) -> str:
    content = b"Nombre;SKU;Precio\n" + f"Juguete {name};J-{name};1000\n".encode()
    import_id = await store_spreadsheet(shop.database, actor, name, content, makes_places=False)
    await preview_import(shop.database, import_id)
    return import_id


async def test_uploaded_spreadsheet_is_shown_without_validating_its_rows_again(
    shop: Shop, browser_of: BrowserFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_arguments: object) -> None:
        raise AssertionError("the rows are checked again")

    screen, actor = await open_screen(browser_of)
    import_id = await upload(shop, actor, "uno.csv")
    monkeypatch.setattr(module, "preview_import", refuse)
    await send_event(screen, "show_newest")
    assert (screen.content.current.id, screen.content.current.summary) == (import_id, "1 nuevo")


async def test_stopped_import_is_opened_and_continued_after_another_upload(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    screen, actor = await open_screen(browser_of)
    stopped_id = await upload(shop, actor, "uno.csv")
    await start_import(shop.database, actor, stopped_id)
    await stop_import(shop.database, actor, stopped_id)
    newest_id = await upload(shop, actor, "otra.csv")

    def list_shown() -> tuple[str, list[str]]:
        return screen.content.current.id, [one.id for one in screen.content.unfinished]

    await send_event(screen, "show_newest")
    assert list_shown() == (newest_id, [stopped_id])
    await send_event(screen, "open_import", stopped_id)
    assert list_shown() == (stopped_id, [newest_id])
    assert screen.content.current.status == "stopped"
    await send_event(screen, "open_import", newest_id)
    assert list_shown() == (newest_id, [stopped_id])
    await send_event(screen, "continue_other", stopped_id)
    assert list_shown() == (stopped_id, [newest_id])
    assert (screen.content.current.status, screen.announcement.tone) == ("running", "news")
