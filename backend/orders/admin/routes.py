"""Orders for staff: seeing, cancelling and refunding them. Sending them: `backend.fulfillment.routes`.

spec: Admin API; wire: commerce-api, Admin.
"""

from typing import Annotated

from fastapi import APIRouter, Response
from sqlalchemy import ColumnElement, or_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Thing
from backend.core.db.database import Database
from backend.core.texts import _
from backend.edge.dependencies import Db, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, in_order, met, one_of, page_of, paging, pick_each, read_query, rows_of
from backend.edge.requests import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Wire, stamps
from backend.orders.admin.cancellation import cancel_order
from backend.orders.admin.corrections import add_note, correct_address
from backend.orders.admin.export import exported_orders
from backend.orders.answers import (
    NoteAnswer,
    NoteOut,
    OrderChangesAnswer,
    OrderLineOut,
    OrderLinesAnswer,
    RefundAnswer,
    RefundsAnswer,
    StaffOrderAnswer,
    StaffOrdersAnswer,
)
from backend.orders.models import Order
from backend.orders.money.commands import CreateRefund, ReturnedUnits
from backend.orders.money.refunds import refund_order, refunds_of_order
from backend.orders.routes import SORTABLE
from backend.orders.schemas import ChangesParameters, NewNote, NewRefund, OrderChanges, OrdersParameters
from backend.orders.search import OrderFilter, conditions_of, within
from backend.orders.service import read_order
from backend.orders.wire.orders import OrderView
from backend.orders.wire.staff import orders_for_staff
from backend.payment.routes import Payments
from backend.payment.wire import staff_refund_wire
from backend.staff.bulk_reads import count_reads
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Actor, Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: orders"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_ORDERS),
)


@router.get("/orders")
async def list_orders(
    actor: StaffMember, asked: Annotated[OrdersParameters, read_query(OrdersParameters)], database: Db
) -> Wire[StaffOrdersAnswer]:
    """The orders, newest first."""
    order = in_order(asked.order, SORTABLE, [Order.created_at.desc(), Order.number.desc()])
    async with database.read() as session:
        found, count = await rows_of(session, Order, await _conditions(session, asked), order, asked)
        shown = await orders_for_staff(session, actor, found, OrderView(Fields(asked.fields)))
    await count_reads(database, actor, Thing.ORDER, len(shown))
    return Wire({"orders": pick_each(shown, asked), **paging(count, asked)})


@router.get("/orders/{order_id}")
async def read(actor: StaffMember, order_id: str, database: Db, fields: Shown) -> Wire[StaffOrderAnswer]:
    """The order, with its payments and fulfillments."""
    await count_reads(database, actor, Thing.ORDER, 1)
    return await order_answer(database, actor, order_id, fields)


@router.get("/orders/{order_id}/changes")
async def list_changes(
    order_id: str, asked: Annotated[ChangesParameters, read_query(ChangesParameters)], database: Db
) -> Wire[OrderChangesAnswer]:
    """Edits of the order: there are none. What staff did is in the audit."""
    async with database.read() as session:
        await read_order(session, order_id)
    return Wire({"order_changes": pick_each([], asked), **paging(0, asked)})


@router.get("/orders/{order_id}/line-items")
async def list_line_items(
    actor: StaffMember,
    order_id: str,
    asked: Annotated[ListParameters, read_query(ListParameters)],
    database: Db,
) -> Wire[OrderLinesAnswer]:
    """The order's lines, each as it was sold (`item`) and what became of it (`detail`)."""
    async with database.read() as session:
        order = await read_order(session, order_id)
        (shown,) = await orders_for_staff(session, actor, [order], OrderView(Fields()))
    lines: list[OrderLineOut] = [
        {**item["detail"], "item": item, "quantity": item["quantity"], "unit_price": item["unit_price"]}
        for item in shown["items"]
    ]
    return Wire({"order_items": pick_each(page_of(lines, asked), asked), **paging(len(lines), asked)})


@router.post("/orders/{order_id}")
async def change(
    actor: StaffMember, order_id: str, body: OrderChanges, database: Db, fields: Shown
) -> Wire[StaffOrderAnswer]:
    """Correct the shipping address, as long as nothing of the order has a label."""
    async with database.transaction() as session:
        address = body.shipping_address.model_dump(exclude_unset=True)
        await correct_address(session, actor, order_id, address)
    return await order_answer(database, actor, order_id, fields)


