"""Cancellation of a fulfillment: its label is cancelled once, and then its units are in stock again.

The request to the carrier is sent outside any transaction. After a crash between the carrier's response and the
next transaction, the label is still stored as created. Cancelling it again is safe.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import AuditActor, Subject, SubjectType, record
from backend.core.clock import now
from backend.core.db.database import Database
from backend.core.errors import Conflict, NotAllowed, require_found
from backend.core.events import publish
from backend.core.observability.tracing import traced
from backend.edge.wire import iso
from backend.fulfillment.label_states import lock_fulfillment, move
from backend.fulfillment.tracking import stop_tracking
from backend.inventory import stock_fulfillment
from backend.inventory.movements import MovementDetails, Reason
from backend.orders.events import FulfillmentUnpacked
from backend.orders.fulfillments import count_units_by_variant, has_left
from backend.orders.models import Fulfillment, OrderLine
from backend.orders.service import list_order_lines, lock_order, update_fulfillment_status
from backend.orders.states import PACKED, TAKEN_BACK, TAKEN_FROM, UNPACKED, LabelState
from backend.shipping.models import StockLocation
from backend.shipping.providers.base import FulfillmentProvider, FulfillmentProviders, Label, get_provider
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
        provider = get_provider(
            providers, (await lock_fulfillment(session, fulfillment_id, order_id)).provider_id
        )
    await _request_cancellation(database, provider, fulfillment_id)
    async with database.transaction() as session:
        order = await lock_order(session, order_id)
        fulfillment = await lock_fulfillment(session, fulfillment_id, order_id)
        if not provider.gives_numbers or fulfillment.delivered_at is not None:
            _require_cancellable(fulfillment)  # without a carrier, it may have left in the meantime
        await _mark_canceled(session, provider, fulfillment, actor=actor)
        await record(session, actor, "unpacked", Subject(SubjectType.ORDER, order_id))
        if PACKED in fulfillment.data and UNPACKED not in fulfillment.data:
            fulfillment.data = {**fulfillment.data, UNPACKED: iso(now())}
            lines = {line.id: line for line in await list_order_lines(session, order_id)}
            restocked = Counter(count_units_by_variant(fulfillment))
            taken_back = fulfillment.data.get(TAKEN_BACK, {})
            for item in fulfillment.items:
                line = lines[item["line_item_id"]]
                restocked[line.variant_id] -= _unpack(line, item["quantity"], taken_back.get(line.id, 0))
            places = await _group_by_source(session, fulfillment, +restocked)
            # subscribers of the event may move units of other parcels
            await stock_fulfillment.lock_all_levels(session, {line.variant_id for line in lines.values()})
            why = MovementDetails(Reason.CORRECTION, actor, order_id=order_id)
            await stock_fulfillment.cancel_fulfillment(session, order.cart_id, places, why)
            await publish(session, FulfillmentUnpacked(fulfillment.id, order_id))
        await update_fulfillment_status(session, order)


@traced
async def cancel_label(
    database: Database, provider: FulfillmentProvider, fulfillment_id: str, *, actor: AuditActor
) -> Fulfillment:
    """Cancel the label of a fulfillment whose units have not been taken out of the stock. Cancelling again is harmless.

    Raises:
        NotFound: there is no such fulfillment.
        Conflict: it is unknown whether the carrier has created a label.
        NotAllowed: there is no label, or the fulfillment is on its way.
        OutsideFailure: the carrier did not cancel the label.
        OutcomeUnknown: the carrier may have cancelled the label; repeating the call is safe.
    """
    await _request_cancellation(database, provider, fulfillment_id)
    async with database.transaction() as session:
        fulfillment = await lock_fulfillment(session, fulfillment_id)
        await _mark_canceled(session, provider, fulfillment, actor=actor)
    return fulfillment


async def _request_cancellation(
    database: Database, provider: FulfillmentProvider, fulfillment_id: str
) -> None:
    """Ask the provider to cancel the label, unless it is stored as cancelled.

    Raises:
        NotFound, Conflict, NotAllowed, OutsideFailure, OutcomeUnknown: see `cancel_label`.
    """
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
    await provider.cancel_fulfillment(label)  # may be repeated: concurrent cancellations do no harm


def _require_cancellable(fulfillment: Fulfillment) -> None:
    if fulfillment.state in {LabelState.CREATING, LabelState.UNKNOWN}:
        raise Conflict(f"It is not known yet if fulfillment {fulfillment.reference} has a label")
    if fulfillment.state in {LabelState.FAILED, LabelState.TOO_EXPENSIVE}:
        raise NotAllowed(f"Fulfillment {fulfillment.reference} has no label to cancel")
    if fulfillment.state != LabelState.CANCELED and has_left(fulfillment):
        raise NotAllowed(f"Fulfillment {fulfillment.reference} is on its way and cannot be cancelled")


async def _mark_canceled(
    session: AsyncSession, provider: FulfillmentProvider, fulfillment: Fulfillment, *, actor: AuditActor
) -> None:
    """Store that the label of the (locked) fulfillment is cancelled, unless it already is."""
    if fulfillment.state == LabelState.CANCELED:
        return
    action = "label canceled" if provider.gives_numbers else "packing canceled"
    await record(session, actor, action, Subject(SubjectType.ORDER, fulfillment.order_id))
    move(fulfillment, LabelState.CANCELED)
    fulfillment.canceled_at = now()
    await stop_tracking(session, fulfillment)


def _unpack(line: OrderLine, units: int, taken_back: int) -> int:
    """Subtract `units` from the line's fulfilled units, because their label was cancelled.

    `taken_back` is how many of these units were returned or refunded earlier.

    Returns:
        The number of units that now count as withdrawn instead of returned. Do not put them into stock again.
    """
    line.fulfilled -= units
    # earlier versions of the shop did not store their parcel
    withdrawn = max(taken_back, line.returned - line.fulfilled)
    line.returned -= withdrawn
    line.withdrawn += withdrawn
    return withdrawn


async def _group_by_source(
    session: AsyncSession, fulfillment: Fulfillment, units: Mapping[str, int]
) -> stock_fulfillment.UnitsByLocation:
    """Return the units to put back, by location and variant: each at the location from which it was taken.

    The fulfillment's location replaces a location that no longer exists.
    """
    missing = Counter(units)
    # earlier versions of the shop did not store the locations
    taken = fulfillment.data.get(TAKEN_FROM) or {fulfillment.location_id: units}
    restocked: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for place, counts in sorted(taken.items()):
        location = await session.get(StockLocation, place, with_for_update=True)
        found = missing & Counter(counts)
        missing -= found
        restocked[location.id if location is not None else fulfillment.location_id].update(found)
    return restocked
