"""Links for a new password: valid once, for an hour, and for one account."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.core.clock import now
from backend.core.errors import Duplicate
from backend.core.web.passwords import hash_password
from backend.customers.auth import accounts
from backend.customers.auth.accounts import InvalidResetLink, create_customer, lock_account, set_password
from backend.customers.auth.password_reset import create_reset_token, use_reset_token
from backend.customers.auth.sessions import COOKIE, find_session_customer
from backend.customers.models import Customer, Login, ResetLink
from backend.edge.auth.bearer_tokens import CUSTOMER, TokenOwner
from backend.jobs import Worker
from backend.mail.mailer import Mailer
from tests.backend.customers.conftest import ANA, NewBrowser
from tests.backend.mail.conftest import Inbox
from tests.backend.rivals import run_against_rival

NEW = "una clave nueva"


async def create_link(shop: Shop, address: str = ANA["email"]) -> str:
    async with shop.database.transaction() as session:
        token = await create_reset_token(session, address)
    assert token is not None
    return token


async def test_reset_link_changes_the_password_only_once(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop
) -> None:
    token, old = await create_link(shop), ana.cookies[COOKIE]
    browser = new_browser()
    assert (
        await browser.post("/auth/account/reset", json={"token": token, "password": NEW})
    ).status_code == 200
    async with shop.database.read() as session:
        signed_in = await find_session_customer(session, browser.cookies[COOKIE])
        assert signed_in is not None
        assert signed_in.email == ANA["email"]
        assert await find_session_customer(session, old) is None  # everything else is signed out
    again = await new_browser().post(
        "/auth/account/reset", json={"token": token, "password": "otra más larga"}
    )
    assert again.status_code == 400
    assert "set-cookie" not in again.headers
    login = {"email": ANA["email"], "password": NEW}
    assert (await new_browser().post("/auth/account/login", json=login)).status_code == 200


async def test_api_client_changes_the_password_with_the_token_of_the_reset_link(
    ana: httpx.AsyncClient, anyone: httpx.AsyncClient, shop: Shop
) -> None:
    """Send the link's token as a bearer token, as the platform's SDK does (wire: commerce-api, Customers and auth)."""
    asked = {"identifier": ANA["email"]}
    assert (await anyone.post("/auth/customer/emailpass/reset-password", json=asked)).status_code == 201
    token, old = await create_link(shop), ana.cookies[COOKIE]

    async def update(bearer: str, password: str) -> tuple[int, str]:
        answer = await anyone.post(
            "/auth/customer/emailpass/update",
            json={"email": "luis@example.com", "password": password},
            headers={"authorization": f"Bearer {bearer}"} if bearer else {},
        )
        return answer.status_code, answer.text

    assert (await update(token, "corta"))[0] == 400
    for wrong in ("", "forged", token + "x"):
        assert await update(wrong, NEW) == (401, '{"type":"unauthorized","message":"Invalid token"}')
    assert await update(token, NEW) == (200, '{"success":true}')
    assert (await update(token, "otra más larga"))[0] == 401
    async with shop.database.read() as session:
        assert await find_session_customer(session, old) is None
    login = {"email": ANA["email"], "password": NEW}
    assert (await anyone.post("/auth/customer/emailpass", json=login)).status_code == 200
    old_one = {**login, "password": ANA["password"]}
    assert (await anyone.post("/auth/customer/emailpass", json=old_one)).status_code == 401


async def test_only_one_of_four_concurrent_uses_of_a_reset_link_succeeds(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop
) -> None:
    token = await create_link(shop)
    answers = await asyncio.gather(
        *(
            new_browser().post("/auth/account/reset", json={"token": token, "password": f"{NEW} {n}"})
            for n in range(4)
        )
    )
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]


async def test_used_reset_link_invalidates_the_other_links(ana: httpx.AsyncClient, shop: Shop) -> None:
    first, second = await create_link(shop), await create_link(shop)
    await ana.post("/auth/account/reset", json={"token": second, "password": NEW})
    assert (await ana.post("/auth/account/reset", json={"token": first, "password": NEW})).status_code == 400


async def test_reset_link_expires_after_an_hour(ana: httpx.AsyncClient, shop: Shop) -> None:
    token = await create_link(shop)
    async with shop.database.transaction() as session:
        await session.execute(update(ResetLink).values(expires_at=now() - timedelta(seconds=1)))
    assert (await ana.post("/auth/account/reset", json={"token": token, "password": NEW})).status_code == 400


async def test_reset_link_stays_valid_after_an_invalid_new_password(
    ana: httpx.AsyncClient, shop: Shop
) -> None:
    token = await create_link(shop)
    answer = await ana.post("/auth/account/reset", json={"token": token, "password": "corta"})
    assert list(answer.json()["fields"]) == ["password"]
    assert (await ana.post("/auth/account/reset", json={"token": token, "password": NEW})).status_code == 200


async def test_stored_hash_is_not_accepted_as_a_reset_token(ana: httpx.AsyncClient, shop: Shop) -> None:
    await create_link(shop)
    async with shop.database.read() as session:
        kept = (await session.execute(select(ResetLink.token_hash))).scalar_one()
    for token in (kept, "", "forged"):
        assert (
            await ana.post("/auth/account/reset", json={"token": token, "password": NEW})
        ).status_code == 400


async def test_email_address_without_an_account_gets_no_reset_link(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        assert await create_reset_token(session, "no@example.com") is None


async def test_password_change_invalidates_sent_reset_links(ana: httpx.AsyncClient, shop: Shop) -> None:
    token = await create_link(shop)
    changed = {"password": ANA["password"], "new_password": NEW}
    assert (await ana.post("/auth/account/password", json=changed)).status_code == 200
    late = {"token": token, "password": "otra más larga"}
    assert (await ana.post("/auth/account/reset", json=late)).status_code == 400
    login = {"email": ANA["email"], "password": NEW}
    assert (await ana.post("/auth/account/login", json=login)).status_code == 200


async def test_concurrent_password_change_does_not_replace_the_password_set_by_a_link(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Change the password as a stranger who knows the old one, while the owner chooses a new one by a link."""
    token = await create_link(shop)
    prove = accounts.authenticate

    async def prove_and_be_overtaken(*proof: Any, **visitor: Any) -> Login:
        proved = await prove(*proof, **visitor)
        await use_reset_token(shop.database, token, NEW)
        return proved

    monkeypatch.setattr(accounts, "authenticate", prove_and_be_overtaken)
    changed = {"password": ANA["password"], "new_password": "otra más larga"}
    answer = await ana.post("/auth/account/password", json=changed)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["password"])
    monkeypatch.undo()
    login = {"email": ANA["email"], "password": NEW}
    assert (await new_browser().post("/auth/account/login", json=login)).status_code == 200


