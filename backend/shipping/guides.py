"""Making a parcel's guide exactly once, and cancelling it.

The carrier has no key against repetition and every guide is paid for. So the row `creating` is committed before the
carrier is asked, and nobody asks again while it stands: a second click finds it, and after a crash it is what is left,
for a person to look up. No transaction is open while the carrier answers.

    nothing ──► creating ──► created ──► canceled
                    ├──► failed ──► creating (again)
                    ├──► unknown ──► created or failed, once somebody has looked (`settle_guide`)
                    └──► too_expensive ──► failed, once somebody has decided (`decide_price`)

`move` is the only function that writes `Fulfillment.state`.
"""

import logging
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, close_attention, raise_attention
from backend.clock import now
from backend.database import Database, locked
from backend.errors import Conflict, NotAllowed, NotFound, OutcomeUnknown, ShopError
from backend.jobs import cancel, enqueue
from backend.money import Cop
from backend.shipping.models import Fulfillment
from backend.shipping.providers.base import FulfillmentProvider, Guide, LabelTooExpensive, ShipmentRequest
from backend.shipping.tracking import track_from_now, track_no_longer
from backend.tables import JsonObject
from backend.transitions import Transitions

log = logging.getLogger(__name__)

STALE_AFTER = timedelta(minutes=5)
"""A carrier that was asked this long ago will not answer any more: the shop gives up far sooner."""
OVERDUE = "shipping.label_overdue"
"""The job that looks whether a label was made in time; its key is the fulfillment's id."""
APPROVED_PRICE = "approved_price"
"""In a fulfillment's `data`: the most its label may cost, as somebody decided, in whole pesos."""


class GuideState(StrEnum):
    """How far a parcel's guide is."""

    CREATING = "creating"
    CREATED = "created"
    FAILED = "failed"
    UNKNOWN = "unknown"
    TOO_EXPENSIVE = "too_expensive"
    """It costs more than may be spent without a person's word: nothing was bought."""
    CANCELED = "canceled"


G = GuideState
STEPS = Transitions(
    "label",
    {
        G.CREATING: frozenset({G.CREATED, G.FAILED, G.UNKNOWN, G.TOO_EXPENSIVE}),
        G.FAILED: frozenset({G.CREATING}),
        G.UNKNOWN: frozenset({G.CREATED, G.FAILED}),
        G.TOO_EXPENSIVE: frozenset({G.FAILED}),
        G.CREATED: frozenset({G.CANCELED}),
    },
)


def move(parcel: Fulfillment, state: GuideState) -> None:
    """Put the (locked) parcel into a state that its own leads to.

    Raises:
        StepNotAllowed: the table has no such step; the parcel is as it was.
    """
    parcel.state = STEPS.require(GuideState(parcel.state), state)


@dataclass(frozen=True, slots=True)
class NewGuide:
    """The guide to make: whose parcel it is, where it starts, what is in it and what the carrier is told.

    A parcel is one `order_id` and `shipment.reference`.
    """

    order_id: str
    location_id: str
    shipment: ShipmentRequest
    items: list[JsonObject] = field(default_factory=list)


async def create_guide(database: Database, provider: FulfillmentProvider, new: NewGuide) -> Fulfillment:
    """Make the parcel's guide, or give the one it has. However often and at once this is called, the carrier makes one.

    Raises:
        Conflict: it is being made, or it is unknown whether it was; it is never asked for again blindly.
        NotAllowed: the parcel's guide was cancelled; another parcel needs another reference.
        InvalidData, OutsideFailure: no guide was made; asking again is safe.
        LabelTooExpensive: it costs more than `new.shipment.max_price`; it waits for a person (`decide_price`).
        OutcomeUnknown: a guide may have been made; somebody must look (`settle_guide`).
    """
    parcel, is_mine = await _claimed(database, provider.id, new)
    if not is_mine:
        return parcel
    try:
        guide = await provider.create_fulfillment(_priced(new.shipment, parcel))
    except LabelTooExpensive as error:
        await _wait_for_decision(database, parcel.id, error)
        raise
    except Exception as error:
        # certain only if the provider says so: whatever else happened, a guide may be there
        made_none = isinstance(error, ShopError) and not isinstance(error, OutcomeUnknown)
        await _give_up(database, parcel.id, GuideState.FAILED if made_none else GuideState.UNKNOWN, error)
        raise
    log.info("guide %s (%s) is parcel %s", guide.carrier_order_id, guide.tracking_number, parcel.id)
    return await _record(database, parcel.id, guide)


