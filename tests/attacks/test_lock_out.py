"""Strangers hammer at one account over HTTP: they are stopped, and its owner is not."""

import httpx

from tests.attacks.conftest import STAFF
from tests.e2e.conftest import ShopServer

SIGN_IN = "/auth/user/emailpass"
RIGHT = {"email": STAFF[0], "password": STAFF[1]}
WRONG = {**RIGHT, "password": "no es esta"}


async def test_one_address_locks_nobody_out(attacked: ShopServer) -> None:
    """More wrong passwords than an account's bound, nearly all of them refused before they are looked at."""
    async with httpx.AsyncClient(base_url=attacked.url) as anybody:
        mallory, owner = ({"x-forwarded-for": ip} for ip in ("190.24.7.1", "190.24.7.2"))
        tries = [(await anybody.post(SIGN_IN, json=WRONG, headers=mallory)).status_code for _ in range(110)]
        assert tries == [401] * 5 + [429] * 105
        assert (await anybody.post(SIGN_IN, json=RIGHT, headers=mallory)).status_code == 429
        answer = await anybody.post(SIGN_IN, json=RIGHT, headers={**owner, "origin": attacked.url})
        assert answer.status_code == 200
        # a known device, even at the address that is exhausted
        assert (await anybody.post(SIGN_IN, json=RIGHT, headers=mallory)).status_code == 200


async def test_one_subscriber_of_ipv6_has_no_more_tries_than_another(attacked: ShopServer) -> None:
    async with httpx.AsyncClient(base_url=attacked.url) as anybody:
        answers = [
            await anybody.post(
                "/auth/account/login",
                json={"email": "nobody@example.com", "password": "no es esta"},
                headers={"x-forwarded-for": f"2800:e2:7:7::{n}", "origin": attacked.url},
            )
            for n in range(1, 8)
        ]
    assert [answer.status_code for answer in answers] == [401] * 5 + [429] * 2
    assert int(answers[-1].headers["retry-after"]) <= 15 * 60
