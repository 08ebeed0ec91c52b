"""METRICS_TOKEN, the bearer token for monitoring."""

import hmac

from fastapi import Request

from backend.core.config.settings import Settings


def has_metrics_token(request: Request, settings: Settings) -> bool:
    """Return True if the request has METRICS_TOKEN as its bearer token. Without that setting, return False.

    Local callers need the token too, because behind a proxy on the same machine every caller looks local.
    """
    token = settings.metrics_token.get_secret_value()
    header = request.headers.get("authorization", "")
    return bool(token) and hmac.compare_digest(header.encode(), f"Bearer {token}".encode())
