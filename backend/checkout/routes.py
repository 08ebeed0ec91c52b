"""The Store API from a cart to an order (spec: What the service does 2; wire: commerce-api, Guest checkout)."""

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Request

from backend.cart.access import Caller, open_cart, read_cart
from backend.cart.lines import add_to_cart, change_line
from backend.cart.owners import give_to
from backend.cart.promotions import PROMO_CODES, add_codes, remove_codes
from backend.catalog.regions import Regions
from backend.checkout.carts import (
    CartView,
    cart_wire,
    change_cart,
    create_cart,
    empty_cart_wire,
    readable_cart,
    store_consents,
    whole_cart_wire,
)
from backend.checkout.schemas import (
    CalculateShipping,
    CartAnswer,
    CartChange,
    ChosenShipping,
    CollectionAnswer,
    CompletedAnswer,
    DeletedItem,
    ItemChange,
    NewCart,
    NewCollection,
    NewItem,
    NewSession,
    PaymentProvidersAnswer,
    PaymentProvidersParameters,
    PromoCodes,
    ShippingOptionAnswer,
    ShippingOptionParameters,
    ShippingOptionsAnswer,
)
from backend.checkout.service import Checkout
from backend.checkout.shipping import offer_wire
from backend.checkout.shipping_quotes import UNKNOWN_OPTION
from backend.database import Database
from backend.edge.authentication import MaybeCustomer, NotSignedIn
from backend.edge.dependencies import Channel, ClientIp, Db, ShopSettings, Shown, sales_channel
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, listed, page_of, read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import OneOrMore
from backend.edge.wire import JsonDict, Wire
from backend.errors import InvalidData
from backend.modules import GATEWAY_PSE
from backend.orders.tokens import order_token
from backend.orders.wire import OrderView, order_stub, order_wire
from backend.payment.sessions import (
    collected_cart,
    offered_providers,
    read_collection_sessions,
)
from backend.payment.wire import collection_wire, with_questions
from backend.rate_limit import Client, RateLimit, hit, hit_in, refund_in
from backend.settings import Settings

router = APIRouter(
    route_class=WireRoute, tags=["store: carts"], responses=REFUSALS, dependencies=[Depends(sales_channel)]
)

PLATFORM_PREFIX = "pp_"
EMPTY_CARTS = RateLimit("empty cart", per_pair=1, per_client=60, per_subject=0)
"""How many carts of one client may stay empty in a quarter of an hour. The first line takes a cart out of the count, so
that a storefront whose server makes all carts is not stopped by it.
"""


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


@router.post("/store/carts", response_model=CartAnswer)
async def create(
    *,
    request: Request,
    channel: Channel,
    database: Db,
    view: View,
    settings: ShopSettings,
    ip: ClientIp,
    customer: MaybeCustomer,
    body: Annotated[NewCart | None, Body()] = None,
) -> Wire:
    """A new cart, in the sales channel of the publishable key; of the customer who is signed in, with their e-mail.

    429 after many that stayed empty.
    """
    new = body or NewCart()
    await _count_codes(database, settings, new.promo_codes, ip, ip or "nobody")
    regions: Regions = request.app.state.regions
    region = await regions.require(new.region_id)
    async with database.transaction() as session:
        cart = await create_cart(session, new, region, channel, customer)
        await store_consents(session, cart.id, new, ip, customer)
        if not new.items:
            await hit_in(session, EMPTY_CARTS, cart.id, Client.at(ip or cart.id, settings))
    if not new.items:
        return Wire({"cart": view.fields.pick(empty_cart_wire(cart, region))})
    return Wire({"cart": await _cart(database, cart.id, view)})


@router.get("/store/carts/{cart_id}", response_model=CartAnswer)
async def read(cart_id: str, database: Db, view: View, customer: MaybeCustomer) -> Wire:
    """The cart, at today's prices. Once it is an order, only its customer sees e-mail, addresses and payment data."""
    async with database.read() as session:
        await read_cart(session, cart_id, Caller(customer))
        return Wire({"cart": view.fields.pick(await readable_cart(session, cart_id, customer, view))})


