"""Guessing: too many attempts are refused, and no answer reveals whether an account exists.

Known and unknown addresses take the same time, because the same work is done for both. The tests count work instead
of measuring time: hashed and verified passwords, SQL statements and their order, and requested mails.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from sqlalchemy import event, func, select

from backend.app import Shop
from backend.core.web import passwords
from backend.customers.auth.accounts import LOGINS
from backend.customers.models import Customer, Login
from backend.mail.models import Mail
from tests.backend.customers.conftest import ANA, NewBrowser


async def test_known_and_unknown_email_addresses_get_the_same_answer(
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


async def test_registration_with_a_taken_email_computes_a_hash_but_changes_nothing(
    ana: httpx.AsyncClient, new_browser: NewBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed = []
    hash_password = passwords.hash_password

    async def counted(password: str) -> str:
        hashed.append(password)
        return await hash_password(password)

    monkeypatch.setattr("backend.customers.auth.accounts.hash_password", counted)
    browser = new_browser()
    answer = await browser.post("/auth/account/register", json={**ANA, "password": "la de mallory"})
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == ["email"]
    assert "set-cookie" not in answer.headers
    assert hashed == ["la de mallory"]
    login = {"email": ANA["email"], "password": "la de mallory"}
    assert (await browser.post("/auth/account/login", json=login)).status_code == 401


async def test_client_can_try_five_passwords_for_one_email_address(
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


async def test_login_attempts_of_a_client_are_limited_over_all_email_addresses(
    new_browser: NewBrowser,
) -> None:
    mallory = new_browser()
    tries = [
        (
            await mallory.post(
                "/auth/account/login", json={"email": f"a{n}@example.com", "password": "12345678"}
            )
        ).status_code
        for n in range(LOGINS.per_client + 1)
    ]
    assert tries == [401] * LOGINS.per_client + [429]


@pytest.mark.parametrize(("action", "most"), [("forgot", 3), ("register", 5)])
async def test_reset_and_registration_forms_are_limited_per_client(
    new_browser: NewBrowser, action: str, most: int
) -> None:
    mallory = new_browser()
    typed = {**ANA, "email": "x@example.com"}
    statuses = [
        (await mallory.post(f"/auth/account/{action}", json=typed)).status_code for _ in range(most + 1)
    ]
    assert statuses[-1] == 429
    assert 429 not in statuses[:-1]


KNOWN, UNKNOWN, BY_GOOGLE = ANA["email"], "no@example.com", "google@example.com"


@dataclass
class RequestCost:
    """Numbers of hashed and verified passwords, and the SQL statements, of one request."""

    hashed: int = 0
    verified: int = 0
    statements: list[str] = field(default_factory=list)


@pytest.fixture
async def work(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RequestCost]:
    """Yield the counts of hashes, verifications and statements. A test resets them before each request."""
    work, hasher = RequestCost(), passwords.HASHER
    await passwords.is_password("x", None)  # the first check also makes the hash that unknown addresses need

    class Counting:
        def hash(self, password: str) -> str:
            work.hashed += 1
            return hasher.hash(password)

        def verify(self, kept: str, password: str) -> bool:
            work.verified += 1
            return hasher.verify(kept, password)

    def record_statement(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        work.statements.append(statement)

    monkeypatch.setattr(passwords, "HASHER", Counting())
    engine = shop.database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", record_statement)
    yield work
    event.remove(engine, "before_cursor_execute", record_statement)


async def measure_cost(
    work: RequestCost, browser: httpx.AsyncClient, path: str, body: dict[str, str]
) -> tuple[RequestCost, bytes]:
    """Send a request; return its cost and the body of the response."""
    work.hashed, work.verified, work.statements = 0, 0, []
    answer = await browser.post(path, json=body)
    return RequestCost(work.hashed, work.verified, work.statements), answer.content


@pytest.fixture
async def google_account(shop: Shop) -> None:
    """Create an account without a password."""
    async with shop.database.transaction() as session:
        person = Customer(email=BY_GOOGLE)
        session.add(person)
        await session.flush()
        session.add(Login(provider="google", subject="77", customer_id=person.id))


@pytest.mark.parametrize("path", ["/auth/account/login", "/auth/customer/emailpass"])
@pytest.mark.usefixtures("ana", "google_account")
async def test_failed_logins_do_the_same_work_for_known_and_unknown_accounts(
    new_browser: NewBrowser, work: RequestCost, path: str
) -> None:
    costs = [
        await measure_cost(work, new_browser(), path, {"email": email, "password": "no es esta"})
        for email in (KNOWN, UNKNOWN, BY_GOOGLE)
    ]
    assert costs[0] == costs[1] == costs[2]
    assert (costs[0][0].verified, costs[0][0].hashed) == (1, 0)


@pytest.mark.parametrize(
    ("path", "name"),
    [("/auth/account/forgot", "email"), ("/auth/customer/emailpass/reset-password", "identifier")],
)
@pytest.mark.usefixtures("ana", "google_account")
async def test_reset_requests_do_the_same_work_for_known_and_unknown_accounts(
    new_browser: NewBrowser, shop: Shop, work: RequestCost, path: str, name: str
) -> None:
    costs = [
        await measure_cost(work, new_browser(), path, {name: email}) for email in (KNOWN, UNKNOWN, BY_GOOGLE)
    ]
    assert costs[0] == costs[1] == costs[2]
    assert (costs[0][0].verified, costs[0][0].hashed) == (0, 0)
    async with shop.database.read() as session:
        assert (await session.execute(select(func.count()).select_from(Mail))).scalar_one() == 3


@pytest.mark.parametrize("path", ["/auth/account/register", "/auth/customer/emailpass/register"])
@pytest.mark.usefixtures("ana", "google_account")
async def test_registrations_do_the_same_hashing_for_known_and_unknown_accounts(
    new_browser: NewBrowser, work: RequestCost, path: str
) -> None:
    """Compare only the slow work, because the answers differ: a registration signs in or reports an error."""
    for email in (KNOWN, UNKNOWN, BY_GOOGLE):
        spent, _ = await measure_cost(work, new_browser(), path, {**ANA, "email": email})
        assert (spent.hashed, spent.verified) == (1, 0)


@pytest.mark.usefixtures("ana")
async def test_invalid_registration_form_computes_no_hash(new_browser: NewBrowser, work: RequestCost) -> None:
    for email in (KNOWN, UNKNOWN):
        spent, _ = await measure_cost(
            work, new_browser(), "/auth/account/register", {**ANA, "email": email, "password": "x"}
        )
        assert spent == RequestCost()
