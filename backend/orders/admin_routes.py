"""Orders for staff: seeing, cancelling and refunding them. Sending them: `backend.fulfillment.routes`.

spec: Admin API; wire: commerce-api, Admin.
"""

from typing import Annotated

from fastapi import APIRouter
from sqlalchemy import ColumnElement, or_

from backend.database import Database
from backend.edge.dependencies import Db, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, in_order, listed, page_of, read_query, rows_of
from backend.edge.requests import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Wire
from backend.orders.cancelling import cancel_order
from backend.orders.models import Order
from backend.orders.refunding import refund_order, refunds_of_order
from backend.orders.routes import SORTABLE
from backend.orders.schemas import (
    NewRefund,
    OrderAnswer,
    OrdersAnswer,
    OrdersParameters,
    RefundAnswer,
    RefundsAnswer,
)
from backend.orders.service import read_order
from backend.orders.wire import orders_for_staff
from backend.payment.routes import Payments
from backend.payment.wire import staff_refund_wire
from backend.staff.access import StaffMember, staff_who_may
from backend.staff.rights import Actor, Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: orders"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_ORDERS),
)


@router.get("/orders", response_model=OrdersAnswer)
async def list_orders(
    actor: StaffMember, asked: Annotated[OrdersParameters, read_query(OrdersParameters)], database: Db
) -> Wire:
    """The orders, newest first."""
    order = in_order(asked.order, SORTABLE, [Order.number.desc()])
    async with database.read() as session:
        found, count = await rows_of(session, Order, _conditions(asked), order, asked)
        return Wire(listed("orders", await orders_for_staff(session, actor, found), count, asked))


@router.get("/orders/{order_id}", response_model=OrderAnswer)
async def read(actor: StaffMember, order_id: str, database: Db, fields: Shown) -> Wire:
    """The order, with its payments and fulfillments."""
    return await order_answer(database, actor, order_id, fields)


@router.post("/orders/{order_id}/cancel", response_model=OrderAnswer)
async def cancel(actor: StaffMember, order_id: str, database: Db, payments: Payments, fields: Shown) -> Wire:
    """Cancel the order; not once a provider that gives nothing back was paid, nor while fulfillments of it stand."""
    await cancel_order(database, actor, payments, order_id)
    return await order_answer(database, actor, order_id, fields)


@router.post("/orders/{order_id}/refunds", response_model=RefundAnswer)
async def create_refund(order_id: str, body: NewRefund, database: Db, actor: StaffMember) -> Wire:
    """Book money that was given back by a bank transfer, with the units that come back.

    When all of the money is given back and no fulfillment stands, the order is cancelled.
    """
    refund = await refund_order(database, actor, order_id, body)
    async with database.read() as session:
        (order,) = await orders_for_staff(session, actor, [await read_order(session, order_id)])
    return Wire({"refund": staff_refund_wire(refund), "order": order})


@router.get("/orders/{order_id}/refunds", response_model=RefundsAnswer)
async def list_refunds(
    order_id: str, asked: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire:
    """What was given back of the order's money, the oldest first."""
    async with database.read() as session:
        refunds = await refunds_of_order(session, await read_order(session, order_id))
    shown = [staff_refund_wire(refund) for refund in refunds]
    return Wire(listed("refunds", page_of(shown, asked), len(shown), asked))


def _conditions(asked: OrdersParameters) -> list[ColumnElement[bool]]:
    one_of = (
        (Order.id, asked.id),
        (Order.status, asked.status),
        (Order.payment_status, asked.payment_status),
        (Order.fulfillment_status, asked.fulfillment_status),
        (Order.region_id, asked.region_id),
        (Order.sales_channel_id, asked.sales_channel_id),
        (Order.email, [asked.email] if asked.email is not None else None),
        (Order.customer_id, [asked.customer_id] if asked.customer_id is not None else None),
    )
    conditions: list[ColumnElement[bool]] = [
        column.in_(values) for column, values in one_of if values is not None
    ]
    if asked.q:
        mentioned: list[ColumnElement[bool]] = [Order.email.icontains(asked.q, autoescape=True)]
        if asked.q.isascii() and asked.q.isdigit() and len(asked.q) < 10:
            mentioned.append(Order.number == int(asked.q))
        conditions.append(or_(*mentioned))
    return conditions


async def order_answer(database: Database, actor: Actor, order_id: str, fields: Fields) -> Wire:
    """The order as staff see it, with the fields that were asked for. NotFound: there is none."""
    async with database.read() as session:
        (order,) = await orders_for_staff(session, actor, [await read_order(session, order_id)])
    return Wire({"order": fields.pick(order)})
