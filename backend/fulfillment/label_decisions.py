"""What a person decides about labels: one that is in doubt, one that is too expensive (`backend.attention`).

The carrier cannot be asked by our own reference (wire: carrier 2.4). So for a label in doubt a person looks at the
carrier's site and enters the numbers found there. The carrier is asked about them first: with a mistyped number a
shopper would get somebody else's tracking.
"""

from collections.abc import Mapping
from contextlib import suppress

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.kinds import Action
from backend.attention.models import Attention
from backend.attention.service import Decision, Resolver
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData, NotAllowed
from backend.core.money import Cop
from backend.core.texts import _
from backend.fulfillment.commands import CreateFulfillment
from backend.fulfillment.label_states import lock_fulfillment, move
from backend.fulfillment.labels import APPROVED_PRICE, keep_label
from backend.fulfillment.packing import fulfill, pack_or_cancel
from backend.orders.models import Fulfillment
from backend.orders.packing_holds import PackingHeld, require_not_held
from backend.orders.service import lock_order
from backend.orders.states import LabelState, OrderStatus
from backend.shipping.providers.base import FulfillmentProvider, FulfillmentProviders, Label, provider_of

NO_NUMBER = (
    "A label that was made has a number: send `label` with `carrier_order_id`, `tracking_number`, or both"
)
UNKNOWN_LABEL = (
    "The carrier knows no label by these numbers. "
    "Look again, or send `unverified`: true to keep them nevertheless"
)


class OrderCanceled(NotAllowed):
    """The order was cancelled: no label is bought for it."""

    staff_text = _("El pedido se canceló: no compres la guía, no hay que hacer nada.")


class _LabelResolver(Resolver):
    """What both kinds need."""

    def __init__(self, database: Database, settings: Settings, providers: FulfillmentProviders) -> None:
        self._database = database
        self._settings = settings
        self._providers = providers

    async def lock(self, session: AsyncSession, row: Attention, decision: Decision) -> None:  # noqa: ARG002 (the interface)
        """The order first, as everywhere, then the fulfillment."""
        await lock_order(session, str(row.order_id))
        await _fulfillment(session, row)


class LabelInDoubt(_LabelResolver):
    """The carrier was asked for a label, and nobody knows whether it made one.

    `honor`: it exists and has these numbers; its units are packed. `dismissed`: there is none; it may be tried again.
    """

    async def prepare(self, row: Attention, decision: Decision) -> None:
        """Ask the carrier whether it knows the label.

        Raises:
            NotAllowed: the label is not in doubt.
            InvalidData: it has no number, or the carrier does not know it.
            OutsideFailure: the carrier cannot be asked.
        """
        if decision.action is not Action.HONOR:
            return
        async with self._database.read() as session:
            fulfillment = await _fulfillment(session, row)
        _require_in_doubt(fulfillment)
        provider = provider_of(self._providers, fulfillment.provider_id)
        label = _label(provider, decision)
        if provider.gives_numbers and not decision.label.get("unverified"):
            (update,) = await provider.track([label])
            if update is None:
                told = _("La transportadora no conoce este número. Míralo otra vez.")
                raise InvalidData(UNKNOWN_LABEL, fields={"label": told})

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Record the label, or that there is none. NotAllowed: the numbers are another fulfillment's."""
        fulfillment = await _fulfillment(session, row)
        if decision.action is Action.HONOR:
            label = _label(provider_of(self._providers, fulfillment.provider_id), decision)
            if not self._settings.creates_test_labels:  # test labels all have the same numbers
                await _require_free(session, label, fulfillment.id)
            await resolve_doubt(session, fulfillment.id, label)
        elif fulfillment.state == LabelState.UNKNOWN:
            await resolve_doubt(session, fulfillment.id, None)

    async def finish(self, row: Attention, decision: Decision) -> None:
        """Pack it. InsufficientStock: the order was cancelled meanwhile; the label is cancelled too."""
        if decision.action is not Action.HONOR:
            return
        async with self._database.read() as session:
            fulfillment = await _fulfillment(session, row)
        provider = provider_of(self._providers, fulfillment.provider_id)
        with suppress(PackingHeld):  # the label is recorded; it is packed when it is asked for again
            await pack_or_cancel(self._database, decision.by, provider, fulfillment.order_id, fulfillment.id)


