"""Who waits longer for a rendering: those who have only what is sent, and no more of them than there is room for."""

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
def late(renderer: FakeRenderer) -> None:
    """A renderer that is late for whoever does not wait."""
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
async def test_who_cannot_draw_the_page_waits_for_it(
    browser: httpx.AsyncClient, agent: str, waits: bool
) -> None:
    answer = await browser.get("/product/oso", headers={"user-agent": agent})
    assert ("<main>" in answer.text) is waits
    assert ("data-stand-in" in answer.text) is not waits


async def test_a_browser_whose_scripts_are_off_is_known_from_its_second_document_on(
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


async def test_there_is_an_end_to_waiting(
    browser: httpx.AsyncClient, renderer: FakeRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render_cache, "PATIENCE", 1.5 * DEADLINE)
    answer = await browser.get("/product/oso", headers={"user-agent": "curl/8"})
    assert answer.status_code == 200
    assert "data-stand-in" in answer.text
    assert renderer.patient == [True]


async def test_no_more_wait_than_there_is_room_for(
    browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render_cache, "MOST_PATIENT", 2)
    answers = await asyncio.gather(
        *(browser.get(f"/catalog?q={word}", headers={"user-agent": "curl/8"}) for word in ("a", "b", "c"))
    )
    assert sorted("<main>" in answer.text for answer in answers) == [False, True, True]


async def test_everybody_waits_for_a_renderer_that_starts_after_a_rest(
    browser: httpx.AsyncClient, renderer: FakeRenderer
) -> None:
    renderer.is_waking = True
    assert "<main>" in (await browser.get("/product/oso")).text
    assert renderer.patient == [True]


async def test_whoever_is_signed_in_waits_for_it_too(
    browser: httpx.AsyncClient, renderer: FakeRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def state(*_: object) -> bytes:
        return b'{"x":1}'

    monkeypatch.setattr(app, "first_state", state)
    monkeypatch.setattr(render_cache, "PERSONAL_DEADLINE", DEADLINE)
    path = "/oficina/pedidos?q=ana"
    assert "ana" not in (await browser.get(path)).text  # late, so it is the document of everybody
    renderer.is_waking = True
    assert f"<main>{path}</main>" in (await browser.get(path)).text
    assert renderer.patient == [False, True]


async def test_a_stored_document_wakes_the_renderer_for_the_next(
    browser: httpx.AsyncClient, renderer: FakeRenderer
) -> None:
    renderer.seconds = 0
    for times in (1, 2):
        await browser.get("/product/oso")
        assert renderer.woken == times
    assert len(renderer.rendered) == 1
