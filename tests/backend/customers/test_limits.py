"""Guessing: who tries too often has to wait, and nobody learns who has an account."""

import httpx
import pytest

from backend.app import Shop
from backend.customers import passwords
from backend.customers.accounts import WrongPassword, prove
from tests.backend.customers.conftest import ANA, NewBrowser


async def test_known_and_unknown_addresses_get_the_same_answer(
    ana: httpx.AsyncClient, new_browser: NewBrowser
) -> None:
    browser = new_browser()
    known = await browser.post("/auth/account/login", json={"email": ANA["email"], "password": "no es esta"})
    unknown = await browser.post(
        "/auth/account/login", json={"email": "no@example.com", "password": "no es esta"}
    )
    assert (
        (known.status_code, known.content) == (unknown.status_code, unknown.content) == (401, known.content)
    )
    asked = [
        await browser.post("/auth/account/forgot", json={"email": email})
        for email in (ANA["email"], "no@example.com")
    ]
    assert [(answer.status_code, answer.content) for answer in asked] == [(200, b"{}")] * 2


async def test_an_unknown_address_costs_a_hash_too(
    ana: httpx.AsyncClient, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is the same because the work is: one verification, and as many statements."""
    verified: list[bool] = []
    verify = passwords._verify

    def counted(password: str, kept: str | None) -> bool:
        verified.append(kept is not None)
        return verify(password, kept)

    monkeypatch.setattr(passwords, "_verify", counted)
    for email in (ANA["email"], "no@example.com"):
        with pytest.raises(WrongPassword):
            await prove(shop.database, email, "no es esta", client="::1")
    assert verified == [True, False]


async def test_registering_a_taken_address_hashes_and_changes_nothing(
    ana: httpx.AsyncClient, new_browser: NewBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed = []
    hash_password = passwords.hash_password

    async def counted(password: str) -> str:
        hashed.append(password)
        return await hash_password(password)

    monkeypatch.setattr("backend.customers.accounts.hash_password", counted)
    browser = new_browser()
    answer = await browser.post("/auth/account/register", json={**ANA, "password": "la de mallory"})
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == ["email"]
    assert "set-cookie" not in answer.headers
    assert hashed == ["la de mallory"]
    login = {"email": ANA["email"], "password": "la de mallory"}
    assert (await browser.post("/auth/account/login", json=login)).status_code == 401


async def test_one_client_guesses_five_times_at_an_address(
    ana: httpx.AsyncClient, new_browser: NewBrowser
) -> None:
    mallory = new_browser("190.24.1.9")
    tries = [
        (
            await mallory.post("/auth/account/login", json={"email": ANA["email"], "password": f"clave {n}"})
        ).status_code
        for n in range(7)
    ]
    assert tries == [401] * 5 + [429] * 2
    right = {"email": ANA["email"], "password": ANA["password"]}
    assert (await mallory.post("/auth/account/login", json=right)).status_code == 429
    assert (await ana.post("/auth/account/login", json=right)).status_code == 200  # Ana herself gets in


async def test_one_client_guesses_at_no_more_than_twenty_addresses(new_browser: NewBrowser) -> None:
    mallory = new_browser()
    tries = [
        (
            await mallory.post(
                "/auth/account/login", json={"email": f"a{n}@example.com", "password": "12345678"}
            )
        ).status_code
        for n in range(21)
    ]
    assert tries == [401] * 20 + [429]


@pytest.mark.parametrize(("action", "most"), [("forgot", 3), ("register", 5)])
async def test_the_other_forms_have_limits_too(new_browser: NewBrowser, action: str, most: int) -> None:
    mallory = new_browser()
    typed = {**ANA, "email": "x@example.com"}
    statuses = [
        (await mallory.post(f"/auth/account/{action}", json=typed)).status_code for _ in range(most + 1)
    ]
    assert statuses[-1] == 429
    assert 429 not in statuses[:-1]
