"""Sessions of the office's browsers: separate from customers, with all reasons for their end."""

from datetime import timedelta

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select, update

from backend.app import Shop
from backend.core.clock import now
from backend.core.errors import Forbidden, InvalidData, NotAllowed, NotFound
from backend.core.web.passwords import hash_token
from backend.customers.auth.sessions import COOKIE as SHOPPERS
from backend.rate_limit import limiter
from backend.rate_limit.limiter import Client
from backend.staff.models import StaffSession
from backend.staff.rights import COMMAND_LINE, Actor, Role, SecondFactorMissing
from backend.staff.service import STAFF_PASSWORDS, change_staff, create_staff, list_staff, set_password
from backend.staff.sessions import COOKIE, actor_of_session, revoke, sessions_of
from tests.backend.customers.conftest import ANA, SHOP, NewBrowser
from tests.backend.staff.conftest import PASSWORD, credentials

pytestmark = pytest.mark.usefixtures("staff")
ME = "/admin/users/me"


async def sign_in_browser(new_browser: NewBrowser, role: Role = Role.OWNER) -> httpx.AsyncClient:
    browser = new_browser()
    answer = await browser.post("/auth/staff/login", json=credentials(role))
    assert answer.status_code == 200, answer.text
    return browser


async def bearer_header(anyone: httpx.AsyncClient, role: Role = Role.OWNER) -> dict[str, str]:
    answer = await anyone.post("/auth/user/emailpass", json=credentials(role))
    return {"authorization": f"Bearer {answer.json()['token']}"}


async def get_status(browser: httpx.AsyncClient, headers: dict[str, str] | None = None) -> int:
    return (await browser.get(ME, headers=headers)).status_code


async def test_staff_cookie_is_separate_and_http_only(new_browser: NewBrowser, shop: Shop) -> None:
    browser = new_browser()
    answer = await browser.post("/auth/staff/login", json=credentials())
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith(f"{COOKIE}=")
    assert {"httponly", "samesite=lax", "path=/", "max-age=43200"} <= set(cookie.split("; "))
    assert (await browser.get(ME)).json()["user"]["role"] == "owner"
    async with shop.database.read() as session:
        (kept,) = (await session.execute(select(StaffSession))).scalars()
    assert kept.token_hash == hash_token(browser.cookies[COOKIE])
    assert kept.expires_at - kept.created_at < timedelta(hours=12, minutes=1)
    assert (kept.address, kept.second_factor_at) == ("190.24.1.1", None)


async def test_staff_session_cookie_is_secure_under_https(
    new_browser: NewBrowser, shop: Shop, api: FastAPI
) -> None:
    api.state.settings = shop.settings.model_copy(update={"public_url": "https://trompo.example"})
    answer = await new_browser(origin="https://trompo.example").post("/auth/staff/login", json=credentials())
    assert "secure" in answer.headers["set-cookie"].lower()


async def test_stored_hash_is_not_accepted_as_a_staff_session_token(
    new_browser: NewBrowser, shop: Shop
) -> None:
    token = (await sign_in_browser(new_browser)).cookies[COOKIE]
    for forged in (hash_token(token), token[:-1], token + "x", token.swapcase(), "", "x" * 5000):
        assert await actor_of_session(shop.database, forged) is None


async def test_staff_sign_in_ends_a_session_planted_in_the_browser(
    new_browser: NewBrowser, shop: Shop
) -> None:
    mallory = await sign_in_browser(new_browser, Role.STOCKROOM)
    planted = mallory.cookies[COOKIE]
    victim = new_browser()
    for cookie in (planted, "chosen-by-mallory"):
        answer = await victim.post(
            "/auth/staff/login", json=credentials(), headers={"cookie": f"{COOKIE}={cookie}"}
        )
        assert answer.cookies[COOKIE] != cookie
        assert await actor_of_session(shop.database, cookie) is None