@router.post("/store/carts/{cart_id}", response_model=CartAnswer)
async def update(
    *,
    cart_id: str,
    body: CartChange,
    database: Db,
    view: View,
    settings: ShopSettings,
    ip: ClientIp,
    customer: MaybeCustomer,
) -> Wire:
    """Say who buys and where to: what is left out stays. Another place voids the shipping price.

    `promo_codes` are the cart's codes from now on, in place of those it had.
    """
    await _count_codes(database, settings, body.promo_codes, ip, cart_id)
    async with database.transaction() as session:
        await change_cart(session, cart_id, body, Caller(customer))
        await store_consents(session, cart_id, body, ip, customer)
    return Wire({"cart": await _cart(database, cart_id, view)})


@router.post("/store/carts/{cart_id}/line-items", response_model=CartAnswer)
async def add_item(
    *,
    cart_id: str,
    body: NewItem,
    database: Db,
    view: View,
    customer: MaybeCustomer,
    settings: ShopSettings,
    ip: ClientIp,
) -> Wire:
    """Put units of a variant into the cart."""
    async with database.transaction() as session:
        was_empty = await add_to_cart(
            session, cart_id, body.variant_id, body.quantity, body.metadata, caller=Caller(customer)
        )
        if was_empty:
            await refund_in(session, EMPTY_CARTS, cart_id, Client.at(ip or cart_id, settings))
    return Wire({"cart": await _cart(database, cart_id, view)})


@router.post("/store/carts/{cart_id}/line-items/{line_id}", response_model=CartAnswer)
async def update_item(
    *, cart_id: str, line_id: str, body: ItemChange, database: Db, view: View, customer: MaybeCustomer
) -> Wire:
    """Say how many units a line has; 0 removes it."""
    async with database.transaction() as session:
        await change_line(session, cart_id, line_id, body.quantity, body.metadata, caller=Caller(customer))
    return Wire({"cart": await _cart(database, cart_id, view)})


@router.delete("/store/carts/{cart_id}/line-items/{line_id}", response_model=DeletedItem)
async def remove_item(cart_id: str, line_id: str, database: Db, view: View, customer: MaybeCustomer) -> Wire:
    """Take a line out of the cart."""
    async with database.transaction() as session:
        await change_line(session, cart_id, line_id, 0, caller=Caller(customer))
    parent = await _cart(database, cart_id, view)
    return Wire({"id": line_id, "object": "line-item", "deleted": True, "parent": parent})


@router.post("/store/carts/{cart_id}/promotions", response_model=CartAnswer)
async def add_promotions(
    *,
    cart_id: str,
    body: PromoCodes,
    database: Db,
    view: View,
    settings: ShopSettings,
    ip: ClientIp,
    customer: MaybeCustomer,
) -> Wire:
    """Add codes to the cart. 400 for one that takes nothing off this cart: the message says why."""
    await _count_codes(database, settings, body.promo_codes, ip, cart_id)
    async with database.transaction() as session:
        await add_codes(session, await open_cart(session, cart_id, Caller(customer)), body.promo_codes)
    return Wire({"cart": await _cart(database, cart_id, view)})


@router.delete("/store/carts/{cart_id}/promotions", response_model=CartAnswer, include_in_schema=False)
async def remove_promotions(
    cart_id: str, body: PromoCodes, database: Db, view: View, customer: MaybeCustomer
) -> Wire:
    """Take codes away: a code that the cart has not is not there afterwards either."""
    async with database.transaction() as session:
        cart = await open_cart(session, cart_id, Caller(customer))
        await remove_codes(session, cart, body.promo_codes)
    return Wire({"cart": await _cart(database, cart_id, view)})


