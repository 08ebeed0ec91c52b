"""Tracking requests to the carriers, which update fulfillments and their orders (spec: Entities, Shipment).

A request is sent by the job of each label, when an order page is opened, and soon after a notification of the
carrier. The notification is not signed, so it only triggers a request. `backend.fulfillment.tracking` selects the
fulfillments and the times.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, raise_attention
from backend.attention.descriptions import REFERENCE, WORDS
from backend.core.db.database import Database, database_now
from backend.core.errors import ShopError
from backend.core.events import publish
from backend.fulfillment.label_states import lock_fulfillment
from backend.fulfillment.labels import OVERDUE, mark_overdue
from backend.fulfillment.tracking import (
    BATCH_SIZE,
    REQUEST_INTERVALS,
    TRACK,
    TRACKING_PERIOD,
    apply_update,
    claim_due,
    claim_order_fulfillments,
    claim_untracked,
    close_incident,
    get_next_interval,
    stop_tracking,
)
from backend.jobs import JobRun, RunAgain, job, job_batch
from backend.orders.events import FulfillmentDelivered, FulfillmentShipped
from backend.orders.fulfillments import FULFILLMENTS
from backend.orders.models import Fulfillment
from backend.orders.service import lock_order, update_fulfillment_status
from backend.orders.states import LabelState
from backend.shipping.providers.base import FulfillmentProviders, Label, TrackingStage, TrackingUpdate

log = logging.getLogger(__name__)

FINAL_STAGES = frozenset(stage for stage in TrackingStage if stage.is_final)
PAGE_TIMEOUT_S = 8.0
"""Seconds that an open page waits for the carrier. A later response is stored and shown the next time."""


class Tracker:
    """Sends tracking requests to the carriers, and updates the fulfillments and their orders."""

    def __init__(self, database: Database, providers: FulfillmentProviders) -> None:
        self._database = database
        self._providers = providers
        self._running: set[asyncio.Task[None]] = set()

    async def stop(self) -> None:
        """Cancel the running requests at the end of the process. Their fulfillments are tracked again later."""
        for request in self._running:
            request.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    @job_batch(TRACK, batch_size=BATCH_SIZE, timeout=timedelta(minutes=3))
    async def track(self, runs: Sequence[JobRun]) -> list[RunAgain | None]:
        """Track the fulfillments of these job runs.

        A job runs again soon if its fulfillment was updated, otherwise after growing intervals. It ends when the
        parcel has reached its final stage, or has not been delivered for too long.
        """
        claimed = await claim_due(self._database, (str(run.key) for run in runs))
        news = await self._track(claimed)
        async with self._database.transaction() as session:
            ids = [str(run.key) for run in runs]
            rows = await session.execute(FULFILLMENTS.where(Fulfillment.id.in_(ids)))
            known = {fulfillment.id: fulfillment for fulfillment in rows.scalars()}
            return [await self._next_run(session, known.get(str(run.key)), run, news) for run in runs]

    @job(OVERDUE)
    async def label_overdue(self, run: JobRun) -> None:
        """Mark a label that is still being created as in doubt, so that staff look it up at the carrier."""
        await mark_overdue(self._database, str(run.key))

    async def track_all(self) -> int:
        """Track all fulfillments that are not delivered, even if their next request is not due. Return their number."""
        async with self._database.read() as session:
            started = await database_now(session)
        tracked = 0
        while fulfillments := await claim_untracked(self._database, started):
            await self._track(fulfillments)
            tracked += len(fulfillments)
        return tracked

    async def track_order(self, order_id: str) -> None:
        """Track the order's fulfillments, except those that were tracked a moment ago.

        Returns after at most `PAGE_TIMEOUT_S` seconds; a later response is still stored. Raises no errors.
        """
        fulfillments = await claim_order_fulfillments(self._database, order_id)
        if not fulfillments:
            return
        request = asyncio.create_task(self._track_quietly(fulfillments), name="track an order's fulfillments")
        self._running.add(request)
        request.add_done_callback(self._running.discard)
        await asyncio.wait([request], timeout=PAGE_TIMEOUT_S)

    async def _track_quietly(self, fulfillments: Sequence[Fulfillment]) -> None:
        try:
            await self._track(fulfillments)
        except Exception:
            log.exception("fulfillments could not be tracked; the request is repeated later")

    async def _track(self, fulfillments: Iterable[Fulfillment]) -> set[str]:
        """Track these fulfillments, which the caller has claimed. Return the ids of those with an update.

        If a carrier cannot be reached, nothing changes: the request is repeated after the next interval.
        """
        by_provider: dict[str, list[Fulfillment]] = defaultdict(list)
        for fulfillment in fulfillments:
            by_provider[fulfillment.provider_id].append(fulfillment)
        news = set()
        for provider_id, claimed_of_provider in by_provider.items():
            for fulfillment, update in zip(
                claimed_of_provider,
                await self._request_updates(provider_id, claimed_of_provider),
                strict=True,
            ):
                if update is not None and await self._apply(fulfillment, update):
                    news.add(fulfillment.id)
        return news

    async def _request_updates(
        self, provider_id: str, fulfillments: Sequence[Fulfillment]
    ) -> Sequence[TrackingUpdate | None]:
        try:
            labels = [Label(one.tracking_number, one.carrier_order_id) for one in fulfillments]
            return await self._providers[provider_id].track(labels)
        except (KeyError, ShopError) as error:
            count = len(fulfillments)
            log.warning("%d fulfillments of %s could not be tracked: %s", count, provider_id, error)
            return [None] * count

    async def _apply(self, tracked: Fulfillment, update: TrackingUpdate) -> bool:
        """Apply an update to the fulfillment and its order, and publish it, in one transaction.

        Returns True if something has changed. The order is locked before the fulfillment.
        """
        async with self._database.transaction() as session:
            order = await lock_order(session, tracked.order_id)
            fulfillment = await lock_fulfillment(session, tracked.id, order.id)
            had_left = fulfillment.shipped_at is not None
            if not apply_update(fulfillment, update):
                return False
            log.info("fulfillment %s is %s", fulfillment.id, update.stage)
            if update.stage.is_final:
                await stop_tracking(session, fulfillment)
            await _update_attention(session, fulfillment, update)
            await update_fulfillment_status(session, order)
            if fulfillment.shipped_at is not None and not had_left:
                await publish(session, FulfillmentShipped(fulfillment.id, order.id))
            if update.stage is TrackingStage.DELIVERED:
                await publish(session, FulfillmentDelivered(fulfillment.id, order.id))
        return True

    async def _next_run(
        self, session: AsyncSession, fulfillment: Fulfillment | None, run: JobRun, news: set[str]
    ) -> RunAgain | None:
        if fulfillment is None or fulfillment.state != LabelState.CREATED:
            return None
        if fulfillment.delivered_at is not None or fulfillment.stage in FINAL_STAGES:
            return None
        if fulfillment.created_at < await database_now(session) - TRACKING_PERIOD:
            days = TRACKING_PERIOD.days
            await raise_attention(
                session,
                AttentionKind.NOT_DELIVERED,
                message=f"Fulfillment {fulfillment.reference} was not delivered within {days} days",
                order_id=fulfillment.order_id,
                fulfillment_id=fulfillment.id,
                data={REFERENCE: fulfillment.reference},
            )
            return None
        if fulfillment.id in news:
            return RunAgain(REQUEST_INTERVALS[0], reset=True)
        return RunAgain(get_next_interval(run.attempt))


async def _update_attention(session: AsyncSession, fulfillment: Fulfillment, update: TrackingUpdate) -> None:
    """Open an attention row for a cancelled label, a returned parcel or an incident.

    Close the row about an incident that has ended.
    """
    match update.stage:
        case TrackingStage.CANCELED:
            kind = AttentionKind.LABEL_CANCELED
            message = f"The carrier cancelled the label of fulfillment {fulfillment.reference}"
        case TrackingStage.RETURNED:
            kind = AttentionKind.LABEL_RETURNED
            message = f"The carrier returns fulfillment {fulfillment.reference}: {update.words}"
        case TrackingStage.INCIDENT:
            kind = AttentionKind.LABEL_INCIDENT
            message = f"The carrier reports about fulfillment {fulfillment.reference}: {update.words}"
        case _:
            await close_incident(session, fulfillment, note=f"The parcel moved on: {update.stage}")
            return
    await raise_attention(
        session,
        kind,
        message=message,
        order_id=fulfillment.order_id,
        fulfillment_id=fulfillment.id,
        data={REFERENCE: fulfillment.reference, WORDS: update.words},
    )
