"""Labels that a person decides about: in doubt, or too expensive (`backend.attention`).

The carrier cannot be asked by our own reference (wire: carrier 2.4), so for a label in doubt a person looks at its desk
and says what is there. What they say is compared with the carrier's answer before it is believed: a slip of the pen
would send a shopper another one's parcel.
"""

from collections.abc import Mapping

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.kinds import Action
from backend.attention.models import Attention
from backend.attention.service import Decision, Resolver
from backend.database import Database
from backend.errors import InvalidData, NotAllowed
from backend.orders.fulfilling import Carriers, fulfill, lock_parcel, pack_or_cancel, provider_of
from backend.orders.schemas import NewParcel, PackedItem
from backend.orders.service import lock_order
from backend.orders.states import OrderStatus
from backend.settings import Settings
from backend.shipping.guides import GuideState, decide_price, require_doubt, settle_guide
from backend.shipping.models import Fulfillment
from backend.shipping.providers.base import FulfillmentProvider, Guide
from backend.tables import JsonObject

NO_NUMBER = (
    "A label that was made has a number: send `label` with `carrier_order_id`, `tracking_number`, or both"
)
UNKNOWN_LABEL = (
    "The carrier knows no label by these numbers. "
    "Look again, or send `unverified`: true to keep them nevertheless"
)


class LabelInDoubt(Resolver):
    """The carrier was asked for a label, and nobody knows whether it made one.

    `honor`: it is there, with these numbers; its units are packed. `dismissed`: there is none; it may be tried again.
    """

    def __init__(self, database: Database, settings: Settings, carriers: Carriers) -> None:
        self._database = database
        self._settings = settings
        self._carriers = carriers

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
            parcel = await _parcel(session, row)
        require_doubt(parcel)
        provider = provider_of(self._carriers, parcel.provider_id)
        label = _label(provider, decision)
        if provider.gives_numbers and not decision.label.get("unverified"):
            (sighting,) = await provider.track([label])
            if sighting is None:
                raise InvalidData(UNKNOWN_LABEL)

    async def lock(self, session: AsyncSession, row: Attention, decision: Decision) -> None:  # noqa: ARG002 (the interface)
        """The order first, as everywhere, then the fulfillment."""
        await lock_order(session, str(row.order_id))
        await _parcel(session, row)

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Record the label, or that there is none. NotAllowed: the numbers are another parcel's."""
        parcel = await _parcel(session, row)
        if decision.action is Action.HONOR:
            label = _label(provider_of(self._carriers, parcel.provider_id), decision)
            if not self._settings.creates_test_guides:  # test labels all have the same numbers
                await _require_free(session, label, parcel.id)
            await settle_guide(session, parcel.id, label)
        elif parcel.state == GuideState.UNKNOWN:
            await settle_guide(session, parcel.id, None)

    async def finish(self, row: Attention, decision: Decision) -> None:
        """Pack it. InsufficientStock: the order was cancelled meanwhile; the label is cancelled too."""
        if decision.action is not Action.HONOR:
            return
        async with self._database.read() as session:
            parcel = await _parcel(session, row)
        provider = provider_of(self._carriers, parcel.provider_id)
        await pack_or_cancel(self._database, provider, parcel.order_id, parcel.id)


class ExpensiveLabel(Resolver):
    """A label costs much more than the buyer paid for shipping.

    `honor`: it may cost what the row says and is bought; dearer than that, it waits again. `dismissed`: it is not
    bought; the fulfillment has failed and may be tried again.
    """

    def __init__(self, database: Database, settings: Settings, carriers: Carriers) -> None:
        self._database = database
        self._settings = settings
        self._carriers = carriers

    async def lock(self, session: AsyncSession, row: Attention, decision: Decision) -> None:  # noqa: ARG002 (the interface)
        """The order first, as everywhere, then the fulfillment."""
        await lock_order(session, str(row.order_id))
        await _parcel(session, row)

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Keep the decision with the fulfillment. NotAllowed: the order was cancelled, or nothing waits."""
        is_bought = decision.action is Action.HONOR
        order = await lock_order(session, str(row.order_id))
        if is_bought and order.status == OrderStatus.CANCELED:
            raise NotAllowed("The order was cancelled: dismiss its label")
        await decide_price(session, row.subject_id, row.amount if is_bought else None)

    async def finish(self, row: Attention, decision: Decision) -> None:
        """Buy it. Raises what `backend.orders.fulfilling.fulfill` does."""
        if decision.action is not Action.HONOR:
            return
        async with self._database.read() as session:
            parcel = await _parcel(session, row)
        again = NewParcel(
            items=[PackedItem(id=item["line_item_id"], quantity=item["quantity"]) for item in parcel.items],
            location_id=parcel.location_id,
        )
        await fulfill(self._database, self._settings, self._carriers, parcel.order_id, again)


async def _parcel(session: AsyncSession, row: Attention) -> Fulfillment:
    return await lock_parcel(session, str(row.order_id), row.subject_id)


def _label(provider: FulfillmentProvider, decision: Decision) -> Guide:
    found: Mapping[str, object] = decision.label
    code, number = str(found.get("tracking_number") or "").strip() or None, found.get("carrier_order_id")
    if provider.gives_numbers and number is None and code is None:
        raise InvalidData(NO_NUMBER)
    data: JsonObject = {"settled_by": decision.by}
    if found.get("carrier"):
        data["carrier"] = found["carrier"]
    return Guide(
        tracking_number=code,
        carrier_order_id=number if isinstance(number, int) else None,
        label_url=str(found.get("label_url") or "") or None,
        data=data,
    )


async def _require_free(session: AsyncSession, label: Guide, parcel_id: str) -> None:
    same = []
    if label.carrier_order_id is not None:
        same.append(Fulfillment.carrier_order_id == label.carrier_order_id)
    if label.tracking_number is not None:
        same.append(Fulfillment.tracking_number == label.tracking_number)
    if not same:
        return
    others = select(Fulfillment.id).where(
        or_(*same), Fulfillment.state == GuideState.CREATED, Fulfillment.id != parcel_id
    )
    other = (await session.execute(others.limit(1))).scalar_one_or_none()
    if other is not None:
        raise NotAllowed(f"This label is fulfillment {other}'s")
