"""Following parcels: the carrier is asked where they are, and their orders follow (spec: Entities, Shipment).

Everybody ends up here: the background work, an open order page, and the carrier's hook, which nobody signs and which
therefore only says that it is time to ask. Which parcels are asked about, and when: `backend.shipping.tracking`.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence

from backend.clock import now
from backend.database import Database
from backend.errors import ShopError
from backend.events import publish
from backend.orders.fulfilling import Carriers, lock_parcel, restate
from backend.orders.service import lock_order
from backend.rounds import Rounds
from backend.shipping.events import ParcelShipped
from backend.shipping.models import Fulfillment
from backend.shipping.providers.base import Guide
from backend.shipping.stages import Sighting
from backend.shipping.tracking import claim_due, claim_of_order, claim_unasked, make_due, see

log = logging.getLogger(__name__)

LOOK_EVERY = 60.0
"""Seconds between two looks for parcels that are due."""
A_PAGE_WAITS = 8.0
"""Seconds that an open page waits for the carrier. What comes later is kept, and shown the next time."""


async def follow(database: Database, carriers: Carriers, *, everything: bool = False) -> int:
    """Ask about every parcel that is due; with `everything`, about every one that has not arrived, due or not.

    Returns:
        How many were asked about.
    """
    started, asked = now(), 0
    while parcels := await (claim_unasked(database, started) if everything else claim_due(database)):
        await ask_and_note(database, carriers, parcels)
        asked += len(parcels)
    return asked


async def ask_and_note(database: Database, carriers: Carriers, parcels: Iterable[Fulfillment]) -> None:
    """Ask about these parcels, which are ours to ask about, and let their orders follow.

    A carrier that cannot be asked changes nothing: it is asked again after the next gap.
    """
    by_provider: dict[str, list[Fulfillment]] = defaultdict(list)
    for parcel in parcels:
        by_provider[parcel.provider_id].append(parcel)
    for provider_id, theirs in by_provider.items():
        for parcel, sighting in zip(theirs, await _ask(carriers, provider_id, theirs), strict=True):
            if sighting is not None:
                await _note(database, parcel, sighting)


async def _ask(
    carriers: Carriers, provider_id: str, parcels: Sequence[Fulfillment]
) -> Sequence[Sighting | None]:
    try:
        guides = [Guide(parcel.tracking_number, parcel.carrier_order_id) for parcel in parcels]
        return await carriers[provider_id].track(guides)
    except (KeyError, ShopError) as error:
        log.warning("%d parcels of %s could not be tracked: %s", len(parcels), provider_id, error)
        return [None] * len(parcels)


async def _note(database: Database, parcel: Fulfillment, sighting: Sighting) -> None:
    """The order is locked before its parcel, as everywhere; what is told by mail is noted in the same transaction."""
    async with database.transaction() as session:
        order = await lock_order(session, parcel.order_id)
        kept = await lock_parcel(session, order.id, parcel.id)
        had_left = kept.shipped_at is not None
        if not see(kept, sighting):
            return
        log.info("parcel %s is %s", kept.id, sighting.stage)
        await restate(session, order)
        if kept.shipped_at is not None and not had_left:
            await publish(session, ParcelShipped(kept.id, order.id))


class Follower:
    """Follows parcels while it runs. Every replica runs one; they share the work."""

    def __init__(self, database: Database, carriers: Carriers) -> None:
        self._database = database
        self._carriers = carriers
        self._rounds = Rounds("parcel follower", self.follow, LOOK_EVERY)
        self._asking: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Begin to follow, from where the last run left off."""
        self._rounds.start()

    async def stop(self) -> None:
        """Stop. A question that is under way is asked again after its gap."""
        await self._rounds.stop()
        for asking in self._asking:
            asking.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)

    async def follow(self, *, everything: bool = False) -> int:
        """Ask about what is due now (or, with `everything`, has not arrived)."""
        return await follow(self._database, self._carriers, everything=everything)

    async def look_at(self, order_id: str) -> None:
        """Somebody looks at this order: see where its parcels are, unless somebody did a moment ago.

        Returns in time whatever happens; the carrier's late answer is kept behind it.
        """
        parcels = await claim_of_order(self._database, order_id)
        if not parcels:
            return
        asking = asyncio.create_task(self._ask_and_note(parcels), name="track an order's parcels")
        self._asking.add(asking)
        asking.add_done_callback(self._asking.discard)
        await asyncio.wait([asking], timeout=A_PAGE_WAITS)

    async def hear(self, carrier_order_id: int | None, tracking_number: str | None) -> None:
        """The carrier's hook says that there are news of this parcel. Nothing it says is believed: it is asked."""
        if await make_due(self._database, carrier_order_id, tracking_number):
            self._rounds.call()

    async def _ask_and_note(self, parcels: Sequence[Fulfillment]) -> None:
        try:
            await ask_and_note(self._database, self._carriers, parcels)
        except Exception:
            log.exception("parcels could not be followed and are asked about again later")
