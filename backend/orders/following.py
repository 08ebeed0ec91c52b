"""Following parcels: the carrier is asked where they are, and their orders follow (spec: Entities, Shipment).

Everybody ends up here: the background work, an open order page, and the carrier's hook, which nobody signs and which
therefore only says that it is time to ask. Which parcels are asked about, and when: `backend.shipping.tracking`.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from backend.attention import AttentionKind, raise_attention
from backend.database import Database, database_now
from backend.errors import ShopError
from backend.events import publish
from backend.jobs import JobRun, RunAgain, job, job_batch
from backend.orders.fulfilling import Carriers, lock_parcel, restate
from backend.orders.service import lock_order
from backend.shipping.events import ParcelShipped
from backend.shipping.guides import OVERDUE, doubt_overdue
from backend.shipping.models import Fulfillment
from backend.shipping.providers.base import Guide
from backend.shipping.stages import Sighting, Stage
from backend.shipping.tracking import (
    BATCH,
    GAPS,
    GIVEN_UP_AFTER,
    TRACK,
    ask_soon,
    claim_due,
    claim_of_order,
    claim_unasked,
    next_gap,
    see,
    track_no_longer,
)

log = logging.getLogger(__name__)

FINAL_STAGES = frozenset(stage for stage in Stage if stage.is_final)
A_PAGE_WAITS = 8.0
"""Seconds that an open page waits for the carrier. What comes later is kept, and shown the next time."""


async def track_all(database: Database, carriers: Carriers) -> int:
    """Ask about every parcel that has not arrived, due or not.

    Returns:
        How many were asked about.
    """
    async with database.read() as session:
        started = await database_now(session)
    asked = 0
    while parcels := await claim_unasked(database, started):
        await ask_and_note(database, carriers, parcels)
        asked += len(parcels)
    return asked


async def ask_and_note(database: Database, carriers: Carriers, parcels: Iterable[Fulfillment]) -> set[str]:
    """Ask about these parcels, which are ours to ask about, and let their orders follow.

    A carrier that cannot be asked changes nothing: it is asked again after the next gap.

    Returns:
        The ids of those of which there was news.
    """
    by_provider: dict[str, list[Fulfillment]] = defaultdict(list)
    for parcel in parcels:
        by_provider[parcel.provider_id].append(parcel)
    news = set()
    for provider_id, theirs in by_provider.items():
        for parcel, sighting in zip(theirs, await _ask(carriers, provider_id, theirs), strict=True):
            if sighting is not None and await _note(database, parcel, sighting):
                news.add(parcel.id)
    return news


async def _ask(
    carriers: Carriers, provider_id: str, parcels: Sequence[Fulfillment]
) -> Sequence[Sighting | None]:
    try:
        guides = [Guide(parcel.tracking_number, parcel.carrier_order_id) for parcel in parcels]
        return await carriers[provider_id].track(guides)
    except (KeyError, ShopError) as error:
        log.warning("%d parcels of %s could not be tracked: %s", len(parcels), provider_id, error)
        return [None] * len(parcels)


async def _note(database: Database, parcel: Fulfillment, sighting: Sighting) -> bool:
    """The order is locked before its parcel, as everywhere; what is told by mail is noted in the same transaction."""
    async with database.transaction() as session:
        order = await lock_order(session, parcel.order_id)
        kept = await lock_parcel(session, order.id, parcel.id)
        had_left = kept.shipped_at is not None
        if not see(kept, sighting):
            return False
        log.info("parcel %s is %s", kept.id, sighting.stage)
        if sighting.stage.is_final:
            await track_no_longer(session, kept)
        if sighting.stage is Stage.CANCELED:
            await raise_attention(
                session,
                AttentionKind.LABEL_CANCELED,
                message=f"The carrier cancelled the label of fulfillment {kept.reference}",
                order_id=order.id,
                fulfillment_id=kept.id,
            )
        await restate(session, order)
        if kept.shipped_at is not None and not had_left:
            await publish(session, ParcelShipped(kept.id, order.id))
    return True


class Follower:
    """Asks the carrier where parcels are: by a job for each label, for an open page, and when its hook says so."""

    def __init__(self, database: Database, carriers: Carriers) -> None:
        self._database = database
        self._carriers = carriers
        self._asking: set[asyncio.Task[None]] = set()

    async def stop(self) -> None:
        """Stop. A question that is under way is asked again after its gap."""
        for asking in self._asking:
            asking.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)

    @job_batch(TRACK, batch=BATCH, timeout=timedelta(minutes=3))
    async def track(self, runs: Sequence[JobRun]) -> list[RunAgain | None]:
        """Ask about these labels. One that has news is asked about again soon; others after growing gaps."""
        claimed = await claim_due(self._database, (str(run.key) for run in runs))
        news = await ask_and_note(self._database, self._carriers, claimed)
        async with self._database.transaction() as session:
            ids = [str(run.key) for run in runs]
            rows = await session.execute(
                select(Fulfillment).options(defer(Fulfillment.label_pdf)).where(Fulfillment.id.in_(ids))
            )
            known = {parcel.id: parcel for parcel in rows.scalars()}
            return [await self._next(session, known.get(str(run.key)), run, news) for run in runs]

    @job(OVERDUE)
    async def label_overdue(self, run: JobRun) -> None:
        """A label that is still not made is in doubt: a person must look."""
        await doubt_overdue(self._database, str(run.key))

    async def track_all(self) -> int:
        """Ask about everything that has not arrived, due or not. How many parcels that were."""
        return await track_all(self._database, self._carriers)

    async def _next(
        self, session: AsyncSession, parcel: Fulfillment | None, run: JobRun, news: set[str]
    ) -> RunAgain | None:
        is_over = parcel is None or parcel.state != "created" or parcel.delivered_at is not None
        if parcel is None or is_over or parcel.stage in FINAL_STAGES:
            return None
        if parcel.created_at < await database_now(session) - GIVEN_UP_AFTER:
            await raise_attention(
                session,
                AttentionKind.NOT_DELIVERED,
                message=f"Fulfillment {parcel.reference} was not delivered within {GIVEN_UP_AFTER.days} days",
                order_id=parcel.order_id,
                fulfillment_id=parcel.id,
            )
            return None
        if parcel.id in news:
            return RunAgain(GAPS[0], reset=True)
        return RunAgain(next_gap(run.attempt))

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
        await ask_soon(self._database, carrier_order_id, tracking_number)

    async def _ask_and_note(self, parcels: Sequence[Fulfillment]) -> None:
        try:
            await ask_and_note(self._database, self._carriers, parcels)
        except Exception:
            log.exception("parcels could not be followed and are asked about again later")