async def cancel_guide(database: Database, provider: FulfillmentProvider, fulfillment_id: str) -> Fulfillment:
    """Cancel the parcel's guide; one that is cancelled stays so.

    Raises:
        NotFound: no parcel has this id.
        Conflict: it is unknown whether there is a guide to cancel.
        NotAllowed: there is none, or the parcel is on its way.
        OutsideFailure: the guide is not cancelled.
        OutcomeUnknown: it may be; asking again is safe.
    """
    async with database.read() as session:
        parcel = await _cancellable(session, fulfillment_id)
    if parcel.state == GuideState.CANCELED:
        return parcel
    await provider.cancel_fulfillment(_guide_of(parcel))  # repeatable, so that two at once do no harm
    async with database.transaction() as session:
        parcel = await _locked_parcel(session, fulfillment_id)
        if parcel.state != GuideState.CANCELED:
            move(parcel, GuideState.CANCELED)
            parcel.canceled_at = now()
            await track_no_longer(session, parcel)
    return parcel


async def settle_guide(session: AsyncSession, fulfillment_id: str, found: Guide | None) -> Fulfillment:
    """Record what somebody found at the carrier for a parcel in doubt: its guide, or that there is none.

    Raises:
        NotFound: no parcel has this id.
        NotAllowed: the parcel is not in doubt, or is still being made.
    """
    parcel = await _locked_parcel(session, fulfillment_id)
    require_doubt(parcel)
    if found is None:
        move(parcel, GuideState.FAILED)
    else:
        await _fill(session, parcel, found)
    await session.flush()
    return parcel


def require_doubt(parcel: Fulfillment) -> None:
    """Nobody settles what is certain, or what the carrier is being asked for right now.

    Raises:
        NotAllowed: the parcel is not in doubt.
    """
    if parcel.state != GuideState.UNKNOWN:
        raise NotAllowed(f"The guide of parcel {parcel.id} is not in doubt: it is {parcel.state}")


async def doubt_overdue(database: Database, fulfillment_id: str) -> None:
    """The carrier was asked for this label `STALE_AFTER` ago: unless it answered, somebody must look."""
    async with database.transaction() as session:
        parcel = await _locked_parcel(session, fulfillment_id)
        if parcel.state == GuideState.CREATING:
            move(parcel, GuideState.UNKNOWN)
            await _raise_doubt(session, parcel, "The shop ended while the carrier was being asked for it")


async def decide_price(session: AsyncSession, fulfillment_id: str, approved: Cop | None) -> Fulfillment:
    """Somebody decided about a label that is too expensive: it may cost so much, or (None) is not bought.

    Either way the parcel may be sent again; an approved price stays with it until its label is made.

    Raises:
        NotFound: no parcel has this id.
        NotAllowed: its label does not wait for a decision.
    """
    parcel = await _locked_parcel(session, fulfillment_id)
    if parcel.state != GuideState.TOO_EXPENSIVE:
        raise NotAllowed(f"The label of parcel {parcel.id} waits for no decision: it is {parcel.state}")
    move(parcel, GuideState.FAILED)
    parcel.data = {**parcel.data, APPROVED_PRICE: approved}
    await session.flush()
    return parcel


async def _claimed(database: Database, provider_id: str, new: NewGuide) -> tuple[Fulfillment, bool]:
    """The parcel, and whether it is ours to ask the carrier for: `creating` is committed when this returns."""
    try:
        async with database.transaction() as session:
            return await _claimed_in(session, provider_id, new)
    except IntegrityError:
        # where the database lets two look at once, the other may have inserted the row before us
        async with database.transaction() as session:
            if await _parcel_of(session, new) is None:
                raise  # it was something else
            return await _claimed_in(session, provider_id, new)


async def _claimed_in(session: AsyncSession, provider_id: str, new: NewGuide) -> tuple[Fulfillment, bool]:
    parcel = await _parcel_of(session, new)
    if parcel is not None and parcel.state == GuideState.CREATED:
        return parcel, False
    if parcel is not None:
        _require_retryable(parcel)
        move(parcel, GuideState.CREATING)
    else:
        parcel = Fulfillment(
            order_id=new.order_id,
            reference=new.shipment.reference,
            location_id=new.location_id,
            provider_id=provider_id,
            state=GuideState.CREATING,
        )
        session.add(parcel)
    parcel.items, parcel.location_id, parcel.provider_id = new.items, new.location_id, provider_id
    await session.flush()
    await enqueue(session, OVERDUE, key=parcel.id, after=STALE_AFTER)
    return parcel, True


async def _parcel_of(session: AsyncSession, new: NewGuide) -> Fulfillment | None:
    """The parcel of this order with this reference, locked."""
    same_parcel = (Fulfillment.order_id == new.order_id) & (Fulfillment.reference == new.shipment.reference)
    return (await session.execute(locked(select(Fulfillment).where(same_parcel)))).scalar_one_or_none()


def _require_retryable(parcel: Fulfillment) -> None:
    """Only what certainly made no guide may be asked for again."""
    match parcel.state:
        case GuideState.FAILED:
            return
        case GuideState.CANCELED:
            raise NotAllowed(f"The guide of parcel {parcel.reference} was cancelled; use another reference")
        case GuideState.UNKNOWN:
            raise Conflict(
                f"A guide of parcel {parcel.reference} may have been made; look it up at the carrier"
            )
        case GuideState.TOO_EXPENSIVE:
            raise Conflict(f"The label of parcel {parcel.reference} is too expensive and waits in attention")
        case _:
            raise Conflict(f"The guide of parcel {parcel.reference} is being made")


