"""Who a bearer token or a cookie belongs to (wire: commerce-api, Customers and auth).

Bearer tokens are signed and good for a day.
"""

import hashlib
import hmac
from datetime import timedelta
from typing import Any

from fastapi import Request
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from backend.clock import now
from backend.customers.accounts import shopper_with
from backend.customers.models import Customer
from backend.customers.sessions import is_from_own_page, token_in
from backend.customers.staff import find_staff
from backend.database import Database
from backend.edge.authentication import CUSTOMER, USER, Actor
from backend.settings import Settings

ALGORITHM = "HS256"
TOKEN_LIFETIME = timedelta(hours=24)

_CLAIMS = jwt.JWTClaimsRegistry(
    now=lambda: int(now().timestamp()),
    exp={"essential": True},
    iat={"essential": True},
    actor_id={"essential": True, "allow_blank": True},  # a login may have no customer yet
    actor_type={"essential": True},
)


def issue_token(signing_key: str, actor: Actor) -> str:
    """A token for the actor that is good for a day."""
    claims = {**claims_of(actor, TOKEN_LIFETIME), "epoch": actor.epoch}
    return jwt.encode({"alg": ALGORITHM}, claims, _key(signing_key))


def claims_of(actor: Actor, lifetime: timedelta) -> dict[str, Any]:
    """The claims of a token for the actor that is valid from now for `lifetime`, as the platform names them."""
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


HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})


class CustomersAuthenticator:
    """The `Authenticator` of `backend.edge.authentication`: staff and customers as the database has them now."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings

    def actor(self, token: str) -> Actor | None:
        """Whom the bearer token is for; None when it is forged, malformed or over."""
        return read_token(self._settings.signing_key, token)

    async def is_staff(self, actor: Actor) -> bool:
        """Whether the actor is a member of staff now."""
        if actor.type != USER:
            return False
        async with self._database.read() as session:
            return await find_staff(session, actor.id) is not None

    async def is_customer(self, actor: Actor) -> bool:
        """Whether this is a customer who has not signed out everywhere since the token was made."""
        if actor.type != CUSTOMER or not actor.id:
            return False
        async with self._database.read() as session:
            customer = await session.get(Customer, actor.id)
        return customer is not None and customer.token_epoch == actor.epoch

    async def customer_by_cookie(self, request: Request) -> str | None:
        """The id of the customer whose browser asks; None for a guest.

        A browser sends its cookie by itself, whoever made it ask: to change anything, the cookie counts only from a
        page of the shop.
        """
        if request.method not in HARMLESS and not is_from_own_page(request, self._settings):
            return None
        shopper = await shopper_with(self._database, token_in(request))
        return shopper.id if shopper else None
