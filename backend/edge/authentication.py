"""Who sends a request: staff with a bearer token, a customer with one or with a session's cookie, or a guest."""

from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from backend.errors import Unauthorized

USER, CUSTOMER = "user", "customer"


@dataclass(frozen=True, slots=True)
class Actor:
    """The owner of a valid token: a member of staff or a customer, by `type` and `id`.

    `identity` is the login they proved; a customer may have one before there is a customer, and then no `id`.
    A token of an earlier `epoch` than the customer's is worth nothing.
    """

    id: str
    type: str
    identity: str = ""
    epoch: int = 0


bearer = HTTPBearer(auto_error=False, description="The token of POST /auth/user/emailpass.")


class Authenticator(Protocol):
    """What knows staff and customers; `app.py` puts it into `app.state.authenticator`."""

    def actor(self, token: str) -> Actor | None:
        """The actor of the bearer token; None when it is not valid."""

    async def is_staff(self, actor: Actor) -> bool:
        """Whether the actor is a member of staff now."""

    async def is_customer(self, actor: Actor) -> bool:
        """Whether this is a customer whose token still counts."""

    async def customer_by_cookie(self, request: Request) -> str | None:
        """The id of the customer whose browser asks; None for a guest."""


class NotSignedIn(Unauthorized):
    """No token, or one that is no good. The platform answers with a message alone."""

    def __init__(self) -> None:
        super().__init__("Unauthorized")

    def body(self) -> dict[str, Any]:
        """`{message: "Unauthorized"}` (wire: commerce-api, Error bodies)."""
        return {"message": self.message}


async def authenticator_of(request: Request) -> Authenticator:
    """The running shop's own."""
    authenticator: Authenticator = request.app.state.authenticator
    return authenticator


Known = Annotated[Authenticator, Depends(authenticator_of)]


async def actor_of(
    known: Known, credentials: Annotated[HTTPAuthorizationCredentials | None, Security(bearer)]
) -> Actor | None:
    """The actor of the bearer token; None without a valid one."""
    return known.actor(credentials.credentials) if credentials else None


MaybeActor = Annotated[Actor | None, Depends(actor_of)]


async def staff(known: Known, actor: MaybeActor) -> Actor:
    """The member of staff who asks.

    Raises:
        NotSignedIn: it is none of the staff, or no longer.
    """
    if actor is None or not await known.is_staff(actor):
        raise NotSignedIn
    return actor


async def customer_id(request: Request, known: Known, actor: MaybeActor) -> str | None:
    """The id of the customer who asks; None for a guest, and for one who has signed out everywhere since.

    A bearer token is sent by whoever has it, and goes before the cookie.
    """
    if "authorization" not in request.headers:
        return await known.customer_by_cookie(request)
    return actor.id if actor is not None and await known.is_customer(actor) else None


async def customer(known: Annotated[str | None, Depends(customer_id)]) -> str:
    """The id of the customer who asks.

    Raises:
        NotSignedIn: it is no customer.
    """
    if known is None:
        raise NotSignedIn
    return known


async def known_actor(known: Known, actor: MaybeActor) -> Actor:
    """The member of staff or customer who asks.

    Raises:
        NotSignedIn: it is neither.
    """
    if actor is None or not (await known.is_staff(actor) or await known.is_customer(actor)):
        raise NotSignedIn
    return actor


StaffMember = Annotated[Actor, Depends(staff)]
MaybeCustomer = Annotated[str | None, Depends(customer_id)]
OneCustomer = Annotated[str, Depends(customer)]
KnownActor = Annotated[Actor, Depends(known_actor)]
STAFF_ONLY = [Depends(staff)]
