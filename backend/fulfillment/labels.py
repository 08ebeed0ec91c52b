"""Making the label of a fulfillment exactly once, and cancelling it.

The carrier has no key against repetition and every label is paid for. So the row is committed as `creating` before the
carrier is asked, and nobody asks again while it is: a second click finds it. After a crash it stays so, and a person
looks at the carrier. No transaction is open while the carrier answers.

    nothing ──► creating ──► created ──► canceled
                    ├──► failed ──► creating (again)
                    ├──► unknown ──► created or failed, once somebody has looked (`resolve_doubt`)
                    └──► too_expensive ──► failed, once somebody has decided (`decide_price`)

`move` is the only function that writes `Fulfillment.state`.
"""

import logging
from dataclasses import dataclass, field, replace
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, close_attention, raise_attention
from backend.audit import Subject, Thing, Who, record
from backend.clock import now
from backend.database import Database, locked
from backend.errors import Conflict, NotAllowed, NotFound, OutcomeUnknown, ShopError
from backend.fulfillment.tracking import start_tracking, stop_tracking
from backend.jobs import cancel, enqueue
from backend.logs import log_scope
from backend.money import Cop
from backend.orders.models import Fulfillment
from backend.orders.states import SAID, LabelState
from backend.shipping.providers.base import FulfillmentProvider, Label, LabelRequest, LabelTooExpensive
from backend.tables import JsonObject
from backend.tracing import traced
from backend.transitions import Transitions

log = logging.getLogger(__name__)

STALE_AFTER = timedelta(minutes=5)
"""After this time an answer of the carrier is no longer expected: the client gives up far sooner."""
OVERDUE = "shipping.label_overdue"
"""The job that looks whether a label was made in time; its key is the fulfillment's id."""
APPROVED_PRICE = "approved_price"
"""Key in a fulfillment's `data`: the most that its label may cost, as somebody decided, in whole pesos."""

L = LabelState
STEPS = Transitions(
    "label",
    {
        L.CREATING: frozenset({L.CREATED, L.FAILED, L.UNKNOWN, L.TOO_EXPENSIVE}),
        L.FAILED: frozenset({L.CREATING}),
        L.UNKNOWN: frozenset({L.CREATED, L.FAILED}),
        L.TOO_EXPENSIVE: frozenset({L.FAILED}),
        L.CREATED: frozenset({L.CANCELED}),
    },
)


def move(fulfillment: Fulfillment, state: LabelState) -> None:
    """Change the state of the (locked) fulfillment's label.

    Raises:
        StepNotAllowed: the table has no such step; nothing has changed.
    """
    fulfillment.state = STEPS.require(LabelState(fulfillment.state), state)


@dataclass(frozen=True, slots=True)
class NewLabel:
    """A label to make: for which order, from which location, for which items, and what the carrier gets.

    `order_id` and `request.reference` together name one fulfillment.
    """

    order_id: str
    location_id: str
    request: LabelRequest
    items: list[JsonObject] = field(default_factory=list)
    data: JsonObject = field(default_factory=dict)
    """What is kept with it beside what the carrier answers."""


@traced
async def create_label(
    database: Database, provider: FulfillmentProvider, new: NewLabel, *, by: Who | None = None
) -> Fulfillment:
    """Make the label, or give the fulfillment that has it. The carrier makes one, however often this is called.

    `by` is who of the staff wants it.

    Raises:
        Conflict: it is being made, or nobody knows whether it was; the carrier is not asked again.
        NotAllowed: the label was cancelled; a new one needs another reference.
        InvalidData, OutsideFailure: no label was made; asking again is safe.
        LabelTooExpensive: it costs more than `new.request.max_price`; it waits for a person (`decide_price`).
        OutcomeUnknown: a label may have been made; somebody must look (`resolve_doubt`).
    """
    fulfillment, is_claimed = await _claim(database, provider.id, new, by)
    if not is_claimed:
        return fulfillment
    try:
        with log_scope(order_id=new.order_id, fulfillment_id=fulfillment.id):
            label = await provider.create_fulfillment(_with_approved_price(new.request, fulfillment))
    except LabelTooExpensive as error:
        await _wait_for_decision(database, fulfillment.id, error)
        raise
    except Exception as error:
        # only if the provider says so is it certain that no label was made
        made_none = isinstance(error, ShopError) and not isinstance(error, OutcomeUnknown)
        await _record_failure(database, fulfillment.id, L.FAILED if made_none else L.UNKNOWN, error)
        raise
    log.info(
        "label %s (%s) is of fulfillment %s", label.carrier_order_id, label.tracking_number, fulfillment.id
    )
    return await _record_label(database, fulfillment.id, label)


