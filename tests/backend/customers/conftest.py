"""Browsers of shoppers with separate cookies."""

from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from fastapi import FastAPI

SHOP = "http://shop.test"
ANA = {
    "first_name": "Ana María",
    "last_name": "Gómez Peña",
    "email": "ana@example.com",
    "password": "trompos y yoyos",
    "consent_data": "on",
    "consent_terms": "on",
}
NewBrowser = Callable[..., httpx.AsyncClient]


@pytest.fixture
async def new_browser(api: FastAPI) -> AsyncIterator[NewBrowser]:
    """Return a factory of browsers: `new_browser(ip=…, origin=…)`."""
    opened: list[httpx.AsyncClient] = []

    def open_one(ip: str = "190.24.1.1", origin: str | None = SHOP) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(api, client=(ip, 50_000))
        headers = {} if origin is None else {"origin": origin}
        opened.append(httpx.AsyncClient(transport=transport, base_url=SHOP, headers=headers))
        return opened[-1]

    yield open_one
    for browser in opened:
        await browser.aclose()


@pytest.fixture
async def ana(new_browser: NewBrowser) -> httpx.AsyncClient:
    """Return Ana's browser after her registration."""
    browser = new_browser()
    answer = await browser.post("/auth/account/register", json=ANA)
    assert answer.status_code == 200, answer.text
    return browser
