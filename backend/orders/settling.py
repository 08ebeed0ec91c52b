"""Settling a guide in doubt: the carrier was asked to make it, and nobody knows whether it did.

The carrier cannot be asked by our own reference (wire: carrier 2.4), so a person looks at its desk and says what is
there. What they say is compared with the carrier's answer before it is believed: a slip of the pen would send a shopper
another one's parcel.
"""

import logging

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.database import Database
from backend.edge.wire import JsonDict
from backend.errors import InvalidData, NotAllowed
from backend.orders.fulfilling import Carriers, lock_parcel, pack_or_cancel, provider_of
from backend.orders.models import Order
from backend.orders.schemas import FoundGuide
from backend.orders.service import lock_order
from backend.settings import Settings
from backend.shipping.guides import GuideState, guides_in_doubt, require_doubt, settle_guide
from backend.shipping.models import Fulfillment
from backend.shipping.parcels_wire import fulfillment_wire
from backend.shipping.providers.base import FulfillmentProvider, Guide

log = logging.getLogger(__name__)

NO_NUMBER = "A guide that was made has a number: send `carrier_order_id`, `tracking_number`, or both"
UNKNOWN_GUIDE = (
    "The carrier knows no guide by these numbers. "
    "Look again, or send `unverified`: true to keep them nevertheless"
)


async def settle_parcel(
    *,
    database: Database,
    settings: Settings,
    carriers: Carriers,
    order_id: str,
    parcel_id: str,
    found: FoundGuide,
    by: str,
) -> None:
    """Record what `by` found at the carrier. With a guide the parcel is packed; without one it may be sent again.

    Raises:
        NotFound: the order has no such parcel.
        NotAllowed: its guide is not in doubt, or the numbers are another parcel's.
        InvalidData: the guide has no number, or the carrier does not know it.
        OutsideFailure: the carrier cannot be asked.
        InsufficientStock: the order was cancelled meanwhile; the guide is cancelled too.
    """
    async with database.read() as session:
        parcel = await _parcel(session, order_id, parcel_id)
        provider = provider_of(carriers, parcel.provider_id)
    guide = _guide(provider, found, by) if found.made else None
    if guide is not None and provider.gives_numbers and not found.unverified:
        await _require_known(provider, guide)
    async with database.transaction() as session:
        await lock_order(session, order_id)
        if guide is not None and not settings.creates_test_guides:  # test guides all have the same numbers
            await _require_free(session, guide, parcel_id)
        await settle_guide(session, parcel_id, guide)
    log.warning("parcel %s: %s says that its guide was %s", parcel_id, by, "made" if guide else "not made")
    if guide is not None:
        await pack_or_cancel(database, provider, order_id, parcel_id)


async def doubtful_parcels(session: AsyncSession) -> list[JsonDict]:
    """The parcels in doubt, each with its order's id and number."""
    parcels = await guides_in_doubt(session)
    numbers = await session.execute(
        select(Order.id, Order.number).where(Order.id.in_([parcel.order_id for parcel in parcels]))
    )
    number_of = dict(numbers.all())
    return [
        {
            **fulfillment_wire(parcel),
            "order_id": parcel.order_id,
            "display_id": number_of.get(parcel.order_id),
        }
        for parcel in parcels
    ]


async def _parcel(session: AsyncSession, order_id: str, parcel_id: str) -> Fulfillment:
    parcel = await lock_parcel(session, order_id, parcel_id)
    require_doubt(parcel)
    return parcel


def _guide(provider: FulfillmentProvider, found: FoundGuide, by: str) -> Guide:
    code = (found.tracking_number or "").strip() or None
    if provider.gives_numbers and found.carrier_order_id is None and code is None:
        raise InvalidData(NO_NUMBER)
    return Guide(
        tracking_number=code,
        carrier_order_id=found.carrier_order_id,
        label_url=found.label_url or None,
        data={"settled_by": by, **({"carrier": found.carrier} if found.carrier else {})},
    )


async def _require_known(provider: FulfillmentProvider, guide: Guide) -> None:
    (sighting,) = await provider.track([guide])
    if sighting is None:
        raise InvalidData(UNKNOWN_GUIDE)


async def _require_free(session: AsyncSession, guide: Guide, parcel_id: str) -> None:
    same = []
    if guide.carrier_order_id is not None:
        same.append(Fulfillment.carrier_order_id == guide.carrier_order_id)
    if guide.tracking_number is not None:
        same.append(Fulfillment.tracking_number == guide.tracking_number)
    if not same:
        return
    others = select(Fulfillment.id).where(
        or_(*same), Fulfillment.state == GuideState.CREATED, Fulfillment.id != parcel_id
    )
    other = (await session.execute(others.limit(1))).scalar_one_or_none()
    if other is not None:
        raise NotAllowed(f"This guide is parcel {other}'s")