@traced
async def cancel_label(
    database: Database, provider: FulfillmentProvider, fulfillment_id: str, *, by: Who | None = None
) -> Fulfillment:
    """Cancel the label of a fulfillment that is not packed. `by` is who of the staff wants it.

    Raises:
        NotFound, Conflict, NotAllowed, OutsideFailure, OutcomeUnknown: see `ask_to_cancel`.
    """
    await ask_to_cancel(database, provider, fulfillment_id)
    async with database.transaction() as session:
        fulfillment = await lock_fulfillment(session, fulfillment_id)
        await mark_canceled(session, fulfillment, by=by)
    return fulfillment


async def ask_to_cancel(database: Database, provider: FulfillmentProvider, fulfillment_id: str) -> None:
    """Have the provider cancel the label, unless it was stored that it has. `mark_canceled` stores it.

    Raises:
        NotFound: there is no such fulfillment.
        Conflict: nobody knows whether there is a label to cancel.
        NotAllowed: there is none, or the fulfillment is on its way.
        OutsideFailure: the label is not cancelled.
        OutcomeUnknown: it may be; asking again is safe.
    """
    async with database.read() as session:
        fulfillment = await session.get(Fulfillment, fulfillment_id)
    if fulfillment is None:
        raise NotFound(f"Fulfillment with id: {fulfillment_id} was not found")
    _require_cancellable(fulfillment)
    if fulfillment.state == L.CANCELED:
        return
    label = Label(
        fulfillment.tracking_number,
        fulfillment.carrier_order_id,
        fulfillment.label_url,
        fulfillment.label_pdf,
        fulfillment.data,
    )
    await provider.cancel_fulfillment(label)  # repeatable: two at once do no harm


async def mark_canceled(session: AsyncSession, fulfillment: Fulfillment, *, by: Who | None) -> None:
    """Store that the label of the (locked) fulfillment is cancelled, once."""
    if fulfillment.state == L.CANCELED:
        return
    if by is not None:
        await record(session, by, "label canceled", Subject(Thing.ORDER, fulfillment.order_id))
    move(fulfillment, L.CANCELED)
    fulfillment.canceled_at = now()
    await stop_tracking(session, fulfillment)


async def resolve_doubt(session: AsyncSession, fulfillment_id: str, found: Label | None) -> Fulfillment:
    """Record what somebody found at the carrier for a label in doubt: the label, or that there is none.

    Raises:
        NotFound: there is no such fulfillment.
        NotAllowed: its label is not in doubt, or is still being made.
    """
    fulfillment = await lock_fulfillment(session, fulfillment_id)
    require_in_doubt(fulfillment)
    if found is None:
        move(fulfillment, L.FAILED)
    else:
        await _fill(session, fulfillment, found)
    await session.flush()
    return fulfillment


def require_in_doubt(fulfillment: Fulfillment) -> None:
    """Refuse a decision about a label that is certain, or that the carrier is being asked for right now.

    Raises:
        NotAllowed: the label is not in doubt.
    """
    if fulfillment.state != L.UNKNOWN:
        raise NotAllowed(
            f"The label of fulfillment {fulfillment.id} is not in doubt: it is {fulfillment.state}"
        )


async def mark_overdue(database: Database, fulfillment_id: str) -> None:
    """The carrier was asked for this label `STALE_AFTER` ago. If it has not answered, the label is in doubt."""
    async with database.transaction() as session:
        fulfillment = await lock_fulfillment(session, fulfillment_id)
        if fulfillment.state == L.CREATING:
            move(fulfillment, L.UNKNOWN)
            await _raise_doubt(
                session, fulfillment, "The shop ended while the carrier was being asked for it"
            )


