"""Decisions by staff about labels: a label in doubt, and a label that is too expensive (`backend.attention`).

The carrier has no lookup by the shop's reference (wire: carrier 2.4). So a staff member looks up a label in doubt
at the carrier's site and enters its numbers. The shop then asks the carrier if these numbers exist: with a mistyped
number a shopper would see the tracking of another parcel.
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
from backend.fulfillment.labels import APPROVED_PRICE, store_label
from backend.fulfillment.packing import fulfill, pack_or_cancel
from backend.orders.models import Fulfillment
from backend.orders.packing_holds import PackingHeld, require_not_held
from backend.orders.service import lock_order
from backend.orders.states import LabelState, OrderStatus
from backend.shipping.providers.base import FulfillmentProvider, FulfillmentProviders, Label, get_provider

NO_NUMBER = "An existing label has a number: send `label` with `carrier_order_id`, `tracking_number`, or both"
UNKNOWN_LABEL = (
    "The carrier knows no label with these numbers. "
    "Check them, or send `unverified`: true to store them anyway"
)


class OrderCanceled(NotAllowed):
    """The order was cancelled, so no label is bought for it."""

    staff_text = _("El pedido se canceló: no compres la guía, no hay que hacer nada.")


class _LabelResolver(Resolver):
    """Base class of the resolvers `LabelInDoubt` and `ExpensiveLabel`."""

    def __init__(self, database: Database, settings: Settings, providers: FulfillmentProviders) -> None:
        self._database = database
        self._settings = settings
        self._providers = providers

    async def lock(self, session: AsyncSession, row: Attention, decision: Decision) -> None:  # noqa: ARG002 (the interface)
        """Lock the order, then the fulfillment. All code uses this order of locks."""
        await lock_order(session, str(row.order_id))
        await _lock_subject(session, row)


class LabelInDoubt(_LabelResolver):
    """Resolver for a label that was requested from the carrier and may or may not exist.

    `honor`: the label exists and has the given numbers; its units are packed. `dismissed`: the label does not
    exist; it may be requested again.
    """

    async def prepare(self, row: Attention, decision: Decision) -> None:
        """Check for `honor` that the carrier knows the label, unless the decision marks it as `unverified`.

        Raises:
            NotAllowed: the label is not in doubt.
            InvalidData: the decision has no label number, or the carrier does not know the number.
            OutsideFailure: the carrier cannot be reached.
        """
        if decision.action is not Action.HONOR:
            return
        async with self._database.read() as session:
            fulfillment = await _lock_subject(session, row)
        _require_in_doubt(fulfillment)
        provider = get_provider(self._providers, fulfillment.provider_id)
        label = _build_label(provider, decision)
        if provider.gives_numbers and not decision.label.get("unverified"):
            (update,) = await provider.track([label])
            if update is None:
                message = _("La transportadora no conoce este número. Míralo otra vez.")
                raise InvalidData(UNKNOWN_LABEL, fields={"label": message})

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Store the label (`honor`), or record that no label exists (`dismissed`).

        Raises:
            NotAllowed: the label numbers belong to another fulfillment.
        """
        fulfillment = await _lock_subject(session, row)
        if decision.action is Action.HONOR:
            label = _build_label(get_provider(self._providers, fulfillment.provider_id), decision)
            if not self._settings.creates_test_labels:  # test labels all have the same numbers
                await _require_unused_numbers(session, label, fulfillment.id)
            await resolve_doubt(session, fulfillment.id, label)
        elif fulfillment.state == LabelState.UNKNOWN:
            await resolve_doubt(session, fulfillment.id, None)

    async def finish(self, row: Attention, decision: Decision) -> None:
        """Pack the fulfillment if the decision is `honor`.

        Raises:
            InsufficientStock: the order was cancelled in the meantime; the label is cancelled too.
        """
        if decision.action is not Action.HONOR:
            return
        async with self._database.read() as session:
            fulfillment = await _lock_subject(session, row)
        provider = get_provider(self._providers, fulfillment.provider_id)
        with suppress(PackingHeld):  # the label is stored; it is packed when it is requested again
            await pack_or_cancel(self._database, decision.by, provider, fulfillment.order_id, fulfillment.id)


class ExpensiveLabel(_LabelResolver):
    """Resolver for a label that costs much more than the shipping price of the order.

    `honor`: the label is bought for at most the amount of the attention row; if its price is higher by then, staff
    must decide again. `dismissed`: the label is not bought; the fulfillment has failed and may be tried again.
    """

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Store the decision about the label's price.

        Raises:
            OrderCanceled: the order was cancelled, so it must not be sent.
            PackingHeld: the order is held, so it must not be sent yet.
            NotAllowed: the label does not wait for a decision.
        """
        is_bought = decision.action is Action.HONOR
        order = await lock_order(session, str(row.order_id))
        if is_bought and order.status == OrderStatus.CANCELED:
            raise OrderCanceled("The order was cancelled: dismiss its label")
        if is_bought:
            await require_not_held(session, order)
        await decide_price(session, row.subject_id, row.amount if is_bought else None)

    async def finish(self, row: Attention, decision: Decision) -> None:
        """Buy the label and pack its units if the decision is `honor`.

        Raises:
            ShopError: see `backend.fulfillment.packing.fulfill`.
        """
        if decision.action is not Action.HONOR:
            return
        async with self._database.read() as session:
            fulfillment = await _lock_subject(session, row)
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
    """Store the result of the lookup at the carrier for a label in doubt: the label, or None if no label exists.

    Raises:
        NotFound: there is no such fulfillment.
        NotAllowed: its label is not in doubt, or is still being created.
    """
    fulfillment = await lock_fulfillment(session, fulfillment_id)
    _require_in_doubt(fulfillment)
    if found is None:
        move(fulfillment, LabelState.FAILED)
    else:
        await store_label(session, fulfillment, found)
    await session.flush()


async def decide_price(session: AsyncSession, fulfillment_id: str, approved: Cop | None) -> None:
    """Store the decision about a label that is too expensive, so that its units may be sent again.

    `approved` is the new price limit, stored until the label is created. None means that the label is not bought.

    Raises:
        NotFound: there is no such fulfillment.
        NotAllowed: its label does not wait for a decision.
    """
    fulfillment = await lock_fulfillment(session, fulfillment_id)
    if fulfillment.state != LabelState.TOO_EXPENSIVE:
        raise NotAllowed(
            f"The label of fulfillment {fulfillment.id} does not wait for a decision: it is {fulfillment.state}"
        )
    move(fulfillment, LabelState.FAILED)
    fulfillment.data = {**fulfillment.data, APPROVED_PRICE: approved}
    await session.flush()


async def _lock_subject(session: AsyncSession, row: Attention) -> Fulfillment:
    return await lock_fulfillment(session, row.subject_id, str(row.order_id))


def _require_in_doubt(fulfillment: Fulfillment) -> None:
    """Check that it is unknown if the label exists, and that no request for the label is running now.

    Raises:
        NotAllowed: the label is not in doubt.
    """
    if fulfillment.state != LabelState.UNKNOWN:
        raise NotAllowed(
            f"The label of fulfillment {fulfillment.id} is not in doubt: it is {fulfillment.state}"
        )


def _build_label(provider: FulfillmentProvider, decision: Decision) -> Label:
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


async def _require_unused_numbers(session: AsyncSession, label: Label, fulfillment_id: str) -> None:
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
        message = _("Este número es de otro despacho. Míralo otra vez.")
        raise NotAllowed(f"This label belongs to fulfillment {other}", fields={"label": message})
