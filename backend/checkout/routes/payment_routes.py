"""From a cart to its order, in the Store API: what is owed, paying it, and completing the cart."""

from typing import Annotated

from fastapi import APIRouter, Depends

from backend.cart.access import Caller
from backend.checkout.routes.dependencies import ShopCheckout
from backend.checkout.schemas import NewCollection, NewSession, PaymentProvidersParameters
from backend.checkout.service import Checkout
from backend.core.config.modules import GATEWAY_PSE
from backend.edge.auth.authentication import MaybeCustomer
from backend.edge.dependencies import ClientIp, Shown, sales_channel
from backend.edge.errors import REFUSALS
from backend.edge.query import read_query
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.orders.answers import CompletedAnswer, PlacedOut
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.service import is_just_placed
from backend.orders.wire.orders import OrderView, order_stub, order_wire
from backend.payment.answers import PaymentCollectionAnswer, PaymentCollectionOut, PaymentProvidersAnswer
from backend.payment.sessions import offered_providers, read_collected_cart, read_collection_sessions
from backend.payment.wire import collection_wire, providers_answer, with_questions

router = APIRouter(
    route_class=WireRoute, tags=["store: carts"], responses=REFUSALS, dependencies=[Depends(sales_channel)]
)

PLATFORM_PREFIX = "pp_"


@router.post("/store/payment-collections", tags=["store: payment"])
async def create_collection(
    body: NewCollection, checkout: ShopCheckout, fields: Shown, customer: MaybeCustomer
) -> Wire[PaymentCollectionAnswer]:
    """What the cart costs now, to be paid. One a cart: asked again, it is the same."""
    owed = await checkout.collect(body.cart_id, Caller(customer))
    return Wire({"payment_collection": fields.pick(collection_wire(*owed))})


@router.post(
    "/store/payment-collections/{collection_id}/payment-sessions",
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
) -> Wire[PaymentCollectionAnswer]:
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
            cart = await read_collected_cart(session, collection_id, caller)
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


@router.post("/store/carts/{cart_id}/complete")
async def complete(
    cart_id: str, checkout: ShopCheckout, fields: Shown, customer: MaybeCustomer
) -> Wire[CompletedAnswer]:
    """Make the order, once: asked again, or eight times at once, it is the same.

    `order.access_token` opens it for a guest. An hour after it was placed, the cart's id alone no longer does: then
    only its customer sees more of it than how it stands.
    """
    completed = await checkout.complete(cart_id, caller=Caller(customer))
    order, is_new = completed.order, completed.rows is not None
    is_owner = customer is not None and order.customer_id == customer
    async with checkout.database.read() as session:
        if not is_new and not is_owner and not await is_just_placed(session, order):
            return Wire({"type": "order", "order": fields.pick(order_stub(order))})
        view = OrderView(fields, checkout.settings.base_url, shows_products=True)
        shown = await order_wire(session, order, completed.rows, view=view)
    token = ORDER_LINK.token(checkout.settings.signing_key, order.id)
    placed: PlacedOut = {**shown, "access_token": token}
    return Wire({"type": "order", "order": fields.pick(placed)})


@router.get("/store/payment-providers", tags=["store: payment"])
async def payment_providers(
    wanted: Annotated[PaymentProvidersParameters, read_query(PaymentProvidersParameters)],
    checkout: ShopCheckout,
) -> Wire[PaymentProvidersAnswer]:
    """The ways to pay that the region offers; the banks of `gateway_pse` are at `GET /api/pse/banks`."""
    async with checkout.database.read() as session:
        offered = await offered_providers(session, wanted.region_id)
    return Wire(providers_answer(offered.intersection(checkout.payments.providers), wanted))


def _own_name(provider_id: str) -> str:
    """The provider as the shop calls it: the platform writes `pp_` before every payment provider's id."""
    return GATEWAY_PSE if provider_id == f"{PLATFORM_PREFIX}{GATEWAY_PSE}" else provider_id


async def _collection(checkout: Checkout, collection_id: str) -> PaymentCollectionOut:
    async with checkout.database.read() as session:
        return collection_wire(*await read_collection_sessions(session, collection_id))
