"""Codes of a telephone and recovery codes: each works once, and only where it is needed."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import httpx
import pyotp
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.core.errors import NotAllowed
from backend.office_settings import save_settings
from backend.rate_limit.limiter import Client
from backend.staff import second_factor
from backend.staff.models import Staff, StaffRecoveryCode
from backend.staff.rights import COMMAND_LINE, Actor, Role, SecondFactorMissing
from backend.staff.second_factor import MAX_FAILURES, WrongCode, confirm, prove, reset
from backend.staff.sessions import COOKIE, actor_of_session
from tests.backend.customers.conftest import NewBrowser
from tests.backend.staff.conftest import credentials

pytestmark = pytest.mark.usefixtures("staff")
START = datetime(2026, 3, 2, 15, 0, 10, tzinfo=UTC)


@dataclass
class Clock:
    moment: datetime = START

    def __call__(self) -> datetime:
        return self.moment

    def pass_steps(self, count: int = 1) -> None:
        self.moment += timedelta(seconds=30 * count)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return a clock that replaces the time with which codes are created and checked."""
    clock = Clock()
    monkeypatch.setattr(second_factor, "now", clock)
    return clock


@dataclass
class Owner:
    """The owner's browser with a second factor, and the telephone that creates its codes."""

    browser: httpx.AsyncClient
    telephone: pyotp.TOTP
    recovery_codes: list[str]
    clock: Clock

    def code(self, *, steps: int = 0) -> str:
        return self.telephone.at(self.clock.moment + timedelta(seconds=30 * steps))


async def sign_in_with_code(
    new_browser: NewBrowser, code: str = ""
) -> tuple[httpx.AsyncClient, httpx.Response]:
    browser = new_browser()
    return browser, await browser.post("/auth/staff/login", json={**credentials(), "code": code})


async def actor_at(shop: Shop, browser: httpx.AsyncClient) -> Actor:
    actor = await actor_of_session(shop.database, browser.cookies[COOKIE])
    assert actor is not None
    return actor


@pytest.fixture
async def owner(new_browser: NewBrowser, clock: Clock) -> Owner:
    browser, _ = await sign_in_with_code(new_browser)
    begun = (await browser.post("/auth/staff/second-factor/begin")).json()
    telephone = pyotp.parse_uri(begun["uri"])
    assert isinstance(telephone, pyotp.TOTP)
    assert (telephone.secret, telephone.name) == (begun["secret"], "owner@trompo.example")
    code = telephone.at(clock.moment)
    confirmed = await browser.post("/auth/staff/second-factor/confirm", json={"code": code})
    assert confirmed.status_code == 200, confirmed.text
    clock.pass_steps(5)
    return Owner(browser, telephone, confirmed.json()["recovery_codes"], clock)


async def test_second_factor_gives_more_rights_than_a_password(
    owner: Owner, new_browser: NewBrowser, shop: Shop, staff: dict[Role, str]
) -> None:
    change = (f"/admin/users/{staff[Role.SHOP]}", {"role": "stockroom"})
    assert (await owner.browser.post(change[0], json=change[1])).status_code == 200
    browser, answer = await sign_in_with_code(new_browser)
    assert answer.status_code == 200
    refused = await browser.post(change[0], json=change[1])
    assert (refused.status_code, "/oficina" in refused.json()["message"]) == (403, True)
    before = browser.cookies[COOKIE]
    proved = await browser.post("/auth/staff/second-factor", json={"code": owner.code()})
    assert proved.status_code == 200
    assert await actor_of_session(shop.database, before) is None  # the session continues under a new token
    assert (await browser.post(change[0], json=change[1])).status_code == 200


async def test_second_factor_code_can_be_sent_with_the_password(
    owner: Owner, new_browser: NewBrowser, shop: Shop
) -> None:
    browser, answer = await sign_in_with_code(new_browser, owner.code())
    assert (answer.status_code, (await actor_at(shop, browser)).has_second_factor) == (200, True)
    browser, answer = await sign_in_with_code(new_browser, "000000")
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["code"])
    assert not (await actor_at(shop, browser)).has_second_factor


