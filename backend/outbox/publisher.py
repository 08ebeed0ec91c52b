"""The outbox: changed products are recorded in the transaction that changes them, and sent to the storefront later.

An event is sent by `POST /api/revalidate` until the answer is 200 (spec: Events 2).
- At least once: an event is deleted after its delivery. If the process ends in between, it is delivered again.
- In order: one job sends the events, and only one run of it at a time.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta

import httpx
from sqlalchemy import delete, event, insert, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from backend.catalog.events import ProductChanged
from backend.core.clock import now
from backend.core.db.database import Database
from backend.core.errors import OutsideFailure
from backend.core.events import subscribe
from backend.jobs import JobRun, job
from backend.jobs.queue import enqueue_in
from backend.outbox.models import OutboxEvent

log = logging.getLogger(__name__)

REVALIDATE = "storefront.revalidate"
"""Kind of the job that sends the events. There is at most one job of this kind."""
REVALIDATE_PATH = "/api/revalidate"
REVALIDATE_HEADER = "x-revalidate-secret"

MAX_EVENTS = 1000
"""Maximum number of events in one request."""
STOREFRONT_TIMEOUT_S = 10.0
"""Seconds within which the storefront must respond."""

_CHANGED = "outbox.changed"


@subscribe(ProductChanged)
async def record_change(session: AsyncSession, changed: ProductChanged) -> None:
    """Write an event into the outbox when the transaction commits. Several changes of a product become one event."""
    products = session.info.setdefault(_CHANGED, {})
    if not products:
        event.listen(session.sync_session, "before_commit", _write_events)
    products[changed.product_id] = True


def _write_events(session: Session) -> None:
    """Write the events as the final step of the transaction.

    At that point the transaction has all its locks, so the events are numbered in the order of the changes.
    """
    session.flush()
    moment = now()
    rows = [{"product_id": product_id, "recorded_at": moment} for product_id in session.info[_CHANGED]]
    session.execute(insert(OutboxEvent), rows)
    enqueue_in(session, REVALIDATE, key="")


def request_body(events: Sequence[OutboxEvent]) -> dict[str, list[dict[str, object]]]:
    """Return the request's JSON: the events in their order, each with its number."""
    return {"events": [{"id": event.id, "product_id": event.product_id} for event in events]}


class OutboxPublisher:
    """A service that sends the events of the outbox to the storefront."""

    def __init__(self, database: Database, http: httpx.AsyncClient, storefront_url: str, secret: str) -> None:
        self._database = database
        self._http = http
        self._url = storefront_url + REVALIDATE_PATH
        self._secret = secret

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    @job(REVALIDATE, timeout=timedelta(seconds=60), give_up_after=timedelta(days=3))
    async def publish(self, run: JobRun) -> None:
        """Send all events of the outbox.

        Raises:
            OutsideFailure: the storefront did not respond with 200 in time. Unsent events stay in the outbox.
        """
        del run
        while events := await self._read_oldest():
            await self._send(events)
            async with self._database.transaction() as session:
                sent = [event.id for event in events]
                await session.execute(delete(OutboxEvent).where(OutboxEvent.id.in_(sent)))

    async def _read_oldest(self) -> Sequence[OutboxEvent]:
        async with self._database.read() as session:
            query = select(OutboxEvent).order_by(OutboxEvent.id).limit(MAX_EVENTS)
            return (await session.execute(query)).scalars().all()

    async def _send(self, events: Sequence[OutboxEvent]) -> None:
        headers = {REVALIDATE_HEADER: self._secret}
        try:
            response = await self._http.post(
                self._url, json=request_body(events), headers=headers, timeout=STOREFRONT_TIMEOUT_S
            )
        except httpx.HTTPError as error:
            raise OutsideFailure(
                f"changed products could not be sent to the storefront ({type(error).__name__})"
            ) from error
        if response.status_code == 401:
            log.error("the storefront refuses REVALIDATE_SECRET: every replica must have the same one")
        if response.status_code != 200:
            raise OutsideFailure(
                f"the storefront answered HTTP {response.status_code} to the changed products"
            )
