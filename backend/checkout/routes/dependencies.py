"""What the routes of the checkout need of the request."""

from typing import Annotated

from fastapi import Depends, Request

from backend.checkout.carts.wire import CartView
from backend.checkout.service import Checkout
from backend.core.config.settings import Settings
from backend.edge.dependencies import Shown


async def checkout_of(request: Request) -> Checkout:
    """The running shop's checkout."""
    checkout: Checkout = request.app.state.checkout
    return checkout


async def cart_view(fields: Shown, request: Request) -> CartView:
    """How the cart is to be shown."""
    settings: Settings = request.app.state.settings
    return CartView(fields, settings.base_url)


ShopCheckout = Annotated[Checkout, Depends(checkout_of)]
View = Annotated[CartView, Depends(cart_view)]
