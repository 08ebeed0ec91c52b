"""Whether somebody who brings a token or a cookie is known now: what `backend.edge.guard` asks."""

from fastapi import Request

from backend.customers.cookies import is_from_own_page, token_in
from backend.customers.models import Customer
from backend.customers.staff import find_staff
from backend.customers.tokens import read_token
from backend.customers.views import shopper_with
from backend.database import Database
from backend.edge.actors import CUSTOMER, USER, Actor
from backend.settings import Settings

HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})


class CustomersAuthenticator:
    """Knows staff and customers by what the database says of them now."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings

    def actor(self, token: str) -> Actor | None:
        """Whom the bearer token is for; None when it is forged, malformed or over."""
        return read_token(self._settings.signing_key, token)

    async def is_staff(self, actor: Actor) -> bool:
        """Whether this is somebody of the staff, who has not left."""
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
