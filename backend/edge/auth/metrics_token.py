"""METRICS_TOKEN, the bearer token of those who watch the shop."""

import hmac

from fastapi import Request

from backend.core.config.settings import Settings


def has_metrics_token(request: Request, settings: Settings) -> bool:
    """Return True if the request has METRICS_TOKEN as its bearer token; False while that is not set.

    Callers from this machine need it, too: behind a proxy on the same machine everybody is one.
    """
    token = settings.metrics_token.get_secret_value()
    given = request.headers.get("authorization", "")
    return bool(token) and hmac.compare_digest(given.encode(), f"Bearer {token}".encode())
