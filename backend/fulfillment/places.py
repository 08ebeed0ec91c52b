"""Which location the units of a fulfillment leave from, and where they are stocked again when it is cancelled."""

from collections import Counter, defaultdict
from collections.abc import Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from backend.errors import InsufficientStock, InvalidData
from backend.inventory import fulfilling
from backend.orders.models import Fulfillment, Order
from backend.orders.states import TAKEN_FROM
from backend.shipping.locations import find_location, location_of
from backend.shipping.models import ShippingOption, StockLocation


async def leaving_from(  # noqa: PLR0917
    session: AsyncSession,
    order: Order,
    option: ShippingOption,
    units: Mapping[str, int],
    wanted: str | None,
    preferred: str | None = None,
) -> StockLocation:
    """The location that the units (by variant id) leave from: this one, where they are reserved from now on.

    Without one it is where they are reserved: `preferred` before the option's location, and that before others. It is
    the option's for units that are reserved in several places.

    Raises:
        NotFound: there is no such location.
        InvalidData: too few of the units are stocked there.
    """
    if wanted is None:
        held = await fulfilling.reserved_at(session, order.cart_id)
        usual = await location_of(session, option)
        places = [place for place, there in held.items() if Counter(units) <= Counter(there)]
        if preferred in places:
            return await find_location(session, preferred)
        if usual.id in places or not places:
            return usual
        return await find_location(session, places[0])
    location = await find_location(session, wanted)
    try:
        await fulfilling.reserve_at(session, order.cart_id, units, location.id)
    except InsufficientStock:
        raise InvalidData(f"Not enough stock available for the items at location {location.id}") from None
    return location


async def left_from(
    session: AsyncSession, fulfillment: Fulfillment, units: Mapping[str, int]
) -> fulfilling.UnitsByLocation:
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
