"""Request dependencies of the checkout routes."""

from typing import Annotated

from fastapi import Depends, Request

from backend.checkout.carts.wire import CartView
from backend.checkout.service import Checkout
from backend.core.config.settings import Settings
from backend.edge.dependencies import RequestedFields


async def get_checkout(request: Request) -> Checkout:
    """Return the checkout of the running shop."""
    checkout: Checkout = request.app.state.checkout
    return checkout


async def get_cart_view(fields: RequestedFields, request: Request) -> CartView:
    """Return the requested fields of carts, and the shop's base URL."""
    settings: Settings = request.app.state.settings
    return CartView(fields, settings.base_url)


ShopCheckout = Annotated[Checkout, Depends(get_checkout)]
View = Annotated[CartView, Depends(get_cart_view)]
