"""Store API of orders (spec: States and transitions; wire: commerce-api, Guest checkout)."""

from typing import Annotated

from fastapi import APIRouter, Depends, Header

from backend.edge.auth.authentication import MaybeCustomer, NotSignedIn
from backend.edge.dependencies import Db, ShopSettings, sales_channel
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, order_clauses, paging_fields, pick_each, read_page, read_query
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.orders.answers import OrderAnswer, OrdersAnswer
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.models import Order
from backend.orders.schemas import OrderParameters, OwnOrdersParameters
from backend.orders.service import is_just_placed, read_order
from backend.orders.wire.orders import OrderView, order_stub, order_wire, orders_wire

router = APIRouter(
    route_class=WireRoute, tags=["store: orders"], responses=REFUSALS, dependencies=[Depends(sales_channel)]
)

SORTABLE = {"created_at": Order.created_at, "display_id": Order.number, "total": Order.total}


@router.get("/store/orders")
async def list_own(
    parameters: Annotated[OwnOrdersParameters, read_query(OwnOrdersParameters)],
    database: Db,
    settings: ShopSettings,
    customer: MaybeCustomer,
) -> Wire[OrdersAnswer]:
    """List the orders of the signed-in customer, newest first."""
    if customer is None:
        raise NotSignedIn
    order = order_clauses(parameters.order, SORTABLE, [Order.created_at.desc(), Order.number.desc()])
    own = [Order.customer_id == customer]
    own += [
        column.in_(values)
        for column, values in ((Order.id, parameters.id), (Order.status, parameters.status))
        if values is not None
    ]
    async with database.read() as session:
        found, count = await read_page(session, Order, own, order, parameters)
        view = OrderView(Fields(parameters.fields), settings.base_url)
        return Wire(
            {
                "orders": pick_each(await orders_wire(session, found, view), parameters),
                **paging_fields(count, parameters),
            }
        )


@router.get("/store/orders/{order_id}")
async def read(
    *,
    order_id: str,
    parameters: Annotated[OrderParameters, read_query(OrderParameters)],
    database: Db,
    settings: ShopSettings,
    customer: MaybeCustomer,
    x_order_token: Annotated[str | None, Header(description="The same as `token`.")] = None,
) -> Wire[OrderAnswer]:
    """Return the order: in full for its owner and for a caller with its `access_token`.

    For one hour, a guest's order is also returned in full to any caller with its id. In all other cases, a caller
    with the id gets the id, number, statuses, total and times, but no customer data and no items. With a wrong
    token, the response is the same as for an order that does not exist.
    """
    token = parameters.token or x_order_token
    async with database.read() as session:
        order = await read_order(session, order_id)
        if token is not None:
            ORDER_LINK.require(settings.signing_key, order_id, token)
        if order.customer_id is None:
            is_open = token is not None or await is_just_placed(session, order)
        else:
            is_open = token is not None or order.customer_id == customer
        view = OrderView(Fields(parameters.fields), settings.base_url, shows_products=True)
        shown = await order_wire(session, order, view=view) if is_open else order_stub(order)
    return Wire({"order": view.fields.pick(shown)})
