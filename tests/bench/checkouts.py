"""Checkouts of guests that a load generator sends, their processor time, and the mails that confirm them."""

import asyncio
from collections.abc import Sequence

from sqlalchemy import func, select

from backend.core.db.database import Database
from backend.mail.models import Mail
from tests.bench import servers
from tests.bench.load import Connection, measure
from tests.bench.peer.contender import RunningServer, Side
from tests.bench.purchase import buy, get_customer_ip

CONCURRENCY = 8
MAILS_TIMEOUT_S = 120.0
MAIL_CHECK_INTERVAL_S = 0.1


class CheckoutTask:
    """A task of the load generator. Each call buys as a new guest, from an IP address of their own."""

    def __init__(
        self, publishable_key: str, variant_ids: Sequence[str], region_id: str | None = None
    ) -> None:
        self._headers = {"x-publishable-api-key": publishable_key}
        self._variant_ids = variant_ids
        self._region_id = region_id
        self._count = 0

    async def __call__(self, connection: Connection, _number: int) -> None:
        """Buy one unit as a new guest."""
        self._count += 1
        number = self._count
        await buy(
            connection.send_json,
            {**self._headers, "x-forwarded-for": get_customer_ip(number)},
            self._variant_ids[number % len(self._variant_ids)],
            f"ana{number}@example.com",
            self._region_id,
        )


async def measure_checkouts(
    side: Side, running: RunningServer, task: CheckoutTask, *, seconds: float, max_checkouts: int = 10**12
) -> tuple[float, float]:
    """Buy for `seconds`, at most `max_checkouts` times, and wait until the work after the checkouts is finished.

    Returns:
        The checkouts per second, and the milliseconds of processor time for each checkout.
    """
    before = servers.measure_processor_seconds(running.process)
    figures = await measure(
        running.port, task, concurrency=CONCURRENCY, seconds=seconds, max_tasks=max_checkouts
    )
    await side.finish_checkouts()
    spent = servers.measure_processor_seconds(running.process) - before
    return figures.rate, spent / len(figures.times) * 1000


async def wait_for_mails(database: Database) -> None:
    """Wait until the confirmation mail of each order is sent.

    Raises:
        TimeoutError: mails are still unsent after `MAILS_TIMEOUT_S`.
    """
    unsent = select(func.count()).select_from(Mail).where(Mail.sent_at.is_(None))
    async with asyncio.timeout(MAILS_TIMEOUT_S):
        while True:
            async with database.read() as session:
                if not (await session.execute(unsent)).scalar_one():
                    return
            await asyncio.sleep(MAIL_CHECK_INTERVAL_S)
