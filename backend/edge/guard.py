"""Who is asking: staff with a bearer token, a customer with one or with a session's cookie, or somebody unknown."""

from typing import Annotated, Any

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from backend.customers.cookies import is_from_own_page, token_in
from backend.customers.models import Customer, Staff
from backend.customers.staff import find_staff
from backend.customers.tokens import CUSTOMER, USER, Actor, read_token
from backend.customers.views import shopper_with
from backend.database import Database
from backend.edge.dependencies import Db, ShopSettings
from backend.errors import Unauthorized

bearer = HTTPBearer(auto_error=False, description="The token of POST /auth/user/emailpass.")

HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})


class NotSignedIn(Unauthorized):
    """No token, or one that is no good. The platform answers with a message alone."""

    def __init__(self) -> None:
        super().__init__("Unauthorized")

    def body(self) -> dict[str, Any]:
        """`{message: "Unauthorized"}` (wire: commerce-api, Error bodies)."""
        return {"message": self.message}


async def actor_of(
    settings: ShopSettings, credentials: Annotated[HTTPAuthorizationCredentials | None, Security(bearer)]
) -> Actor | None:
    """Whoever the bearer token is for; None without a token that is good."""
    return read_token(settings.signing_key, credentials.credentials) if credentials else None


MaybeActor = Annotated[Actor | None, Depends(actor_of)]


async def staff(database: Db, actor: MaybeActor) -> Staff:
    """The member of staff who asks.

    Raises:
        NotSignedIn: it is none of the staff, or no longer.
    """
    if actor is None or actor.type != USER:
        raise NotSignedIn
    async with database.read() as session:
        found = await find_staff(session, actor.id)
    if found is None:
        raise NotSignedIn
    return found


async def customer_id(
    request: Request, database: Db, settings: ShopSettings, actor: MaybeActor
) -> str | None:
    """The id of the customer who asks; None for a guest, and for one who has signed out everywhere since.

    A browser sends its cookie by itself, whoever made it ask: to change anything, the cookie counts only from a page of
    the shop. A bearer token is sent by whoever has it, and goes before the cookie.
    """
    if "authorization" in request.headers:
        return await customer_by_token(database, actor)
    if request.method not in HARMLESS and not is_from_own_page(request, settings):
        return None
    shopper = await shopper_with(database, token_in(request))
    return shopper.id if shopper else None


async def customer_by_token(database: Database, actor: Actor | None) -> str | None:
    """The id of the customer whose token this is, while it is worth something."""
    if actor is None or actor.type != CUSTOMER or not actor.id:
        return None
    async with database.read() as session:
        customer = await session.get(Customer, actor.id)
    return actor.id if customer is not None and customer.token_epoch == actor.epoch else None


async def customer(known: Annotated[str | None, Depends(customer_id)]) -> str:
    """The id of the customer who asks.

    Raises:
        NotSignedIn: it is no customer.
    """
    if known is None:
        raise NotSignedIn
    return known


async def known_actor(database: Db, actor: MaybeActor) -> Actor:
    """Whoever asks, staff or customer, as they are known now.

    Raises:
        NotSignedIn: nobody we know.
    """
    if actor is not None and actor.type == USER:
        await staff(database, actor)
    elif await customer_by_token(database, actor) is None:
        raise NotSignedIn
    assert actor is not None  # noqa: S101 - nobody else passes
    return actor


StaffMember = Annotated[Staff, Depends(staff)]
MaybeCustomer = Annotated[str | None, Depends(customer_id)]
OneCustomer = Annotated[str, Depends(customer)]
KnownActor = Annotated[Actor, Depends(known_actor)]
STAFF_ONLY = [Depends(staff)]