@pytest.mark.parametrize("origin", [None, "null", "https://evil.example"])
async def test_staff_session_is_refused_for_a_page_of_another_site(
    new_browser: NewBrowser, shop: Shop, staff: dict[Role, str], origin: str | None
) -> None:
    browser = await sign_in_browser(new_browser)
    forged = new_browser(origin=origin)
    forged.cookies.set(COOKIE, browser.cookies[COOKIE])
    for action in ("login", "logout", "logout-everywhere", "password"):
        assert (await forged.post(f"/auth/staff/{action}", json=credentials())).status_code == 403
    changed = await forged.post(f"/admin/users/{staff[Role.SHOP]}", json={"role": "owner"})
    assert changed.status_code == 401
    made = await forged.post("/admin/collections", json={"title": "X", "handle": "x"})
    assert made.status_code == 401
    assert await get_status(browser) == 200


async def test_staff_sign_out_ends_only_the_session_of_this_browser(new_browser: NewBrowser) -> None:
    browser, other = await sign_in_browser(new_browser), await sign_in_browser(new_browser)
    assert (await browser.post("/auth/staff/logout")).status_code == 200
    assert COOKIE not in browser.cookies
    assert (await get_status(browser), await get_status(other)) == (401, 200)


@pytest.mark.parametrize("way", ["disabled", "password", "everywhere", "by the owner"])
async def test_sign_out_everywhere_ends_sessions_and_tokens(
    way: str, new_browser: NewBrowser, anyone: httpx.AsyncClient, shop: Shop, staff: dict[Role, str]
) -> None:
    browsers = [await sign_in_browser(new_browser, Role.SHOP) for _ in range(2)]
    owner = await sign_in_browser(new_browser)
    token = await bearer_header(anyone, Role.SHOP)
    assert [await get_status(one) for one in browsers] + [await get_status(anyone, token)] == [200, 200, 200]
    match way:
        case "disabled":
            async with shop.database.transaction() as session:
                await change_staff(session, COMMAND_LINE, staff[Role.SHOP], is_disabled=True)
        case "password":
            typed = {"password": PASSWORD, "new_password": "otra clave larga"}
            assert (await browsers[0].post("/auth/staff/password", json=typed)).status_code == 200
        case "everywhere":
            assert (await browsers[0].post("/auth/staff/logout-everywhere")).status_code == 200
        case _:
            await set_password(shop.database, COMMAND_LINE, staff[Role.SHOP], "otra clave larga")
    assert [await get_status(one) for one in browsers] + [await get_status(anyone, token)] == [401, 401, 401]
    assert (await anyone.post("/auth/token/refresh", headers=token)).status_code == 401
    assert (await new_browser().post("/auth/session", headers=token)).status_code == 401
    assert await get_status(owner) == 200


async def test_disabled_member_gets_the_same_answer_as_an_unknown_person(
    new_browser: NewBrowser, anyone: httpx.AsyncClient, shop: Shop, staff: dict[Role, str]
) -> None:
    async with shop.database.transaction() as session:
        await change_staff(session, COMMAND_LINE, staff[Role.SHOP], is_disabled=True)
    for path, message in (
        ("/auth/staff/login", "El correo o la contraseña no coinciden."),
        ("/auth/user/emailpass", "Invalid email or password"),
    ):
        answer = await new_browser().post(path, json=credentials(Role.SHOP))
        assert (answer.status_code, answer.json()["message"]) == (401, message)
        assert "set-cookie" not in answer.headers
    async with shop.database.transaction() as session:
        await change_staff(session, COMMAND_LINE, staff[Role.SHOP], is_disabled=False)
    assert await get_status(await sign_in_browser(new_browser, Role.SHOP)) == 200


async def test_staff_session_expires(new_browser: NewBrowser, shop: Shop) -> None:
    browser = await sign_in_browser(new_browser)
    async with shop.database.transaction() as session:
        await session.execute(update(StaffSession).values(expires_at=now() - timedelta(seconds=1)))
    assert await get_status(browser) == 401


