"""The Admin API of what is reserved: for carts that are being paid, and for orders until they are packed."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from sqlalchemy import ColumnElement, Select, func, select

from backend.core.errors import require_found
from backend.edge.dependencies import Db, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import in_order, met, one_of, paging, pick_each, read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import FilterParameters, Name
from backend.edge.wire import Wire, sibling_id, stamps, with_twins
from backend.inventory.models import InventoryLevel, Reservation
from backend.inventory.wire import ITEM, VARIANT
from backend.orders.answers import Quantity, ReservationAnswer, ReservationOut, ReservationsAnswer
from backend.orders.models import Order, OrderLine
from backend.staff.dependencies import staff_who_may
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin/reservations",
    route_class=WireRoute,
    tags=["admin: inventory"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_STOCK),
)


class ReservationsParameters(FilterParameters):
    """Which reservations."""

    id: list[Name] | None = None
    inventory_item_id: list[Name] | None = None
    location_id: list[Name] | None = None
    line_item_id: list[Name] | None = Field(None, description="Of the orders' lines that they are for.")
    external_id: list[Name] | None = Field(None, description="Of the carts that they are for.")


_LINES = (
    select(OrderLine.id)
    .join(Order, Order.id == OrderLine.order_id)
    .where(Order.cart_id == Reservation.holder, OrderLine.variant_id == InventoryLevel.variant_id)
    .correlate(Reservation, InventoryLevel)
)
"""The lines of the order that units are reserved for; none while it is a cart."""


def _reservations() -> Select[Reservation, InventoryLevel, str | None]:
    first = _LINES.order_by(OrderLine.id).limit(1).scalar_subquery()
    return select(Reservation, InventoryLevel, first).join(
        InventoryLevel, InventoryLevel.id == Reservation.level_id
    )


@router.get("")
async def list_reservations(
    asked: Annotated[ReservationsParameters, read_query(ReservationsParameters)], database: Db
) -> Wire[ReservationsAnswer]:
    """What is reserved for carts that are being paid, and for orders until they are packed."""
    query = _reservations().where(*met(asked, _conditions))
    order = in_order(
        asked.order,
        {"created_at": Reservation.created_at, "quantity": Reservation.quantity},
        [Reservation.created_at.desc(), Reservation.id.desc()],
    )
    async with database.read() as session:
        count = (await session.execute(select(func.count()).select_from(query.subquery()))).scalar_one()
        rows = await session.execute(query.order_by(*order).offset(asked.offset).limit(asked.limit))
        shown = [_reservation(*row) for row in rows]
    return Wire({"reservations": pick_each(shown, asked), **paging(count, asked)})


@router.get("/{reservation_id}")
async def read_reservation(reservation_id: str, database: Db, fields: Shown) -> Wire[ReservationAnswer]:
    """The reservation. Checkouts and orders make them; by hand stock is counted, not reserved."""
    query = _reservations().where(Reservation.id == reservation_id)
    async with database.read() as session:
        found = (await session.execute(query)).one_or_none()
    found = require_found(found, "Reservation item", reservation_id)
    return Wire({"reservation": fields.pick(_reservation(*found))})


def _conditions(asked: ReservationsParameters) -> list[ColumnElement[bool]]:
    items = asked.inventory_item_id
    variants = None if items is None else [sibling_id(VARIANT, item) for item in items]
    conditions = one_of(
        (Reservation.id, asked.id),
        (Reservation.holder, asked.external_id),
        (InventoryLevel.location_id, asked.location_id),
        (InventoryLevel.variant_id, variants),
    )
    if asked.line_item_id is not None:
        conditions.append(_LINES.where(OrderLine.id.in_(asked.line_item_id)).exists())
    return conditions


def _reservation(reservation: Reservation, level: InventoryLevel, line_id: str | None) -> ReservationOut:
    return {
        "id": reservation.id,
        "inventory_item_id": sibling_id(ITEM, level.variant_id),
        "location_id": level.location_id,
        **with_twins(Quantity(quantity=reservation.quantity)),
        "line_item_id": line_id,
        "external_id": reservation.holder,
        "description": None,
        "allow_backorder": False,
        "created_by": None,
        "metadata": None,
        **stamps(reservation.created_at, reservation.updated_at),
        "deleted_at": None,
    }
