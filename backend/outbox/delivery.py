"""Telling the storefront what is in the outbox: `POST /api/revalidate` until it is answered with 200 (spec: Events 2).

- At least once: an event leaves the outbox after its delivery. If we die in between, it is delivered again.
- In order per product: only the oldest event of a product can be claimed, and brings the product's later ones along.
- By one at a time: a claim moves `due_at` on, and finds only what is still due. It ends by itself: what a process held
  when it died is delivered by another.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto
from uuid import uuid4

import httpx
from sqlalchemy import delete, select, update
from sqlalchemy.orm import aliased

from backend.clock import now
from backend.database import Database
from backend.outbox.models import OutboxEvent
from backend.outbox.record import wake_on_commit
from backend.rounds import Rounds

log = logging.getLogger(__name__)

REVALIDATE_PATH = "/api/revalidate"
REVALIDATE_HEADER = "x-revalidate-secret"

MOST_PRODUCTS = 500
"""Products in one delivery."""
MOST_EVENTS = 1000
"""Events in one delivery. A product that changed more often is told of again in the next."""
ANSWER_WITHIN = 10.0
CLAIM_ENDS_AFTER = timedelta(seconds=30)
LOOK_AGAIN = 0.5
"""Seconds after which the outbox is looked at even when nothing woke us: other processes change products too."""


def pause_after(attempts: int) -> timedelta:
    """How long after the n-th failed attempt the next one follows: ½, 1, 2 … seconds, one minute at most."""
    return timedelta(seconds=min(2.0 ** min(attempts - 2, 6), 60.0))


class Outcome(Enum):
    """What came of an attempt."""

    NOTHING_DUE = auto()
    TOLD = auto()
    FAILED = auto()


@dataclass(frozen=True, slots=True)
class Claimed:
    """What one delivery tells. `attempts` counts this one."""

    claim: str
    events: list[OutboxEvent]
    attempts: int

    @property
    def body(self) -> dict[str, list[dict[str, object]]]:
        """The delivery as JSON: the events in their order, each with its number."""
        return {"events": [{"id": event.id, "product_id": event.product_id} for event in self.events]}


class Delivery:
    """Delivers what is in the outbox while it runs. Every replica runs one; they share the work."""

    def __init__(
        self,
        database: Database,
        http: httpx.AsyncClient,
        storefront_url: str,
        secret: str,
        *,
        pause: Callable[[int], timedelta] = pause_after,
    ) -> None:
        self._database = database
        self._http = http
        self._url = storefront_url + REVALIDATE_PATH
        self._secret = secret
        self._pause = pause
        self._rounds = Rounds("outbox delivery", self._deliver_all, LOOK_AGAIN)

    def start(self) -> None:
        """Begin to deliver, from where the last run left off."""
        wake_on_commit(self._database.engine.sync_engine, self._rounds.call)
        self._rounds.start()

    async def stop(self) -> None:
        """Stop delivering. What is not told yet stays in the outbox."""
        wake_on_commit(self._database.engine.sync_engine, None)
        await self._rounds.stop()
        await self._http.aclose()

    async def deliver(self) -> Outcome:
        """Make one attempt to tell what is due, up to one delivery's worth."""
        claimed = await self._claim()
        if claimed is None:
            return Outcome.NOTHING_DUE
        if await self._tell(claimed):
            await self._forget(claimed)
            return Outcome.TOLD
        await self._put_off(claimed)
        return Outcome.FAILED

    async def _deliver_all(self) -> None:
        try:
            while (outcome := await self.deliver()) is Outcome.TOLD:
                pass
        except Exception:
            log.exception("telling the storefront of changed products failed and is tried again")
            outcome = Outcome.FAILED
        if outcome is Outcome.FAILED:
            await asyncio.sleep(LOOK_AGAIN)  # whatever is new would fail as well

    async def _claim(self) -> Claimed | None:
        """Take the products whose oldest event is due and unclaimed, with all their events; None if there are none."""
        earlier = aliased(OutboxEvent)
        is_oldest = ~(
            select(earlier.id)
            .where(earlier.product_id == OutboxEvent.product_id, earlier.id < OutboxEvent.id)
            .exists()
        )
        due = (
            select(OutboxEvent.id)
            .where(OutboxEvent.due_at <= now(), is_oldest)
            .order_by(OutboxEvent.id)
            .limit(MOST_PRODUCTS)
        )
        async with self._database.read() as session:
            ids = (await session.execute(due)).scalars().all()
        if not ids:
            return None
        moment, claim = now(), uuid4().hex
        async with self._database.transaction() as session:
            unclaimed = select(OutboxEvent.id).where(OutboxEvent.id.in_(ids), OutboxEvent.due_at <= moment)
            free = await session.execute(unclaimed.order_by(OutboxEvent.id).with_for_update(skip_locked=True))
            await session.execute(
                update(OutboxEvent)
                .where(OutboxEvent.id.in_(free.scalars().all()))
                .values(due_at=moment + CLAIM_ENDS_AFTER, attempts=OutboxEvent.attempts + 1, claim=claim)
            )
            mine = select(OutboxEvent.product_id).where(OutboxEvent.claim == claim)
            found = await session.execute(
                select(OutboxEvent)
                .where(OutboxEvent.product_id.in_(mine))
                .order_by(OutboxEvent.id)
                .limit(MOST_EVENTS)
            )
            events = list(found.scalars())
        if not events:  # a rival was quicker
            return None
        return Claimed(claim, events, max(event.attempts for event in events))

    async def _tell(self, claimed: Claimed) -> bool:
        """Whether the storefront answered with 200 in time."""
        try:
            async with asyncio.timeout(ANSWER_WITHIN):
                answer = await self._http.post(
                    self._url, json=claimed.body, headers={REVALIDATE_HEADER: self._secret}
                )
        except (httpx.HTTPError, TimeoutError) as error:
            log.warning("the storefront could not be told of changed products (%s)", type(error).__name__)
            return False
        if answer.status_code == 401:
            log.error("the storefront refuses REVALIDATE_SECRET: every replica must have the same one")
        elif answer.status_code != 200:
            log.warning("the storefront answered HTTP %s when told of changed products", answer.status_code)
        return answer.status_code == 200

    async def _forget(self, claimed: Claimed) -> None:
        ids = [event.id for event in claimed.events]
        async with self._database.transaction() as session:
            await session.execute(delete(OutboxEvent).where(OutboxEvent.id.in_(ids)))

    async def _put_off(self, claimed: Claimed) -> None:
        async with self._database.transaction() as session:
            await session.execute(
                update(OutboxEvent)
                .where(OutboxEvent.claim == claimed.claim)
                .values(due_at=now() + self._pause(claimed.attempts))
            )