async def decide_price(session: AsyncSession, fulfillment_id: str, approved: Cop | None) -> Fulfillment:
    """Record the decision about a label that is too expensive: it may cost `approved`, or (None) is not bought.

    Either way its units may be sent again. An approved price is kept until the label is made.

    Raises:
        NotFound: there is no such fulfillment.
        NotAllowed: its label does not wait for a decision.
    """
    fulfillment = await lock_fulfillment(session, fulfillment_id)
    if fulfillment.state != L.TOO_EXPENSIVE:
        raise NotAllowed(
            f"The label of fulfillment {fulfillment.id} waits for no decision: it is {fulfillment.state}"
        )
    move(fulfillment, L.FAILED)
    fulfillment.data = {**fulfillment.data, APPROVED_PRICE: approved}
    await session.flush()
    return fulfillment


async def lock_fulfillment(
    session: AsyncSession, fulfillment_id: str, order_id: str | None = None
) -> Fulfillment:
    """The fulfillment, locked; with `order_id`, only if it is this order's. Lock the order first if both are needed.

    Raises:
        NotFound: there is none.
    """
    query = select(Fulfillment).where(Fulfillment.id == fulfillment_id)
    if order_id is not None:
        query = query.where(Fulfillment.order_id == order_id)
    fulfillment = (await session.execute(locked(query))).scalar_one_or_none()
    if fulfillment is None:
        raise NotFound(f"Fulfillment with id: {fulfillment_id} was not found")
    return fulfillment


async def _claim(
    database: Database, provider_id: str, new: NewLabel, by: Who | None
) -> tuple[Fulfillment, bool]:
    """The fulfillment, and whether the caller asks the carrier: then `creating` is committed."""
    try:
        async with database.transaction() as session:
            return await _claim_in(session, provider_id, new, by)
    except IntegrityError:
        # on PostgreSQL two may look at once; then the other has inserted the row before us
        async with database.transaction() as session:
            if await _fulfillment_of(session, new) is None:
                raise  # it was something else
            return await _claim_in(session, provider_id, new, by)


async def _claim_in(
    session: AsyncSession, provider_id: str, new: NewLabel, by: Who | None
) -> tuple[Fulfillment, bool]:
    fulfillment = await _fulfillment_of(session, new)
    if fulfillment is not None and fulfillment.state == L.CREATED:
        return fulfillment, False
    if by is not None:
        await record(session, by, "label requested", Subject(Thing.ORDER, new.order_id))
    if fulfillment is not None:
        require_retryable(fulfillment)
        move(fulfillment, L.CREATING)
    else:
        fulfillment = Fulfillment(
            order_id=new.order_id,
            reference=new.request.reference,
            location_id=new.location_id,
            provider_id=provider_id,
            state=L.CREATING,
        )
        session.add(fulfillment)
    fulfillment.items, fulfillment.location_id = new.items, new.location_id
    fulfillment.provider_id = provider_id
    fulfillment.data = {**fulfillment.data, **new.data}
    await session.flush()
    await enqueue(session, OVERDUE, key=fulfillment.id, after=STALE_AFTER)
    return fulfillment, True


async def _fulfillment_of(session: AsyncSession, new: NewLabel) -> Fulfillment | None:
    """The fulfillment of this order with this reference, locked."""
    same = (Fulfillment.order_id == new.order_id) & (Fulfillment.reference == new.request.reference)
    return (await session.execute(locked(select(Fulfillment).where(same)))).scalar_one_or_none()


def require_retryable(fulfillment: Fulfillment) -> None:
    """Only what certainly made no label may be asked for again.

    Raises:
        Conflict: it is being made, nobody knows whether it was, or it waits for a decision about its price.
        NotAllowed: it was cancelled.
    """
    label = f"label of fulfillment {fulfillment.reference}"
    match fulfillment.state:
        case L.FAILED:
            return
        case L.CANCELED:
            raise NotAllowed(f"The {label} was cancelled; use another reference")
        case L.UNKNOWN:
            raise Conflict(f"A {label} may have been made; look it up at the carrier")
        case L.TOO_EXPENSIVE:
            raise Conflict(f"The {label} is too expensive and waits in attention")
        case _:
            raise Conflict(f"The {label} is being made")


