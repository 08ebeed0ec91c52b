"""Attackers guess the password of one account over HTTP: they are stopped, but the account's owner can log in."""

import httpx

from tests.attacks.conftest import STAFF
from tests.e2e.conftest import ShopServer

SIGN_IN = "/auth/user/emailpass"
RIGHT = {"email": STAFF[0], "password": STAFF[1]}
WRONG = {**RIGHT, "password": "no es esta"}


async def test_wrong_passwords_from_one_ip_address_do_not_lock_the_account_owner_out(
    attacked_shop: ShopServer,
) -> None:
    """Send more wrong passwords than an account's limit. Only the first five are checked, the others get 429."""
    async with httpx.AsyncClient(base_url=attacked_shop.url) as client:
        attacker, owner = ({"x-forwarded-for": ip} for ip in ("190.24.7.1", "190.24.7.2"))
        statuses = [
            (await client.post(SIGN_IN, json=WRONG, headers=attacker)).status_code for _ in range(110)
        ]
        assert statuses == [401] * 5 + [429] * 105
        assert (await client.post(SIGN_IN, json=RIGHT, headers=attacker)).status_code == 429
        answer = await client.post(SIGN_IN, json=RIGHT, headers={**owner, "origin": attacked_shop.url})
        assert answer.status_code == 200
        # a known device, even at the address that is exhausted
        assert (await client.post(SIGN_IN, json=RIGHT, headers=attacker)).status_code == 200


async def test_ipv6_subscriber_has_no_more_attempts_than_an_ipv4_client(attacked_shop: ShopServer) -> None:
    async with httpx.AsyncClient(base_url=attacked_shop.url) as client:
        answers = [
            await client.post(
                "/auth/account/login",
                json={"email": "nobody@example.com", "password": "no es esta"},
                headers={"x-forwarded-for": f"2800:e2:7:7::{n}", "origin": attacked_shop.url},
            )
            for n in range(1, 8)
        ]
    assert [answer.status_code for answer in answers] == [401] * 5 + [429] * 2
    assert int(answers[-1].headers["retry-after"]) <= 15 * 60
