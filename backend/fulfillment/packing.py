"""Packing: units of an order get a label and leave the warehouse.

The label is made outside any transaction, exactly once (`backend.fulfillment.labels`). Only then do the units leave the
stock: under the order's lock, and once, however often this is called. A crash in between leaves a label whose units are
not packed; asking for the same units again finds and packs them. (spec: createFulfillment)
"""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import Conflict, InsufficientStock
from backend.edge.wire import iso
from backend.fulfillment.cancellation import cancel_label
from backend.fulfillment.commands import CreateFulfillment
from backend.fulfillment.label_states import lock_fulfillment
from backend.fulfillment.labels import create_label
from backend.fulfillment.parcels import SENT_MEANWHILE, label_for, leaving_from, parcel_of
from backend.inventory import stock_fulfillment
from backend.inventory.movements import Reason, Why
from backend.orders.fulfillments import units_in
from backend.orders.packing_holds import require_not_held
from backend.orders.service import lines_of_order, lock_order, update_fulfillment_status
from backend.orders.states import PACKED, TAKEN_FROM, LabelState
from backend.shipping.providers.base import FulfillmentProvider, FulfillmentProviders, provider_of
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
    """Make a label for these units of the order, and take them out of the stock.

    Where `new` names no location, they leave from `preferred` if they are reserved there.

    Raises:
        NotFound: there is no such order, or no such location.
        InvalidData: an item is not the order's, or more of it is wanted than is left to send, or is not at the location
            that was named; another shipping option is named than the order's; or the address cannot be sent to.
        NotAllowed: the order is not paid, was cancelled, or is held; or the shop does not run with its provider. Held
            while the carrier answered, it has a label that is packed when it is asked for again.
        Conflict: another fulfillment of the order is being made, or nobody knows whether one was.
        LabelTooExpensive: the label costs more than the order's shipping before discounts plus `LABEL_OVER_PAID`; it
            waits in attention for a decision.
        OutsideFailure, OutcomeUnknown: see `backend.fulfillment.labels.create_label`.
    """
    actor.require(Right.FULFILL)
    async with database.transaction() as session:
        order = await lock_order(session, order_id)
        parcel = await parcel_of(session, order, new)
        location = await leaving_from(session, parcel, new.location_id, preferred)
        label = await label_for(session, settings, parcel, location)
        provider = provider_of(providers, parcel.option.provider_id)
    fulfillment = await create_label(database, provider, label, by=actor)
    if fulfillment.items != label.items:
        raise Conflict(SENT_MEANWHILE)
    await pack_or_cancel(database, actor, provider, order_id, fulfillment.id)


async def pack_or_cancel(
    database: Database, actor: Actor, provider: FulfillmentProvider, order_id: str, fulfillment_id: str
) -> None:
    """Take the units of a fulfillment with a label out of the stock. Where they are gone, cancel the label.

    Raises:
        InsufficientStock: the order was cancelled while the carrier answered. Its units must not be sent.
    """
    try:
        async with database.transaction() as session:
            await _pack(session, actor, order_id, fulfillment_id)
    except InsufficientStock:
        await cancel_label(database, provider, fulfillment_id, by=actor)
        raise


async def _pack(session: AsyncSession, actor: Actor, order_id: str, fulfillment_id: str) -> None:
    """Take the units out of the stock, once."""
    order = await lock_order(session, order_id)
    fulfillment = await lock_fulfillment(session, fulfillment_id, order_id)
    await record(session, actor, "packed", Subject(Thing.ORDER, order_id))
    if PACKED not in fulfillment.data and fulfillment.state == LabelState.CREATED:
        await require_not_held(session, order)
        why = Why(Reason.SALE, actor, order_id=order_id)
        taken = await stock_fulfillment.fulfill(
            session, order.cart_id, units_in(fulfillment), why, location_id=fulfillment.location_id
        )
        fulfillment.data = {**fulfillment.data, PACKED: iso(now()), TAKEN_FROM: taken}
        lines = {line.id: line for line in await lines_of_order(session, order_id)}
        for item in fulfillment.items:
            lines[item["line_item_id"]].fulfilled += item["quantity"]
    await update_fulfillment_status(session, order)
