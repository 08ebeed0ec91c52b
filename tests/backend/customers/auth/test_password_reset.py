"""A link for a new password: good once, for an hour, for its own account."""

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
from backend.customers.auth.accounts import LinkUsed, create_customer, locked_account, set_password
from backend.customers.auth.password_reset import new_reset_token, use_reset_token
from backend.customers.auth.sessions import COOKIE, customer_of
from backend.customers.models import Customer, Login, ResetLink
from backend.edge.auth.bearer_tokens import CUSTOMER, TokenOwner
from backend.jobs import Worker
from backend.mail.mailer import Mailer
from tests.backend.customers.conftest import ANA, NewBrowser
from tests.backend.mail.conftest import Inbox
from tests.backend.rivals import overtaken

NEW = "una clave nueva"


async def a_link(shop: Shop, address: str = ANA["email"]) -> str:
    async with shop.database.transaction() as session:
        token = await new_reset_token(session, address)
    assert token is not None
    return token


async def test_a_link_changes_the_password_once(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop
) -> None:
    token, old = await a_link(shop), ana.cookies[COOKIE]
    browser = new_browser()
    assert (
        await browser.post("/auth/account/reset", json={"token": token, "password": NEW})
    ).status_code == 200
    async with shop.database.read() as session:
        signed_in = await customer_of(session, browser.cookies[COOKIE])
        assert signed_in is not None
        assert signed_in.email == ANA["email"]
        assert await customer_of(session, old) is None  # everything else is signed out
    again = await new_browser().post(
        "/auth/account/reset", json={"token": token, "password": "otra más larga"}
    )
    assert again.status_code == 400
    assert "set-cookie" not in again.headers
    login = {"email": ANA["email"], "password": NEW}
    assert (await new_browser().post("/auth/account/login", json=login)).status_code == 200


async def test_a_program_changes_the_password_by_the_links_token(
    ana: httpx.AsyncClient, anyone: httpx.AsyncClient, shop: Shop
) -> None:
    """wire: commerce-api, Customers and auth: the platform's SDK sends the token as a bearer token."""
    asked = {"identifier": ANA["email"]}
    assert (await anyone.post("/auth/customer/emailpass/reset-password", json=asked)).status_code == 201
    token, old = await a_link(shop), ana.cookies[COOKIE]

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
        assert await customer_of(session, old) is None
    login = {"email": ANA["email"], "password": NEW}
    assert (await anyone.post("/auth/customer/emailpass", json=login)).status_code == 200
    old_one = {**login, "password": ANA["password"]}
    assert (await anyone.post("/auth/customer/emailpass", json=old_one)).status_code == 401


async def test_used_at_the_same_moment_it_works_once(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop
) -> None:
    token = await a_link(shop)
    answers = await asyncio.gather(
        *(
            new_browser().post("/auth/account/reset", json={"token": token, "password": f"{NEW} {n}"})
            for n in range(4)
        )
    )
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]


async def test_using_one_link_ends_the_others(ana: httpx.AsyncClient, shop: Shop) -> None:
    first, second = await a_link(shop), await a_link(shop)
    await ana.post("/auth/account/reset", json={"token": second, "password": NEW})
    assert (await ana.post("/auth/account/reset", json={"token": first, "password": NEW})).status_code == 400


async def test_a_link_is_over_after_an_hour(ana: httpx.AsyncClient, shop: Shop) -> None:
    token = await a_link(shop)
    async with shop.database.transaction() as session:
        await session.execute(update(ResetLink).values(expires_at=now() - timedelta(seconds=1)))
    assert (await ana.post("/auth/account/reset", json={"token": token, "password": NEW})).status_code == 400


async def test_a_password_that_is_no_good_does_not_use_the_link(ana: httpx.AsyncClient, shop: Shop) -> None:
    token = await a_link(shop)
    answer = await ana.post("/auth/account/reset", json={"token": token, "password": "corta"})
    assert list(answer.json()["fields"]) == ["password"]
    assert (await ana.post("/auth/account/reset", json={"token": token, "password": NEW})).status_code == 200


async def test_what_the_table_holds_opens_nothing(ana: httpx.AsyncClient, shop: Shop) -> None:
    await a_link(shop)
    async with shop.database.read() as session:
        kept = (await session.execute(select(ResetLink.token_hash))).scalar_one()
    for token in (kept, "", "forged"):
        assert (
            await ana.post("/auth/account/reset", json={"token": token, "password": NEW})
        ).status_code == 400