async def test_reset_link_used_during_a_password_change_is_refused(
    ana: httpx.AsyncClient, shop: Shop
) -> None:
    token = await create_link(shop)
    hashed = await hash_password(NEW)

    async def rival(session: AsyncSession) -> None:
        (customer,) = (await session.execute(select(Customer))).scalars()
        await set_password(session, customer, hashed)

    async def act() -> None:
        with pytest.raises(InvalidResetLink):
            await use_reset_token(shop.database, token, "otra más larga")

    await run_against_rival(shop.database, rival, act)
    login = {"email": ANA["email"], "password": NEW}
    assert (await ana.post("/auth/account/login", json=login)).status_code == 200


async def test_customer_creation_waits_for_a_new_password_without_deadlock(
    shop: Shop,
) -> None:
    """Create a customer for a login while an account with the same address takes the login with its new password."""
    login = Login(provider="emailpass", subject=ANA["email"], password_hash="x")
    ana, hashed = Customer(email=ANA["email"]), await hash_password(NEW)
    async with shop.database.transaction() as session:
        session.add_all([login, ana])

    async def rival(session: AsyncSession) -> None:
        assert await lock_account(session, ana.id) is not None

    async def go_on(session: AsyncSession) -> None:
        await set_password(session, await session.get_one(Customer, ana.id), hashed)

    async def act() -> None:
        with pytest.raises(Duplicate):
            await create_customer(shop.database, TokenOwner("", CUSTOMER, login.id), ana.email, {})

    await run_against_rival(shop.database, rival, act, while_waiting=go_on)
    async with shop.database.read() as session:
        assert (await session.execute(select(Login.customer_id))).scalars().all() == [ana.id]


async def test_reset_link_stays_valid_after_a_failed_use(
    ana: httpx.AsyncClient, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = await create_link(shop)

    async def fails(*_arguments: object) -> None:
        raise RuntimeError("the database is gone")

    monkeypatch.setattr(accounts, "close_all", fails)
    with pytest.raises(RuntimeError):
        await use_reset_token(shop.database, token, NEW)
    monkeypatch.undo()
    assert await use_reset_token(shop.database, token, NEW)


async def test_reset_link_requested_before_a_new_password_is_not_sent(
    ana: httpx.AsyncClient, shop: Shop
) -> None:
    """Request a link as a stranger who can read Ana's mail, while the mail server is unavailable."""
    inbox = Inbox()
    worker = Worker(shop.database, [Mailer(shop.database, shop.settings, inbox)])
    asked = {"email": ANA["email"]}
    assert (await ana.post("/auth/account/forgot", json=asked)).status_code == 200
    changed = {"password": ANA["password"], "new_password": NEW}
    assert (await ana.post("/auth/account/password", json=changed)).status_code == 200
    await worker.run_due()
    assert inbox.subjects() == ["Cambió tu contraseña"]
    assert (await ana.post("/auth/account/forgot", json=asked)).status_code == 200
    await worker.run_due()
    assert inbox.subjects() == ["Cambió tu contraseña", "Cambia tu contraseña"]


async def test_reset_mail_waiting_for_a_password_change_is_not_sent(
    ana: httpx.AsyncClient, shop: Shop
) -> None:
    inbox = Inbox()
    worker = Worker(shop.database, [Mailer(shop.database, shop.settings, inbox)])
    await ana.post("/auth/account/forgot", json={"email": ANA["email"]})

    async def rival(session: AsyncSession) -> None:
        (customer,) = (await session.execute(select(Customer))).scalars()
        await set_password(session, customer, "a hash")

    await run_against_rival(shop.database, rival, worker.run_due)
    assert inbox.subjects() == ["Cambió tu contraseña"]
    async with shop.database.read() as session:
        assert (await session.execute(select(ResetLink))).first() is None


async def test_number_of_password_changes_is_limited(ana: httpx.AsyncClient, shop: Shop) -> None:
    """Check the limit: each change sends a mail to an address that may be unverified."""
    inbox = Inbox()
    worker = Worker(shop.database, [Mailer(shop.database, shop.settings, inbox)])
    statuses = []
    current = ANA["password"]
    for number in range(7):
        new = f"{NEW} {number}"
        answer = await ana.post("/auth/account/password", json={"password": current, "new_password": new})
        statuses.append(answer.status_code)
        current = new if answer.status_code == 200 else current
        await worker.run_due()
    assert statuses == [200] * 5 + [429] * 2
    assert inbox.subjects() == ["Cambió tu contraseña"] * 5
