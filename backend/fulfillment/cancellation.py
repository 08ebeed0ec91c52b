"""Cancelling a fulfillment: its label, once, and then its units are in stock again.

The carrier is asked outside any transaction. A crash after its answer leaves a label that is stored as made: cancelling
it again does no harm.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, Who, record
from backend.core.clock import now
from backend.core.db.database import Database
from backend.core.errors import Conflict, NotAllowed, require_found
from backend.core.events import publish
from backend.core.observability.tracing import traced
from backend.edge.wire import iso
from backend.fulfillment.label_states import lock_fulfillment, move
from backend.fulfillment.tracking import stop_tracking
from backend.inventory import stock_fulfillment
from backend.inventory.movements import Reason, Why
from backend.orders.events import FulfillmentUnpacked
from backend.orders.fulfillments import has_left, units_in
from backend.orders.models import Fulfillment, OrderLine
from backend.orders.service import lines_of_order, lock_order, update_fulfillment_status
from backend.orders.states import PACKED, TAKEN_BACK, TAKEN_FROM, UNPACKED, LabelState
from backend.shipping.models import StockLocation
from backend.shipping.providers.base import FulfillmentProvider, FulfillmentProviders, Label, provider_of
from backend.staff.rights import Actor, Right


async def cancel_fulfillment(
    database: Database, actor: Actor, providers: FulfillmentProviders, order_id: str, fulfillment_id: str
) -> None:
    """Cancel the fulfillment's label. Its units are in stock again, and still reserved for the order.

    Raises:
        NotFound: the order has no such fulfillment.
        NotAllowed, Conflict, OutsideFailure, OutcomeUnknown: see `cancel_label`.
    """
    actor.require(Right.FULFILL)
    async with database.read() as session:
        provider = provider_of(
            providers, (await lock_fulfillment(session, fulfillment_id, order_id)).provider_id
        )
    await _ask_to_cancel(database, provider, fulfillment_id)
    async with database.transaction() as session:
        order = await lock_order(session, order_id)
        fulfillment = await lock_fulfillment(session, fulfillment_id, order_id)
        if not provider.gives_numbers or fulfillment.delivered_at is not None:
            _require_cancellable(fulfillment)  # what no carrier holds back may have left meanwhile
        await _mark_canceled(session, fulfillment, by=actor)
        await record(session, actor, "unpacked", Subject(Thing.ORDER, order_id))
        if PACKED in fulfillment.data and UNPACKED not in fulfillment.data:
            fulfillment.data = {**fulfillment.data, UNPACKED: iso(now())}
            lines = {line.id: line for line in await lines_of_order(session, order_id)}
            back = Counter(units_in(fulfillment))
            taken_back = fulfillment.data.get(TAKEN_BACK, {})
            for item in fulfillment.items:
                line = lines[item["line_item_id"]]
                back[line.variant_id] -= _unpack(line, item["quantity"], taken_back.get(line.id, 0))
            places = await _left_from(session, fulfillment, +back)
            # whoever hears of it may move units of the other parcels' levels
            await stock_fulfillment.lock_all_levels(session, {line.variant_id for line in lines.values()})
            why = Why(Reason.CORRECTION, actor, order_id=order_id)
            await stock_fulfillment.cancel_fulfillment(session, order.cart_id, places, why)
            await publish(session, FulfillmentUnpacked(fulfillment.id, order_id))
        await update_fulfillment_status(session, order)


@traced
async def cancel_label(
    database: Database, provider: FulfillmentProvider, fulfillment_id: str, *, by: Who
) -> Fulfillment:
    """Cancel the label of a fulfillment that is not packed. `by` is who of the staff wants it.

    Raises:
        NotFound: there is no such fulfillment.
        Conflict: nobody knows whether there is a label to cancel.
        NotAllowed: there is none, or the fulfillment is on its way.
        OutsideFailure: the label is not cancelled.
        OutcomeUnknown: it may be; asking again is safe.
    """
    await _ask_to_cancel(database, provider, fulfillment_id)
    async with database.transaction() as session:
        fulfillment = await lock_fulfillment(session, fulfillment_id)
        await _mark_canceled(session, fulfillment, by=by)
    return fulfillment


async def _ask_to_cancel(database: Database, provider: FulfillmentProvider, fulfillment_id: str) -> None:
    """Have the provider cancel the label, unless it was stored that it has. Raises what `cancel_label` does."""
    async with database.read() as session:
        fulfillment = await session.get(Fulfillment, fulfillment_id)
    fulfillment = require_found(fulfillment, "Fulfillment", fulfillment_id)
    _require_cancellable(fulfillment)
    if fulfillment.state == LabelState.CANCELED:
        return
    label = Label(
        fulfillment.tracking_number,
        fulfillment.carrier_order_id,
        fulfillment.label_url,
        fulfillment.label_pdf,
        fulfillment.data,
    )
    await provider.cancel_fulfillment(label)  # repeatable: two at once do no harm


def _require_cancellable(fulfillment: Fulfillment) -> None:
    if fulfillment.state in {LabelState.CREATING, LabelState.UNKNOWN}:
        raise Conflict(f"It is not known yet whether fulfillment {fulfillment.reference} has a label")
    if fulfillment.state in {LabelState.FAILED, LabelState.TOO_EXPENSIVE}:
        raise NotAllowed(f"Fulfillment {fulfillment.reference} has no label to cancel")
    if fulfillment.state != LabelState.CANCELED and has_left(fulfillment):
        raise NotAllowed(f"Fulfillment {fulfillment.reference} is on its way and cannot be cancelled")


async def _mark_canceled(session: AsyncSession, fulfillment: Fulfillment, *, by: Who) -> None:
    """Store that the label of the (locked) fulfillment is cancelled, once."""
    if fulfillment.state == LabelState.CANCELED:
        return
    await record(session, by, "label canceled", Subject(Thing.ORDER, fulfillment.order_id))
    move(fulfillment, LabelState.CANCELED)
    fulfillment.canceled_at = now()
    await stop_tracking(session, fulfillment)


def _unpack(line: OrderLine, units: int, taken_back: int) -> int:
    """So many units of the line are in no parcel any more. Those that were taken back before are not sent any more.

    Returns:
        How many of them that are: they were put back then.
    """
    line.fulfilled -= units
    # earlier versions of the shop did not keep in which parcel they were
    withdrawn = max(taken_back, line.returned - line.fulfilled)
    line.returned -= withdrawn
    line.withdrawn += withdrawn
    return withdrawn


async def _left_from(
    session: AsyncSession, fulfillment: Fulfillment, units: Mapping[str, int]
) -> stock_fulfillment.UnitsByLocation:
    """Where these units (by variant id) of the packed fulfillment are put back: where they were taken from.

    For a location that is gone since, it is the fulfillment's own.
    """
    missing = Counter(units)
    # earlier versions of the shop did not keep it
    taken = fulfillment.data.get(TAKEN_FROM) or {fulfillment.location_id: units}
    back: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for place, those in sorted(taken.items()):
        there = await session.get(StockLocation, place, with_for_update=True)
        found = missing & Counter(those)
        missing -= found
        back[there.id if there is not None else fulfillment.location_id].update(found)
    return back
