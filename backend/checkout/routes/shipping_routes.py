"""How a cart is shipped, in the Store API: the options with their prices, and choosing one."""

from typing import Annotated

from fastapi import APIRouter, Depends

from backend.cart.access import Caller
from backend.checkout.answers import (
    CartAnswer,
    ShippingOptionAnswer,
    ShippingOptionOut,
    ShippingOptionsAnswer,
)
from backend.checkout.carts.wire import whole_cart_wire
from backend.checkout.quotes.shipping_quotes import UNKNOWN_OPTION
from backend.checkout.routes.dependencies import ShopCheckout, View
from backend.checkout.schemas import CalculateShipping, ChosenShipping, ShippingOptionParameters
from backend.checkout.service import Checkout
from backend.checkout.shipping_options import offer_wire
from backend.core.errors import InvalidData
from backend.edge.auth.authentication import MaybeCustomer
from backend.edge.dependencies import ClientIp, Shown, sales_channel
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import OneOrMore
from backend.edge.wire import Wire

router = APIRouter(
    route_class=WireRoute,
    tags=["store: carts", "store: shipping"],
    responses=REFUSALS,
    dependencies=[Depends(sales_channel)],
)


@router.get("/store/shipping-options")
async def shipping_options(
    asked: Annotated[ShippingOptionParameters, read_query(ShippingOptionParameters)],
    checkout: ShopCheckout,
    ip: ClientIp,
    customer: MaybeCustomer,
) -> Wire[ShippingOptionsAnswer]:
    """The ways to ship the cart, each calculated one priced live on every call (spec: Endpoints).

    While the cart has no destination, a calculated one has no price. 400 when the address names a destination that is
    no municipality. None at all when no warehouse is linked to the sales channel (spec: Errors). 429 where one client
    has asked for very many prices lately, or waits for many at once.
    """
    fields = Fields(asked.fields)
    options = await _priced(checkout, asked.cart_id, Caller(customer), ip)
    return Wire({"shipping_options": [fields.pick(option) for option in options]})


@router.post("/store/shipping-options/{option_id}/calculate")
async def calculate_shipping(
    *,
    option_id: str,
    body: CalculateShipping,
    checkout: ShopCheckout,
    fields: Shown,
    ip: ClientIp,
    customer: MaybeCustomer,
) -> Wire[ShippingOptionAnswer]:
    """What one way to ship costs for the cart now. 429: see the list of them."""
    [option] = await _priced(checkout, body.cart_id, Caller(customer), ip, option_id)
    return Wire({"shipping_option": fields.pick(option)})


async def _priced(
    checkout: Checkout, cart_id: str, caller: Caller, ip: str, option_id: str | None = None
) -> list[ShippingOptionOut]:
    offers = await checkout.priced_offers(cart_id, option_id, caller, ip=ip)
    return [offer_wire(offer, quote) for offer, quote in offers]


@router.post("/store/carts/{cart_id}/shipping-methods")
async def choose_shipping(
    *,
    cart_id: str,
    body: OneOrMore[ChosenShipping],
    checkout: ShopCheckout,
    view: View,
    ip: ClientIp,
    customer: MaybeCustomer,
) -> Wire[CartAnswer]:
    """Ship the cart by this option, at the price that it was listed for a moment ago, else at that of this moment.

    One way a cart: the last one named counts. 400 while items, e-mail or a part of the address are missing, or when the
    option's provider is not linked to its warehouse (spec: Errors). 429: see the list of them.
    """
    chosen = body if isinstance(body, list) else [body]
    if not chosen:
        raise InvalidData(UNKNOWN_OPTION)
    whole = await checkout.choose_shipping(cart_id, chosen[-1].option_id, Caller(customer), ip=ip)
    async with checkout.database.read() as session:
        return Wire({"cart": view.fields.pick(await whole_cart_wire(session, whole, view))})
