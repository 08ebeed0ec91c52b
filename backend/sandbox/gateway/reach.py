"""Whom the sandbox may call. Its keys are no secret, so anyone could have it call anything on the inside."""

from urllib.parse import urlsplit

LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Reach:
    """The shop's own address; and, when the shop itself is on this machine, anything on this machine."""

    def __init__(self, shop_url: str) -> None:
        self._origin = _origin(shop_url)
        self._is_local = self._origin[1] in LOOPBACK

    def __call__(self, url: str) -> bool:
        """Whether a notification may be sent there."""
        origin = _origin(url)
        return origin == self._origin or (self._is_local and origin[1] in LOOPBACK)


def anywhere(_url: str) -> bool:
    """No limit: for a sandbox that stands alone in a test."""
    return True


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, (parts.hostname or "").casefold(), port
