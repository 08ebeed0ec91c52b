"""Attacks do not lock out owners: wrong attempts of strangers neither block known devices nor fill a mailbox."""

from dataclasses import replace

import httpx
import pytest
from fastapi import FastAPI
from httpx import Response
from sqlalchemy import delete, func, select

from backend.app import Shop
from backend.core.web.passwords import hash_token
from backend.customers.auth import accounts
from backend.customers.auth.password_reset import RESETS
from backend.customers.auth.sessions import COOKIE as SESSION
from backend.customers.models import CustomerSession, Login, ResetLink
from backend.edge.auth.devices import COOKIE, LIFETIME, MAX_ACCOUNTS
from backend.mail.models import Mail
from backend.rate_limit.models import RateLimitCounter
from backend.staff import signing_in
from backend.staff.models import Staff
from backend.staff.rights import COMMAND_LINE
from backend.staff.service import create_staff
from tests.backend.customers.conftest import ANA, NewBrowser

RIGHT = {"email": ANA["email"], "password": ANA["password"]}
WRONG = {"email": ANA["email"], "password": "no es esta"}
STAFF = {"email": "staff@trompo.example", "password": "una clave muy larga"}
FORM, PROGRAM, OFFICE = "/auth/account/login", "/auth/customer/emailpass", "/auth/user/emailpass"


LOGINS = replace(accounts.LOGINS, per_pair=2, per_subject=4)
"""The same bounds, reached sooner."""


@pytest.fixture(autouse=True)
def _few_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "LOGINS", LOGINS)
    of_staff = replace(LOGINS, kind=signing_in.STAFF_LOGINS.kind)
    monkeypatch.setattr(signing_in, "STAFF_LOGINS", of_staff)