@router.post("/store/carts/{cart_id}/customer", response_model=CartAnswer)
async def bind_customer(cart_id: str, database: Db, view: View, customer: MaybeCustomer) -> Wire:
    """Make the cart that of the customer who is signed in, whose e-mail it gets."""
    if customer is None:
        raise NotSignedIn
    async with database.transaction() as session:
        await give_to(session, await open_cart(session, cart_id, Caller(customer)), customer)
    return Wire({"cart": await _cart(database, cart_id, view)})


@router.get("/store/shipping-options", response_model=ShippingOptionsAnswer, tags=["store: shipping"])
async def shipping_options(
    asked: Annotated[ShippingOptionParameters, read_query(ShippingOptionParameters)],
    checkout: ShopCheckout,
    ip: ClientIp,
    customer: MaybeCustomer,
) -> Wire:
    """The ways to ship the cart, each calculated one priced live on every call (spec: Endpoints).

    While the cart has no destination, a calculated one has no price. 400 when the address names a destination that is
    no municipality. None at all when no warehouse is linked to the sales channel (spec: Errors). 429 where one client
    has asked for very many prices lately, or waits for many at once.
    """
    fields = Fields(asked.fields)
    options = await _priced(checkout, asked.cart_id, Caller(customer), ip)
    return Wire({"shipping_options": [fields.pick(option) for option in options]})


@router.post(
    "/store/shipping-options/{option_id}/calculate",
    response_model=ShippingOptionAnswer,
    tags=["store: shipping"],
)
async def calculate_shipping(
    *,
    option_id: str,
    body: CalculateShipping,
    checkout: ShopCheckout,
    fields: Shown,
    ip: ClientIp,
    customer: MaybeCustomer,
) -> Wire:
    """What one way to ship costs for the cart now. 429: see the list of them."""
    [option] = await _priced(checkout, body.cart_id, Caller(customer), ip, option_id)
    return Wire({"shipping_option": fields.pick(option)})


async def _priced(
    checkout: Checkout, cart_id: str, caller: Caller, ip: str, option_id: str | None = None
) -> list[JsonDict]:
    offers = await checkout.priced_offers(cart_id, option_id, caller, ip=ip)
    return [offer_wire(offer, quote) for offer, quote in offers]


@router.post("/store/carts/{cart_id}/shipping-methods", response_model=CartAnswer, tags=["store: shipping"])
async def choose_shipping(
    *,
    cart_id: str,
    body: OneOrMore[ChosenShipping],
    checkout: ShopCheckout,
    view: View,
    ip: ClientIp,
    customer: MaybeCustomer,
) -> Wire:
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


@router.post("/store/payment-collections", response_model=CollectionAnswer, tags=["store: payment"])
async def create_collection(
    body: NewCollection, checkout: ShopCheckout, fields: Shown, customer: MaybeCustomer
) -> Wire:
    """What the cart costs now, to be paid. One a cart: asked again, it is the same."""
    owed = await checkout.collect(body.cart_id, Caller(customer))
    return Wire({"payment_collection": fields.pick(collection_wire(*owed))})


