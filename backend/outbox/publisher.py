"""The outbox: changed products are recorded with the change, and published to the storefront after it.

Publishing is `POST /api/revalidate` until it is answered with 200 (spec: Events 2).
- At least once: an event is deleted after its delivery. If the process ends in between, it is delivered again.
- In order: there is one job that publishes, and never more than one run of it.
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
"""The kind of the job. There is one job."""
REVALIDATE_PATH = "/api/revalidate"
REVALIDATE_HEADER = "x-revalidate-secret"

MOST_EVENTS = 1000
"""Events in one request."""
TIMEOUT = 10.0
"""Seconds in which the storefront has to respond."""

_CHANGED = "outbox.changed"


@subscribe(ProductChanged)
async def record(session: AsyncSession, changed: ProductChanged) -> None:
    """Put the change into the outbox when the transaction commits; several changes of a product are one event."""
    products = session.info.setdefault(_CHANGED, {})
    if not products:
        event.listen(session.sync_session, "before_commit", _write)
    products[changed.product_id] = True


def _write(session: Session) -> None:
    """The last act of the transaction. All its locks are held by now, so the outbox numbers changes in their order."""
    session.flush()
    moment = now()
    rows = [{"product_id": product_id, "recorded_at": moment} for product_id in session.info[_CHANGED]]
    session.execute(insert(OutboxEvent), rows)
    enqueue_in(session, REVALIDATE, key="")


def body_of(events: Sequence[OutboxEvent]) -> dict[str, list[dict[str, object]]]:
    """The request's JSON: the events in their order, each with its number."""
    return {"events": [{"id": event.id, "product_id": event.product_id} for event in events]}


class OutboxPublisher:
    """Publishes the events of the outbox to the storefront."""

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
        """Publish all events of the outbox.

        Raises:
            OutsideFailure: the storefront did not respond with 200 in time. What was not published stays.
        """
        del run
        while events := await self._oldest():
            await self._send(events)
            async with self._database.transaction() as session:
                sent = [event.id for event in events]
                await session.execute(delete(OutboxEvent).where(OutboxEvent.id.in_(sent)))

    async def _oldest(self) -> Sequence[OutboxEvent]:
        async with self._database.read() as session:
            query = select(OutboxEvent).order_by(OutboxEvent.id).limit(MOST_EVENTS)
            return (await session.execute(query)).scalars().all()

    async def _send(self, events: Sequence[OutboxEvent]) -> None:
        headers = {REVALIDATE_HEADER: self._secret}
        try:
            response = await self._http.post(
                self._url, json=body_of(events), headers=headers, timeout=TIMEOUT
            )
        except httpx.HTTPError as error:
            raise OutsideFailure(
                f"the storefront could not be told of changed products ({type(error).__name__})"
            ) from error
        if response.status_code == 401:
            log.error("the storefront refuses REVALIDATE_SECRET: every replica must have the same one")
        if response.status_code != 200:
            raise OutsideFailure(
                f"the storefront answered HTTP {response.status_code} when told of changed products"
            )
