"""Telling the storefront what is in the outbox: `POST /api/revalidate` until it is answered with 200 (spec: Events 2).

- At least once: an event leaves the outbox after its delivery. If the process dies in between, it is delivered again.
- In order: one job tells them all, and there is never more than one run of it.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta

import httpx
from sqlalchemy import delete, select

from backend.database import Database
from backend.errors import OutsideFailure
from backend.jobs import JobRun, job
from backend.outbox.models import OutboxEvent
from backend.outbox.record import REVALIDATE

log = logging.getLogger(__name__)

REVALIDATE_PATH = "/api/revalidate"
REVALIDATE_HEADER = "x-revalidate-secret"

MOST_EVENTS = 1000
"""Events in one delivery."""
ANSWER_WITHIN = 10.0


def body_of(events: Sequence[OutboxEvent]) -> dict[str, list[dict[str, object]]]:
    """The delivery as JSON: the events in their order, each with its number."""
    return {"events": [{"id": event.id, "product_id": event.product_id} for event in events]}


class OutboxPublisher:
    """Delivers what is in the outbox."""

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
        """Tell everything that is in the outbox.

        Raises:
            OutsideFailure: the storefront did not answer with 200 in time. What was not told stays.
        """
        del run
        while events := await self._oldest():
            await self._tell(events)
            async with self._database.transaction() as session:
                told = [event.id for event in events]
                await session.execute(delete(OutboxEvent).where(OutboxEvent.id.in_(told)))

    async def _oldest(self) -> Sequence[OutboxEvent]:
        async with self._database.read() as session:
            query = select(OutboxEvent).order_by(OutboxEvent.id).limit(MOST_EVENTS)
            return (await session.execute(query)).scalars().all()

    async def _tell(self, events: Sequence[OutboxEvent]) -> None:
        headers = {REVALIDATE_HEADER: self._secret}
        try:
            answer = await self._http.post(
                self._url, json=body_of(events), headers=headers, timeout=ANSWER_WITHIN
            )
        except httpx.HTTPError as error:
            raise OutsideFailure(
                f"the storefront could not be told of changed products ({type(error).__name__})"
            ) from error
        if answer.status_code == 401:
            log.error("the storefront refuses REVALIDATE_SECRET: every replica must have the same one")
        if answer.status_code != 200:
            raise OutsideFailure(
                f"the storefront answered HTTP {answer.status_code} when told of changed products"
            )
