"""Request dependencies of the checkout routes.

Each dependency costs time in every request. So the routes of the Store API have one for everything that a purchase
needs: `StoreCall`.
"""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from backend.cart.access import Caller
from backend.checkout.carts.wire import CartView
from backend.checkout.service import Checkout
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.edge.auth.authentication import Credentials, find_customer_id
from backend.edge.dependencies import PublishableKey, client_ip, sales_channel
from backend.edge.query import Fields, read_query
from backend.edge.schemas import OneParameters


@dataclass(frozen=True, slots=True)
class StoreCall:
    """A request with a valid publishable key, and the running shop's services.

    Attributes:
        channel_id: id of the sales channel of the publishable key.
        customer_id: id of the calling customer; None for a guest.
        ip: the client's IP address; empty if it is unknown.
    """

    channel_id: str
    customer_id: str | None
    ip: str
    checkout: Checkout

    @property
    def caller(self) -> Caller:
        """Return the caller, whose access to carts is checked."""
        return Caller(self.customer_id)

    @property
    def database(self) -> Database:
        """Return the shop's database."""
        return self.checkout.database

    @property
    def settings(self) -> Settings:
        """Return the settings of the environment."""
        return self.checkout.settings


async def read_store_call(
    request: Request,
    credentials: Credentials,
    key: PublishableKey = None,
) -> StoreCall:
    """Return the sales channel, the customer and the address of the request.

    Raises:
        NotAllowed: the publishable key is missing or unknown.
    """
    return StoreCall(
        channel_id=await sales_channel(request, key),
        customer_id=await find_customer_id(request, credentials),
        ip=await client_ip(request),
        checkout=request.app.state.checkout,
    )


async def get_checkout(request: Request) -> Checkout:
    """Return the running shop's `Checkout` service."""
    checkout: Checkout = request.app.state.checkout
    return checkout


async def get_cart_view(
    request: Request, parameters: Annotated[OneParameters, read_query(OneParameters)]
) -> CartView:
    """Return the requested fields of carts, and the shop's base URL."""
    settings: Settings = request.app.state.settings
    return CartView(Fields(parameters.fields), settings.base_url)


Call = Annotated[StoreCall, Depends(read_store_call)]
ShopCheckout = Annotated[Checkout, Depends(get_checkout)]
View = Annotated[CartView, Depends(get_cart_view)]
