"""The office's documents: equal for all visitors without a session, never cached, the only ones with camera access."""

import httpx
import pytest

from storefront.office.routes import OFFICE_PAGES
from storefront.pages.routes import sample_path
from tests.storefront.documents.conftest import FakeRenderer


@pytest.mark.parametrize("is_rendered", [True, False])
async def test_office_document_has_no_content(
    browser: httpx.AsyncClient, renderer: FakeRenderer, is_rendered: bool
) -> None:
    renderer.may_render = is_rendered
    for path in map(sample_path, OFFICE_PAGES):
        answer = await browser.get(f"{path}?q=ana", headers={"cookie": "trompo_staff=x"})
        assert (path, answer.status_code) == (path, 200)
        assert ("<main" in answer.text) is is_rendered, path
        assert ('<template id="initial-state">{}<' in answer.text) is is_rendered, path  # and it is empty
        assert "ana" not in answer.text, path
        assert answer.headers["cache-control"] == "no-store", path
        assert answer.headers["x-robots-tag"] == "noindex,nofollow", path
        assert "camera=(self)" in answer.headers["permissions-policy"], path
        assert "img-src 'self' data: https: blob:;" in answer.headers["content-security-policy"], path
        assert "etag" not in answer.headers, path


async def test_shop_documents_may_not_use_the_camera(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/cart")
    assert "camera=()" in answer.headers["permissions-policy"]
    assert "blob:" not in answer.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/oficina/nowhere", "/oficinas", "/oficina/entrar/x"])
async def test_other_office_addresses_are_not_found(browser: httpx.AsyncClient, path: str) -> None:
    assert (await browser.get(path)).status_code == 404


async def test_office_address_has_one_canonical_form(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/oficina/entrar/")
    assert (answer.status_code, answer.headers["location"]) == (308, "/oficina/entrar")
