"""A browser of the office: a session of its own that ends when it must."""

from datetime import timedelta

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select, update

from backend.app import Shop
from backend.core.clock import now
from backend.core.errors import Forbidden, InvalidData, NotAllowed, NotFound
from backend.core.web.passwords import hash_of
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


async def signed_in(new_browser: NewBrowser, role: Role = Role.OWNER) -> httpx.AsyncClient:
    browser = new_browser()
    answer = await browser.post("/auth/staff/login", json=credentials(role))
    assert answer.status_code == 200, answer.text
    return browser


async def bearer(anyone: httpx.AsyncClient, role: Role = Role.OWNER) -> dict[str, str]:
    answer = await anyone.post("/auth/user/emailpass", json=credentials(role))
    return {"authorization": f"Bearer {answer.json()['token']}"}


async def status(browser: httpx.AsyncClient, headers: dict[str, str] | None = None) -> int:
    return (await browser.get(ME, headers=headers)).status_code


async def test_the_cookie_is_staffs_own_and_hidden(new_browser: NewBrowser, shop: Shop) -> None:
    browser = new_browser()
    answer = await browser.post("/auth/staff/login", json=credentials())
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith(f"{COOKIE}=")
    assert {"httponly", "samesite=lax", "path=/", "max-age=43200"} <= set(cookie.split("; "))
    assert (await browser.get(ME)).json()["user"]["role"] == "owner"
    async with shop.database.read() as session:
        (kept,) = (await session.execute(select(StaffSession))).scalars()
    assert kept.token_hash == hash_of(browser.cookies[COOKIE])
    assert kept.expires_at - kept.created_at < timedelta(hours=12, minutes=1)
    assert (kept.address, kept.second_factor_at) == ("190.24.1.1", None)


async def test_under_https_the_cookie_is_secure(new_browser: NewBrowser, shop: Shop, api: FastAPI) -> None:
    api.state.settings = shop.settings.model_copy(update={"public_url": "https://trompo.example"})
    answer = await new_browser(origin="https://trompo.example").post("/auth/staff/login", json=credentials())
    assert "secure" in answer.headers["set-cookie"].lower()


async def test_the_hash_in_the_database_opens_nothing(new_browser: NewBrowser, shop: Shop) -> None:
    token = (await signed_in(new_browser)).cookies[COOKIE]
    for forged in (hash_of(token), token[:-1], token + "x", token.swapcase(), "", "x" * 5000):
        assert await actor_of_session(shop.database, forged) is None


async def test_a_sign_in_ends_the_session_that_was_planted(new_browser: NewBrowser, shop: Shop) -> None:
    mallory = await signed_in(new_browser, Role.STOCKROOM)
    planted = mallory.cookies[COOKIE]
    victim = new_browser()
    for cookie in (planted, "chosen-by-mallory"):
        answer = await victim.post(
            "/auth/staff/login", json=credentials(), headers={"cookie": f"{COOKIE}={cookie}"}
        )
        assert answer.cookies[COOKIE] != cookie
        assert await actor_of_session(shop.database, cookie) is None


@pytest.mark.parametrize("origin", [None, "null", "https://evil.example"])
async def test_another_sites_page_changes_nothing(
    new_browser: NewBrowser, shop: Shop, staff: dict[Role, str], origin: str | None
) -> None:
    browser = await signed_in(new_browser)
    forged = new_browser(origin=origin)
    forged.cookies.set(COOKIE, browser.cookies[COOKIE])
    for action in ("login", "logout", "logout-everywhere", "password"):
        assert (await forged.post(f"/auth/staff/{action}", json=credentials())).status_code == 403
    changed = await forged.post(f"/admin/users/{staff[Role.SHOP]}", json={"role": "owner"})
    assert changed.status_code == 401
    made = await forged.post("/admin/collections", json={"title": "X", "handle": "x"})
    assert made.status_code == 401
    assert await status(browser) == 200