def _priced(shipment: ShipmentRequest, parcel: Fulfillment) -> ShipmentRequest:
    """The request, with the price that somebody approved for this parcel where that is higher."""
    approved = parcel.data.get(APPROVED_PRICE)
    if shipment.max_price is None or approved is None:
        return shipment
    return replace(shipment, max_price=max(shipment.max_price, approved))


async def _record(database: Database, fulfillment_id: str, guide: Guide) -> Fulfillment:
    async with database.transaction() as session:
        parcel = await _locked_parcel(session, fulfillment_id)
        if parcel.state not in (
            GuideState.CREATING,
            GuideState.UNKNOWN,
        ):  # settled while the carrier was at it
            numbers = f"{guide.carrier_order_id} ({guide.tracking_number})"
            await _raise_doubt(
                session, parcel, f"A second label was made, {numbers}: cancel one at the carrier"
            )
            return parcel
        await _fill(session, parcel, guide)
        await close_attention(
            session, AttentionKind.LABEL_IN_DOUBT, parcel.id, note="The carrier's answer came after all"
        )
    return parcel


async def _give_up(database: Database, fulfillment_id: str, state: GuideState, cause: Exception) -> None:
    log.warning("the label of fulfillment %s is %s: %s", fulfillment_id, state, cause)
    async with database.transaction() as session:
        parcel = await _locked_parcel(session, fulfillment_id)
        if parcel.state != GuideState.CREATING:
            return
        move(parcel, state)
        parcel.data = {**parcel.data, "error": str(cause)}
        await cancel(session, OVERDUE, parcel.id)
        if state is GuideState.UNKNOWN:
            await _raise_doubt(session, parcel, str(cause))


async def _wait_for_decision(database: Database, fulfillment_id: str, cause: LabelTooExpensive) -> None:
    async with database.transaction() as session:
        parcel = await _locked_parcel(session, fulfillment_id)
        if parcel.state != GuideState.CREATING:
            return
        move(parcel, GuideState.TOO_EXPENSIVE)
        await cancel(session, OVERDUE, parcel.id)
        await raise_attention(
            session,
            AttentionKind.LABEL_TOO_EXPENSIVE,
            message=f"{cause.message} (fulfillment {parcel.reference})",
            amount=cause.price,
            order_id=parcel.order_id,
            fulfillment_id=parcel.id,
        )


async def _raise_doubt(session: AsyncSession, parcel: Fulfillment, cause: str) -> None:
    await raise_attention(
        session,
        AttentionKind.LABEL_IN_DOUBT,
        message=f"Label {parcel.reference}: {cause}",
        order_id=parcel.order_id,
        fulfillment_id=parcel.id,
        data={"reference": parcel.reference},
    )


async def _fill(session: AsyncSession, parcel: Fulfillment, guide: Guide) -> None:
    move(parcel, GuideState.CREATED)
    parcel.tracking_number, parcel.carrier_order_id = guide.tracking_number, guide.carrier_order_id
    parcel.label_url, parcel.label_pdf = guide.label_url, guide.label_pdf
    parcel.data = dict(guide.data)
    await cancel(session, OVERDUE, parcel.id)
    await track_from_now(session, parcel)


def _guide_of(parcel: Fulfillment) -> Guide:
    return Guide(
        parcel.tracking_number, parcel.carrier_order_id, parcel.label_url, parcel.label_pdf, parcel.data
    )


async def _cancellable(session: AsyncSession, fulfillment_id: str) -> Fulfillment:
    parcel = await session.get(Fulfillment, fulfillment_id)
    if parcel is None:
        raise NotFound(f"Fulfillment with id: {fulfillment_id} was not found")
    if parcel.state in {GuideState.CREATING, GuideState.UNKNOWN}:
        raise Conflict(f"It is not known yet whether parcel {parcel.reference} has a guide")
    if parcel.state in {GuideState.FAILED, GuideState.TOO_EXPENSIVE}:
        raise NotAllowed(f"Parcel {parcel.reference} has no guide to cancel")
    if parcel.shipped_at is not None and parcel.state != GuideState.CANCELED:
        raise NotAllowed(f"Parcel {parcel.reference} is on its way and cannot be cancelled")
    return parcel


async def _locked_parcel(session: AsyncSession, fulfillment_id: str) -> Fulfillment:
    rows = await session.execute(locked(select(Fulfillment).where(Fulfillment.id == fulfillment_id)))
    parcel = rows.scalar_one_or_none()
    if parcel is None:
        raise NotFound(f"Fulfillment with id: {fulfillment_id} was not found")
    return parcel
