import asyncio
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from backend.core.clock import now
from backend.payment.providers.pse import login as session_module
from backend.payment.providers.pse.login import GatewaySession, Token

START = datetime(2026, 1, 31, 12, tzinfo=UTC)


def jwt(claims: str) -> str:
    return f"e30.{urlsafe_b64encode(claims.encode()).rstrip(b'=').decode()}.signature"


@pytest.mark.parametrize(
    ("token", "seconds"),
    [
        (jwt(f'{{"exp": {int(START.timestamp()) + 600}}}'), 570),  # half a minute before its end
        (jwt(f'{{"exp": {int(START.timestamp()) + 3600}}}'), 14 * 60),
        (jwt('{"exp": "soon"}'), 14 * 60),
        (jwt('{"exp": 1e40}'), 14 * 60),
        (jwt("{}"), 14 * 60),
        (jwt("[]"), 14 * 60),
        ("opaque", 14 * 60),
        ("a.b.c", 14 * 60),
    ],
)
async def test_gateway_token_is_used_until_shortly_before_its_expiry(
    token: str, seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    logins = 0

    async def login() -> str:
        nonlocal logins
        logins += 1
        return token

    session = GatewaySession(login)
    for after, expected in ((0, 1), (seconds - 1, 1), (seconds, 2)):
        moment = START + timedelta(seconds=after)
        monkeypatch.setattr(session_module, "now", lambda moment=moment: moment)
        assert await session.get_token() == token
        assert logins == expected


async def test_failed_login_is_raised_in_all_waiting_calls_and_retried_by_the_next() -> None:
    outcomes: Iterator[str | None] = iter([None, "t1"])

    async def login() -> str:
        token = next(outcomes)
        await asyncio.sleep(0)
        if token is None:
            raise RuntimeError("down")
        return token

    session = GatewaySession(login)
    failures = await asyncio.gather(session.get_token(), session.get_token(), return_exceptions=True)
    assert [str(failure) for failure in failures] == ["down", "down"]
    both = await asyncio.gather(session.get_token(), session.get_token())
    assert list(both) == ["t1", "t1"]


async def test_only_the_refused_gateway_token_is_forgotten() -> None:
    tokens = iter(["t1", "t2"])

    async def login() -> str:
        return next(tokens)

    session = GatewaySession(login)
    assert await session.get_token() == "t1"
    session.forget("t0")
    assert await session.get_token() == "t1"
    session.forget("t1")
    assert await session.get_token() == "t2"


def test_repr_does_not_show_the_token() -> None:
    assert "secret" not in repr(Token("very.secret.token", now()))
