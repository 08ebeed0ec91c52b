"""Staff sign in, and only staff use the Admin API (spec: Authentication; wire: commerce-api, Error bodies)."""

import json
from base64 import urlsafe_b64decode
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey
from pydantic import SecretStr
from sqlalchemy import delete, select

from backend.app import Shop
from backend.core import clock
from backend.core.config.settings import Settings
from backend.core.errors import Duplicate, InvalidData
from backend.edge.auth import bearer_tokens
from backend.edge.auth.bearer_tokens import CUSTOMER, USER, TokenOwner, issue_token, parse_token
from backend.rate_limit import limiter
from backend.rate_limit.limiter import Client
from backend.staff.models import Staff
from backend.staff.rights import COMMAND_LINE
from backend.staff.service import create_first_staff, create_staff
from backend.staff.signing_in import STAFF_LOGINS

EMAIL, PASSWORD = "ana@trompo.example", "una clave larga"
WRONG = {"type": "unauthorized", "message": "Invalid email or password"}
NOBODY = {"message": "Unauthorized"}


async def sign_in(anyone: httpx.AsyncClient, email: object, password: object) -> httpx.Response:
    return await anyone.post("/auth/user/emailpass", json={"email": email, "password": password})


async def test_token_of_a_staff_sign_in_works_in_the_admin_api_and_can_be_refreshed(
    anyone: httpx.AsyncClient, shop: Shop
) -> None:
    """Use the token of POST /auth/user/emailpass as a bearer token, and refresh it (spec: Authentication)."""
    await create_staff(shop.database, COMMAND_LINE, f" {EMAIL.upper()} ", PASSWORD)
    token = (await sign_in(anyone, EMAIL, PASSWORD)).json()["token"]
    bearer = {"authorization": f"Bearer {token}"}
    me = await anyone.get("/admin/users/me", headers=bearer)
    assert me.json()["user"]["email"] == EMAIL
    claims = json.loads(urlsafe_b64decode(token.split(".")[1] + "=="))
    assert (claims["actor_type"], claims["exp"] - claims["iat"]) == ("user", 12 * 3600)
    fresh = await anyone.post("/auth/token/refresh", headers=bearer)
    assert parse_token(shop.settings.signing_key, fresh.json()["token"]) is not None


async def test_wrong_password_and_unknown_email_get_the_same_answer(
    anyone: httpx.AsyncClient, shop: Shop
) -> None:
    """Check also passwords that are not a text (wire: commerce-api, Error bodies)."""
    await create_staff(shop.database, COMMAND_LINE, EMAIL, PASSWORD)
    for email, password in ((EMAIL, "otra"), ("nadie@trompo.example", PASSWORD)):
        refused = await sign_in(anyone, email, password)
        assert (refused.status_code, refused.json()) == (401, WRONG)
    for odd in (None, 5, "", ["x"]):
        refused = await sign_in(anyone, EMAIL, odd)
        assert refused.json()["message"] == "Password should be a string"
    assert (await sign_in(anyone, {"$ne": 1}, PASSWORD)).status_code == 401


async def test_guessing_of_passwords_is_limited(anyone: httpx.AsyncClient, shop: Shop) -> None:
    await create_staff(shop.database, COMMAND_LINE, EMAIL, PASSWORD)
    for _ in range(5):
        assert (await sign_in(anyone, EMAIL, "adivina")).status_code == 401
    refused = await sign_in(anyone, EMAIL, PASSWORD)
    assert (refused.status_code, refused.json()["type"]) == (429, "too_many_requests")
    assert (await sign_in(anyone, "otra@trompo.example", "x")).status_code == 401


async def test_guessing_a_password_from_many_ip_addresses_is_limited_to_50_attempts(
    anyone: httpx.AsyncClient, shop: Shop
) -> None:
    await create_staff(shop.database, COMMAND_LINE, EMAIL, PASSWORD)
    for n in range(49):
        await limiter.hit(shop.database, STAFF_LOGINS, EMAIL, Client(f"10.0.0.{n}"))
    assert (await sign_in(anyone, EMAIL, "adivina")).status_code == 401
    assert (await sign_in(anyone, EMAIL, PASSWORD)).status_code == 429


@pytest.mark.parametrize(
    "path", ["/admin/products", "/admin/orders", "/admin/collections", "/admin/users/me"]
)
async def test_admin_api_needs_a_valid_token(
    anyone: httpx.AsyncClient, shop: Shop, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Send no token, invalid tokens, and the token of a deleted member (wire: commerce-api, Error bodies)."""
    key = shop.settings.signing_key
    staff_id = await create_staff(shop.database, COMMAND_LINE, EMAIL, PASSWORD)
    member = TokenOwner(staff_id, USER)
    long_ago = clock.now() - timedelta(hours=25)
    with monkeypatch.context() as past:
        past.setattr(bearer_tokens, "now", lambda: long_ago)
        over = issue_token(key, member)
    none = jwt.encode(
        {"alg": "HS256"}, {"actor_id": staff_id, "actor_type": "user"}, OctKey.import_key("x" * 32)
    )
    for header in (
        None,
        "Bearer ",
        "Bearer nonsense",
        f"Bearer {none}",
        f"Bearer {over}",
        f"Bearer {issue_token('another key', member)}",
        f"Bearer {issue_token(key, TokenOwner('user_nosuch', USER))}",
        f"Bearer {issue_token(key, TokenOwner(staff_id, CUSTOMER))}",
        f"Basic {issue_token(key, member)}",
    ):
        refused = await anyone.get(path, headers={"authorization": header} if header else {})
        assert (refused.status_code, refused.json()) == (401, NOBODY), header
    good = {"authorization": f"Bearer {issue_token(key, member)}"}
    assert (await anyone.get(path, headers=good)).status_code == 200
    async with shop.database.transaction() as session:
        await session.execute(delete(Staff))
    assert (
        await anyone.get(path, headers=good)
    ).status_code == 401  # a disabled member is signed out immediately


async def test_unsigned_token_is_refused(shop: Shop) -> None:
    key = shop.settings.signing_key
    head, body, _ = issue_token(key, TokenOwner("user_1", USER)).split(".")
    assert parse_token(key, f"{head}.{body}.") is None
    assert parse_token(key, f"eyJhbGciOiJub25lIn0.{body}.") is None


async def test_staff_member_with_a_used_email_or_an_invalid_password_is_refused(shop: Shop) -> None:
    await create_staff(shop.database, COMMAND_LINE, EMAIL, PASSWORD)
    with pytest.raises(Duplicate):
        await create_staff(shop.database, COMMAND_LINE, EMAIL.title(), PASSWORD)
    for email, password in (
        ("nada", PASSWORD),
        ("b@trompo.example", "corta"),
        ("b@trompo.example", "x" * 201),
    ):
        with pytest.raises(InvalidData):
            await create_staff(shop.database, COMMAND_LINE, email, password)


async def test_settings_create_a_staff_member_only_if_there_is_none(shop: Shop, tmp_path: Path) -> None:
    named = Settings(data_dir=tmp_path, admin_email=EMAIL, admin_password=SecretStr(PASSWORD))
    assert not await create_first_staff(shop.database, Settings(data_dir=tmp_path))
    assert await create_first_staff(shop.database, named)
    assert not await create_first_staff(shop.database, named)
    async with shop.database.read() as session:
        (member,) = (await session.execute(select(Staff))).scalars()
    assert member.email == EMAIL
    assert PASSWORD not in member.password_hash
