"""A chain of refreshed bearer tokens ends.

| owner | event | tokens of the chain | other chains |
|---|---|---|---|
| staff | 12 hours since the sign-in | expired, cannot be refreshed | |
| customer | 30 days since the sign-in | expired, cannot be refreshed | |
| both | DELETE /auth/session with a token | all are refused | go on |
| both | DELETE /auth/session with the cookie that a token began | all are refused | go on |
| staff | the session is ended by another staff member | all are refused | go on |
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
    read_token,
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


async def token_of(client: httpx.AsyncClient, kind: str) -> dict[str, str]:
    """Sign in as a program."""
    path, body, _me = WAYS[kind]
    answer = await client.post(path, json=body)
    return {"authorization": f"Bearer {answer.json()['token']}"}


async def refreshed(client: httpx.AsyncClient, headers: dict[str, str]) -> httpx.Response:
    return await client.post("/auth/token/refresh", headers=headers)


@pytest.mark.parametrize("kind", [USER, CUSTOMER])
async def test_a_chain_ends_with_its_lifetime(store: httpx.AsyncClient, shop: Shop, kind: str) -> None:
    _path, _body, me = WAYS[kind]
    first = await token_of(store, kind)
    owner = read_token(shop.settings.signing_key, first["authorization"].removeprefix("Bearer "))
    assert owner is not None
    for age, expected in ((timedelta(minutes=10), 200), (timedelta(0), 200), (-timedelta(minutes=10), 401)):
        # a token of the same chain whose sign-in was so long ago
        signed_in_at = int((now() - CHAIN_LIFETIME[kind] + age).timestamp())
        old = TokenOwner(owner.id, kind, owner.identity, owner.epoch, owner.chain, signed_in_at)
        headers = {"authorization": f"Bearer {issue_token(shop.settings.signing_key, old)}"}
        assert (await store.get(me, headers=headers)).status_code == expected
        renewed = await refreshed(store, headers)
        assert renewed.status_code == expected
        if expected == 200:
            again = read_token(shop.settings.signing_key, renewed.json()["token"])
            assert again is not None
            assert (again.chain, again.signed_in_at) == (owner.chain, signed_in_at)


@pytest.mark.parametrize("kind", [USER, CUSTOMER])
async def test_signing_out_ends_the_chain_and_no_other(store: httpx.AsyncClient, kind: str) -> None:
    _path, _body, me = WAYS[kind]
    first, other = await token_of(store, kind), await token_of(store, kind)
    second = {"authorization": f"Bearer {(await refreshed(store, first)).json()['token']}"}
    for _twice in range(2):
        assert (await store.request("DELETE", "/auth/session", headers=second)).status_code == 200
    for headers in (first, second):
        assert (await store.get(me, headers=headers)).status_code == 401
        assert (await refreshed(store, headers)).status_code == 401
        assert (await store.post("/auth/session", headers=headers)).status_code == 401
    assert (await store.get(me, headers=other)).status_code == 200


@pytest.mark.parametrize("kind", [USER, CUSTOMER])
async def test_signing_out_the_browser_ends_the_token_that_began_it(
    new_browser: NewBrowser, store: httpx.AsyncClient, kind: str
) -> None:
    _path, _body, me = WAYS[kind]
    token, other = await token_of(store, kind), await token_of(store, kind)
    browser = new_browser()
    assert (await browser.post("/auth/session", headers=token)).status_code == 200
    assert (await store.get(me, headers=token)).status_code == 200
    assert (await browser.request("DELETE", "/auth/session")).status_code == 200
    assert (await store.get(me, headers=token)).status_code == 401
    assert (await store.get(me, headers=other)).status_code == 200


@pytest.mark.parametrize("kind", [USER, CUSTOMER])
async def test_a_session_ends_with_the_lifetime_of_the_sign_in_of_its_token(
    new_browser: NewBrowser, store: httpx.AsyncClient, shop: Shop, kind: str
) -> None:
    first = await token_of(store, kind)
    owner = read_token(shop.settings.signing_key, first["authorization"].removeprefix("Bearer "))
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


async def test_ending_a_session_for_somebody_ends_its_token(
    new_browser: NewBrowser, store: httpx.AsyncClient, shop: Shop
) -> None:
    token = await token_of(store, USER)
    await new_browser().post("/auth/session", headers=token)
    async with shop.database.transaction() as session:
        (begun,) = (await session.execute(select(StaffSession.id))).scalars()
        await revoke(session, COMMAND_LINE, begun)
    assert (await store.get("/admin/users/me", headers=token)).status_code == 401