async def exhaust_attempts(new_browser: NewBrowser, path: str, body: dict[str, str]) -> list[int]:
    """Use up the attempts, with wrong passwords from many IP addresses. Return the statuses of two more attempts."""
    answers: list[int] = []
    for n in range(LOGINS.per_subject // LOGINS.per_pair):
        stranger = new_browser(f"190.24.2.{n}")
        answers += [(await stranger.post(path, json=body)).status_code for _ in range(LOGINS.per_pair)]
    assert set(answers) == {401}
    stranger = new_browser("190.24.3.1")
    return [(await stranger.post(path, json=body)).status_code for _ in range(2)]


async def test_refused_login_attempts_of_a_stranger_do_not_lock_the_account(
    ana: httpx.AsyncClient, new_browser: NewBrowser
) -> None:
    mallory = new_browser("190.24.1.9")
    tries = [(await mallory.post(FORM, json=WRONG)).status_code for _ in range(LOGINS.per_subject + 2)]
    assert tries == [401] * LOGINS.per_pair + [429] * (len(tries) - LOGINS.per_pair)
    assert (await new_browser("190.24.1.8").post(FORM, json=RIGHT)).status_code == 200


@pytest.mark.parametrize("path", [FORM, PROGRAM])
async def test_distributed_guessing_is_limited_without_locking_out_the_account_owner(
    ana: httpx.AsyncClient, new_browser: NewBrowser, path: str
) -> None:
    await ana.post("/auth/account/logout")
    assert SESSION not in ana.cookies
    assert await exhaust_attempts(new_browser, path, WRONG) == [429, 429]
    assert (await ana.post(path, json=WRONG)).status_code == 401  # a mistake of Ana herself
    assert (await ana.post(path, json=RIGHT)).status_code == 200
    refused = await new_browser().post(FORM, json=RIGHT)  # the same IP address, but another device
    assert refused.status_code == 429
    assert "enlace" in refused.json()["message"]


async def test_login_attempts_on_a_known_device_are_limited_too(ana: httpx.AsyncClient) -> None:
    tries = [(await ana.post(FORM, json=WRONG)).status_code for _ in range(LOGINS.per_pair + 2)]
    assert tries == [401] * LOGINS.per_pair + [429] * 2


@pytest.mark.parametrize("office_path", [OFFICE, "/auth/staff/login"])
async def test_staff_can_sign_in_on_a_known_device_during_an_attack(
    shop: Shop, new_browser: NewBrowser, office_path: str
) -> None:
    await create_staff(shop.database, COMMAND_LINE, STAFF["email"], STAFF["password"])
    office, program = new_browser(), new_browser("190.24.1.2", origin=None)
    assert (await office.post(office_path, json=STAFF)).status_code == 200
    answer = await program.post(OFFICE, json=STAFF)
    assert (answer.status_code, "set-cookie" in answer.headers) == (200, False)
    assert await exhaust_attempts(new_browser, OFFICE, {**STAFF, "password": "adivina"}) == [429, 429]
    assert (await office.post(office_path, json=STAFF)).status_code == 200
    assert (await program.post(OFFICE, json=STAFF)).status_code == 429
    async with shop.database.transaction() as session:
        await session.execute(delete(Staff))  # the device of a deleted member is unknown
    assert (await office.post(office_path, json=STAFF)).status_code == 429


async def test_signed_in_customer_can_change_the_password_during_an_attack(
    ana: httpx.AsyncClient, new_browser: NewBrowser
) -> None:
    del ana.cookies[COOKIE]  # a browser that was signed in before devices were known
    await exhaust_attempts(new_browser, FORM, WRONG)
    change = {"password": ANA["password"], "new_password": "otra clave larga"}
    slip = await ana.post("/auth/account/password", json={**change, "password": "x"})
    assert slip.status_code == 400
    assert (await ana.post("/auth/account/password", json=change)).status_code == 200
    again = {**RIGHT, "password": "otra clave larga"}
    assert (await ana.post(FORM, json=again)).status_code == 200


async def test_new_password_makes_other_known_devices_unknown(
    ana: httpx.AsyncClient, new_browser: NewBrowser
) -> None:
    earlier = new_browser()
    assert (await earlier.post(FORM, json=RIGHT)).status_code == 200
    change = {"password": ANA["password"], "new_password": "otra clave larga"}
    assert (await ana.post("/auth/account/password", json=change)).status_code == 200
    await exhaust_attempts(new_browser, FORM, WRONG)
    right = {**RIGHT, "password": "otra clave larga"}
    assert (await earlier.post(FORM, json=right)).status_code == 429
    assert (await ana.post(FORM, json=right)).status_code == 200


# the device cookie


async def cookie_of(browser: httpx.AsyncClient, body: dict[str, str] = RIGHT) -> Response:
    return await browser.post(FORM, json=body)


async def test_device_cookie_is_http_only_and_gives_no_access(
    ana: httpx.AsyncClient, new_browser: NewBrowser
) -> None:
    answer = await cookie_of(ana)
    (header,) = (one for one in answer.headers.get_list("set-cookie") if one.startswith(COOKIE))
    attributes = header.lower()
    for part in ("httponly", "samesite=lax", "path=/auth", f"max-age={int(LIFETIME.total_seconds())}"):
        assert part in attributes
    assert ANA["email"] not in header
    other = new_browser()
    other.cookies.set(COOKIE, ana.cookies[COOKIE], domain="shop.test", path="/")
    other.cookies.set(SESSION, ana.cookies[COOKIE], domain="shop.test", path="/")
    bearer = {"authorization": f"Bearer {ana.cookies[COOKIE]}"}
    change = {"password": ANA["password"], "new_password": "otra clave larga"}
    assert (await other.post("/auth/account/password", json=change)).status_code == 401
    for path in ("/store/customers/me", "/admin/users/me"):
        assert (await other.get(path, headers=bearer)).status_code in (400, 401)


@pytest.mark.parametrize("change", ["forged", "of the other shop", "no cookie of ours"])
async def test_forged_cookie_does_not_make_a_device_known(
    ana: httpx.AsyncClient, new_browser: NewBrowser, change: str
) -> None:
    value = {
        "forged": ana.cookies[COOKIE][:-1] + "~",
        "of the other shop": "eyJhIjoiYiJ9.aaaaaa.bbbbbbbbbbbbbbbbbbbbbbbbbbb",
        "no cookie of ours": "ñ" * 3000,
    }[change]
    await exhaust_attempts(new_browser, FORM, WRONG)
    headers = {"cookie": f"{COOKIE}={value}".encode()}
    answer = await new_browser().post(FORM, json=RIGHT, headers=headers)  # type: ignore[arg-type]
    assert answer.status_code == 429


async def test_device_is_known_only_for_the_account_that_signed_in(
    ana: httpx.AsyncClient, new_browser: NewBrowser
) -> None:
    mallory = new_browser("190.24.1.9")
    answer = await mallory.post("/auth/account/register", json={**ANA, "email": "mallory@example.com"})
    assert answer.status_code == 200
    await exhaust_attempts(new_browser, FORM, WRONG)
    assert (await mallory.post(FORM, json=WRONG)).status_code == 429


async def test_shared_browser_is_a_known_device_only_of_its_newest_accounts(new_browser: NewBrowser) -> None:
    family = new_browser()
    people = [{**ANA, "email": f"a{n}@example.com"} for n in range(MAX_ACCOUNTS + 1)]
    for n, person in enumerate(people):  # registrations are counted by address
        other = new_browser(f"190.24.4.{n}")
        assert (await other.post("/auth/account/register", json=person)).status_code == 200
        answer = await family.post(FORM, json={"email": person["email"], "password": ANA["password"]})
        assert answer.status_code == 200
    first, last = people[0], people[-1]
    for person, status in ((first, 429), (last, 200), (people[1], 200)):
        right = {"email": person["email"], "password": ANA["password"]}
        await exhaust_attempts(new_browser, FORM, {**right, "password": "adivina"})
        assert (await family.post(FORM, json=right)).status_code == status


async def test_api_client_gets_no_device_cookie(ana: httpx.AsyncClient, new_browser: NewBrowser) -> None:
    answer = await new_browser(origin=None).post(PROGRAM, json=RIGHT)
    assert (answer.status_code, "set-cookie" in answer.headers) == (200, False)


# links for a new password


async def test_account_owner_on_a_known_device_gets_a_reset_link_during_an_attack(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop
) -> None:
    """Request reset links as strangers until the limit. The owner then gets a link only on a known device."""
    ask = {"email": ANA["email"]}
    for n in range(RESETS.per_subject):
        assert (await new_browser(f"190.24.2.{n}").post("/auth/account/forgot", json=ask)).status_code == 200
    async with shop.database.transaction() as session:  # mark the mails as sent
        await session.execute(delete(Mail))
    owner = new_browser("190.24.3.1")
    asked = [await owner.post("/auth/account/forgot", json=ask) for _ in range(RESETS.per_pair + 2)]
    assert {(answer.status_code, answer.content) for answer in asked} == {(200, b"{}")}
    assert await count_mails(shop) == 0  # no more mails to a mailbox that has links
    assert (await ana.post("/auth/account/forgot", json=ask)).status_code == 200
    assert await count_mails(shop) == 1  # a known device has a separate limit


async def count_mails(shop: Shop) -> int:
    async with shop.database.read() as session:
        return (await session.execute(select(func.count()).select_from(Mail))).scalar_one()


async def test_device_that_used_a_reset_link_becomes_known(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop
) -> None:
    await exhaust_attempts(new_browser, FORM, WRONG)
    async with shop.database.transaction() as session:
        owner = (await session.execute(select(CustomerSession.customer_id))).scalar_one()
        moment = (await session.execute(select(CustomerSession.expires_at))).scalar_one()
        session.add(ResetLink(token_hash=hash_token("of a mail"), customer_id=owner, expires_at=moment))
    telephone = new_browser("190.24.3.2")
    link = {"token": "of a mail", "password": "otra clave larga"}
    assert (await telephone.post("/auth/account/reset", json=link)).status_code == 200
    await telephone.post("/auth/account/logout")
    right = {**RIGHT, "password": "otra clave larga"}
    assert (await telephone.post(FORM, json=right)).status_code == 200


async def test_account_owner_can_register_after_many_registrations_by_strangers(
    new_browser: NewBrowser, shop: Shop
) -> None:
    program = {"email": ANA["email"], "password": "una clave de otra persona"}
    for n in range(30):
        stranger = new_browser(f"190.24.2.{n}")
        answer = await stranger.post("/auth/customer/emailpass/register", json=program)
        assert answer.status_code == 200
    async with shop.database.read() as session:
        assert (await session.execute(select(func.count()).select_from(Login))).scalar_one() == 1
    mine = await new_browser().post("/auth/customer/emailpass/register", json=RIGHT)
    assert mine.status_code == 200


async def test_ipv6_network_counts_as_one_client_for_login_attempts(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop
) -> None:
    tries = [
        (await new_browser(f"2800:e2:1:2::{n}").post(FORM, json=WRONG)).status_code
        for n in range(1, LOGINS.per_pair + 3)
    ]
    assert tries == [401] * LOGINS.per_pair + [429] * 2
    assert (await new_browser("2800:e2:1:3::1").post(FORM, json=WRONG)).status_code == 401
    async with shop.database.transaction() as session:
        await session.execute(delete(RateLimitCounter))
    tries = [
        (await new_browser(ip).post(FORM, json=WRONG)).status_code
        for ip in ("190.24.1.9", "::ffff:190.24.1.9") * 2
    ]
    assert tries == [401] * LOGINS.per_pair + [429] * 2


async def test_attempts_through_a_trusted_proxy_are_counted_per_forwarded_client(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop, api: FastAPI
) -> None:
    api.state.settings = shop.settings.model_copy(update={"trusted_proxies": "10.0.0.0/8"})
    server = new_browser("10.0.0.7", origin=None)

    async def try_from(shopper: str) -> int:
        headers = {"x-forwarded-for": f"6.6.6.6, {shopper}, 10.0.0.8"}
        return (await server.post(PROGRAM, json=WRONG, headers=headers)).status_code

    assert [await try_from("190.24.1.9") for _ in range(LOGINS.per_pair + 1)] == [401] * LOGINS.per_pair + [
        429
    ]
    assert await try_from("190.24.1.10") == 401