@router.post(
    "/store/payment-collections/{collection_id}/payment-sessions",
    response_model=CollectionAnswer,
    tags=["store: payment"],
)
async def create_session(
    *,
    collection_id: str,
    body: NewSession,
    checkout: ShopCheckout,
    fields: Shown,
    ip: ClientIp,
    customer: MaybeCustomer,
) -> Wire:
    """Hold the cart's units and start to pay.

    With `gateway_pse` the session is `pending_authorization` and its `data.redirect_url` is the bank's page
    (spec: States and transitions). Without `data` it is `requires_more`, and its `data.missing` says field by field
    what has to be sent and what there is to choose from; nothing is held yet. `data.return_url` is a page of a
    storefront that `STORE_CORS` names, which the shopper comes back to from the bank; `{order_id}` may stand in it.

    409 while another payment of this cart is at a bank: `data.replace`: true gives that one up for this. Nothing but
    `replace` in `data` only gives it up, and the cart can be changed again. The bank may still approve what was given
    up: then it pays the order, unless another payment has.
    """
    provider_id, caller = _own_name(body.provider_id), Caller(customer)
    payer = dict(body.data or {})
    replace = payer.pop("replace", False) is True
    return_url = payer.pop("return_url", None)
    if replace and not payer:
        async with checkout.database.read() as session:
            cart, _ = await collected_cart(session, collection_id, caller)
        await checkout.close_payment(cart.id)
    elif not payer and (
        missing := await checkout.missing_answers(collection_id, provider_id, caller=caller, ip=ip)
    ):
        owed = with_questions(await _collection(checkout, collection_id), provider_id, missing)
        return Wire({"payment_collection": fields.pick(owed)})
    else:
        started = await checkout.start_collected(
            collection_id, provider_id, payer, caller=caller, ip=ip, replace=replace, return_url=return_url
        )
        if not started.has_moved:
            owed = collection_wire(started.collection, started.payment_sessions)
            return Wire({"payment_collection": fields.pick(owed)})
    return Wire({"payment_collection": fields.pick(await _collection(checkout, collection_id))})


@router.post("/store/carts/{cart_id}/complete", response_model=CompletedAnswer)
async def complete(cart_id: str, checkout: ShopCheckout, fields: Shown, customer: MaybeCustomer) -> Wire:
    """Make the order, once: asked again, or eight times at once, it is the same.

    `order.access_token` opens it for a guest. An hour after it was placed, the cart's id alone no longer does: then
    only its customer sees more of it than how it stands.
    """
    completed = await checkout.complete_cart(cart_id, caller=Caller(customer))
    order, is_new = completed.order, completed.rows is not None
    is_owner = customer is not None and order.customer_id == customer
    if not is_new and not is_owner and not await checkout.is_just_placed(order):
        return Wire({"type": "order", "order": fields.pick(order_stub(order))})
    async with checkout.database.read() as session:
        view = OrderView(fields, checkout.settings.base_url, shows_products=True)
        shown = await order_wire(session, order, completed.rows, view=view)
    shown["access_token"] = order_token(checkout.settings.signing_key, order.id)
    return Wire({"type": "order", "order": fields.pick(shown)})


async def _count_codes(
    database: Database, settings: Settings, codes: list[str] | None, ip: str, subject: str
) -> None:
    """Count a try of codes, where there are some; what was refused counts too.

    Raises:
        TooManyRequests: these are too many.
    """
    if codes:
        await hit(database, PROMO_CODES, subject, Client.at(ip or subject, settings))


async def _cart(database: Database, cart_id: str, view: CartView) -> JsonDict:
    """The cart, read after the change was committed, so that no lock is held meanwhile."""
    async with database.read() as session:
        return view.fields.pick(await cart_wire(session, cart_id, view))


def _own_name(provider_id: str) -> str:
    """The provider as the shop calls it: the platform writes `pp_` before every payment provider's id."""
    return GATEWAY_PSE if provider_id == f"{PLATFORM_PREFIX}{GATEWAY_PSE}" else provider_id


async def _collection(checkout: Checkout, collection_id: str) -> JsonDict:
    async with checkout.database.read() as session:
        return collection_wire(*await read_collection_sessions(session, collection_id))


@router.get("/store/payment-providers", response_model=PaymentProvidersAnswer, tags=["store: payment"])
async def payment_providers(
    wanted: Annotated[PaymentProvidersParameters, read_query(PaymentProvidersParameters)],
    checkout: ShopCheckout,
) -> Wire:
    """The ways to pay that the region offers; the banks of `gateway_pse` are at `GET /api/pse/banks`."""
    async with checkout.database.read() as session:
        offered = await offered_providers(session, wanted.region_id)
    running = sorted(offered.intersection(checkout.payments.providers))
    providers = [{"id": provider_id, "is_enabled": True} for provider_id in running]
    return Wire(listed("payment_providers", page_of(providers, wanted), len(providers), wanted))
