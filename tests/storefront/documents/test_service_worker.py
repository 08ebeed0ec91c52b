"""The service worker's script, and the page that it shows without a network."""

import json
import re

import httpx
import pytest

from backend.app import Shop
from backend.content.areas import BrandBody
from backend.content.brand import resolve_brand
from backend.core.config.settings import Settings
from backend.office_settings import save_settings
from backend.staff.rights import COMMAND_LINE
from storefront.brand_icons import get_brand
from storefront.documents.security_headers import inline_scripts
from storefront.documents.service_worker import (
    DEMO_VARIABLES,
    PATH,
    UNHANDLED_SEGMENTS,
    offline_policy,
    render_offline_page,
    service_worker,
)
from storefront.server.build import ROOT
from storefront.url_prefixes import API_SEGMENTS


def read_constant(script: str, name: str) -> object:
    found = re.search(rf"^const {name} = (.*);$", script, re.MULTILINE)
    assert found is not None
    return json.loads(found[1])


async def test_service_worker_is_served_and_revalidated(browser: httpx.AsyncClient) -> None:
    answer = await browser.get(PATH)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert (await browser.get(PATH, headers={"if-none-match": answer.headers["etag"]})).status_code == 304
    assert (await browser.head(PATH)).content == b""


async def test_policy_of_pages_allows_only_the_shops_worker(browser: httpx.AsyncClient) -> None:
    assert "worker-src 'self';" in (await browser.get("/")).headers["content-security-policy"]


async def test_service_worker_script_changes_with_the_build_and_the_shops_name(shop: Shop) -> None:
    first = await service_worker(b"build 1")
    assert first == await service_worker(b"build 1")
    assert first != await service_worker(b"build 2")
    async with shop.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, {"store_name": "Ñandú </script> & `${1}`"})
    renamed = await service_worker(b"build 1")
    assert read_constant(renamed, "OFFLINE_PAGE") == render_offline_page(await get_brand())


async def test_service_worker_caches_nothing(shop: Shop) -> None:
    script = await service_worker(b"build")
    assert not re.search(r"caches\.open|\.put\(|\.add\(|\.addAll\(|indexedDB", script)


@pytest.mark.parametrize(
    "segment",
    ["oficina", "account", "checkout", "order", "pay", "auth", "store", "admin", "api", "hooks", "_event"],
)
async def test_service_worker_ignores_private_addresses(shop: Shop, segment: str) -> None:
    unhandled = read_constant(await service_worker(b"build"), "UNHANDLED")
    assert isinstance(unhandled, list)
    assert segment in unhandled
    assert set(unhandled) == UNHANDLED_SEGMENTS >= API_SEGMENTS


def test_offline_page_is_complete_and_escapes_the_shops_name(settings: Settings) -> None:
    page = render_offline_page(
        resolve_brand(BrandBody(), settings.model_copy(update={"store_name": "Ñandú <b> & Cía"}))
    )
    assert "<title>Sin conexión · Ñandú &lt;b&gt; &amp; Cía</title>" in page
    assert page.startswith("<!DOCTYPE html>")
    assert not re.search(r'<(?:link|img)|src="', page)


def test_offline_page_has_the_brands_font(settings: Settings) -> None:
    pages = {
        font: render_offline_page(resolve_brand(BrandBody(font=font), settings)) for font in ("", "plain")
    }
    assert {font: "Fredoka" in page for font, page in pages.items()} == {"": True, "plain": False}


def test_policy_of_the_offline_page_allows_its_script(settings: Settings) -> None:
    page = render_offline_page(resolve_brand(BrandBody(), settings))
    assert len(inline_scripts(page)) == 1
    policy = offline_policy(page)
    assert policy.count("'sha256-") == 1
    assert "default-src 'none'" in policy


def test_colors_of_the_offline_page_are_those_of_the_style_sheet_or_of_the_brand(settings: Settings) -> None:
    tokens = (ROOT / "assets" / "styles" / "tokens.css").read_text()
    for name, color in DEMO_VARIABLES.items():
        assert f"--{name}: {color};" in tokens
    colors = BrandBody(primary="#0b3d91", secondary="#0f5132", background="#f0f4ff", text_color="#111111")
    page = render_offline_page(resolve_brand(colors, settings))
    assert "#f0f4ff" in page
    assert DEMO_VARIABLES["tomato-dark"] not in page
