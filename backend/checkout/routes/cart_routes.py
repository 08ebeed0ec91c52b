"""Store API of carts: lines, customer and addresses (wire: commerce-api, Guest checkout)."""

from typing import Annotated

from fastapi import APIRouter, Body, Request

from backend.cart.access import open_cart, read_cart
from backend.cart.lines import add_to_cart, change_line
from backend.cart.owners import assign_customer
from backend.cart.promotion_codes import PROMO_CODES, add_codes, remove_codes
from backend.channels.regions import Regions
from backend.checkout.answers import CartAnswer, CartOut, DeletedItem
from backend.checkout.carts.changes import change_cart, create_cart, store_consents
from backend.checkout.carts.wire import CartView, cart_wire, empty_cart_wire, public_cart_wire
from backend.checkout.routes.dependencies import Call, StoreCall, View
from backend.checkout.schemas import CartChange, ItemChange, NewCart, NewItem, PromoCodes
from backend.core.db.database import Database
from backend.edge.auth.authentication import NotSignedIn
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.rate_limit.limiter import Client, RateLimit, hit, hit_in, refund_in

router = APIRouter(route_class=WireRoute, tags=["store: carts"], responses=REFUSALS)

EMPTY_CARTS = RateLimit("empty cart", per_pair=1, per_client=60, per_subject=0)
"""How many carts of one client may stay empty in a quarter of an hour.

A cart is no longer counted when it gets its first line. So the limit does not affect a storefront whose server
creates the carts of all shoppers.
"""


@router.post("/store/carts")
async def create_store_cart(
    *,
    request: Request,
    call: Call,
    view: View,
    body: Annotated[NewCart | None, Body()] = None,
) -> Wire[CartAnswer]:
    """Create a cart in the sales channel of the publishable key, for the signed-in customer, with their e-mail.

    429 if this client has recently created many carts that stayed empty.
    """
    new = body or NewCart()
    await _count_codes(call, new.promo_codes, call.ip or "nobody")
    regions: Regions = request.app.state.regions
    region = await regions.require(new.region_id)
    async with call.database.transaction() as session:
        cart = await create_cart(session, new, region, call.channel_id, call.customer_id)
        await store_consents(session, cart.id, new, call.ip, call.customer_id)
        if not new.items:
            await hit_in(session, EMPTY_CARTS, cart.id, Client.from_ip(call.ip or cart.id, call.settings))
    if not new.items:
        return Wire({"cart": view.fields.pick(empty_cart_wire(cart, region))})
    return Wire({"cart": await _read_cart_wire(call.database, cart.id, view)})


@router.get("/store/carts/{cart_id}")
async def read_store_cart(cart_id: str, call: Call, view: View) -> Wire[CartAnswer]:
    """Return the cart at current prices.

    A completed cart shows e-mail, addresses and payment data only to its customer.
    """
    async with call.database.read() as session:
        await read_cart(session, cart_id, call.caller)
        return Wire(
            {"cart": view.fields.pick(await public_cart_wire(session, cart_id, call.customer_id, view))}
        )


@router.post("/store/carts/{cart_id}")
async def update_store_cart(
    *,
    cart_id: str,
    body: CartChange,
    call: Call,
    view: View,
) -> Wire[CartAnswer]:
    """Change the customer's data and addresses; absent fields keep their values.

    A new street or municipality removes the shipping method.

    `promo_codes` replaces the cart's codes.
    """
    await _count_codes(call, body.promo_codes, cart_id)
    async with call.database.transaction() as session:
        await change_cart(session, cart_id, body, call.caller)
        await store_consents(session, cart_id, body, call.ip, call.customer_id)
    return Wire({"cart": await _read_cart_wire(call.database, cart_id, view)})


@router.post("/store/carts/{cart_id}/line-items")
async def add_item(
    *,
    cart_id: str,
    body: NewItem,
    call: Call,
    view: View,
) -> Wire[CartAnswer]:
    """Add units of a variant to the cart."""
    async with call.database.transaction() as session:
        was_empty = await add_to_cart(
            session, cart_id, body.variant_id, body.quantity, body.metadata, caller=call.caller
        )
        if was_empty:
            await refund_in(session, EMPTY_CARTS, cart_id, Client.from_ip(call.ip or cart_id, call.settings))
    return Wire({"cart": await _read_cart_wire(call.database, cart_id, view)})


@router.post("/store/carts/{cart_id}/line-items/{line_id}")
async def update_item(
    *, cart_id: str, line_id: str, body: ItemChange, call: Call, view: View
) -> Wire[CartAnswer]:
    """Set the quantity of a line; 0 removes it."""
    async with call.database.transaction() as session:
        await change_line(session, cart_id, line_id, body.quantity, body.metadata, caller=call.caller)
    return Wire({"cart": await _read_cart_wire(call.database, cart_id, view)})


@router.delete("/store/carts/{cart_id}/line-items/{line_id}")
async def remove_item(cart_id: str, line_id: str, call: Call, view: View) -> Wire[DeletedItem]:
    """Remove a line from the cart."""
    async with call.database.transaction() as session:
        await change_line(session, cart_id, line_id, 0, caller=call.caller)
    parent = await _read_cart_wire(call.database, cart_id, view)
    return Wire({"id": line_id, "object": "line-item", "deleted": True, "parent": parent})


@router.post("/store/carts/{cart_id}/promotions")
async def add_promotions(
    *,
    cart_id: str,
    body: PromoCodes,
    call: Call,
    view: View,
) -> Wire[CartAnswer]:
    """Add codes to the cart. 400 for a code without a discount for this cart: the message gives the reason."""
    await _count_codes(call, body.promo_codes, cart_id)
    async with call.database.transaction() as session:
        await add_codes(session, await open_cart(session, cart_id, call.caller), body.promo_codes)
    return Wire({"cart": await _read_cart_wire(call.database, cart_id, view)})


@router.delete("/store/carts/{cart_id}/promotions", include_in_schema=False)
async def remove_promotions(cart_id: str, body: PromoCodes, call: Call, view: View) -> Wire[CartAnswer]:
    """Remove codes from the cart. A code that the cart does not have is ignored."""
    async with call.database.transaction() as session:
        cart = await open_cart(session, cart_id, call.caller)
        await remove_codes(session, cart, body.promo_codes)
    return Wire({"cart": await _read_cart_wire(call.database, cart_id, view)})


@router.post("/store/carts/{cart_id}/customer")
async def bind_customer(cart_id: str, call: Call, view: View) -> Wire[CartAnswer]:
    """Assign the cart to the signed-in customer. The cart gets the customer's e-mail."""
    if call.customer_id is None:
        raise NotSignedIn
    async with call.database.transaction() as session:
        await assign_customer(session, await open_cart(session, cart_id, call.caller), call.customer_id)
    return Wire({"cart": await _read_cart_wire(call.database, cart_id, view)})


async def _count_codes(call: StoreCall, codes: list[str] | None, subject: str) -> None:
    """Count an attempt to use promotion codes, if the request has any. Refused codes count too.

    Raises:
        TooManyRequests: there were too many attempts.
    """
    if codes:
        await hit(call.database, PROMO_CODES, subject, Client.from_ip(call.ip or subject, call.settings))


async def _read_cart_wire(database: Database, cart_id: str, view: CartView) -> CartOut:
    """Return the cart. Call this after the commit, so that no lock is held while the cart is read."""
    async with database.read() as session:
        return view.fields.pick(await cart_wire(session, cart_id, view))