async def test_staff_session_is_read_with_one_statement_and_updated_once_a_minute(
    new_browser: NewBrowser, shop: Shop
) -> None:
    browser = await sign_in_browser(new_browser)
    long_ago = now() - timedelta(minutes=5)
    async with shop.database.transaction() as session:
        await session.execute(update(StaffSession).values(last_seen_at=long_ago))
    await get_status(browser)
    async with shop.database.read() as session:
        seen = (await session.execute(select(StaffSession.last_seen_at))).scalar_one()
    assert seen > long_ago + timedelta(minutes=4)
    await get_status(browser)
    async with shop.database.read() as session:
        assert (await session.execute(select(StaffSession.last_seen_at))).scalar_one() == seen


async def test_member_sees_and_ends_own_sessions(
    new_browser: NewBrowser, shop: Shop, staff: dict[Role, str]
) -> None:
    browser, other = (
        await sign_in_browser(new_browser, Role.SHOP),
        await sign_in_browser(new_browser, Role.SHOP),
    )
    theirs = await sign_in_browser(new_browser, Role.STOCKROOM)
    shown = (await browser.get("/auth/staff/sessions", headers={"origin": SHOP})).json()["sessions"]
    assert sorted(one["is_current"] for one in shown) == [False, True]
    (not_this,) = [one["id"] for one in shown if not one["is_current"]]
    assert (await browser.delete(f"/auth/staff/sessions/{not_this}")).status_code == 200
    assert (await get_status(browser), await get_status(other)) == (200, 401)
    async with shop.database.read() as session:
        (foreign,) = await sessions_of(session, COMMAND_LINE, staff[Role.STOCKROOM])
        with pytest.raises(Forbidden):
            await sessions_of(session, Actor(staff[Role.SHOP], Role.SHOP), staff[Role.STOCKROOM])
        with pytest.raises(SecondFactorMissing):
            await revoke(session, Actor(staff[Role.OWNER], Role.OWNER), foreign.id)
        with pytest.raises(NotFound):
            await revoke(session, COMMAND_LINE, "staffses_none")
    assert (await browser.delete(f"/auth/staff/sessions/{foreign.id}")).status_code == 404
    assert await get_status(theirs) == 200
    async with shop.database.transaction() as session:
        await revoke(session, COMMAND_LINE, foreign.id)
    assert await get_status(theirs) == 401


async def test_staff_token_is_exchanged_for_a_session_cookie(
    new_browser: NewBrowser, anyone: httpx.AsyncClient, shop: Shop
) -> None:
    """Sign in like the platform's dashboard (wire: commerce-api, Customers and auth)."""
    token = await bearer_header(anyone)
    browser = new_browser()
    answer = await browser.post("/auth/session", headers=token)
    assert answer.json()["user"]["actor_type"] == "user"
    actor = await actor_of_session(shop.database, browser.cookies[COOKIE])
    assert actor is not None
    assert (actor.role, actor.has_second_factor) == (Role.OWNER, False)
    made = await browser.post("/admin/collections", json={"title": "Nueva", "handle": "nueva"})
    assert made.status_code == 200
    assert (await browser.delete("/auth/session")).json() == {"success": True}
    assert await get_status(browser) == 401


async def test_customer_cookie_is_refused_for_staff(new_browser: NewBrowser) -> None:
    shopper = new_browser()
    await shopper.post("/auth/account/register", json=ANA)
    shopper.cookies.set(COOKIE, shopper.cookies[SHOPPERS])
    assert await get_status(shopper) == 401


async def test_wrong_current_password_changes_nothing(new_browser: NewBrowser, shop: Shop) -> None:
    browser = await sign_in_browser(new_browser)
    for typed, field in (
        ({"password": "no es", "new_password": "otra clave larga"}, "password"),
        ({"password": PASSWORD, "new_password": "corta"}, "new_password"),
    ):
        answer = await browser.post("/auth/staff/password", json=typed)
        assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
    assert await get_status(browser) == 200
    for _ in range(5):
        await browser.post(
            "/auth/staff/password", json={"password": "no es", "new_password": "otra clave larga"}
        )
    refused = await browser.post(
        "/auth/staff/password", json={"password": PASSWORD, "new_password": "otra clave larga"}
    )
    assert refused.status_code == 429


