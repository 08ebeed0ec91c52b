"""Bulk fulfillment of orders. Each order is handled separately, so an order that is refused does not stop the others.

The result for each order is one sentence for staff. It is not an error if an order was already sent, because
another staff member may have been quicker.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import Conflict, Forbidden, InvalidData, NotFound, OutsideFailure, ShopError
from backend.core.texts import _
from backend.fulfillment.commands import CreateFulfillment, MarkShipped
from backend.fulfillment.delivery import mark_delivered, mark_shipped
from backend.fulfillment.labels import describe_label_failure
from backend.fulfillment.packing import fulfill
from backend.fulfillment.parcels import ParcelsChanged
from backend.orders.delivery_kinds import DeliveryKind, read_delivery
from backend.orders.fulfillments import is_canceled_by_carrier, list_order_fulfillments
from backend.orders.models import Order
from backend.orders.packing_holds import PackingHeld
from backend.orders.service import list_order_lines, read_order
from backend.orders.states import HAS_MONEY, LabelState, OrderStatus, PaymentStatus
from backend.shipping.addresses import list_missing_label_parts
from backend.shipping.providers.base import FulfillmentProviders, LabelTooExpensive
from backend.staff.rights import Actor, Right

log = logging.getLogger(__name__)

MAX_ORDERS_PER_CALL = 50
_PACKED_TEXTS = {
    DeliveryKind.CARRIER: _("Guía lista."),
    DeliveryKind.OWN: _("Empacado: falta salir a entregarlo."),
    DeliveryKind.PICKUP: _("Listo para recoger. Le avisamos al comprador."),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a bulk fulfillment for one order.

    Attributes:
        is_done: True if the order is in the requested state, by this call or an earlier one.
        text: the result in one sentence.
        waits: True if the order now waits for a decision by staff (`backend.attention`).
        was_already_done: True if the order was already in the requested state.
    """

    order_id: str
    number: int
    is_done: bool
    text: str
    waits: bool = False
    was_already_done: bool = False


async def send_remaining_units(
    database: Database, actor: Actor, settings: Settings, providers: FulfillmentProviders, order_id: str
) -> Outcome:
    """Create one label for all units of the order that are still to be sent. Repeated calls create no second label.

    Raises:
        NotFound: there is no such order.
        Forbidden: the actor may not fulfill orders.
    """
    actor.require(Right.FULFILL)
    async with database.read() as session:
        left = {
            line.id: units
            for line in await list_order_lines(session, order_id)
            if (units := line.quantity - line.fulfilled - line.withdrawn) > 0
        }
    return await _send(database, actor, settings, providers, order_id, new=CreateFulfillment(units=left))


async def send_units(
    database: Database,
    actor: Actor,
    settings: Settings,
    providers: FulfillmentProviders,
    order_id: str,
    *,
    units: Mapping[str, int],
    seen_parcels: int,
) -> Outcome:
    """Create one label for these units of the order, by line id. Repeated calls create no second label.

    Args:
        database: the shop's database.
        actor: the staff member who packs.
        settings: the effective settings.
        providers: the shop's fulfillment providers.
        order_id: the order.
        units: the number of units by line id. At least one.
        seen_parcels: number of finished fulfillments of the order when the units were chosen (`PackOrder.parcels`).
            If the number has changed since then, nothing is sent.

    Raises:
        NotFound: there is no such order.
        Forbidden: the actor may not fulfill orders.
    """
    actor.require(Right.FULFILL)
    new = CreateFulfillment(units=units, seen_parcels=seen_parcels)
    return await _send(database, actor, settings, providers, order_id, new=new)


async def _send(
    database: Database,
    actor: Actor,
    settings: Settings,
    providers: FulfillmentProviders,
    order_id: str,
    *,
    new: CreateFulfillment,
) -> Outcome:
    error: ShopError | None = None
    if new.units:
        try:
            await fulfill(database, actor, settings, providers, order_id, new)
        except (Forbidden, NotFound):
            raise
        except ShopError as refusal:
            log.info("order %s was not sent: %s: %s", order_id, type(refusal).__name__, refusal.message)
            error = refusal
    async with database.read() as session:
        order = await read_order(session, order_id)
        return await _build_outcome(session, order, error, was_left=bool(new.units))


async def send_orders(
    database: Database,
    actor: Actor,
    settings: Settings,
    providers: FulfillmentProviders,
    order_ids: Sequence[str],
) -> list[Outcome]:
    """Create the labels of these orders, one after the other. Handle at most `MAX_ORDERS_PER_CALL` orders."""
    actor.require(Right.FULFILL)
    outcomes = []
    for order_id in order_ids[:MAX_ORDERS_PER_CALL]:
        try:
            outcomes.append(await send_remaining_units(database, actor, settings, providers, order_id))
        except NotFound:
            outcomes.append(Outcome(order_id, 0, is_done=False, text=_("Ya no existe.")))
    return outcomes


