"""Which customer a bearer token or a cookie belongs to."""

from fastapi import Request
from sqlalchemy import bindparam, select

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.customers.auth.accounts import shopper_with
from backend.customers.auth.sessions import token_in
from backend.customers.models import Customer
from backend.edge.auth.bearer_tokens import CUSTOMER, TokenOwner
from backend.edge.auth.csrf import may_use_cookie
from backend.edge.auth.revoked_tokens import is_revoked

_BY_TOKEN = select(Customer.id).where(
    Customer.id == bindparam("customer_id"), Customer.token_epoch == bindparam("epoch"), ~is_revoked()
)


class CustomersAuthenticator:
    """The `Authenticator` of `backend.edge.auth.authentication`: customers as the database has them now."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings

    async def is_customer(self, owner: TokenOwner) -> bool:
        """Return whether this is a customer who has not signed out since the token was made."""
        if owner.type != CUSTOMER or not owner.id:
            return False
        async with self._database.read() as session:
            asked = {"customer_id": owner.id, "epoch": owner.epoch, "chain": owner.chain}
            return (await session.execute(_BY_TOKEN, asked)).first() is not None

    async def customer_by_cookie(self, request: Request) -> str | None:
        """The id of the customer whose browser asks; None for a guest. See `may_use_cookie` for when one counts."""
        if not may_use_cookie(request, self._settings):
            return None
        shopper = await shopper_with(self._database, token_in(request))
        return shopper.id if shopper else None
