"""Admin API of orders: reading, cancellation and refunds.

`backend.fulfillment.routes` has the routes for shipping them.

spec: Admin API; wire: commerce-api, Admin.
"""

from typing import Annotated

from fastapi import APIRouter, Response
from sqlalchemy import ColumnElement, or_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import SubjectType
from backend.core.db.database import Database
from backend.core.texts import _
from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    Fields,
    in_clauses,
    order_clauses,
    paging_fields,
    pick_each,
    read_page,
    read_query,
    slice_page,
    where_clauses,
)
from backend.edge.requests import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Wire, stamps
from backend.orders.admin.cancellation import cancel_order
from backend.orders.admin.corrections import add_note, correct_address
from backend.orders.admin.export import export_orders_csv
from backend.orders.answers import (
    NoteAnswer,
    NoteOut,
    OrderLineOut,
    OrderLinesAnswer,
    RefundAnswer,
    RefundsAnswer,
    StaffOrderAnswer,
    StaffOrdersAnswer,
)
from backend.orders.models import Order
from backend.orders.money.commands import CreateRefund, ReturnedUnits
from backend.orders.money.refunds import list_order_refunds, refund_order
from backend.orders.routes import SORTABLE
from backend.orders.schemas import NewNote, NewRefund, OrderChanges, OrdersParameters
from backend.orders.search import OrderFilter, build_conditions, with_date_range
from backend.orders.service import read_order
from backend.orders.wire.orders import OrderView
from backend.orders.wire.staff import orders_for_staff
from backend.payment.routes import Payments
from backend.payment.wire import staff_refund_wire
from backend.staff.bulk_reads import count_reads
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Actor, Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: orders"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_ORDERS),
)


@router.get("/orders")
async def list_orders(
    actor: StaffMember, parameters: Annotated[OrdersParameters, read_query(OrdersParameters)], database: Db
) -> Wire[StaffOrdersAnswer]:
    """List the orders, newest first."""
    order = order_clauses(parameters.order, SORTABLE, [Order.created_at.desc(), Order.number.desc()])
    async with database.read() as session:
        found, count = await read_page(
            session, Order, await _build_query_conditions(session, parameters), order, parameters
        )
        shown = await orders_for_staff(session, actor, found, OrderView(Fields(parameters.fields)))
    await count_reads(database, actor, SubjectType.ORDER, len(shown))
    return Wire({"orders": pick_each(shown, parameters), **paging_fields(count, parameters)})


@router.get("/orders/{order_id}")
async def read(
    actor: StaffMember, order_id: str, database: Db, fields: RequestedFields
) -> Wire[StaffOrderAnswer]:
    """Return the order, with its payments and fulfillments."""
    await count_reads(database, actor, SubjectType.ORDER, 1)
    return await order_answer(database, actor, order_id, fields)


@router.get("/orders/{order_id}/line-items")
async def list_line_items(
    actor: StaffMember,
    order_id: str,
    parameters: Annotated[ListParameters, read_query(ListParameters)],
    database: Db,
) -> Wire[OrderLinesAnswer]:
    """List the order's lines, each as it was sold (`item`) and with the state of its units (`detail`)."""
    async with database.read() as session:
        order = await read_order(session, order_id)
        (shown,) = await orders_for_staff(session, actor, [order], OrderView(Fields()))
    lines: list[OrderLineOut] = [
        {**item["detail"], "item": item, "quantity": item["quantity"], "unit_price": item["unit_price"]}
        for item in shown["items"]
    ]
    return Wire(
        {
            "order_items": pick_each(slice_page(lines, parameters), parameters),
            **paging_fields(len(lines), parameters),
        }
    )


@router.post("/orders/{order_id}")
async def change(
    actor: StaffMember, order_id: str, body: OrderChanges, database: Db, fields: RequestedFields
) -> Wire[StaffOrderAnswer]:
    """Correct the shipping address, as long as no label exists for the order."""
    async with database.transaction() as session:
        address = body.shipping_address.model_dump(exclude_unset=True)
        await correct_address(session, actor, order_id, address)
    return await order_answer(database, actor, order_id, fields)


