"""Being logged in: a bearer token that is shared, kept no longer than it lasts, and fetched once for all who wait."""

import asyncio
import json
from base64 import urlsafe_b64decode
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from backend.clock import now

LONGEST_USE = timedelta(minutes=14)
"""How long a token is used at most: it lasts 20 or 60 minutes, and the PHP SDK keeps it 14 (wire: gateway 1.1)."""

MARGIN = timedelta(seconds=30)
"""A token this close to its end is not used any more: the call must arrive before it."""


@dataclass(frozen=True)
class _Token:
    text: str = field(repr=False)
    usable_until: datetime


class GatewaySession:
    """Keeps one token. `login` fetches a new one and is never run twice at the same time."""

    def __init__(self, login: Callable[[], Awaitable[str]]) -> None:
        self._login = login
        self._lock = asyncio.Lock()
        self._token: _Token | None = None

    async def token(self) -> str:
        """A token to call with now. Raises whatever `login` raises."""
        async with self._lock:
            if self._token is None or self._token.usable_until <= now():
                text = await self._login()
                self._token = _Token(text, usable_until=_usable_until(text))
            return self._token.text

    def forget(self, token: str) -> None:
        """Do not use this token again: the gateway no longer takes it. A newer one stays."""
        if self._token is not None and self._token.text == token:
            self._token = None


def _usable_until(token: str) -> datetime:
    longest = now() + LONGEST_USE
    expires = _expiry(token)
    return longest if expires is None else min(longest, expires - MARGIN)


def _expiry(token: str) -> datetime | None:
    """The `exp` of a JWT, which only schedules our next login; None when the token has none to read."""
    try:
        payload = token.split(".")[1]
        claims = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return datetime.fromtimestamp(float(claims["exp"]), UTC)
    except (LookupError, TypeError, ValueError, OverflowError, OSError):
        return None
