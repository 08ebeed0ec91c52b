"""Looks for what the owner wants to be told of, every minute.

What is the shop's is looked at by one replica (a job); what is a machine's or a process's, by each.
"""

import asyncio
import logging
import shutil
import socket
from collections.abc import Iterator
from datetime import timedelta

from sqlalchemy import String, cast, exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.alerts import AlertKind, end_alerts, raise_alert
from backend.attention import AttentionKind
from backend.attention.models import Attention
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database, database_now
from backend.core.web.http_client import failing_services
from backend.jobs import JobRun, periodic
from backend.jobs.models import Job
from backend.mail.models import SEND, Mail, MailKind
from backend.office_settings import read_effective_settings
from backend.operations.monitoring.certificates import days_left
from backend.orders.models import Order

log = logging.getLogger(__name__)

EVERY = timedelta(minutes=1)
LATEST_ORDERS = 200
"""Among so many the latest paid one is looked for."""
MEBIBYTE = 1024 * 1024

Found = tuple[AlertKind, str, str]
"""Kind, subject and message of an alert."""


class Watch:
    """Raises alerts, and ends those that are over."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look at this machine and this process."""
        self._task = asyncio.create_task(self._run(), name="watch")

    async def stop(self) -> None:
        """End it. Does nothing when it never began."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    @periodic("alert.watch", every=EVERY)
    async def look_at_the_shop(self, _run: JobRun) -> None:
        """See whether anybody buys and mails leave, and end what is over."""
        async with self._database.transaction() as session:
            hours = (await read_effective_settings(session, self._settings)).alert_no_sale_hours
            newest = (Order.created_at.desc(), Order.number.desc())
            paid = select(Order.paid_at).order_by(*newest).limit(LATEST_ORDERS).subquery()
            latest = (await session.execute(select(func.max(paid.c.paid_at)))).scalar_one()
            has_orders = (await session.execute(select(exists(select(Order.number))))).scalar_one()
            since = timedelta(hours=hours)
            if hours and has_orders and (latest is None or await database_now(session) - latest >= since):
                told = (
                    f"no order was paid since {latest:%Y-%m-%d %H:%M} UTC"
                    if latest
                    else "no order was ever paid"
                )
                await raise_alert(session, AlertKind.NO_SALE, "", told)
            if count := await _mails_given_up(session):
                await raise_alert(session, AlertKind.MAIL, "", f"mails that were given up: {count}")
            await end_alerts(session)

    @periodic("alert.certificate", every=timedelta(hours=1))
    async def look_at_the_certificate(self, _run: JobRun) -> None:
        """See for how long the certificate of PUBLIC_URL is good."""
        least = (await self._effective_settings()).alert_certificate_days
        if not (least and self._settings.base_url.startswith("https://")):
            return
        found = await days_left(self._settings.base_url, now())
        if isinstance(found, str) or found < least:
            told = found if isinstance(found, str) else f"it is good for {found} days"
            async with self._database.transaction() as session:
                await raise_alert(session, AlertKind.CERTIFICATE, self._settings.base_url, told)

    async def look_here(self) -> None:
        """See how this machine's disk and this process's outside services are. Nothing is written while all is well."""
        effective = await self._effective_settings()
        least, minutes = effective.alert_disk_free_mb, effective.alert_failing_minutes
        found = [*await asyncio.to_thread(lambda: list(self._disk(least))), *_outside(minutes)]
        if found:
            async with self._database.transaction() as session:
                for kind, subject, message in found:
                    await raise_alert(session, kind, subject, message)

    async def _effective_settings(self) -> Settings:
        async with self._database.read() as session:
            return await read_effective_settings(session, self._settings)

    def _disk(self, least: int) -> Iterator[Found]:
        folder = self._settings.data_dir
        if least and folder.exists() and (free := shutil.disk_usage(folder).free // MEBIBYTE) < least:
            yield AlertKind.DISK, socket.gethostname(), f"the data folder's disk has {free} MiB left"

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(EVERY.total_seconds())
            try:
                await self.look_here()
            except Exception:
                log.exception("this machine could not be looked at")


def _outside(minutes: int) -> Iterator[Found]:
    if not minutes:
        return
    for service, seconds in failing_services().items():
        if seconds >= minutes * 60:
            yield AlertKind.OUTSIDE, service, f"{service} has failed for {seconds / 60:.0f} minutes"


async def _mails_given_up(session: AsyncSession) -> int:
    """How many mails to people were given up and wait in attention. Those that tell the owner do not count."""
    count = (
        select(func.count())
        .select_from(Job)
        .join(Mail, Mail.id == Job.key)
        .join(Attention, Attention.subject_id == cast(Job.id, String))
        .where(
            Job.failed_at.is_not(None),
            Job.kind == SEND,
            Mail.kind.not_in((MailKind.ALERT, MailKind.ATTENTION)),
            Attention.kind == AttentionKind.JOB_FAILED,
            Attention.resolved_at.is_(None),
        )
    )
    return (await session.execute(count)).scalar_one()
