"""Authentication of a request: the owner of a bearer token, a customer with a session cookie, or a guest.

Staff members are authenticated in `backend.staff.dependencies`.
"""

from typing import Annotated, Any, Protocol

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from backend.core.config.settings import Settings
from backend.core.errors import Unauthorized
from backend.edge.auth.bearer_tokens import TokenOwner, parse_token

bearer = HTTPBearer(auto_error=False, description="The token of POST /auth/user/emailpass.")


class Authenticator(Protocol):
    """A service that identifies customers; `app.py` puts it into `app.state.authenticator`."""

    async def is_customer(self, owner: TokenOwner) -> bool:
        """Return True if the owner of this bearer token is a customer and the token was not revoked."""

    async def customer_by_cookie(self, request: Request) -> str | None:
        """Return the id of the customer whose session cookie the request has; None for a guest."""


class NotSignedIn(Unauthorized):
    """The token is missing or invalid. As on the platform, the response contains only a message."""

    def __init__(self) -> None:
        super().__init__("Unauthorized")

    def body(self) -> dict[str, Any]:
        """Return `{message: "Unauthorized"}` (wire: commerce-api, Error bodies)."""
        return {"message": self.message}


def get_authenticator(request: Request) -> Authenticator:
    """Return the running shop's authenticator."""
    authenticator: Authenticator = request.app.state.authenticator
    return authenticator


Credentials = Annotated[HTTPAuthorizationCredentials | None, Security(bearer)]


async def read_owner(request: Request, credentials: Credentials) -> TokenOwner | None:
    """Return the owner of the bearer token; None if it is missing, forged, malformed or expired."""
    if credentials is None:
        return None
    settings: Settings = request.app.state.settings
    return parse_token(settings.signing_key, credentials.credentials)


MaybeOwner = Annotated[TokenOwner | None, Depends(read_owner)]


async def find_customer_id(request: Request, credentials: Credentials) -> str | None:
    """Return the id of the calling customer; None for a guest, and if the bearer token is invalid or was revoked.

    A bearer token takes precedence over the cookie, because a browser sends cookies automatically.
    """
    authenticator = get_authenticator(request)
    if "authorization" not in request.headers:
        return await authenticator.customer_by_cookie(request)
    owner = await read_owner(request, credentials)
    return owner.id if owner is not None and await authenticator.is_customer(owner) else None


async def require_customer(customer_id: Annotated[str | None, Depends(find_customer_id)]) -> str:
    """Return the id of the calling customer.

    Raises:
        NotSignedIn: the caller is not a customer.
    """
    if customer_id is None:
        raise NotSignedIn
    return customer_id


MaybeCustomer = Annotated[str | None, Depends(find_customer_id)]
CurrentCustomer = Annotated[str, Depends(require_customer)]
