"""Bearer tokens in the shape of a JWT. Nothing is remembered of them: the signature and `exp` say all."""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime, timedelta

LIFETIME = timedelta(minutes=20)
"""How long a token lasts (wire: gateway 1.1)."""


def issue(secret: str, audience: str, now: datetime) -> str:
    """A token for one of the gateway's services."""
    header = _part({"alg": "HS256", "typ": "JWT"})
    claims = _part({"aud": audience, "iat": int(now.timestamp()), "exp": int((now + LIFETIME).timestamp())})
    return f"{header}.{claims}.{_signature(secret, f'{header}.{claims}')}"


def is_valid(token: str, secret: str, audience: str, now: datetime) -> bool:
    """Whether we issued the token for this service and it still lasts."""
    signed, _, signature = token.rpartition(".")
    if not hmac.compare_digest(_signature(secret, signed).encode(), signature.encode()):
        return False
    payload = signed.rpartition(".")[2]
    claims = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return bool(claims["aud"] == audience and claims["exp"] > now.timestamp())


def _part(claims: dict[str, object]) -> str:
    return _base64(json.dumps(claims, separators=(",", ":")).encode())


def _signature(secret: str, signed: str) -> str:
    return _base64(hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest())


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
