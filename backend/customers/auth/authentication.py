"""Authentication of customers by a bearer token or a cookie."""

from fastapi import Request
from sqlalchemy import bindparam, select

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.customers.auth.accounts import find_shopper
from backend.customers.auth.sessions import read_session_token
from backend.customers.models import Customer
from backend.edge.auth.bearer_tokens import CUSTOMER, TokenOwner
from backend.edge.auth.csrf import may_use_cookie
from backend.edge.auth.revoked_tokens import is_revoked

_BY_TOKEN = select(Customer.id).where(
    Customer.id == bindparam("customer_id"), Customer.token_epoch == bindparam("epoch"), ~is_revoked()
)


class CustomersAuthenticator:
    """Authenticator that identifies customers by the current content of the database.

    It implements `backend.edge.auth.authentication.Authenticator`.
    """

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings

    async def is_customer(self, owner: TokenOwner) -> bool:
        """Return True if this is a customer who has not signed out since the token was issued."""
        if owner.type != CUSTOMER or not owner.id:
            return False
        async with self._database.read() as session:
            params = {"customer_id": owner.id, "epoch": owner.epoch, "chain": owner.chain}
            return (await session.execute(_BY_TOKEN, params)).first() is not None

    async def customer_by_cookie(self, request: Request) -> str | None:
        """Return the id of the customer whose session cookie the request has; None for a guest.

        The cookie is ignored if `may_use_cookie` does not allow it for this request.
        """
        if not may_use_cookie(request, self._settings):
            return None
        shopper = await find_shopper(self._database, read_session_token(request))
        return shopper.id if shopper else None
