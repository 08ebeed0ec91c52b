"""Store API of payments: payment collections, payment sessions, and completing the cart."""

from typing import Annotated

from fastapi import APIRouter

from backend.checkout.later_delivery import parse_expected_day
from backend.checkout.routes.dependencies import Call
from backend.checkout.schemas import NewCollection, NewSession, PaymentProvidersParameters
from backend.checkout.service import Checkout
from backend.core.config.modules import GATEWAY_PSE
from backend.edge.dependencies import RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import read_query
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.orders.answers import CompletedAnswer, PlacedOut
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.service import is_just_placed
from backend.orders.wire.orders import OrderView, order_stub, order_wire
from backend.payment.answers import PaymentCollectionAnswer, PaymentCollectionOut, PaymentProvidersAnswer
from backend.payment.sessions import list_offered_providers, read_cart_of_collection, read_collection_sessions
from backend.payment.wire import add_missing_answers, collection_wire, providers_answer
from backend.shipping.delivery_promise import PROMISED_DAY

router = APIRouter(route_class=WireRoute, tags=["store: carts"], responses=REFUSALS)

PLATFORM_PREFIX = "pp_"


@router.post("/store/payment-collections", tags=["store: payment"])
async def create_collection(
    body: NewCollection, call: Call, fields: RequestedFields
) -> Wire[PaymentCollectionAnswer]:
    """Create or update the cart's payment collection with the current total. A cart has one payment collection."""
    owed = await call.checkout.create_collection(body.cart_id, call.caller)
    return Wire({"payment_collection": fields.pick(collection_wire(*owed))})


@router.post(
    "/store/payment-collections/{collection_id}/payment-sessions",
    tags=["store: payment"],
)
async def create_session(
    *,
    collection_id: str,
    body: NewSession,
    call: Call,
    fields: RequestedFields,
) -> Wire[PaymentCollectionAnswer]:
    """Reserve the cart's units and start a payment.

    With `gateway_pse` the session is `pending_authorization` and its `data.redirect_url` is the bank's page (spec:
    States and transitions). Without `data` it is `requires_more`, and its `data.missing` lists the missing fields
    and their choices; nothing is reserved yet. `data.return_url` is a page of a storefront in `STORE_CORS`, to
    which the shopper returns from the bank; it may contain `{order_id}`. `data.promised_day`, if it is sent, is the
    day of delivery that the shopper saw (`metadata.promised_day` of the shipping option): 409 if it is later now.

    409 while another payment of this cart is at a bank. `data.replace`: true closes that payment and starts the new
    one. If `data` contains only `replace`, the payment is closed, no new one is started, and the cart can be
    changed again. If the bank approves a closed payment later, it pays the order, unless another payment has paid
    it.
    """
    provider_id, checkout = _to_shop_provider_id(body.provider_id), call.checkout
    payer = dict(body.data or {})
    replace = payer.pop("replace", False) is True
    return_url = payer.pop("return_url", None)
    expected_day = parse_expected_day(payer.pop(PROMISED_DAY, None))
    if replace and not payer:
        async with checkout.database.read() as session:
            cart = await read_cart_of_collection(session, collection_id, call.caller)
        await checkout.close_payment(cart.id)
    elif not payer and (
        missing := await checkout.list_missing_answers(
            collection_id, provider_id, caller=call.caller, ip=call.ip
        )
    ):
        owed = add_missing_answers(await _read_collection_wire(checkout, collection_id), provider_id, missing)
        return Wire({"payment_collection": fields.pick(owed)})
    else:
        started = await checkout.start_collection_payment(
            collection_id,
            provider_id,
            payer,
            caller=call.caller,
            ip=call.ip,
            replace=replace,
            return_url=return_url,
            expected_day=expected_day,
        )
        if not started.has_moved:
            owed = collection_wire(started.collection, started.payment_sessions)
            return Wire({"payment_collection": fields.pick(owed)})
    return Wire({"payment_collection": fields.pick(await _read_collection_wire(checkout, collection_id))})


@router.post("/store/carts/{cart_id}/complete")
async def complete_store_cart(cart_id: str, call: Call, fields: RequestedFields) -> Wire[CompletedAnswer]:
    """Create the order, once. Repeated and concurrent calls return the same order.

    `order.access_token` opens it for a guest. An hour after the order was placed, the cart's id no longer gives
    full access to it: then callers other than its customer see only its status.
    """
    checkout, customer_id = call.checkout, call.customer_id
    completed = await checkout.complete(cart_id, caller=call.caller)
    order, is_new = completed.order, completed.rows is not None
    is_owner = customer_id is not None and order.customer_id == customer_id
    async with checkout.database.read() as session:
        if not is_new and not is_owner and not await is_just_placed(session, order):
            return Wire({"type": "order", "order": fields.pick(order_stub(order))})
        view = OrderView(fields, checkout.settings.base_url, shows_products=True)
        wire = await order_wire(session, order, completed.rows, view=view)
    token = ORDER_LINK.token(checkout.settings.signing_key, order.id)
    placed: PlacedOut = {**wire, "access_token": token}
    return Wire({"type": "order", "order": fields.pick(placed)})


@router.get("/store/payment-providers", tags=["store: payment"])
async def list_payment_providers(
    call: Call,
    params: Annotated[PaymentProvidersParameters, read_query(PaymentProvidersParameters)],
) -> Wire[PaymentProvidersAnswer]:
    """List the payment providers that the region offers. The banks of `gateway_pse` are at `GET /api/pse/banks`."""
    async with call.database.read() as session:
        offered = await list_offered_providers(session, params.region_id)
    return Wire(providers_answer(offered.intersection(call.checkout.payments.providers), params))


def _to_shop_provider_id(provider_id: str) -> str:
    """Return the provider's id in the shop: `gateway_pse` for the platform's `pp_gateway_pse`, other ids unchanged."""
    return GATEWAY_PSE if provider_id == f"{PLATFORM_PREFIX}{GATEWAY_PSE}" else provider_id


async def _read_collection_wire(checkout: Checkout, collection_id: str) -> PaymentCollectionOut:
    async with checkout.database.read() as session:
        return collection_wire(*await read_collection_sessions(session, collection_id))