@router.post("/orders/{order_id}/notes")
async def create_note(actor: StaffMember, order_id: str, body: NewNote, database: Db) -> Wire[NoteAnswer]:
    """Add a note to the order. Only staff see it."""
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
    actor: StaffMember, order_id: str, database: Db, payments: Payments, fields: RequestedFields
) -> Wire[StaffOrderAnswer]:
    """Cancel the order. This fails if its payment cannot be refunded, or while the order has active fulfillments."""
    await cancel_order(database, actor, payments, order_id)
    return await order_answer(database, actor, order_id, fields)


@router.post("/orders/{order_id}/refunds")
async def create_refund(
    order_id: str, body: NewRefund, database: Db, actor: StaffMember
) -> Wire[RefundAnswer]:
    """Book a refund that staff have paid by a bank transfer, and book its `lines` as returned units.

    When all money is refunded and no fulfillment is active, the order is cancelled.
    """
    refund = await refund_order(database, actor, order_id, _to_refund_command(body))
    async with database.read() as session:
        (order,) = await orders_for_staff(session, actor, [await read_order(session, order_id)])
    return Wire({"refund": staff_refund_wire(refund), "order": order})


@router.get("/orders/{order_id}/refunds")
async def list_refunds(
    order_id: str, parameters: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire[RefundsAnswer]:
    """List the order's refunds, the oldest first."""
    async with database.read() as session:
        refunds = await list_order_refunds(session, await read_order(session, order_id))
    shown = [staff_refund_wire(refund) for refund in refunds]
    return Wire(
        {
            "refunds": pick_each(slice_page(shown, parameters), parameters),
            **paging_fields(len(shown), parameters),
        }
    )


@router.get(
    "/order-exports",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}, "description": "One row per order, with its customer."}},
)
async def export_orders(
    actor: StaffMember, parameters: Annotated[OrdersParameters, read_query(OrdersParameters)], database: Db
) -> Response:
    """Export the orders as a CSV spreadsheet, the newest first; no cell is a formula."""
    async with database.read() as session:
        conditions = await _build_query_conditions(session, parameters)
    table = await export_orders_csv(database, actor, conditions)
    name = _("pedidos")
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"', "Cache-Control": "no-store"}
    return Response(table, media_type="text/csv; charset=utf-8", headers=headers)


def _to_refund_command(body: NewRefund) -> CreateRefund:
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


def _to_filter(parameters: OrdersParameters) -> OrderFilter:
    filters = OrderFilter(
        text=parameters.q or "",
        statuses=tuple(parameters.status or ()),
        payment=tuple(parameters.payment_status or ()),
        fulfillment=tuple(parameters.fulfillment_status or ()),
        is_to_pack=parameters.to_pack,
        is_pickup=parameters.pickup,
    )
    return with_date_range(
        filters,
        since=parameters.created_from,
        after=parameters.created_after,
        until=parameters.created_until,
        before=parameters.created_before,
    )


async def _build_query_conditions(
    session: AsyncSession, parameters: OrdersParameters
) -> list[ColumnElement[bool]]:
    found = {id(part): await build_conditions(session, _to_filter(part)) for part in parameters.parts()}

    def conditions(part: OrdersParameters) -> list[ColumnElement[bool]]:
        customer_id = part.customer_id
        return [
            *found[id(part)],
            *in_clauses(
                (Order.id, part.id),
                (Order.region_id, part.region_id),
                (Order.sales_channel_id, part.sales_channel_id),
                (Order.email, [part.email] if part.email is not None else None),
            ),
            *(
                [or_(Order.customer_id == customer_id, Order.guest_id == customer_id)]
                if customer_id is not None
                else []
            ),
        ]

    return where_clauses(parameters, conditions)


async def order_answer(
    database: Database, actor: Actor, order_id: str, fields: Fields
) -> Wire[StaffOrderAnswer]:
    """Return the order for staff, with the requested fields.

    Raises:
        NotFound: there is no such order.
    """
    async with database.read() as session:
        (order,) = await orders_for_staff(
            session, actor, [await read_order(session, order_id)], OrderView(fields, shows_products=True)
        )
    return Wire(
        {
            "order": {
                **fields.pick(order),
                # always included, whatever `fields` selects (wire: commerce-api)
                "status": order["status"],
                "version": order["version"],
                "payment_status": order["payment_status"],
                "fulfillment_status": order["fulfillment_status"],
            }
        }
    )