class ExpensiveLabel(_LabelResolver):
    """A label costs much more than the shipping did when it was sold.

    `honor`: it is bought for the row's amount at most; if it costs more by now, it waits again. `dismissed`: it is not
    bought; the fulfillment has failed and may be tried again.
    """

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Record the decision.

        Raises:
            OrderCanceled, PackingHeld: the order is not to be sent, or not yet.
            NotAllowed: the label waits for no decision.
        """
        is_bought = decision.action is Action.HONOR
        order = await lock_order(session, str(row.order_id))
        if is_bought and order.status == OrderStatus.CANCELED:
            raise OrderCanceled("The order was cancelled: dismiss its label")
        if is_bought:
            await require_not_held(session, order)
        await decide_price(session, row.subject_id, row.amount if is_bought else None)

    async def finish(self, row: Attention, decision: Decision) -> None:
        """Buy it. Raises what `backend.fulfillment.packing.fulfill` does."""
        if decision.action is not Action.HONOR:
            return
        async with self._database.read() as session:
            fulfillment = await _fulfillment(session, row)
        units = {item["line_item_id"]: item["quantity"] for item in fulfillment.items}
        await fulfill(
            self._database,
            decision.by,
            self._settings,
            self._providers,
            fulfillment.order_id,
            CreateFulfillment(units=units),
            preferred=fulfillment.location_id,
        )


async def resolve_doubt(session: AsyncSession, fulfillment_id: str, found: Label | None) -> None:
    """Record what somebody found at the carrier for a label in doubt: the label, or that there is none.

    Raises:
        NotFound: there is no such fulfillment.
        NotAllowed: its label is not in doubt, or is still being made.
    """
    fulfillment = await lock_fulfillment(session, fulfillment_id)
    _require_in_doubt(fulfillment)
    if found is None:
        move(fulfillment, LabelState.FAILED)
    else:
        await keep_label(session, fulfillment, found)
    await session.flush()


async def decide_price(session: AsyncSession, fulfillment_id: str, approved: Cop | None) -> None:
    """Record the decision about a label that is too expensive: it may cost `approved`, or (None) is not bought.

    Either way its units may be sent again. An approved price is kept until the label is made.

    Raises:
        NotFound: there is no such fulfillment.
        NotAllowed: its label does not wait for a decision.
    """
    fulfillment = await lock_fulfillment(session, fulfillment_id)
    if fulfillment.state != LabelState.TOO_EXPENSIVE:
        raise NotAllowed(
            f"The label of fulfillment {fulfillment.id} waits for no decision: it is {fulfillment.state}"
        )
    move(fulfillment, LabelState.FAILED)
    fulfillment.data = {**fulfillment.data, APPROVED_PRICE: approved}
    await session.flush()


async def _fulfillment(session: AsyncSession, row: Attention) -> Fulfillment:
    return await lock_fulfillment(session, row.subject_id, str(row.order_id))


def _require_in_doubt(fulfillment: Fulfillment) -> None:
    """Refuse a decision about a label that is certain, or that the carrier is being asked for right now.

    Raises:
        NotAllowed: the label is not in doubt.
    """
    if fulfillment.state != LabelState.UNKNOWN:
        raise NotAllowed(
            f"The label of fulfillment {fulfillment.id} is not in doubt: it is {fulfillment.state}"
        )


def _label(provider: FulfillmentProvider, decision: Decision) -> Label:
    found: Mapping[str, object] = decision.label
    code, number = str(found.get("tracking_number") or "").strip() or None, found.get("carrier_order_id")
    if provider.gives_numbers and number is None and code is None:
        raise InvalidData(NO_NUMBER)
    data: JsonObject = {"settled_by": decision.by.id}
    if found.get("carrier"):
        data["carrier"] = found["carrier"]
    return Label(
        tracking_number=code,
        carrier_order_id=number if isinstance(number, int) else None,
        label_url=str(found.get("label_url") or "") or None,
        data=data,
    )


async def _require_free(session: AsyncSession, label: Label, fulfillment_id: str) -> None:
    same = []
    if label.carrier_order_id is not None:
        same.append(Fulfillment.carrier_order_id == label.carrier_order_id)
    if label.tracking_number is not None:
        same.append(Fulfillment.tracking_number == label.tracking_number)
    if not same:
        return
    others = select(Fulfillment.id).where(
        or_(*same), Fulfillment.state == LabelState.CREATED, Fulfillment.id != fulfillment_id
    )
    other = (await session.execute(others.limit(1))).scalar_one_or_none()
    if other is not None:
        told = _("Este número es de otro despacho. Míralo otra vez.")
        raise NotAllowed(f"This label is fulfillment {other}'s", fields={"label": told})
