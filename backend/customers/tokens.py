"""Bearer tokens: who somebody is, signed and with an end (wire: commerce-api, Customers and auth)."""

import hashlib
import hmac
from datetime import timedelta
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from backend.clock import now
from backend.edge.actors import Actor

ALGORITHM = "HS256"
LIFETIME = timedelta(hours=24)

_CLAIMS = jwt.JWTClaimsRegistry(
    now=lambda: int(now().timestamp()),
    exp={"essential": True},
    iat={"essential": True},
    actor_id={"essential": True, "allow_blank": True},  # a login may have no customer yet
    actor_type={"essential": True},
)


def issue_token(signing_key: str, actor: Actor) -> str:
    """A token for the actor that is good for a day."""
    claims = {**claims_of(actor, LIFETIME), "epoch": actor.epoch}
    return jwt.encode({"alg": ALGORITHM}, claims, _key(signing_key))


def claims_of(actor: Actor, lifetime: timedelta) -> dict[str, Any]:
    """Who the actor is, from now and for so long, as the platform says it."""
    moment = now()
    return {
        "actor_id": actor.id,
        "actor_type": actor.type,
        "auth_identity_id": actor.identity or f"authid_{actor.id.partition('_')[2]}",
        "auth_provider": "emailpass",
        "app_metadata": {f"{actor.type}_id": actor.id} if actor.id else {},
        "user_metadata": {},
        "iat": int(moment.timestamp()),
        "exp": int((moment + lifetime).timestamp()),
    }


def read_token(signing_key: str, token: str) -> Actor | None:
    """Whom the token is for; None when it is forged, malformed or over."""
    try:
        claims = jwt.decode(token, _key(signing_key), algorithms=[ALGORITHM]).claims
        _CLAIMS.validate(claims)
    except (JoseError, ValueError):
        return None
    epoch = claims.get("epoch", 0)
    return Actor(
        id=str(claims["actor_id"]),
        type=str(claims["actor_type"]),
        identity=str(claims.get("auth_identity_id", "")),
        epoch=epoch if isinstance(epoch, int) else -1,
    )


def _key(signing_key: str) -> OctKey:
    """A key of its own: what signs order links signs no tokens."""
    return OctKey.import_key(hmac.digest(signing_key.encode(), b"bearer tokens", hashlib.sha256))
