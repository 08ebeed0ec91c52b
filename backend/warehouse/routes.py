"""Admin API of stock movements.

The platform only sets stock levels; movements with reasons are the shop's own addition.
"""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from sqlalchemy import select
from typing_extensions import TypedDict

from backend.edge.dependencies import Db
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.schemas import Body, FilledName, Name, Text, Whole, example
from backend.edge.wire import Wire, derive_sibling_id, iso
from backend.inventory.models import StockMovement
from backend.inventory.movements import MAX_MOVED_UNITS, MovementDetails, Reason
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right
from backend.warehouse.service import move_units

router = APIRouter(
    prefix="/admin/stock-movements",
    route_class=WireRoute,
    tags=["admin: inventory"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_STOCK),
)

QueryText = Annotated[str, Query(max_length=200)]
MAX_LIMIT = 100


class NewMovement(Body):
    """Units that were added, or (negative) removed."""

    model_config = example(
        inventory_item_id="iitem_01JPZ6V3N8K4T2WQ7RXB5C9MHD",
        location_id="sloc_01JPZ6V3N8K4T2WQ7RXB5C9MHD",
        quantity=12,
        reason="received",
        supplier="Talleres del Oriente",
        document="FV-1029",
    )

    inventory_item_id: FilledName
    location_id: FilledName
    quantity: Annotated[Whole, Field(ge=-MAX_MOVED_UNITS, le=MAX_MOVED_UNITS)]
    reason: Annotated[Reason, Field(strict=False)]
    note: Text | None = None
    supplier: Name | None = None
    document: Name | None = None


class MovementOut(TypedDict):
    """A movement of stock."""

    id: str
    created_at: str
    inventory_item_id: str
    location_id: str
    quantity: int
    stocked_quantity: int
    reason: str
    note: str
    supplier: str
    document: str
    order_id: str | None
    created_by: str | None


class MovementAnswer(TypedDict):
    """Response with one movement of stock."""

    stock_movement: MovementOut


class MovementsAnswer(TypedDict):
    """Response with movements of stock, the newest first."""

    stock_movements: list[MovementOut]


@router.post("")
async def create_movement(actor: StaffMember, body: NewMovement, database: Db) -> Wire[MovementAnswer]:
    """Add units to a location, or remove units. Reserved units cannot be removed."""
    variant_id = derive_sibling_id("variant", body.inventory_item_id)
    details = MovementDetails(body.reason, actor, body.note or "", body.supplier or "", body.document or "")
    async with database.transaction() as session:
        await move_units(session, actor, (variant_id, body.location_id), body.quantity, details)
        query = select(StockMovement).where(StockMovement.variant_id == variant_id)
        newest = query.order_by(StockMovement.created_at.desc(), StockMovement.id.desc()).limit(1)
        movement = (await session.execute(newest)).scalar_one()
    return Wire({"stock_movement": _movement_wire(movement)})


@router.get("")
async def list_movements(
    *,
    database: Db,
    inventory_item_id: QueryText = "",
    order_id: QueryText = "",
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT)] = 50,
) -> Wire[MovementsAnswer]:
    """List the stock movements, newest first: of one item, of one order, or all."""
    query = select(StockMovement).order_by(StockMovement.created_at.desc(), StockMovement.id.desc())
    if inventory_item_id:
        query = query.where(StockMovement.variant_id == derive_sibling_id("variant", inventory_item_id))
    if order_id:
        query = query.where(StockMovement.order_id == order_id)
    async with database.read() as session:
        found = (await session.execute(query.limit(limit))).scalars().all()
    return Wire({"stock_movements": [_movement_wire(movement) for movement in found]})


def _movement_wire(movement: StockMovement) -> MovementOut:
    return {
        "id": movement.id,
        "created_at": iso(movement.created_at),
        "inventory_item_id": derive_sibling_id("iitem", movement.variant_id),
        "location_id": movement.location_id,
        "quantity": movement.delta,
        "stocked_quantity": movement.stocked,
        "reason": movement.reason,
        "note": movement.note,
        "supplier": movement.supplier,
        "document": movement.document,
        "order_id": movement.order_id,
        "created_by": movement.actor_id,
    }
