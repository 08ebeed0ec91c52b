"""Packing: units of an order get a label and leave the warehouse.

The label is created outside any transaction, exactly once (`backend.fulfillment.labels`). After that the units are
subtracted from the stock under the order's lock, only once even if the request is repeated. After a crash between
the two steps there is a label whose units are not packed; a new request for the same units finds the label and
packs them. (spec: createFulfillment)
"""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import Conflict, InsufficientStock
from backend.core.events import publish
from backend.edge.wire import iso
from backend.fulfillment.cancellation import cancel_label
from backend.fulfillment.commands import CreateFulfillment
from backend.fulfillment.label_states import lock_fulfillment
from backend.fulfillment.labels import create_label
from backend.fulfillment.parcels import CONCURRENT_FULFILLMENT, build_label, build_parcel, choose_location
from backend.inventory import stock_fulfillment
from backend.inventory.movements import MovementDetails, Reason
from backend.orders.delivery_kinds import DeliveryKind, read_delivery
from backend.orders.events import FulfillmentReady
from backend.orders.fulfillments import count_units_by_variant
from backend.orders.packing_holds import require_not_held
from backend.orders.service import list_order_lines, lock_order, update_fulfillment_status
from backend.orders.states import PACKED, TAKEN_FROM, LabelState
from backend.shipping.providers.base import FulfillmentProvider, FulfillmentProviders, get_provider
from backend.staff.rights import Actor, Right


async def fulfill(  # noqa: PLR0917
    database: Database,
    actor: Actor,
    settings: Settings,
    providers: FulfillmentProviders,
    order_id: str,
    new: CreateFulfillment,
    *,
    preferred: str | None = None,
) -> None:
    """Create a label for these units of the order, and take the units out of the stock.

    If `new` has no location, the units leave from the location `preferred`, if they are reserved there.

    Raises:
        NotFound: there is no such order, or no such location.
        InvalidData: an item is not in the order, too few units of it are left to send, or too few are at the given
            location; the shipping option is not the order's; or the address is not valid for a label.
        NotAllowed: the order must not be sent now (see `build_parcel`), or the shop does not use the provider of its
            shipping option. If the order became held during the request to the carrier, the label exists, and a new
            request packs its units.
        Conflict: another fulfillment of the order is being created, or may exist.
        LabelTooExpensive: the label costs more than the order's shipping before discounts plus the setting
            `label_over_paid`; staff must decide.
        OutsideFailure, OutcomeUnknown: see `backend.fulfillment.labels.create_label`.
    """
    actor.require(Right.FULFILL)
    async with database.transaction() as session:
        order = await lock_order(session, order_id)
        parcel = await build_parcel(session, order, new)
        location = await choose_location(session, parcel, new.location_id, preferred)
        label = await build_label(session, settings, parcel, location)
        provider = get_provider(providers, parcel.option.provider_id)
    fulfillment = await create_label(database, provider, label, actor=actor)
    if fulfillment.items != label.items:
        raise Conflict(CONCURRENT_FULFILLMENT)
    await pack_or_cancel(database, actor, provider, order_id, fulfillment.id)


async def pack_or_cancel(
    database: Database, actor: Actor, provider: FulfillmentProvider, order_id: str, fulfillment_id: str
) -> None:
    """Take the units of a fulfillment with a label out of the stock. If they are no longer reserved, cancel the label.

    Raises:
        InsufficientStock: the order was cancelled or edited during the request to the carrier. The units of the
            fulfillment must not be sent.
    """
    try:
        async with database.transaction() as session:
            await _pack(session, actor, order_id, fulfillment_id)
    except InsufficientStock:
        await cancel_label(database, provider, fulfillment_id, actor=actor)
        raise


async def _pack(session: AsyncSession, actor: Actor, order_id: str, fulfillment_id: str) -> None:
    """Take the fulfillment's units out of the stock, unless that was done before."""
    order = await lock_order(session, order_id)
    fulfillment = await lock_fulfillment(session, fulfillment_id, order_id)
    await record(session, actor, "packed", Subject(SubjectType.ORDER, order_id))
    if PACKED not in fulfillment.data and fulfillment.state == LabelState.CREATED:
        await require_not_held(session, order)
        lines = {line.id: line for line in await list_order_lines(session, order_id)}
        if any(item["line_item_id"] not in lines for item in fulfillment.items):
            raise InsufficientStock(f"Order {order.number} was edited: it does not have these units any more")
        why = MovementDetails(Reason.SALE, actor, order_id=order_id)
        taken = await stock_fulfillment.fulfill(
            session,
            order.cart_id,
            count_units_by_variant(fulfillment),
            why,
            location_id=fulfillment.location_id,
        )
        fulfillment.data = {**fulfillment.data, PACKED: iso(now()), TAKEN_FROM: taken}
        for item in fulfillment.items:
            lines[item["line_item_id"]].fulfilled += item["quantity"]
        kind, _note = await read_delivery(session, order)
        if kind is DeliveryKind.PICKUP:
            await publish(session, FulfillmentReady(fulfillment_id, order_id))
    await update_fulfillment_status(session, order)
