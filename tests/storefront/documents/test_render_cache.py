"""Rendered documents are cached while they are current, and skipped when they are late."""

import asyncio

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Variant
from storefront.documents.render_cache import DEADLINE
from storefront.reflex_ext.patches import INITIAL_STATE_ID
from tests.storefront.documents.conftest import FakeRenderer


@pytest.fixture(autouse=True)
def may_render(renderer: FakeRenderer) -> None:
    renderer.may_render = True


async def test_rendered_document_has_its_initial_state_and_complete_head(
    browser: httpx.AsyncClient,
) -> None:
    answer = await browser.get("/product/oso")
    assert answer.status_code == 200
    assert "<main>/product/oso</main>" in answer.text
    head, _, body = answer.text.partition("</head>")
    assert "<title>" not in head  # the page's components render it
    assert 'property="og:url"' in head
    assert 'type="application/ld+json"' in head
    assert (
        body.index("</main>")
        < body.index(f'<template id="{INITIAL_STATE_ID}"')
        < body.index('<script type="module"')
    )


async def test_unchanged_document_is_neither_rendered_nor_sent_again(
    browser: httpx.AsyncClient, renderer: FakeRenderer
) -> None:
    first = await browser.get("/product/oso")
    again = await browser.get("/product/oso", headers={"if-none-match": f'"other", {first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["content-security-policy"] == first.headers["content-security-policy"]
    assert renderer.rendered == ["/product/oso"]


async def test_new_price_is_in_the_next_document(
    browser: httpx.AsyncClient, toyshop: Shop, renderer: FakeRenderer
) -> None:
    first = await browser.get("/product/oso")
    async with toyshop.database.transaction() as session:
        variant = (await session.execute(select(Variant).where(Variant.sku == "SKU-oso"))).scalar_one()
        variant.price = 12_345
    second = await browser.get("/product/oso", headers={"if-none-match": first.headers["etag"]})
    assert second.status_code == 200
    assert "12.345" in second.text
    assert "12.345" not in first.text
    assert len(renderer.rendered) == 2


async def test_unknown_urls_share_one_rendered_document(
    browser: httpx.AsyncClient, renderer: FakeRenderer
) -> None:
    answers = [await browser.get(path) for path in ("/no", "/no/where", "/%FF")]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.text for answer in answers}) == 1
    assert renderer.rendered == ["/404"]


async def test_error_document_is_sent_completely_even_if_the_browser_has_it(
    browser: httpx.AsyncClient,
) -> None:
    first = await browser.get("/product/nada")
    again = await browser.get("/product/nada", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.text) == (404, first.text)


async def test_rendering_that_was_too_late_is_cached_for_the_next_request(
    browser: httpx.AsyncClient, renderer: FakeRenderer
) -> None:
    renderer.seconds = DEADLINE * 2
    late = await browser.get("/product/nada")
    assert late.status_code == 404
    assert "<main>" not in late.text
    assert "Este producto no existe</h1>" in late.text
    assert "etag" not in late.headers
    assert INITIAL_STATE_ID in late.text
    await asyncio.sleep(DEADLINE * 2)
    assert "<main>" in (await browser.get("/product/nada")).text
    assert len(renderer.rendered) == 1


async def test_concurrent_requests_of_a_page_share_one_rendering(
    browser: httpx.AsyncClient, renderer: FakeRenderer
) -> None:
    renderer.seconds = DEADLINE / 5
    answers = await asyncio.gather(*(browser.get("/catalog") for _ in range(20)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1
    assert len(renderer.rendered) == 1


async def test_script_in_rendered_data_is_not_allowed_by_the_security_policy(
    browser: httpx.AsyncClient, renderer: FakeRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    careless = renderer.render

    async def render(url: str, initial_state: bytes, *, is_patient: bool = False) -> str:
        html = await careless(url, initial_state, is_patient=is_patient)
        return html if initial_state == b"{}" else html.replace("</main>", "<script>steal()</script></main>")

    monkeypatch.setattr(renderer, "render", render)
    harmed, whole = await browser.get("/product/oso"), await browser.get("/product/trompo")
    assert "<script>steal()</script>" in harmed.text
    scripts = harmed.headers["content-security-policy"].split("script-src ")[1].split(";")[0]
    assert scripts.count("sha256-") == 2  # the shell's scripts
    assert harmed.headers["content-security-policy"] == whole.headers["content-security-policy"]


async def test_log_about_a_page_that_was_not_rendered_contains_no_token(
    browser: httpx.AsyncClient, renderer: FakeRenderer, caplog: pytest.LogCaptureFixture
) -> None:
    renderer.may_render = False
    with caplog.at_level("INFO", "storefront"):
        await browser.get(
            "/order/order_01ARZ3NDEKTSV4RRFFQ69G5FAV?token=s3cret", headers={"accept": "text/html"}
        )
        await browser.get("/catalog?q=peluche")
    assert "was not rendered" in caplog.text
    assert "s3cret" not in caplog.text
    assert "peluche" not in caplog.text
