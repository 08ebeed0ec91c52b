"""Answers of the account's forms in English, over HTTP as a browser sends them."""

from collections.abc import AsyncIterator

import httpx
import pytest

from backend.app import Shop, create_api
from tests.backend.customers.conftest import ANA, SHOP
from tests.spanish import find_spanish
from tests.store_defaults import Defaults


@pytest.fixture
async def browser(shop: Shop, defaults: Defaults) -> AsyncIterator[httpx.AsyncClient]:
    """Yield an API client whose requests have the origin of the shop's own pages."""
    transport = httpx.ASGITransport(create_api(shop), client=("190.24.1.1", 50_000))
    async with httpx.AsyncClient(transport=transport, base_url=SHOP, headers={"origin": SHOP}) as browser:
        yield browser


async def test_form_answers_have_no_spanish(browser: httpx.AsyncClient) -> None:
    answers = []
    steps = [
        ("register", {}, 400),
        (
            "register",
            {"email": "ana@", "password": "short", "first_name": "x" * 300, "last_name": "<b>"},
            400,
        ),
        ("register", {**ANA, "email": "x" * 300 + "@example.com"}, 400),
        ("register", ANA, 200),
        ("register", ANA, 400),
        ("login", {"email": ANA["email"], "password": "wrong"}, 401),
        ("password", {"password": "wrong", "new_password": "a long enough one"}, 400),
        ("password", {"password": ANA["password"], "new_password": "short"}, 400),
        ("forgot", {"email": "ana@"}, 400),
        ("reset", {"token": "no", "password": "a long enough one"}, 400),
        ("logout", {}, 200),
        ("password", {"password": ANA["password"], "new_password": "a long enough one"}, 401),
        *[("login", {"email": ANA["email"], "password": "wrong"}, 401)] * 4,
        ("login", {"email": ANA["email"], "password": "wrong"}, 429),
    ]
    for form, typed, status in steps:
        answer = await browser.post(f"/auth/account/{form}", json=typed)
        assert (form, answer.status_code) == (form, status), answer.text
        answers.append(answer.text)
    assert "Write your" in "".join(answers)
    assert find_spanish("\n".join(answers)) == []
