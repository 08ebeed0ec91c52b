"""Making the label of a fulfillment exactly once.

The carrier has no key against repetition and every label is paid for. So the row is committed as `creating` before the
carrier is asked, and nobody asks again while it is: a second click finds it. After a crash it stays so, and a person
looks at the carrier. No transaction is open while the carrier answers.
"""

import logging
from dataclasses import dataclass, field, replace
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, close_attention, raise_attention
from backend.audit import Subject, Thing, Who, record
from backend.core.db.database import Database, locked
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData, OutcomeUnknown, OutsideFailure, ShopError
from backend.core.observability.logs import log_scope
from backend.core.observability.tracing import traced
from backend.core.texts import _
from backend.fulfillment.label_states import lock_fulfillment, move, require_retryable
from backend.fulfillment.tracking import start_tracking
from backend.jobs import cancel, enqueue
from backend.orders.models import Fulfillment
from backend.orders.states import SAID, WHY_FAILED, LabelState
from backend.shipping.providers.base import FulfillmentProvider, Label, LabelRequest, LabelTooExpensive
from backend.shipping.providers.carrier.requests import TOO_LONG

log = logging.getLogger(__name__)

STALE_AFTER = timedelta(minutes=5)
"""After this time an answer of the carrier is no longer expected: the client gives up far sooner."""
OVERDUE = "shipping.label_overdue"
"""The job that looks whether a label was made in time; its key is the fulfillment's id."""
APPROVED_PRICE = "approved_price"
"""Key in a fulfillment's `data`: the most that its label may cost, as somebody decided, in whole pesos."""


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
    database: Database, provider: FulfillmentProvider, new: NewLabel, *, by: Who
) -> Fulfillment:
    """Make the label, or give the fulfillment that has it. The carrier makes one, however often this is called.

    `by` is who of the staff wants it.

    Raises:
        Conflict: it is being made, or nobody knows whether it was; the carrier is not asked again.
        NotAllowed: the label was cancelled; a new one needs another reference.
        InvalidData, OutsideFailure: no label was made; asking again is safe.
        LabelTooExpensive: it costs more than `max_price`; a person must decide (`label_decisions.decide_price`).
        OutcomeUnknown: a label may have been made; a person must look (`label_decisions.resolve_doubt`).
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
        await _record_failure(
            database, fulfillment.id, LabelState.FAILED if made_none else LabelState.UNKNOWN, error
        )
        raise
    log.info(
        "label %s (%s) is of fulfillment %s", label.carrier_order_id, label.tracking_number, fulfillment.id
    )
    return await _record_label(database, fulfillment.id, label)


def why_not_made(error: Exception) -> str:
    """Why a label was not made, as the shop's people read it."""
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
    """The carrier was asked for this label `STALE_AFTER` ago. If it has not answered, the label is in doubt."""
    async with database.transaction() as session:
        fulfillment = await lock_fulfillment(session, fulfillment_id)
        if fulfillment.state == LabelState.CREATING:
            move(fulfillment, LabelState.UNKNOWN)
            await _raise_doubt(
                session, fulfillment, "The shop ended while the carrier was being asked for it"
            )


async def keep_label(session: AsyncSession, fulfillment: Fulfillment, label: Label) -> None:
    """Store the label that was made for the (locked) fulfillment. It is tracked from now on."""
    move(fulfillment, LabelState.CREATED)
    fulfillment.tracking_number, fulfillment.carrier_order_id = label.tracking_number, label.carrier_order_id
    fulfillment.label_url, fulfillment.label_pdf = label.label_url, label.label_pdf
    said = {name: value for name, value in fulfillment.data.items() if name in SAID}
    fulfillment.data = {**said, **label.data}
    await cancel(session, OVERDUE, fulfillment.id)
    await start_tracking(session, fulfillment)


async def _claim(database: Database, provider_id: str, new: NewLabel, by: Who) -> tuple[Fulfillment, bool]:
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
    session: AsyncSession, provider_id: str, new: NewLabel, by: Who
) -> tuple[Fulfillment, bool]:
    fulfillment = await _fulfillment_of(session, new)
    if fulfillment is not None and fulfillment.state == LabelState.CREATED:
        return fulfillment, False
    await record(session, by, "label requested", Subject(Thing.ORDER, new.order_id))
    if fulfillment is not None:
        require_retryable(fulfillment)
        move(fulfillment, LabelState.CREATING)
    else:
        fulfillment = Fulfillment(
            order_id=new.order_id,
            reference=new.request.reference,
            location_id=new.location_id,
            provider_id=provider_id,
            state=LabelState.CREATING,
        )
        session.add(fulfillment)
    fulfillment.items, fulfillment.location_id = new.items, new.location_id
    fulfillment.provider_id = provider_id
    before = {name: value for name, value in fulfillment.data.items() if name != WHY_FAILED}
    fulfillment.data = {**before, **new.data}
    await session.flush()
    await enqueue(session, OVERDUE, key=fulfillment.id, after=STALE_AFTER)
    return fulfillment, True


async def _fulfillment_of(session: AsyncSession, new: NewLabel) -> Fulfillment | None:
    """The fulfillment of this order with this reference, locked."""
    same = (Fulfillment.order_id == new.order_id) & (Fulfillment.reference == new.request.reference)
    return (await session.execute(locked(select(Fulfillment).where(same)))).scalar_one_or_none()


def _with_approved_price(request: LabelRequest, fulfillment: Fulfillment) -> LabelRequest:
    """The request, with the price that somebody approved where that is higher."""
    approved = fulfillment.data.get(APPROVED_PRICE)
    if request.max_price is None or approved is None:
        return request
    return replace(request, max_price=max(request.max_price, approved))


async def _record_label(database: Database, fulfillment_id: str, label: Label) -> Fulfillment:
    async with database.transaction() as session:
        fulfillment = await lock_fulfillment(session, fulfillment_id)
        # in another state, somebody decided while the carrier was at it
        if fulfillment.state not in (LabelState.CREATING, LabelState.UNKNOWN):
            numbers = f"{label.carrier_order_id} ({label.tracking_number})"
            cause = f"A second label was made, {numbers}: cancel one at the carrier"
            await _raise_doubt(session, fulfillment, cause)
            return fulfillment
        await keep_label(session, fulfillment, label)
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
        if fulfillment.state != LabelState.CREATING:
            return
        move(fulfillment, state)
        fulfillment.data = {**fulfillment.data, WHY_FAILED: why_not_made(cause)}
        await cancel(session, OVERDUE, fulfillment.id)
        if state is LabelState.UNKNOWN:
            await _raise_doubt(session, fulfillment, str(cause))


async def _wait_for_decision(database: Database, fulfillment_id: str, cause: LabelTooExpensive) -> None:
    async with database.transaction() as session:
        fulfillment = await lock_fulfillment(session, fulfillment_id)
        if fulfillment.state != LabelState.CREATING:
            return
        move(fulfillment, LabelState.TOO_EXPENSIVE)
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
