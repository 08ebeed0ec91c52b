"""A chain of refreshed bearer tokens ends.

| owner | event | tokens of the chain | other chains |
|---|---|---|---|
| staff | 12 hours since the sign-in | expired, cannot be refreshed | |
| customer | 30 days since the sign-in | expired, cannot be refreshed | |
| both | DELETE /auth/session with a token | all are refused | stay valid |
| both | DELETE /auth/session with the cookie that a token started | all are refused | stay valid |
| staff | the session is ended by another staff member | all are refused | stay valid |
"""

from datetime import timedelta

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.core.clock import now
from backend.customers.models import CustomerSession
from backend.edge.auth.bearer_tokens import (
    CHAIN_LIFETIME,
    CUSTOMER,
    USER,
    TokenOwner,
    issue_token,
    parse_token,
)
from backend.staff.models import StaffSession
from backend.staff.rights import COMMAND_LINE, Role
from backend.staff.sessions import revoke
from tests.backend.customers.conftest import ANA, NewBrowser
from tests.backend.staff.conftest import credentials

OF_CUSTOMER = {"email": ANA["email"], "password": ANA["password"]}
WAYS = {
    USER: ("/auth/user/emailpass", credentials(), "/admin/users/me"),
    CUSTOMER: ("/auth/customer/emailpass", OF_CUSTOMER, "/store/customers/me"),
}


@pytest.fixture(autouse=True)
async def _accounts(staff: dict[Role, str], new_browser: NewBrowser) -> None:
    answer = await new_browser().post("/auth/account/register", json=ANA)
    assert answer.status_code == 200, answer.text


async def get_token(client: httpx.AsyncClient, kind: str) -> dict[str, str]:
    """Sign in as an API client. Return the header with the bearer token."""
    path, body, _me = WAYS[kind]
    answer = await client.post(path, json=body)
    return {"authorization": f"Bearer {answer.json()['token']}"}


async def refresh(client: httpx.AsyncClient, headers: dict[str, str]) -> httpx.Response:
    return await client.post("/auth/token/refresh", headers=headers)


@pytest.mark.parametrize("kind", [USER, CUSTOMER])
async def test_refreshed_tokens_expire_at_the_end_of_their_lifetime(
    store: httpx.AsyncClient, shop: Shop, kind: str
) -> None:
    _path, _body, me = WAYS[kind]
    first = await get_token(store, kind)
    owner = parse_token(shop.settings.signing_key, first["authorization"].removeprefix("Bearer "))
    assert owner is not None
    for age, expected in ((timedelta(minutes=10), 200), (timedelta(0), 200), (-timedelta(minutes=10), 401)):
        # a token of the same chain with an old sign-in
        signed_in_at = int((now() - CHAIN_LIFETIME[kind] + age).timestamp())
        old = TokenOwner(owner.id, kind, owner.identity, owner.epoch, owner.chain, signed_in_at)
        headers = {"authorization": f"Bearer {issue_token(shop.settings.signing_key, old)}"}
        assert (await store.get(me, headers=headers)).status_code == expected
        renewed = await refresh(store, headers)
        assert renewed.status_code == expected
        if expected == 200:
            again = parse_token(shop.settings.signing_key, renewed.json()["token"])
            assert again is not None
            assert (again.chain, again.signed_in_at) == (owner.chain, signed_in_at)


@pytest.mark.parametrize("kind", [USER, CUSTOMER])
async def test_sign_out_revokes_only_tokens_of_the_same_sign_in(store: httpx.AsyncClient, kind: str) -> None:
    _path, _body, me = WAYS[kind]
    first, other = await get_token(store, kind), await get_token(store, kind)
    second = {"authorization": f"Bearer {(await refresh(store, first)).json()['token']}"}
    for _twice in range(2):
        assert (await store.request("DELETE", "/auth/session", headers=second)).status_code == 200
    for headers in (first, second):
        assert (await store.get(me, headers=headers)).status_code == 401
        assert (await refresh(store, headers)).status_code == 401
        assert (await store.post("/auth/session", headers=headers)).status_code == 401
    assert (await store.get(me, headers=other)).status_code == 200


@pytest.mark.parametrize("kind", [USER, CUSTOMER])
async def test_browser_sign_out_revokes_the_token_that_started_the_session(
    new_browser: NewBrowser, store: httpx.AsyncClient, kind: str
) -> None:
    _path, _body, me = WAYS[kind]
    token, other = await get_token(store, kind), await get_token(store, kind)
    browser = new_browser()
    assert (await browser.post("/auth/session", headers=token)).status_code == 200
    assert (await store.get(me, headers=token)).status_code == 200
    assert (await browser.request("DELETE", "/auth/session")).status_code == 200
    assert (await store.get(me, headers=token)).status_code == 401
    assert (await store.get(me, headers=other)).status_code == 200


@pytest.mark.parametrize("kind", [USER, CUSTOMER])
async def test_session_created_from_a_token_ends_with_the_sign_in_of_the_token(
    new_browser: NewBrowser, store: httpx.AsyncClient, shop: Shop, kind: str
) -> None:
    first = await get_token(store, kind)
    owner = parse_token(shop.settings.signing_key, first["authorization"].removeprefix("Bearer "))
    assert owner is not None
    signed_in_at = now() - CHAIN_LIFETIME[kind] + timedelta(minutes=1)
    old = TokenOwner(owner.id, kind, owner.identity, owner.epoch, owner.chain, int(signed_in_at.timestamp()))
    headers = {"authorization": f"Bearer {issue_token(shop.settings.signing_key, old)}"}
    assert (await new_browser().post("/auth/session", headers=headers)).status_code == 200
    table = StaffSession if kind == USER else CustomerSession
    async with shop.database.read() as session:
        ends = (await session.execute(select(table.expires_at).order_by(table.expires_at))).scalars().first()
    assert ends is not None
    assert ends < now() + timedelta(minutes=2)


async def test_session_ended_by_another_member_revokes_its_token(
    new_browser: NewBrowser, store: httpx.AsyncClient, shop: Shop
) -> None:
    token = await get_token(store, USER)
    await new_browser().post("/auth/session", headers=token)
    async with shop.database.transaction() as session:
        (begun,) = (await session.execute(select(StaffSession.id))).scalars()
        await revoke(session, COMMAND_LINE, begun)
    assert (await store.get("/admin/users/me", headers=token)).status_code == 401