async def test_second_factor_code_is_accepted_once_even_concurrently(
    owner: Owner, new_browser: NewBrowser, shop: Shop
) -> None:
    browsers = [(await sign_in_with_code(new_browser))[0] for _ in range(3)]
    code = {"code": owner.code()}
    answers = await asyncio.gather(
        *(browser.post("/auth/staff/second-factor", json=code) for browser in browsers)
    )
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400]
    proved = [(await actor_at(shop, browser)).has_second_factor for browser in browsers]
    assert sorted(proved) == [False, False, True]


async def test_code_of_a_telephone_whose_clock_differs_by_one_step_is_accepted(
    owner: Owner, new_browser: NewBrowser
) -> None:
    browser, _ = await sign_in_with_code(new_browser)

    async def tried(code: str) -> int:
        return (await browser.post("/auth/staff/second-factor", json={"code": code})).status_code

    for steps, status in (
        (-2, 400),
        (2, 400),
        (-1, 200),
        (1, 200),
        (0, 400),
    ):  # this code is older than a used one
        assert await tried(owner.code(steps=steps)) == status, steps


async def test_recovery_code_works_once(owner: Owner, new_browser: NewBrowser, shop: Shop) -> None:
    first = owner.recovery_codes[0]
    assert len(set(owner.recovery_codes)) == 10
    browser, answer = await sign_in_with_code(new_browser, f" {first[:4].lower()}-{first[4:]} ")
    assert (answer.status_code, (await actor_at(shop, browser)).has_second_factor) == (200, True)
    assert (await sign_in_with_code(new_browser, first))[1].status_code == 400
    async with shop.database.read() as session:
        kept = (await session.execute(select(StaffRecoveryCode.code_hash))).scalars().all()
    assert len(kept) == 9
    assert not set(kept) & set(owner.recovery_codes)


async def test_guessing_of_second_factor_codes_is_limited(
    owner: Owner, new_browser: NewBrowser, shop: Shop
) -> None:
    browser, _ = await sign_in_with_code(new_browser)
    for _ in range(5):
        assert (await browser.post("/auth/staff/second-factor", json={"code": "000000"})).status_code == 400
    assert (await browser.post("/auth/staff/second-factor", json={"code": owner.code()})).status_code == 429
    async with shop.database.transaction() as session:
        await session.execute(update(Staff).values(totp_failures=MAX_FAILURES))
    actor = await actor_at(shop, browser)

    async def tried(code: str) -> str:
        return await prove(shop.database, shop.settings.signing_key, actor, code, client=Client("::9"))

    with pytest.raises(WrongCode):
        await tried(owner.code())  # even the right code: the guesser knows the password
    assert await tried(owner.recovery_codes[0])
    owner.clock.pass_steps()
    assert await tried(owner.code())


async def test_each_wrong_code_counts_once_and_a_right_one_resets_the_count(
    owner: Owner, new_browser: NewBrowser, shop: Shop
) -> None:
    browser, _ = await sign_in_with_code(new_browser)
    is_owner = Staff.role == Role.OWNER
    async with shop.database.transaction() as session:
        await session.execute(update(Staff).where(is_owner).values(totp_failures=MAX_FAILURES - 2))
    for code, status, failures in (("000000", 400, MAX_FAILURES - 1), (owner.code(), 200, 0)):
        answer = await browser.post("/auth/staff/second-factor", json={"code": code})
        async with shop.database.read() as session:
            stored = (await session.execute(select(Staff.totp_failures).where(is_owner))).scalar_one()
        assert (answer.status_code, stored) == (status, failures)


async def test_stored_secret_of_the_second_factor_is_encrypted(owner: Owner, shop: Shop) -> None:
    async with shop.database.read() as session:
        kept = (await session.execute(select(Staff).where(Staff.role == "owner"))).scalar_one()
    assert kept.totp_secret
    assert owner.telephone.secret not in kept.totp_secret
    shown = (await owner.browser.get("/admin/users/me")).text
    assert kept.totp_secret not in shown
    assert owner.telephone.secret not in shown
    actor = await actor_at(shop, owner.browser)
    with pytest.raises(WrongCode):  # another SECRET_KEY
        await prove(shop.database, "another key", actor, owner.code(), client=Client("::9"))
    assert await prove(shop.database, "another key", actor, owner.recovery_codes[0], client=Client("::9"))


