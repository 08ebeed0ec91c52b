"""Creation of a fulfillment's label, exactly once.

The carrier has no idempotency key, and every label costs money. So the fulfillment is committed in the state
`creating` before the request is sent. A fulfillment in this state is not requested again, for example after a
second click. After a crash it stays in this state until it is marked as in doubt, and a staff member looks it up at
the carrier. No transaction is open during the request.
"""

import logging
from dataclasses import dataclass, field, replace
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, close_attention, raise_attention
from backend.attention.descriptions import MAX_PRICE
from backend.audit import AuditActor, Subject, SubjectType, record
from backend.core.db.database import Database, lock_rows
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData, OutcomeUnknown, OutsideFailure, ShopError
from backend.core.observability.logs import log_scope
from backend.core.observability.tracing import traced
from backend.core.texts import _
from backend.fulfillment.label_states import lock_fulfillment, move, require_retryable
from backend.fulfillment.tracking import start_tracking
from backend.jobs import cancel_job, enqueue
from backend.orders.models import Fulfillment
from backend.orders.states import FAILURE_REASON, STAFF_KEYS, LabelState
from backend.shipping.providers.base import FulfillmentProvider, Label, LabelRequest, LabelTooExpensive
from backend.shipping.providers.carrier.requests import TOO_LONG

log = logging.getLogger(__name__)

STALE_AFTER = timedelta(minutes=5)
"""After this time a response of the carrier is no longer expected: the client's timeout is much shorter."""
OVERDUE = "shipping.label_overdue"
"""Job that checks if a label was created in time; its key is the fulfillment's id."""
APPROVED_PRICE = "approved_price"
"""Key in a fulfillment's `data`: the maximum price of its label that staff approved, in whole pesos."""


@dataclass(frozen=True, slots=True)
class NewLabel:
    """A label to create: its order, location and items, and the request for the carrier.

    `order_id` and `request.reference` together identify one fulfillment.
    """

    order_id: str
    location_id: str
    request: LabelRequest
    items: list[JsonObject] = field(default_factory=list)
    data: JsonObject = field(default_factory=dict)
    """Data that are stored with the fulfillment, in addition to the carrier's response."""


@traced
async def create_label(
    database: Database, provider: FulfillmentProvider, new: NewLabel, *, actor: AuditActor
) -> Fulfillment:
    """Create the label, or return the fulfillment that has it. Repeated calls create only one label at the carrier.

    `actor` is the staff member who requests the label.

    Raises:
        Conflict: the label is being created, or may exist; it is not requested from the carrier again.
        NotAllowed: the label was cancelled; a new label needs another reference.
        InvalidData, OutsideFailure: no label was created; a new request is safe.
        LabelTooExpensive: it costs more than `max_price`; staff must decide (`label_decisions.decide_price`).
        OutcomeUnknown: a label may exist; staff must look it up (`label_decisions.resolve_doubt`).
    """
    fulfillment, is_claimed = await _claim(database, provider, new, actor)
    if not is_claimed:
        return fulfillment
    try:
        with log_scope(order_id=new.order_id, fulfillment_id=fulfillment.id):
            label = await provider.create_fulfillment(_with_approved_price(new.request, fulfillment))
    except LabelTooExpensive as error:
        await _wait_for_decision(database, fulfillment.id, error)
        raise
    except Exception as error:
        # only an error of the provider makes it certain that no label exists
        made_none = isinstance(error, ShopError) and not isinstance(error, OutcomeUnknown)
        await _record_failure(
            database, fulfillment.id, LabelState.FAILED if made_none else LabelState.UNKNOWN, error
        )
        raise
    log.info(
        "created label %s (%s) of fulfillment %s",
        label.carrier_order_id,
        label.tracking_number,
        fulfillment.id,
    )
    return await _record_label(database, fulfillment.id, label)


def describe_label_failure(error: Exception) -> str:
    """Return the reason why a label was not created, worded for staff."""
    if isinstance(error, OutsideFailure):
        return error.staff_text or _("La transportadora no responde. Inténtalo otra vez en un rato.")
    if isinstance(error, InvalidData):
        if error.fields and all(name.startswith("origin.") for name in error.fields):
            if TOO_LONG in error.fields.values():
                return _("La dirección de la bodega no cabe en la guía. Acórtala en Ajustes.")
            return _("A los datos de la bodega les falta algo. Complétalos en Ajustes.")
        if TOO_LONG in error.fields.values():
            return _("La dirección no cabe en la guía. Acórtala en el pedido, sin quitarle la puerta.")
        return _("A la dirección le falta algo. Corrígela en el pedido.")
    return _("No se puede empacar. Mira el pedido.")


async def mark_overdue(database: Database, fulfillment_id: str) -> None:
    """Mark the label as in doubt if it is still being created. A job calls this `STALE_AFTER` after its request."""
    async with database.transaction() as session:
        fulfillment = await lock_fulfillment(session, fulfillment_id)
        if fulfillment.state == LabelState.CREATING:
            move(fulfillment, LabelState.UNKNOWN)
            await _raise_doubt(session, fulfillment, "The shop stopped during the request to the carrier")