async def test_guesses_of_the_current_password_are_limited_per_day(
    new_browser: NewBrowser, shop: Shop, staff: dict[Role, str]
) -> None:
    browser = await sign_in_browser(new_browser)
    for number in range(100):
        client = Client(f"10.0.0.{number}")
        await limiter.hit(shop.database, STAFF_PASSWORDS, staff[Role.OWNER], client)
    right = {"password": PASSWORD, "new_password": "otra clave larga"}
    refused = await browser.post("/auth/staff/password", json=right)
    assert (refused.status_code, int(refused.headers["retry-after"]) > 23 * 60 * 60) == (429, True)


async def test_last_owner_cannot_be_removed(shop: Shop, staff: dict[Role, str]) -> None:
    owner = staff[Role.OWNER]
    for change in ({"is_disabled": True}, {"role": Role.SHOP}):
        async with shop.database.transaction() as session:
            with pytest.raises(NotAllowed):
                await change_staff(session, COMMAND_LINE, owner, **change)
    second = await create_staff(shop.database, COMMAND_LINE, "otra@trompo.example", PASSWORD)
    async with shop.database.transaction() as session:
        await change_staff(session, COMMAND_LINE, owner, is_disabled=True)
    async with shop.database.transaction() as session:
        with pytest.raises(NotAllowed):  # a disabled owner does not count
            await change_staff(session, COMMAND_LINE, second, role=Role.ACCOUNTANT)


async def test_owner_changes_staff_over_http(
    admin: httpx.AsyncClient, new_browser: NewBrowser, staff: dict[Role, str]
) -> None:
    browser = await sign_in_browser(new_browser, Role.SHOP)
    path = f"/admin/users/{staff[Role.SHOP]}"
    assert (await browser.post(path, json={"role": "owner"})).status_code == 403
    changed = (await admin.post(path, json={"role": "stockroom"})).json()["user"]
    assert (changed["role"], changed["is_disabled"], changed["has_second_factor"]) == (
        "stockroom",
        False,
        False,
    )
    made = await browser.post("/admin/collections", json={"title": "X", "handle": "x"})
    assert (made.status_code, made.json()["message"]) == (
        403,
        "The role stockroom may not change products, prices, collections and categories",
    )
    assert (await admin.post(path, json={"role": "captain"})).status_code == 400
    listed = (await admin.get("/admin/users")).json()
    assert listed["count"] == len(Role) + 1
    assert (await admin.post(path, json={"is_disabled": True})).json()["user"]["is_disabled"]
    assert await get_status(browser) == 401
    assert (await admin.get("/admin/users/user_none")).status_code == 404


async def test_staff_change_needs_an_owner_with_second_factor(shop: Shop, staff: dict[Role, str]) -> None:
    target = staff[Role.STOCKROOM]
    for role in (Role.SHOP, Role.STOCKROOM, Role.ACCOUNTANT):
        actor = Actor(staff[role], role, has_second_factor=True)
        async with shop.database.transaction() as session:
            with pytest.raises(Forbidden):
                await change_staff(session, actor, target, role=Role.OWNER)
            with pytest.raises(Forbidden):
                await list_staff(session, actor)
        with pytest.raises(Forbidden):
            await create_staff(shop.database, actor, "nueva@trompo.example", PASSWORD)
        with pytest.raises(Forbidden):
            await set_password(shop.database, actor, target, PASSWORD)
    with pytest.raises(SecondFactorMissing, match="/oficina"):
        await set_password(shop.database, Actor(staff[Role.OWNER], Role.OWNER), target, PASSWORD)
    with pytest.raises(InvalidData):
        await set_password(shop.database, COMMAND_LINE, target, "corta")
    with pytest.raises(NotFound):
        await set_password(shop.database, COMMAND_LINE, "user_none", PASSWORD)
