"""Bearer tokens: signed, and good for a day (wire: commerce-api, Customers and auth).

A refreshed token belongs to the chain of the one it was refreshed from. A chain ends when its time since the sign-in is
over, or when it is revoked (`backend.edge.auth.revoked_tokens`).

What signs them brings much with it, and is loaded for the first token.
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
"""For how long after the sign-in tokens can be refreshed, by the type of their owner."""
CLOCKS_DIFFER = 300
"""Seconds that a token made on another replica may come from the future, and stays good after its end."""


@dataclass(frozen=True, slots=True)
class TokenOwner:
    """Whom a valid token is for: a member of staff or a customer, by `type` and `id`.

    `identity` is the login they proved; a customer may have one before there is a customer, and then no `id`.
    A token of an earlier `epoch` than its owner's is worth nothing. `chain` and `signed_in_at` (seconds since 1970) are
    those of the token that was read; empty and 0 for a new sign-in.
    """

    id: str
    type: str
    identity: str = ""
    epoch: int = 0
    chain: str = ""
    signed_in_at: int = 0


def session_end(moment: datetime, lifetime: timedelta, owner: TokenOwner | None) -> datetime:
    """Return when a browser's session ends that begins now: not later than `lifetime` after its token's sign-in."""
    if owner is None or not owner.signed_in_at:
        return moment + lifetime
    return min(moment, datetime.fromtimestamp(owner.signed_in_at, UTC)) + lifetime


def issue_token(signing_key: str, owner: TokenOwner) -> str:
    """Return a token for the owner that is valid for a day, but not longer than its chain."""
    from joserfc import jwt

    claims = claims_of(owner, TOKEN_LIFETIME)
    signed_in_at = owner.signed_in_at or claims["iat"]
    claims |= {
        "epoch": owner.epoch,
        "sid": owner.chain or secrets.token_urlsafe(16),
        "auth_time": signed_in_at,
        "exp": min(claims["exp"], signed_in_at + int(CHAIN_LIFETIME[owner.type].total_seconds())),
    }
    return jwt.encode({"alg": ALGORITHM}, claims, _key(signing_key))


def claims_of(owner: TokenOwner, lifetime: timedelta) -> dict[str, Any]:
    """The claims of a token for the owner that is valid from now for `lifetime`, as the platform names them."""
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


def read_token(signing_key: str, token: str) -> TokenOwner | None:
    """Whom the token is for; None when it is forged, malformed or over."""
    from joserfc import jwt
    from joserfc.errors import JoseError

    registry = jwt.JWTClaimsRegistry(
        now=lambda: int(now().timestamp()),
        leeway=CLOCKS_DIFFER,
        exp={"essential": True},
        iat={"essential": True},
        actor_id={"essential": True, "allow_blank": True},  # a login may have no customer yet
        actor_type={"essential": True},
    )
    try:
        claims = jwt.decode(token, _key(signing_key), algorithms=[ALGORITHM]).claims
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


def _key(signing_key: str) -> "OctKey":
    """Return the key of bearer tokens; links are signed with others."""
    from joserfc.jwk import OctKey

    return OctKey.import_key(derive_key(signing_key, "bearer tokens"))