def _require_cancellable(fulfillment: Fulfillment) -> None:
    if fulfillment.state in {L.CREATING, L.UNKNOWN}:
        raise Conflict(f"It is not known yet whether fulfillment {fulfillment.reference} has a label")
    if fulfillment.state in {L.FAILED, L.TOO_EXPENSIVE}:
        raise NotAllowed(f"Fulfillment {fulfillment.reference} has no label to cancel")
    if fulfillment.shipped_at is not None and fulfillment.state != L.CANCELED:
        raise NotAllowed(f"Fulfillment {fulfillment.reference} is on its way and cannot be cancelled")


def _with_approved_price(request: LabelRequest, fulfillment: Fulfillment) -> LabelRequest:
    """The request, with the price that somebody approved where that is higher."""
    approved = fulfillment.data.get(APPROVED_PRICE)
    if request.max_price is None or approved is None:
        return request
    return replace(request, max_price=max(request.max_price, approved))


async def _record_label(database: Database, fulfillment_id: str, label: Label) -> Fulfillment:
    async with database.transaction() as session:
        fulfillment = await lock_fulfillment(session, fulfillment_id)
        if fulfillment.state not in (L.CREATING, L.UNKNOWN):  # somebody decided while the carrier was at it
            numbers = f"{label.carrier_order_id} ({label.tracking_number})"
            cause = f"A second label was made, {numbers}: cancel one at the carrier"
            await _raise_doubt(session, fulfillment, cause)
            return fulfillment
        await _fill(session, fulfillment, label)
        await close_attention(
            session, AttentionKind.LABEL_IN_DOUBT, fulfillment.id, note="The carrier's answer came after all"
        )
    return fulfillment


async def _record_failure(
    database: Database, fulfillment_id: str, state: LabelState, cause: Exception
) -> None:
    log.warning("the label of fulfillment %s is %s: %s", fulfillment_id, state, cause)
    async with database.transaction() as session:
        fulfillment = await lock_fulfillment(session, fulfillment_id)
        if fulfillment.state != L.CREATING:
            return
        move(fulfillment, state)
        fulfillment.data = {**fulfillment.data, "error": str(cause)}
        await cancel(session, OVERDUE, fulfillment.id)
        if state is L.UNKNOWN:
            await _raise_doubt(session, fulfillment, str(cause))


async def _wait_for_decision(database: Database, fulfillment_id: str, cause: LabelTooExpensive) -> None:
    async with database.transaction() as session:
        fulfillment = await lock_fulfillment(session, fulfillment_id)
        if fulfillment.state != L.CREATING:
            return
        move(fulfillment, L.TOO_EXPENSIVE)
        await cancel(session, OVERDUE, fulfillment.id)
        await raise_attention(
            session,
            AttentionKind.LABEL_TOO_EXPENSIVE,
            message=f"{cause.message} (fulfillment {fulfillment.reference})",
            amount=cause.price,
            order_id=fulfillment.order_id,
            fulfillment_id=fulfillment.id,
        )


async def _raise_doubt(session: AsyncSession, fulfillment: Fulfillment, cause: str) -> None:
    await raise_attention(
        session,
        AttentionKind.LABEL_IN_DOUBT,
        message=f"Label {fulfillment.reference}: {cause}",
        order_id=fulfillment.order_id,
        fulfillment_id=fulfillment.id,
        data={"reference": fulfillment.reference},
    )


async def _fill(session: AsyncSession, fulfillment: Fulfillment, label: Label) -> None:
    move(fulfillment, L.CREATED)
    fulfillment.tracking_number, fulfillment.carrier_order_id = label.tracking_number, label.carrier_order_id
    fulfillment.label_url, fulfillment.label_pdf = label.label_url, label.label_pdf
    said = {name: value for name, value in fulfillment.data.items() if name in SAID}
    fulfillment.data = {**said, **label.data}
    await cancel(session, OVERDUE, fulfillment.id)
    await start_tracking(session, fulfillment)