async def test_new_second_factor_requires_a_code_of_the_current_one(
    owner: Owner, new_browser: NewBrowser, shop: Shop
) -> None:
    browser, _ = await sign_in_with_code(new_browser)
    refused = await browser.post("/auth/staff/second-factor/begin")
    assert (refused.status_code, refused.json()["message"]) == (403, SecondFactorMissing.staff_text)
    begun = (await owner.browser.post("/auth/staff/second-factor/begin")).json()
    telephone = pyotp.TOTP(begun["secret"])
    wrong = await owner.browser.post("/auth/staff/second-factor/confirm", json={"code": owner.code()})
    assert wrong.status_code == 400
    assert (
        await owner.browser.post("/auth/staff/second-factor", json={"code": owner.code()})
    ).status_code == 200
    code = telephone.at(owner.clock.moment)
    confirmed = await owner.browser.post("/auth/staff/second-factor/confirm", json={"code": code})
    assert not set(confirmed.json()["recovery_codes"]) & set(owner.recovery_codes)
    assert (await browser.get("/admin/users/me")).status_code == 401  # every other session has ended
    assert (await sign_in_with_code(new_browser, code))[1].status_code == 400  # the code was used
    again = await owner.browser.post("/auth/staff/second-factor/confirm", json={"code": code})
    assert again.status_code == 400


async def test_bearer_token_never_has_the_second_factor(
    owner: Owner, anyone: httpx.AsyncClient, shop: Shop
) -> None:
    token = (await anyone.post("/auth/user/emailpass", json=credentials())).json()["token"]
    headers = {"authorization": f"Bearer {token}", "origin": "http://shop.test"}
    for path in ("", "/begin", "/confirm"):
        answer = await anyone.post(
            f"/auth/staff/second-factor{path}", json={"code": owner.code()}, headers=headers
        )
        assert answer.status_code == 400, path
    with pytest.raises(NotAllowed):
        await confirm(shop.database, "key", Actor("user_1", Role.OWNER), "1", client=Client(""))


async def test_reset_by_another_owner_deletes_the_second_factor(
    owner: Owner, new_browser: NewBrowser, shop: Shop, staff: dict[Role, str]
) -> None:
    async with shop.database.transaction() as session:
        await reset(session, COMMAND_LINE, staff[Role.OWNER])
    assert (await owner.browser.get("/admin/users/me")).status_code == 401
    for code in (owner.code(), owner.recovery_codes[0]):
        assert (await sign_in_with_code(new_browser, code))[1].status_code == 400
    browser, _ = await sign_in_with_code(new_browser)
    assert (await browser.post("/auth/staff/second-factor/begin")).status_code == 200


async def test_authenticator_gets_the_current_name_of_the_shop(owner: Owner, shop: Shop) -> None:
    async with shop.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, {"store_name": "Macondo"})
    begun = (await owner.browser.post("/auth/staff/second-factor/begin")).json()
    assert pyotp.parse_uri(begun["uri"]).issuer == "Macondo"


async def test_second_factor_is_turned_off_only_with_a_code(
    owner: Owner, new_browser: NewBrowser, shop: Shop
) -> None:
    off = "/auth/staff/second-factor/off"
    other, _ = await sign_in_with_code(new_browser, owner.code())
    owner.clock.pass_steps(2)
    wrong = await owner.browser.post(off, json={"code": "000000"})
    assert (wrong.status_code, list(wrong.json()["fields"])) == (400, ["code"])
    assert (await owner.browser.post(off, json={"code": owner.recovery_codes[0]})).status_code == 200
    assert not (await actor_at(shop, owner.browser)).has_second_factor
    assert await actor_of_session(shop.database, other.cookies[COOKIE]) is None
    async with shop.database.read() as session:
        assert (await session.execute(select(StaffRecoveryCode))).first() is None
    owner.clock.pass_steps(2)
    again = await owner.browser.post("/auth/staff/second-factor", json={"code": owner.code()})
    assert again.status_code == 400
    begun = await owner.browser.post("/auth/staff/second-factor/begin")  # a new one can be set up
    assert begun.status_code == 200
    program = Actor((await actor_at(shop, owner.browser)).id, Role.OWNER)
    with pytest.raises(NotAllowed):
        await second_factor.turn_off(shop.database, "key", program, "1", client=Client("190.24.1.1"))