@router.post("/orders/{order_id}/notes")
async def create_note(actor: StaffMember, order_id: str, body: NewNote, database: Db) -> Wire[NoteAnswer]:
    """Write a note on the order, for the staff."""
    async with database.transaction() as session:
        note = await add_note(session, actor, order_id, body.text)
        shown: NoteOut = {
            "id": note.id,
            "text": note.text,
            "created_by": note.created_by,
            **stamps(note.created_at, note.updated_at),
        }
    return Wire({"note": shown})


@router.post("/orders/{order_id}/cancel")
async def cancel(
    actor: StaffMember, order_id: str, database: Db, payments: Payments, fields: Shown
) -> Wire[StaffOrderAnswer]:
    """Cancel the order; not once a provider that gives nothing back was paid, nor while fulfillments of it stand."""
    await cancel_order(database, actor, payments, order_id)
    return await order_answer(database, actor, order_id, fields)


@router.post("/orders/{order_id}/refunds")
async def create_refund(
    order_id: str, body: NewRefund, database: Db, actor: StaffMember
) -> Wire[RefundAnswer]:
    """Book money that was given back by a bank transfer, with the units that come back.

    When all of the money is given back and no fulfillment stands, the order is cancelled.
    """
    refund = await refund_order(database, actor, order_id, _refund_command(body))
    async with database.read() as session:
        (order,) = await orders_for_staff(session, actor, [await read_order(session, order_id)])
    return Wire({"refund": staff_refund_wire(refund), "order": order})


@router.get("/orders/{order_id}/refunds")
async def list_refunds(
    order_id: str, asked: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire[RefundsAnswer]:
    """What was given back of the order's money, the oldest first."""
    async with database.read() as session:
        refunds = await refunds_of_order(session, await read_order(session, order_id))
    shown = [staff_refund_wire(refund) for refund in refunds]
    return Wire({"refunds": pick_each(page_of(shown, asked), asked), **paging(len(shown), asked)})


@router.get(
    "/order-exports",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}, "description": "A row an order, with its buyer."}},
)
async def export_orders(
    actor: StaffMember, asked: Annotated[OrdersParameters, read_query(OrdersParameters)], database: Db
) -> Response:
    """The orders as a table for spreadsheets, the newest first; no cell of it is a formula."""
    async with database.read() as session:
        conditions = await _conditions(session, asked)
    table = await exported_orders(database, actor, conditions)
    name = _("pedidos")
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"', "Cache-Control": "no-store"}
    return Response(table, media_type="text/csv; charset=utf-8", headers=headers)


def _refund_command(body: NewRefund) -> CreateRefund:
    return CreateRefund(
        amount=body.amount,
        reference=body.reference,
        reason=body.reason,
        note=body.note,
        lines=[
            ReturnedUnits(line_id=line.line_id, quantity=line.quantity, restock=line.restock)
            for line in body.lines or ()
        ],
        payment_session_id=body.payment_session_id,
        cancel=body.cancel,
    )


def _filter(asked: OrdersParameters) -> OrderFilter:
    wanted = OrderFilter(
        text=asked.q or "",
        statuses=tuple(asked.status or ()),
        payment=tuple(asked.payment_status or ()),
        fulfillment=tuple(asked.fulfillment_status or ()),
        is_to_pack=asked.to_pack,
        is_pickup=asked.pickup,
    )
    return within(
        wanted,
        since=asked.created_from,
        after=asked.created_after,
        until=asked.created_until,
        before=asked.created_before,
    )


async def _conditions(session: AsyncSession, asked: OrdersParameters) -> list[ColumnElement[bool]]:
    found = {id(part): await conditions_of(session, _filter(part)) for part in asked.parts()}

    def conditions(part: OrdersParameters) -> list[ColumnElement[bool]]:
        buyer = part.customer_id
        return [
            *found[id(part)],
            *one_of(
                (Order.id, part.id),
                (Order.region_id, part.region_id),
                (Order.sales_channel_id, part.sales_channel_id),
                (Order.email, [part.email] if part.email is not None else None),
            ),
            *([or_(Order.customer_id == buyer, Order.guest_id == buyer)] if buyer is not None else []),
        ]

    return met(asked, conditions)


async def order_answer(
    database: Database, actor: Actor, order_id: str, fields: Fields
) -> Wire[StaffOrderAnswer]:
    """The order as staff see it, with the fields that were asked for. NotFound: there is none."""
    async with database.read() as session:
        (order,) = await orders_for_staff(
            session, actor, [await read_order(session, order_id)], OrderView(fields, shows_products=True)
        )
    return Wire(
        {
            "order": {
                **fields.pick(order),
                # whatever was asked for (wire: commerce-api)
                "status": order["status"],
                "version": order["version"],
                "payment_status": order["payment_status"],
                "fulfillment_status": order["fulfillment_status"],
            }
        }
    )
