"""Admin API of reservations: units reserved for carts that are being paid, and for orders until they are packed."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from sqlalchemy import ColumnElement, Select, func, select

from backend.core.errors import require_found
from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import in_clauses, order_clauses, paging_fields, pick_each, read_query, where_clauses
from backend.edge.requests import WireRoute
from backend.edge.schemas import FilterParameters, Name
from backend.edge.wire import Wire, derive_sibling_id, stamps, with_raw_amounts
from backend.inventory.models import InventoryLevel, Reservation
from backend.inventory.wire import ITEM, VARIANT
from backend.orders.answers import Quantity, ReservationAnswer, ReservationOut, ReservationsAnswer
from backend.orders.models import Order, OrderLine
from backend.staff.dependencies import require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin/reservations",
    route_class=WireRoute,
    tags=["admin: inventory"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_STOCK),
)


class ReservationsParameters(FilterParameters):
    """Filters of reservations."""

    id: list[Name] | None = None
    inventory_item_id: list[Name] | None = None
    location_id: list[Name] | None = None
    line_item_id: list[Name] | None = Field(None, description="Ids of the order lines that they are for.")
    external_id: list[Name] | None = Field(None, description="Ids of the carts that they are for.")


_LINES = (
    select(OrderLine.id)
    .join(Order, Order.id == OrderLine.order_id)
    .where(Order.cart_id == Reservation.holder, OrderLine.variant_id == InventoryLevel.variant_id)
    .correlate(Reservation, InventoryLevel)
)
"""Query of the ids of the order lines that a reservation is for; empty while the cart has no order."""


def _select_reservations() -> Select[Reservation, InventoryLevel, str | None]:
    first = _LINES.order_by(OrderLine.id).limit(1).scalar_subquery()
    return select(Reservation, InventoryLevel, first).join(
        InventoryLevel, InventoryLevel.id == Reservation.level_id
    )


@router.get("")
async def list_reservations(
    parameters: Annotated[ReservationsParameters, read_query(ReservationsParameters)], database: Db
) -> Wire[ReservationsAnswer]:
    """List the reservations for carts that are being paid, and for orders until they are packed."""
    query = _select_reservations().where(*where_clauses(parameters, _build_conditions))
    order = order_clauses(
        parameters.order,
        {"created_at": Reservation.created_at, "quantity": Reservation.quantity},
        [Reservation.created_at.desc(), Reservation.id.desc()],
    )
    async with database.read() as session:
        count = (await session.execute(select(func.count()).select_from(query.subquery()))).scalar_one()
        rows = await session.execute(query.order_by(*order).offset(parameters.offset).limit(parameters.limit))
        shown = [_reservation_wire(*row) for row in rows]
    return Wire({"reservations": pick_each(shown, parameters), **paging_fields(count, parameters)})


@router.get("/{reservation_id}")
async def read_reservation(
    reservation_id: str, database: Db, fields: RequestedFields
) -> Wire[ReservationAnswer]:
    """Return the reservation. Reservations are created by checkouts and orders, not manually."""
    query = _select_reservations().where(Reservation.id == reservation_id)
    async with database.read() as session:
        found = (await session.execute(query)).one_or_none()
    found = require_found(found, "Reservation item", reservation_id)
    return Wire({"reservation": fields.pick(_reservation_wire(*found))})


def _build_conditions(parameters: ReservationsParameters) -> list[ColumnElement[bool]]:
    items = parameters.inventory_item_id
    variants = None if items is None else [derive_sibling_id(VARIANT, item) for item in items]
    conditions = in_clauses(
        (Reservation.id, parameters.id),
        (Reservation.holder, parameters.external_id),
        (InventoryLevel.location_id, parameters.location_id),
        (InventoryLevel.variant_id, variants),
    )
    if parameters.line_item_id is not None:
        conditions.append(_LINES.where(OrderLine.id.in_(parameters.line_item_id)).exists())
    return conditions


def _reservation_wire(reservation: Reservation, level: InventoryLevel, line_id: str | None) -> ReservationOut:
    return {
        "id": reservation.id,
        "inventory_item_id": derive_sibling_id(ITEM, level.variant_id),
        "location_id": level.location_id,
        **with_raw_amounts(Quantity(quantity=reservation.quantity)),
        "line_item_id": line_id,
        "external_id": reservation.holder,
        "description": None,
        "allow_backorder": False,
        "created_by": None,
        "metadata": None,
        **stamps(reservation.created_at, reservation.updated_at),
        "deleted_at": None,
    }
