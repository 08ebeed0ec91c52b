"""How often somebody may try to sign in. Counted in this process: each replica counts for itself."""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta

from backend.clock import now
from backend.errors import TooManyRequests

WINDOW = timedelta(minutes=15)
PER_PAIR, PER_CLIENT, PER_ADDRESS = 5, 20, 50
"""Failures that one client has for one e-mail address, one client for any, and anybody for one address."""
MAX_KEPT = 20_000


@dataclass(slots=True)
class _Failures:
    count: int
    until: datetime


class LoginThrottle:
    """Counts failed logins; forgets them after a quarter of an hour, or with the right password."""

    def __init__(self) -> None:
        self._failures: OrderedDict[tuple[str, str], _Failures] = OrderedDict()

    def require_calm(self, address: str, client: str) -> None:
        """Let a try pass unless too many failed lately.

        Raises:
            TooManyRequests: the caller must wait.
        """
        for key, most in _keys(address, client):
            failures = self._failures.get(key)
            if failures is not None and failures.until > now() and failures.count >= most:
                raise TooManyRequests("Too many failed logins: try again in some minutes")

    def failed(self, address: str, client: str) -> None:
        """A login of this address from this client failed."""
        moment = now()
        for key, _ in _keys(address, client):
            failures = self._failures.get(key)
            if failures is None or failures.until <= moment:
                failures = self._failures[key] = _Failures(0, moment + WINDOW)
            failures.count += 1
            self._failures.move_to_end(key)
        while len(self._failures) > MAX_KEPT:
            self._failures.popitem(last=False)

    def succeeded(self, address: str, client: str) -> None:
        """The right password came: the try that was counted was none, and this client's slips are forgiven."""
        for key, _ in _keys(address, client):
            if key in self._failures:
                self._failures[key].count -= 1
        self._failures.pop((address, client), None)


def _keys(address: str, client: str) -> tuple[tuple[tuple[str, str], int], ...]:
    return ((address, client), PER_PAIR), (("", client), PER_CLIENT), ((address, ""), PER_ADDRESS)