async def store_label(session: AsyncSession, fulfillment: Fulfillment, label: Label) -> None:
    """Store the new label of the (locked) fulfillment and start tracking it."""
    move(fulfillment, LabelState.CREATED)
    fulfillment.tracking_number, fulfillment.carrier_order_id = label.tracking_number, label.carrier_order_id
    fulfillment.label_url, fulfillment.label_pdf = label.label_url, label.label_pdf
    staff_data = {name: value for name, value in fulfillment.data.items() if name in STAFF_KEYS}
    fulfillment.data = {**staff_data, **label.data}
    await cancel_job(session, OVERDUE, fulfillment.id)
    await start_tracking(session, fulfillment)


async def _claim(
    database: Database, provider: FulfillmentProvider, new: NewLabel, actor: AuditActor
) -> tuple[Fulfillment, bool]:
    """Return the fulfillment, and True if the caller must now request its label from the carrier.

    Before True is returned, the label's state `creating` is committed.
    """
    try:
        async with database.transaction() as session:
            return await _claim_in(session, provider, new, actor)
    except IntegrityError:
        # on PostgreSQL a concurrent transaction may have inserted the row after our query
        async with database.transaction() as session:
            if await _lock_existing(session, new) is None:
                raise  # the error has another cause
            return await _claim_in(session, provider, new, actor)


async def _claim_in(
    session: AsyncSession, provider: FulfillmentProvider, new: NewLabel, actor: AuditActor
) -> tuple[Fulfillment, bool]:
    fulfillment = await _lock_existing(session, new)
    if fulfillment is not None and fulfillment.state == LabelState.CREATED:
        return fulfillment, False
    action = "label requested" if provider.gives_numbers else "packing requested"
    await record(session, actor, action, Subject(SubjectType.ORDER, new.order_id))
    if fulfillment is not None:
        require_retryable(fulfillment)
        move(fulfillment, LabelState.CREATING)
    else:
        fulfillment = Fulfillment(
            order_id=new.order_id,
            reference=new.request.reference,
            location_id=new.location_id,
            provider_id=provider.id,
            state=LabelState.CREATING,
        )
        session.add(fulfillment)
    fulfillment.items, fulfillment.location_id = new.items, new.location_id
    fulfillment.provider_id = provider.id
    before = {name: value for name, value in fulfillment.data.items() if name != FAILURE_REASON}
    fulfillment.data = {**before, **new.data}
    await session.flush()
    await enqueue(session, OVERDUE, key=fulfillment.id, after=STALE_AFTER)
    return fulfillment, True


async def _lock_existing(session: AsyncSession, new: NewLabel) -> Fulfillment | None:
    """Lock and return the fulfillment of this order with this reference."""
    same = (Fulfillment.order_id == new.order_id) & (Fulfillment.reference == new.request.reference)
    return (await session.execute(lock_rows(select(Fulfillment).where(same)))).scalar_one_or_none()


def _with_approved_price(request: LabelRequest, fulfillment: Fulfillment) -> LabelRequest:
    """Return the request with the price limit that staff approved, if it is higher than the request's own limit."""
    approved = fulfillment.data.get(APPROVED_PRICE)
    if request.max_price is None or approved is None:
        return request
    return replace(request, max_price=max(request.max_price, approved))


async def _record_label(database: Database, fulfillment_id: str, label: Label) -> Fulfillment:
    async with database.transaction() as session:
        fulfillment = await lock_fulfillment(session, fulfillment_id)
        # in another state, staff decided during the request
        if fulfillment.state not in (LabelState.CREATING, LabelState.UNKNOWN):
            numbers = f"{label.carrier_order_id} ({label.tracking_number})"
            cause = f"A second label was created, {numbers}: cancel one at the carrier"
            await _raise_doubt(session, fulfillment, cause)
            return fulfillment
        await store_label(session, fulfillment, label)
        await close_attention(
            session, AttentionKind.LABEL_IN_DOUBT, fulfillment.id, note="The carrier's response arrived late"
        )
    return fulfillment


async def _record_failure(
    database: Database, fulfillment_id: str, state: LabelState, cause: Exception
) -> None:
    log.warning("the label of fulfillment %s is %s: %s", fulfillment_id, state, cause)
    async with database.transaction() as session:
        fulfillment = await lock_fulfillment(session, fulfillment_id)
        if fulfillment.state != LabelState.CREATING:
            return
        move(fulfillment, state)
        fulfillment.data = {**fulfillment.data, FAILURE_REASON: describe_label_failure(cause)}
        await cancel_job(session, OVERDUE, fulfillment.id)
        if state is LabelState.UNKNOWN:
            await _raise_doubt(session, fulfillment, str(cause))


async def _wait_for_decision(database: Database, fulfillment_id: str, cause: LabelTooExpensive) -> None:
    async with database.transaction() as session:
        fulfillment = await lock_fulfillment(session, fulfillment_id)
        if fulfillment.state != LabelState.CREATING:
            return
        move(fulfillment, LabelState.TOO_EXPENSIVE)
        await cancel_job(session, OVERDUE, fulfillment.id)
        await raise_attention(
            session,
            AttentionKind.LABEL_TOO_EXPENSIVE,
            message=f"{cause.message} (fulfillment {fulfillment.reference})",
            amount=cause.price,
            order_id=fulfillment.order_id,
            fulfillment_id=fulfillment.id,
            data={MAX_PRICE: cause.max_price},
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
