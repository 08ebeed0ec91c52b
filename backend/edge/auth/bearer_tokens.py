"""Signed bearer tokens, valid for a day (wire: commerce-api, Customers and auth).

All tokens that were refreshed from the same sign-in form a chain. A chain ends a fixed time after the sign-in, or
when it is revoked (`backend.edge.auth.revoked_tokens`).

The signing library is large, so it is imported only when the first token is used.
"""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from backend.core.clock import now
from backend.core.web.signing import derive_key

if TYPE_CHECKING:
    from joserfc.jwk import OctKey

USER, CUSTOMER = "user", "customer"
ALGORITHM = "HS256"
TOKEN_LIFETIME = timedelta(hours=24)
CHAIN_LIFETIME = {USER: timedelta(hours=12), CUSTOMER: timedelta(days=30)}
"""Time after the sign-in during which tokens can be refreshed, by the type of their owner."""
CLOCK_TOLERANCE_S = 300
"""Tolerance for the clocks of replicas, in seconds, at the beginning and the end of a token's validity."""


@dataclass(frozen=True, slots=True)
class TokenOwner:
    """The owner of a valid token: a staff member or a customer, by `type` and `id`.

    `identity` is the id of the login. A login may exist before its customer; then `id` is empty. The token is valid
    only while its `epoch` is the stored epoch of the owner. `chain` is the id of the token's chain, and
    `signed_in_at` the time of its sign-in (seconds since 1970). For a new sign-in, `chain` is empty and
    `signed_in_at` is 0.
    """

    id: str
    type: str
    identity: str = ""
    epoch: int = 0
    chain: str = ""
    signed_in_at: int = 0


def session_end(moment: datetime, lifetime: timedelta, owner: TokenOwner | None) -> datetime:
    """Return the end of a browser session that begins now.

    The session lasts for `lifetime`. If it was started with a bearer token, the time is counted from the sign-in of
    that token.
    """
    if owner is None or not owner.signed_in_at:
        return moment + lifetime
    return min(moment, datetime.fromtimestamp(owner.signed_in_at, UTC)) + lifetime


def issue_token(signing_key: str, owner: TokenOwner) -> str:
    """Return a token for the owner. It is valid for a day, but ends with its chain of refreshed tokens."""
    from joserfc import jwt

    claims = build_claims(owner, TOKEN_LIFETIME)
    signed_in_at = owner.signed_in_at or claims["iat"]
    claims |= {
        "epoch": owner.epoch,
        "sid": owner.chain or secrets.token_urlsafe(16),
        "auth_time": signed_in_at,
        "exp": min(claims["exp"], signed_in_at + int(CHAIN_LIFETIME[owner.type].total_seconds())),
    }
    return jwt.encode({"alg": ALGORITHM}, claims, _derive_token_key(signing_key))


def build_claims(owner: TokenOwner, lifetime: timedelta) -> dict[str, Any]:
    """Return the claims of a token for the owner, named as on the platform.

    The token is valid from now for `lifetime`.
    """
    moment = now()
    return {
        "actor_id": owner.id,
        "actor_type": owner.type,
        "auth_identity_id": owner.identity or f"authid_{owner.id.partition('_')[2]}",
        "auth_provider": "emailpass",
        "app_metadata": {f"{owner.type}_id": owner.id} if owner.id else {},
        "user_metadata": {},
        "iat": int(moment.timestamp()),
        "exp": int((moment + lifetime).timestamp()),
    }


def parse_token(signing_key: str, token: str) -> TokenOwner | None:
    """Return the owner of the token; None if it is forged, malformed or expired."""
    from joserfc import jwt
    from joserfc.errors import JoseError

    registry = jwt.JWTClaimsRegistry(
        now=lambda: int(now().timestamp()),
        leeway=CLOCK_TOLERANCE_S,
        exp={"essential": True},
        iat={"essential": True},
        actor_id={"essential": True, "allow_blank": True},  # a login may not have a customer yet
        actor_type={"essential": True},
    )
    try:
        claims = jwt.decode(token, _derive_token_key(signing_key), algorithms=[ALGORITHM]).claims
        registry.validate(claims)
    except (JoseError, ValueError):
        return None
    epoch, signed_in_at = claims.get("epoch", 0), claims.get("auth_time", claims["iat"])
    return TokenOwner(
        id=str(claims["actor_id"]),
        type=str(claims["actor_type"]),
        identity=str(claims.get("auth_identity_id", "")),
        epoch=epoch if isinstance(epoch, int) else -1,
        chain=str(claims.get("sid", "")),
        signed_in_at=signed_in_at if isinstance(signed_in_at, int) else int(claims["iat"]),
    )


def _derive_token_key(signing_key: str) -> "OctKey":
    """Return the key that signs bearer tokens. Links in mails are signed with other keys."""
    from joserfc.jwk import OctKey

    return OctKey.import_key(derive_key(signing_key, "bearer tokens"))
