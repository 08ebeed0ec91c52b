"""Who sends a request: the owner of a bearer token, a customer with a session's cookie, or a guest.

Staff: `backend.staff.dependencies`.
"""

from typing import Annotated, Any, Protocol

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from backend.core.config.settings import Settings
from backend.core.errors import Unauthorized
from backend.edge.auth.bearer_tokens import TokenOwner, read_token

bearer = HTTPBearer(auto_error=False, description="The token of POST /auth/user/emailpass.")


class Authenticator(Protocol):
    """What knows customers; `app.py` puts it into `app.state.authenticator`."""

    async def is_customer(self, owner: TokenOwner) -> bool:
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


def authenticator_of(request: Request) -> Authenticator:
    """The running shop's own."""
    authenticator: Authenticator = request.app.state.authenticator
    return authenticator


Credentials = Annotated[HTTPAuthorizationCredentials | None, Security(bearer)]


async def owner_of(request: Request, credentials: Credentials) -> TokenOwner | None:
    """Whom the bearer token is for; None without one, and for one that is forged, malformed or over."""
    if credentials is None:
        return None
    settings: Settings = request.app.state.settings
    return read_token(settings.signing_key, credentials.credentials)


MaybeOwner = Annotated[TokenOwner | None, Depends(owner_of)]


async def customer_id(request: Request, credentials: Credentials) -> str | None:
    """The id of the customer who asks; None for a guest, and for one who has signed out everywhere since.

    A bearer token is sent by whoever has it, and goes before the cookie.
    """
    known = authenticator_of(request)
    if "authorization" not in request.headers:
        return await known.customer_by_cookie(request)
    owner = await owner_of(request, credentials)
    return owner.id if owner is not None and await known.is_customer(owner) else None


async def customer(known: Annotated[str | None, Depends(customer_id)]) -> str:
    """The id of the customer who asks.

    Raises:
        NotSignedIn: it is no customer.
    """
    if known is None:
        raise NotSignedIn
    return known


MaybeCustomer = Annotated[str | None, Depends(customer_id)]
OneCustomer = Annotated[str, Depends(customer)]
