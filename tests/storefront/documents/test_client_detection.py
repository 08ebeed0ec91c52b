"""Clients that need a rendered document wait longer for it, up to a limit of waiting clients."""

import asyncio

import httpx
import pytest

from storefront.documents import app, render_cache
from storefront.documents.client_detection import COOKIE, WITHOUT_SCRIPTS
from storefront.documents.render_cache import DEADLINE
from tests.storefront.documents.conftest import BROWSER, FakeRenderer

PHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 "
    "Mobile/15E148 Safari/604.1"
)


@pytest.fixture(autouse=True)
def late_renderer(renderer: FakeRenderer) -> None:
    """Make rendering take twice `DEADLINE`, so that only patient clients get the rendered document."""
    renderer.may_render = True
    renderer.seconds = 2 * DEADLINE


@pytest.mark.parametrize(
    ("agent", "waits"),
    [
        (BROWSER["user-agent"], False),
        (PHONE, False),
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", True),
        ("Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", True),
        ("facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", True),
        ("WhatsApp/2.23.20.0", True),
        ("Lynx/2.9.0dev.12 libwww-FM/2.14 SSL-MM/1.4.1", True),
        ("curl/8.5.0", True),
        ("", True),
    ],
)
async def test_client_without_scripts_waits_for_the_rendering(
    browser: httpx.AsyncClient, agent: str, waits: bool
) -> None:
    answer = await browser.get("/product/oso", headers={"user-agent": agent})
    assert ("<main>" in answer.text) is waits
    assert ("data-stand-in" in answer.text) is not waits


async def test_browser_without_scripts_is_recognised_at_its_second_request(
    browser: httpx.AsyncClient,
) -> None:
    first = await browser.get("/product/oso")
    assert f'<noscript><img src="{WITHOUT_SCRIPTS}"' in first.text
    answer = await browser.get(WITHOUT_SCRIPTS)
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["set-cookie"] == (
        f"__Host-{COOKIE}=1; Path=/; Max-Age=86400; SameSite=Lax; HttpOnly; Secure"
    )
    assert "<main>" in (await browser.get("/product/trompo")).text


async def test_wait_for_the_rendering_has_a_timeout(
    browser: httpx.AsyncClient, renderer: FakeRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render_cache, "PATIENT_TIMEOUT_S", 1.5 * DEADLINE)
    answer = await browser.get("/product/oso", headers={"user-agent": "curl/8"})
    assert answer.status_code == 200
    assert "data-stand-in" in answer.text
    assert renderer.patient == [True]


async def test_number_of_clients_waiting_for_a_rendering_is_limited(
    browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render_cache, "MAX_PATIENT_CLIENTS", 2)
    answers = await asyncio.gather(
        *(browser.get(f"/catalog?q={word}", headers={"user-agent": "curl/8"}) for word in ("a", "b", "c"))
    )
    assert sorted("<main>" in answer.text for answer in answers) == [False, True, True]


async def test_every_client_waits_for_a_renderer_that_starts_after_idle_time(
    browser: httpx.AsyncClient, renderer: FakeRenderer
) -> None:
    renderer.is_waking = True
    assert "<main>" in (await browser.get("/product/oso")).text
    assert renderer.patient == [True]


async def test_office_document_waits_for_a_renderer_that_starts(
    browser: httpx.AsyncClient, renderer: FakeRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def state(*_: object) -> bytes:
        return b'{"x":1}'

    monkeypatch.setattr(app, "first_state", state)
    monkeypatch.setattr(render_cache, "PERSONAL_DEADLINE", DEADLINE)
    path = "/oficina/pedidos?q=ana"
    assert "ana" not in (await browser.get(path)).text  # late, so it is the public document
    renderer.is_waking = True
    assert f"<main>{path}</main>" in (await browser.get(path)).text
    assert renderer.patient == [False, True]


async def test_request_for_a_cached_document_starts_an_idle_renderer(
    browser: httpx.AsyncClient, renderer: FakeRenderer
) -> None:
    renderer.seconds = 0
    for times in (1, 2):
        await browser.get("/product/oso")
        assert renderer.woken == times
    assert len(renderer.rendered) == 1
