"""View of the stock movements of a variant."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import time_label
from backend.core.texts import _
from backend.inventory.models import StockMovement
from backend.inventory.movements import Reason
from backend.orders.models import Order
from backend.staff.actor_names import actor_names
from backend.staff.rights import Actor, Right

MAX_MOVEMENTS = 30
REASONS = {
    Reason.RECEIVED: _("Llegaron"),
    Reason.COUNT: _("Conteo"),
    Reason.DAMAGED: _("Dañadas"),
    Reason.LOST: _("Perdidas"),
    Reason.SALE: _("Venta"),
    Reason.RETURN: _("Devolución"),
    Reason.CORRECTION: _("Corrección"),
}


@dataclass(frozen=True, slots=True)
class MovementView:
    """A stock movement."""

    id: str
    delta: int
    stocked: int
    reason: str
    actor_name: str
    about: str
    moment_label: str


async def list_movements(session: AsyncSession, actor: Actor, variant_id: str) -> list[MovementView]:
    """Return the recent movements of a variant, the newest first."""
    actor.require(Right.READ_STOCK)
    query = (
        select(StockMovement, Order.number)
        .outerjoin(Order, Order.id == StockMovement.order_id)
        .where(StockMovement.variant_id == variant_id)
        .order_by(StockMovement.created_at.desc(), StockMovement.id.desc())
        .limit(MAX_MOVEMENTS)
    )
    found = (await session.execute(query)).all()
    names = await actor_names(session, {movement.actor_id for movement, _number in found})
    return [_movement(movement, names, number) for movement, number in found]


def _movement(movement: StockMovement, names: Mapping[str, str], number: int | None) -> MovementView:
    about = [
        *([_("Pedido {number}").format(number=number)] if number is not None else []),
        *(part for part in (movement.supplier, movement.document, movement.note) if part),
    ]
    reason = movement.reason
    return MovementView(
        id=movement.id,
        delta=movement.delta,
        stocked=movement.stocked,
        reason=REASONS[Reason(reason)] if reason in tuple(Reason) else reason,
        actor_name=names.get(movement.actor_id, movement.actor_id),
        about=" · ".join(about),
        moment_label=time_label(movement.created_at),
    )