async def test_nobodys_address_gets_no_link(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        assert await new_reset_token(session, "no@example.com") is None


async def test_a_changed_password_ends_the_links_that_are_out(ana: httpx.AsyncClient, shop: Shop) -> None:
    token = await a_link(shop)
    changed = {"password": ANA["password"], "new_password": NEW}
    assert (await ana.post("/auth/account/password", json=changed)).status_code == 200
    late = {"token": token, "password": "otra más larga"}
    assert (await ana.post("/auth/account/reset", json=late)).status_code == 400
    login = {"email": ANA["email"], "password": NEW}
    assert (await ana.post("/auth/account/login", json=login)).status_code == 200


async def test_a_link_overtakes_who_proved_the_password_before(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody knows the old password, and changes it at the moment in which its owner chooses another."""
    token = await a_link(shop)
    prove = accounts.prove

    async def prove_and_be_overtaken(*proof: Any, **visitor: Any) -> Login:
        proved = await prove(*proof, **visitor)
        await use_reset_token(shop.database, token, NEW)
        return proved

    monkeypatch.setattr(accounts, "prove", prove_and_be_overtaken)
    changed = {"password": ANA["password"], "new_password": "otra más larga"}
    answer = await ana.post("/auth/account/password", json=changed)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["password"])
    monkeypatch.undo()
    login = {"email": ANA["email"], "password": NEW}
    assert (await new_browser().post("/auth/account/login", json=login)).status_code == 200


async def test_a_link_waits_for_a_change_that_has_begun(ana: httpx.AsyncClient, shop: Shop) -> None:
    token = await a_link(shop)
    hashed = await hash_password(NEW)

    async def rival(session: AsyncSession) -> None:
        (customer,) = (await session.execute(select(Customer))).scalars()
        await set_password(session, customer, hashed)

    async def act() -> None:
        with pytest.raises(LinkUsed):
            await use_reset_token(shop.database, token, "otra más larga")

    await overtaken(shop.database, rival, act)
    login = {"email": ANA["email"], "password": NEW}
    assert (await ana.post("/auth/account/login", json=login)).status_code == 200


async def test_a_program_that_makes_the_customer_waits_for_a_new_password_and_holds_nothing_up(
    shop: Shop,
) -> None:
    """A program began a login for the address of an account that was made with Google."""
    login = Login(provider="emailpass", subject=ANA["email"], password_hash="x")
    ana, hashed = Customer(email=ANA["email"]), await hash_password(NEW)
    async with shop.database.transaction() as session:
        session.add_all([login, ana])

    async def rival(session: AsyncSession) -> None:
        assert await locked_account(session, ana.id) is not None

    async def go_on(session: AsyncSession) -> None:
        await set_password(session, await session.get_one(Customer, ana.id), hashed)

    async def act() -> None:
        with pytest.raises(Duplicate):
            await create_customer(shop.database, TokenOwner("", CUSTOMER, login.id), ana.email, {})

    await overtaken(shop.database, rival, act, meanwhile=go_on)
    async with shop.database.read() as session:
        assert (await session.execute(select(Login.customer_id))).scalars().all() == [ana.id]


async def test_a_link_whose_use_failed_stays_good(
    ana: httpx.AsyncClient, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = await a_link(shop)

    async def fails(*_arguments: object) -> None:
        raise RuntimeError("the database is gone")

    monkeypatch.setattr(accounts, "close_all", fails)
    with pytest.raises(RuntimeError):
        await use_reset_token(shop.database, token, NEW)
    monkeypatch.undo()
    assert await use_reset_token(shop.database, token, NEW)


async def test_a_link_that_was_asked_for_before_a_new_password_is_not_sent(
    ana: httpx.AsyncClient, shop: Shop
) -> None:
    """Somebody who can read Ana's mail asks for a link, and the mail server is away until she has another password."""
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


async def test_a_mail_that_is_being_written_waits_for_a_new_password_that_has_begun(
    ana: httpx.AsyncClient, shop: Shop
) -> None:
    inbox = Inbox()
    worker = Worker(shop.database, [Mailer(shop.database, shop.settings, inbox)])
    await ana.post("/auth/account/forgot", json={"email": ANA["email"]})

    async def rival(session: AsyncSession) -> None:
        (customer,) = (await session.execute(select(Customer))).scalars()
        await set_password(session, customer, "a hash")

    await overtaken(shop.database, rival, worker.run_due)
    assert inbox.subjects() == ["Cambió tu contraseña"]
    async with shop.database.read() as session:
        assert (await session.execute(select(ResetLink))).first() is None


async def test_changes_of_a_password_have_a_limit(ana: httpx.AsyncClient, shop: Shop) -> None:
    """Each is reported by mail to an address that its owner need not have proved."""
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