async def test_signing_out_ends_this_browser_and_no_other(new_browser: NewBrowser) -> None:
    browser, other = await signed_in(new_browser), await signed_in(new_browser)
    assert (await browser.post("/auth/staff/logout")).status_code == 200
    assert COOKIE not in browser.cookies
    assert (await status(browser), await status(other)) == (401, 200)


@pytest.mark.parametrize("way", ["disabled", "password", "everywhere", "by the owner"])
async def test_everything_ends_at_once(
    way: str, new_browser: NewBrowser, anyone: httpx.AsyncClient, shop: Shop, staff: dict[Role, str]
) -> None:
    browsers = [await signed_in(new_browser, Role.SHOP) for _ in range(2)]
    owner = await signed_in(new_browser)
    token = await bearer(anyone, Role.SHOP)
    assert [await status(one) for one in browsers] + [await status(anyone, token)] == [200, 200, 200]
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
    assert [await status(one) for one in browsers] + [await status(anyone, token)] == [401, 401, 401]
    assert (await anyone.post("/auth/token/refresh", headers=token)).status_code == 401
    assert (await new_browser().post("/auth/session", headers=token)).status_code == 401
    assert await status(owner) == 200


async def test_a_disabled_member_is_answered_like_a_stranger(
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
    assert await status(await signed_in(new_browser, Role.SHOP)) == 200


async def test_a_session_ends_by_itself(new_browser: NewBrowser, shop: Shop) -> None:
    browser = await signed_in(new_browser)
    async with shop.database.transaction() as session:
        await session.execute(update(StaffSession).values(expires_at=now() - timedelta(seconds=1)))
    assert await status(browser) == 401


async def test_a_request_is_one_statement_and_is_noted_once_a_minute(
    new_browser: NewBrowser, shop: Shop
) -> None:
    browser = await signed_in(new_browser)
    long_ago = now() - timedelta(minutes=5)
    async with shop.database.transaction() as session:
        await session.execute(update(StaffSession).values(last_seen_at=long_ago))
    await status(browser)
    async with shop.database.read() as session:
        seen = (await session.execute(select(StaffSession.last_seen_at))).scalar_one()
    assert seen > long_ago + timedelta(minutes=4)
    await status(browser)
    async with shop.database.read() as session:
        assert (await session.execute(select(StaffSession.last_seen_at))).scalar_one() == seen


async def test_one_sees_and_ends_ones_own_sessions(
    new_browser: NewBrowser, shop: Shop, staff: dict[Role, str]
) -> None:
    browser, other = await signed_in(new_browser, Role.SHOP), await signed_in(new_browser, Role.SHOP)
    theirs = await signed_in(new_browser, Role.STOCKROOM)
    shown = (await browser.get("/auth/staff/sessions", headers={"origin": SHOP})).json()["sessions"]
    assert sorted(one["is_current"] for one in shown) == [False, True]
    (not_this,) = [one["id"] for one in shown if not one["is_current"]]
    assert (await browser.delete(f"/auth/staff/sessions/{not_this}")).status_code == 200
    assert (await status(browser), await status(other)) == (200, 401)
    async with shop.database.read() as session:
        (foreign,) = await sessions_of(session, COMMAND_LINE, staff[Role.STOCKROOM])
        with pytest.raises(Forbidden):
            await sessions_of(session, Actor(staff[Role.SHOP], Role.SHOP), staff[Role.STOCKROOM])
        with pytest.raises(SecondFactorMissing):
            await revoke(session, Actor(staff[Role.OWNER], Role.OWNER), foreign.id)
        with pytest.raises(NotFound):
            await revoke(session, COMMAND_LINE, "staffses_none")
    assert (await browser.delete(f"/auth/staff/sessions/{foreign.id}")).status_code == 404
    assert await status(theirs) == 200
    async with shop.database.transaction() as session:
        await revoke(session, COMMAND_LINE, foreign.id)
    assert await status(theirs) == 401


async def test_a_session_in_place_of_a_token(
    new_browser: NewBrowser, anyone: httpx.AsyncClient, shop: Shop
) -> None:
    """What the platform's dashboard does (wire: commerce-api, Customers and auth)."""
    token = await bearer(anyone)
    browser = new_browser()
    answer = await browser.post("/auth/session", headers=token)
    assert answer.json()["user"]["actor_type"] == "user"
    actor = await actor_of_session(shop.database, browser.cookies[COOKIE])
    assert actor is not None
    assert (actor.role, actor.has_second_factor) == (Role.OWNER, False)
    made = await browser.post("/admin/collections", json={"title": "Nueva", "handle": "nueva"})
    assert made.status_code == 200
    assert (await browser.delete("/auth/session")).json() == {"success": True}
    assert await status(browser) == 401


async def test_a_shoppers_cookie_is_not_staffs(new_browser: NewBrowser) -> None:
    shopper = new_browser()
    await shopper.post("/auth/account/register", json=ANA)
    shopper.cookies.set(COOKIE, shopper.cookies[SHOPPERS])
    assert await status(shopper) == 401


async def test_a_wrong_current_password_changes_nothing(new_browser: NewBrowser, shop: Shop) -> None:
    browser = await signed_in(new_browser)
    for typed, field in (
        ({"password": "no es", "new_password": "otra clave larga"}, "password"),
        ({"password": PASSWORD, "new_password": "corta"}, "new_password"),
    ):
        answer = await browser.post("/auth/staff/password", json=typed)
        assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
    assert await status(browser) == 200
    for _ in range(5):
        await browser.post(
            "/auth/staff/password", json={"password": "no es", "new_password": "otra clave larga"}
        )
    refused = await browser.post(
        "/auth/staff/password", json={"password": PASSWORD, "new_password": "otra clave larga"}
    )
    assert refused.status_code == 429


async def test_the_current_password_is_guessed_a_hundred_times_a_day_at_most(
    new_browser: NewBrowser, shop: Shop, staff: dict[Role, str]
) -> None:
    browser = await signed_in(new_browser)
    for number in range(100):
        client = Client(f"10.0.0.{number}")
        await limiter.hit(shop.database, STAFF_PASSWORDS, staff[Role.OWNER], client)
    right = {"password": PASSWORD, "new_password": "otra clave larga"}
    refused = await browser.post("/auth/staff/password", json=right)
    assert (refused.status_code, int(refused.headers["retry-after"]) > 23 * 60 * 60) == (429, True)


async def test_the_shop_keeps_an_owner(shop: Shop, staff: dict[Role, str]) -> None:
    owner = staff[Role.OWNER]
    for change in ({"is_disabled": True}, {"role": Role.SHOP}):
        async with shop.database.transaction() as session:
            with pytest.raises(NotAllowed):
                await change_staff(session, COMMAND_LINE, owner, **change)
    second = await create_staff(shop.database, COMMAND_LINE, "otra@trompo.example", PASSWORD)
    async with shop.database.transaction() as session:
        await change_staff(session, COMMAND_LINE, owner, is_disabled=True)
    async with shop.database.transaction() as session:
        with pytest.raises(NotAllowed):  # one who is disabled is no owner to rely on
            await change_staff(session, COMMAND_LINE, second, role=Role.ACCOUNTANT)


async def test_the_owner_changes_staff_over_http(
    admin: httpx.AsyncClient, new_browser: NewBrowser, staff: dict[Role, str]
) -> None:
    browser = await signed_in(new_browser, Role.SHOP)
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
    assert await status(browser) == 401
    assert (await admin.get("/admin/users/user_none")).status_code == 404


async def test_only_an_owner_with_the_second_factor_changes_staff(shop: Shop, staff: dict[Role, str]) -> None:
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
