"""Asking the carrier where fulfillments are, so that their orders say so too (spec: Entities, Shipment).

It is asked by a job for each label, by an open order page, and soon after the carrier's hook: nobody signs the hook, so
it only says that it is time to ask. Which are asked about, and when: `backend.fulfillment.tracking`.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, raise_attention
from backend.core.db.database import Database, database_now
from backend.core.errors import ShopError
from backend.core.events import publish
from backend.fulfillment.label_states import lock_fulfillment
from backend.fulfillment.labels import OVERDUE, mark_overdue
from backend.fulfillment.tracking import (
    BATCH,
    GAPS,
    GIVEN_UP_AFTER,
    TRACK,
    apply_update,
    claim_due,
    claim_of_order,
    claim_unasked,
    close_incident,
    next_gap,
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
PAGE_WAIT = 8.0
"""Seconds that an open page waits for the carrier. A later answer is stored, and shown the next time."""


class Tracker:
    """Asks the carriers where fulfillments are, and changes the fulfillments and their orders accordingly."""

    def __init__(self, database: Database, providers: FulfillmentProviders) -> None:
        self._database = database
        self._providers = providers
        self._running: set[asyncio.Task[None]] = set()

    async def stop(self) -> None:
        """Cancel the questions under way. They are asked again after their gaps."""
        for question in self._running:
            question.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    @job_batch(TRACK, batch=BATCH, timeout=timedelta(minutes=3))
    async def track(self, runs: Sequence[JobRun]) -> list[RunAgain | None]:
        """Ask about these fulfillments: again soon where there was news, else after growing gaps."""
        claimed = await claim_due(self._database, (str(run.key) for run in runs))
        news = await self._track(claimed)
        async with self._database.transaction() as session:
            ids = [str(run.key) for run in runs]
            rows = await session.execute(FULFILLMENTS.where(Fulfillment.id.in_(ids)))
            known = {fulfillment.id: fulfillment for fulfillment in rows.scalars()}
            return [await self._next(session, known.get(str(run.key)), run, news) for run in runs]

    @job(OVERDUE)
    async def label_overdue(self, run: JobRun) -> None:
        """A label that is still not made is in doubt: a person must look."""
        await mark_overdue(self._database, str(run.key))

    async def track_all(self) -> int:
        """Ask about everything that has not arrived, due or not. Returns how many fulfillments that were."""
        async with self._database.read() as session:
            started = await database_now(session)
        asked = 0
        while fulfillments := await claim_unasked(self._database, started):
            await self._track(fulfillments)
            asked += len(fulfillments)
        return asked

    async def track_order(self, order_id: str) -> None:
        """Ask about the order's fulfillments, unless somebody did a moment ago.

        Returns after `PAGE_WAIT` seconds at most; what the carrier says later is still stored. Raises nothing.
        """
        fulfillments = await claim_of_order(self._database, order_id)
        if not fulfillments:
            return
        question = asyncio.create_task(
            self._track_quietly(fulfillments), name="track an order's fulfillments"
        )
        self._running.add(question)
        question.add_done_callback(self._running.discard)
        await asyncio.wait([question], timeout=PAGE_WAIT)

    async def _track_quietly(self, fulfillments: Sequence[Fulfillment]) -> None:
        try:
            await self._track(fulfillments)
        except Exception:
            log.exception("fulfillments could not be tracked and are asked about again later")

    async def _track(self, fulfillments: Iterable[Fulfillment]) -> set[str]:
        """Ask about these fulfillments, which the caller has claimed. Returns the ids of those with news.

        A carrier that cannot be asked changes nothing: it is asked again after the next gap.
        """
        by_provider: dict[str, list[Fulfillment]] = defaultdict(list)
        for fulfillment in fulfillments:
            by_provider[fulfillment.provider_id].append(fulfillment)
        news = set()
        for provider_id, theirs in by_provider.items():
            for fulfillment, update in zip(theirs, await self._ask(provider_id, theirs), strict=True):
                if update is not None and await self._apply(fulfillment, update):
                    news.add(fulfillment.id)
        return news

    async def _ask(
        self, provider_id: str, fulfillments: Sequence[Fulfillment]
    ) -> Sequence[TrackingUpdate | None]:
        try:
            labels = [Label(one.tracking_number, one.carrier_order_id) for one in fulfillments]
            return await self._providers[provider_id].track(labels)
        except (KeyError, ShopError) as error:
            count = len(fulfillments)
            log.warning("%d fulfillments of %s could not be tracked: %s", count, provider_id, error)
            return [None] * count

    async def _apply(self, asked: Fulfillment, update: TrackingUpdate) -> bool:
        """One transaction for the fulfillment, its order and the mail. The order is locked first, as everywhere."""
        async with self._database.transaction() as session:
            order = await lock_order(session, asked.order_id)
            fulfillment = await lock_fulfillment(session, asked.id, order.id)
            had_left = fulfillment.shipped_at is not None
            if not apply_update(fulfillment, update):
                return False
            log.info("fulfillment %s is %s", fulfillment.id, update.stage)
            if update.stage.is_final:
                await stop_tracking(session, fulfillment)
            await _tell(session, fulfillment, update)
            await update_fulfillment_status(session, order)
            if fulfillment.shipped_at is not None and not had_left:
                await publish(session, FulfillmentShipped(fulfillment.id, order.id))
            if update.stage is TrackingStage.DELIVERED:
                await publish(session, FulfillmentDelivered(fulfillment.id, order.id))
        return True

    async def _next(
        self, session: AsyncSession, fulfillment: Fulfillment | None, run: JobRun, news: set[str]
    ) -> RunAgain | None:
        if fulfillment is None or fulfillment.state != LabelState.CREATED:
            return None
        if fulfillment.delivered_at is not None or fulfillment.stage in FINAL_STAGES:
            return None
        if fulfillment.created_at < await database_now(session) - GIVEN_UP_AFTER:
            days = GIVEN_UP_AFTER.days
            await raise_attention(
                session,
                AttentionKind.NOT_DELIVERED,
                message=f"Fulfillment {fulfillment.reference} was not delivered within {days} days",
                order_id=fulfillment.order_id,
                fulfillment_id=fulfillment.id,
            )
            return None
        if fulfillment.id in news:
            return RunAgain(GAPS[0], reset=True)
        return RunAgain(next_gap(run.attempt))


async def _tell(session: AsyncSession, fulfillment: Fulfillment, update: TrackingUpdate) -> None:
    """Let a person look where the carrier does not go on by itself, and no longer where it does."""
    match update.stage:
        case TrackingStage.CANCELED:
            kind = AttentionKind.LABEL_CANCELED
            message = f"The carrier cancelled the label of fulfillment {fulfillment.reference}"
        case TrackingStage.RETURNED:
            kind = AttentionKind.LABEL_RETURNED
            message = f"The carrier brings fulfillment {fulfillment.reference} back: {update.words}"
        case TrackingStage.INCIDENT:
            kind = AttentionKind.LABEL_INCIDENT
            message = f"The carrier says of fulfillment {fulfillment.reference}: {update.words}"
        case _:
            await close_incident(session, fulfillment, note=f"It went on: {update.stage}")
            return
    await raise_attention(
        session, kind, message=message, order_id=fulfillment.order_id, fulfillment_id=fulfillment.id
    )
