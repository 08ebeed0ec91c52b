"""Store API of shipping: list a cart's options with their prices, and choose one."""

from typing import Annotated

from fastapi import APIRouter

from backend.checkout.answers import (
    CartAnswer,
    ShippingOptionAnswer,
    ShippingOptionOut,
    ShippingOptionsAnswer,
)
from backend.checkout.carts.wire import whole_cart_wire
from backend.checkout.quotes.shipping_quotes import UNKNOWN_OPTION
from backend.checkout.routes.dependencies import Call, StoreCall, View
from backend.checkout.schemas import CalculateShipping, ChosenShipping, ShippingOptionParameters
from backend.checkout.shipping_options import offer_wire
from backend.core.errors import InvalidData
from backend.edge.dependencies import RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import OneOrMore
from backend.edge.wire import Wire

router = APIRouter(
    route_class=WireRoute,
    tags=["store: carts", "store: shipping"],
    responses=REFUSALS,
)


@router.get("/store/shipping-options")
async def list_shipping_options(
    call: Call, params: Annotated[ShippingOptionParameters, read_query(ShippingOptionParameters)]
) -> Wire[ShippingOptionsAnswer]:
    """List the cart's shipping options, with live prices of the calculated ones on every call (spec: Endpoints).

    While the cart has no destination, a calculated option has no price. 400 if the address names a destination that
    is no municipality. The list is empty if no warehouse is linked to the sales channel (spec: Errors). 429 if one
    client requested very many prices lately, or waits for many at once.
    """
    fields = Fields(params.fields)
    options = await _list_priced_options(call, params.cart_id)
    return Wire({"shipping_options": [fields.pick(option) for option in options]})


@router.post("/store/shipping-options/{option_id}/calculate")
async def calculate_shipping(
    *,
    option_id: str,
    body: CalculateShipping,
    call: Call,
    fields: RequestedFields,
) -> Wire[ShippingOptionAnswer]:
    """Return the current price of one shipping option for the cart. 429: see the list of options."""
    [option] = await _list_priced_options(call, body.cart_id, option_id)
    return Wire({"shipping_option": fields.pick(option)})


async def _list_priced_options(
    call: StoreCall, cart_id: str, option_id: str | None = None
) -> list[ShippingOptionOut]:
    offers = await call.checkout.list_priced_offers(cart_id, option_id, call.caller, ip=call.ip)
    return [offer_wire(*offer) for offer in offers]


@router.post("/store/carts/{cart_id}/shipping-methods")
async def choose_shipping(
    *,
    cart_id: str,
    body: OneOrMore[ChosenShipping],
    call: Call,
    view: View,
) -> Wire[CartAnswer]:
    """Choose this shipping option for the cart, at its recently listed price, else at the current one.

    A cart has one shipping option: if the body lists several, the last one is used. 400 if items, e-mail or a part of
    the address are missing, or if the option's provider is not linked to its warehouse (spec: Errors). 429: see the
    list of options.
    """
    chosen = body if isinstance(body, list) else [body]
    if not chosen:
        raise InvalidData(UNKNOWN_OPTION)
    whole = await call.checkout.choose_shipping(cart_id, chosen[-1].option_id, call.caller, ip=call.ip)
    async with call.database.read() as session:
        return Wire({"cart": view.fields.pick(await whole_cart_wire(session, whole, view))})