async def ship_orders(database: Database, actor: Actor, order_ids: Sequence[str]) -> list[Outcome]:
    """Record that the packed units of these orders have left. Handle at most `MAX_ORDERS_PER_CALL` orders."""
    actor.require(Right.FULFILL)
    outcomes = []
    for order_id in order_ids[:MAX_ORDERS_PER_CALL]:
        try:
            async with database.transaction() as session:
                outcomes.append(await ship_order(session, actor, order_id))
        except NotFound:
            outcomes.append(Outcome(order_id, 0, is_done=False, text=_("Ya no existe.")))
        except ShopError as refusal:
            log.info("order %s was not shipped: %s", order_id, refusal.message)
            outcomes.append(Outcome(order_id, 0, is_done=False, text=_("No se pudo. Mira el pedido.")))
    return outcomes


async def ship_order(session: AsyncSession, actor: Actor, order_id: str) -> Outcome:
    """Record that the packed units of the order have left, except those whose label the carrier has cancelled.

    Raises:
        NotFound: there is no such order.
    """
    actor.require(Right.FULFILL)
    order = await read_order(session, order_id)
    number = order.number or 0
    kind, _note = await read_delivery(session, order)
    if kind is DeliveryKind.PICKUP:
        return Outcome(order_id, number, is_done=False, text=_("Lo recogen en la tienda: no se envía."))
    labelled = [
        one
        for one in await list_order_fulfillments(session, order_id)
        if one.state == LabelState.CREATED and not is_canceled_by_carrier(one)
    ]
    if not labelled:
        text = _("Todavía no tiene guía.") if kind.has_label else _("Todavía no está empacado.")
        return Outcome(order_id, number, is_done=False, text=text)
    waiting = [one for one in labelled if one.shipped_at is None]
    for fulfillment in waiting:
        await mark_shipped(session, actor, order_id, fulfillment.id, MarkShipped())
    if kind is DeliveryKind.OWN:
        text = _("Salió a entregar.") if waiting else _("Ya había salido a entregar.")
    else:
        text = _("Enviado.") if waiting else _("Ya estaba enviado.")
    return Outcome(order_id, number, is_done=True, text=text, was_already_done=not waiting)


async def hand_over(session: AsyncSession, actor: Actor, order_id: str) -> Outcome:
    """Record that the customer has picked up the packed units of the order.

    Raises:
        NotFound: there is no such order.
    """
    actor.require(Right.FULFILL)
    order = await read_order(session, order_id)
    number = order.number or 0
    labelled = [
        one for one in await list_order_fulfillments(session, order_id) if one.state == LabelState.CREATED
    ]
    if not labelled:
        return Outcome(order_id, number, is_done=False, text=_("Todavía no está empacado."))
    waiting = [one for one in labelled if one.delivered_at is None]
    for fulfillment in waiting:
        await mark_delivered(session, actor, order_id, fulfillment.id)
    text = _("Recogido.") if waiting else _("Ya lo habían recogido.")
    return Outcome(order_id, number, is_done=True, text=text, was_already_done=not waiting)


async def _build_outcome(
    session: AsyncSession, order: Order, error: ShopError | None, *, was_left: bool
) -> Outcome:
    """Build the result for one order.

    The text describes the current state of the order and its labels: `error` alone would be less precise.
    """
    states = {one.state for one in await list_order_fulfillments(session, order.id)}
    lines = await list_order_lines(session, order.id)
    is_all_packed = all(line.quantity <= line.fulfilled + line.withdrawn for line in lines)
    kind, _note = await read_delivery(session, order)
    is_done = waits = False
    if was_left and error is None:
        is_done, text = True, _PACKED_TEXTS[kind]
    elif order.status == OrderStatus.CANCELED:
        text = _("Está cancelado.")
    elif order.payment_status != PaymentStatus.AUTHORIZED and order.payment_status not in HAS_MONEY:
        text = _("No está pagado.")
    elif isinstance(error, PackingHeld):
        waits, text = True, _("El pago espera una decisión en Por resolver.")
    elif LabelState.UNKNOWN in states:
        waits, text = True, _("La guía quedó en duda: no la pidas otra vez. Está en Por resolver.")
    elif LabelState.TOO_EXPENSIVE in states or isinstance(error, LabelTooExpensive):
        waits, text = True, _("La guía cuesta mucho más de lo cobrado. Decide en Por resolver.")
    elif LabelState.CREATING in states or (isinstance(error, Conflict) and not is_all_packed):
        busy = (
            _("Otra persona la está haciendo en este momento.")
            if kind.has_label
            else _("Otra persona lo está empacando en este momento.")
        )
        changed = _("Alguien empacó una parte antes. Mira lo que falta.")
        text = changed if isinstance(error, ParcelsChanged) else busy
    elif is_all_packed:
        is_done, text = True, _("Ya tenía guía.") if kind.has_label else _("Ya estaba empacado.")
    elif isinstance(error, OutsideFailure) or (
        isinstance(error, InvalidData) and (error.fields or list_missing_label_parts(order.shipping_address))
    ):
        text = describe_label_failure(error)
    else:
        text = _("No se puede empacar. Mira el pedido.")
    return Outcome(
        order.id, order.number or 0, is_done, text, waits, was_already_done=is_done and not was_left
    )
