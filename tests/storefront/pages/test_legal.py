"""Tests of the legal texts' pages: they display the saved text immediately, also in the document."""

import pytest

from backend.app import Shop
from backend.legal.texts import TITLES, LegalKind, save_text
from backend.office_settings import save_settings
from backend.staff.rights import COMMAND_LINE
from storefront.documents.page_cache import PageCache
from storefront.documents.plain_page import plain_page
from storefront.meta import NOINDEX
from storefront.pages.legal import LegalPage, load
from storefront.pages.page_loader import PageParams
from storefront.pages.routes import find_page


@pytest.mark.parametrize("kind", LegalKind)
async def test_each_legal_text_has_a_page(shop: Shop, kind: LegalKind) -> None:
    data = await load(PageParams(f"/legal/{kind}"))
    assert (data.content.title, data.meta.title, data.content.is_reviewed) == (TITLES[kind],) * 2 + (False,)
    assert data.meta.canonical.endswith(f"/legal/{kind}")
    assert len(data.meta.description) > 60
    assert "<" not in data.meta.description


@pytest.mark.parametrize("name", ["", "x", "TERMINOS", "pqrs"])
async def test_unknown_legal_text_is_not_found(shop: Shop, name: str) -> None:
    data = await load(PageParams(f"/legal/{name}"))
    assert (data.content, data.meta.status, data.meta.robots) == (LegalPage(), 404, NOINDEX)


async def test_legal_document_has_the_latest_saved_text(shop: Shop) -> None:
    """Test that a saved text needs no rebuild: the database's version number invalidates the cached page."""
    page, cache = find_page(("legal", "retracto")), PageCache()
    assert page is not None
    first = plain_page(await cache.page(page, "/legal/retracto"))
    assert "cinco días hábiles" in first
    assert "Texto modelo" in first
    async with shop.database.transaction() as session:
        source = "## Nuevo\n\n<b>Siete</b> días, dice {razon_social}."
        await save_text(session, COMMAND_LINE, LegalKind.WITHDRAWAL, source, seen=1, is_reviewed=True)
    second = plain_page(await cache.page(page, "/legal/retracto"))
    assert "<h2>Nuevo</h2>" in second
    assert "&lt;b&gt;Siete&lt;/b&gt; días" in second
    assert "Versión 2, vigente desde el" in second
    assert "Texto modelo" not in second
    async with shop.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, {"store_legal_name": "Otra S.A.S."})
    assert "dice Otra S.A.S." in plain_page(await cache.page(page, "/legal/retracto"))
