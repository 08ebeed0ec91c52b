"""Checks that run every minute and raise alerts for the owner.

A job checks the whole shop, on one replica at a time. In addition, each process checks its own machine and its own
connections.
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
from backend.core.dates import time_label
from backend.core.db.database import Database, database_now
from backend.core.texts import _
from backend.core.web.http_client import failing_services
from backend.jobs import JobRun, periodic
from backend.jobs.models import Job
from backend.mail.models import SEND, Mail, MailKind
from backend.office_settings import read_effective_settings
from backend.operations.monitoring.certificates import count_days_left
from backend.orders.models import Order

log = logging.getLogger(__name__)

CHECK_INTERVAL = timedelta(minutes=1)
MAX_SEARCHED_ORDERS = 200
"""Number of newest orders that are searched for the latest paid one."""
MEBIBYTE = 1024 * 1024
SERVICE_NAMES = {
    "The gateway": _("La pasarela de pagos"),
    "the carrier": _("La transportadora"),
    "The invoice provider": _("El proveedor de facturas"),
    "the owner's webhook": _("Tu dirección de avisos"),
}
"""Names for staff of the services that `backend.core.web.http_client` calls."""

FoundAlert = tuple[AlertKind, str, str]
"""Kind, subject and message of an alert."""


class AlertChecks:
    """Raises alerts, and ends alerts whose condition is no longer met."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the checks of this machine and this process."""
        self._task = asyncio.create_task(self._run(), name="watch")

    async def stop(self) -> None:
        """Stop the checks. Do nothing if they were not started."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    @periodic("alert.watch", every=CHECK_INTERVAL)
    async def check_shop(self, _run: JobRun) -> None:
        """Raise an alert if no order was paid for `alert_no_sale_hours`, and one if e-mails were not sent.

        Then end all alerts whose condition is no longer met.
        """
        async with self._database.transaction() as session:
            hours = (await read_effective_settings(session, self._settings)).alert_no_sale_hours
            newest = (Order.created_at.desc(), Order.number.desc())
            paid = select(Order.paid_at).order_by(*newest).limit(MAX_SEARCHED_ORDERS).subquery()
            latest = (await session.execute(select(func.max(paid.c.paid_at)))).scalar_one()
            has_orders = (await session.execute(select(exists(select(Order.number))))).scalar_one()
            since = timedelta(hours=hours)
            if hours and has_orders and (latest is None or await database_now(session) - latest >= since):
                message = (
                    _("El último pago es del {moment}").format(moment=time_label(latest))
                    if latest
                    else _("Nadie ha pagado un pedido todavía.")
                )
                await raise_alert(session, AlertKind.NO_SALE, "", message)
            if count := await _count_given_up_mails(session):
                await raise_alert(
                    session, AlertKind.MAIL, "", _("Correos que no salieron: {n}.").format(n=count)
                )
            await end_alerts(session)

    @periodic("alert.certificate", every=timedelta(hours=1))
    async def check_own_certificate(self, _run: JobRun) -> None:
        """Raise an alert if the certificate of PUBLIC_URL is invalid or expires soon."""
        minimum = (await self._effective_settings()).alert_certificate_days
        if not (minimum and self._settings.base_url.startswith("https://")):
            return
        found = await count_days_left(self._settings.base_url, now())
        if isinstance(found, str) or found < minimum:
            message = found if isinstance(found, str) else _("Le quedan {n} días.").format(n=found)
            async with self._database.transaction() as session:
                await raise_alert(session, AlertKind.CERTIFICATE, self._settings.base_url, message)

    async def check_process(self) -> None:
        """Check this machine's disk and this process's external services.

        Write to the database only if there is a problem.
        """
        effective = await self._effective_settings()
        minimum, minutes = effective.alert_disk_free_mb, effective.alert_failing_minutes
        found = [
            *await asyncio.to_thread(lambda: list(self._check_disk(minimum))),
            *_find_failing_services(minutes),
        ]
        if found:
            async with self._database.transaction() as session:
                for kind, subject, message in found:
                    await raise_alert(session, kind, subject, message)

    async def _effective_settings(self) -> Settings:
        async with self._database.read() as session:
            return await read_effective_settings(session, self._settings)

    def _check_disk(self, minimum: int) -> Iterator[FoundAlert]:
        folder = self._settings.data_dir
        if minimum and folder.exists() and (free := shutil.disk_usage(folder).free // MEBIBYTE) < minimum:
            host = socket.gethostname()
            yield AlertKind.DISK, host, _("Quedan {free} MiB en {host}.").format(free=free, host=host)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(CHECK_INTERVAL.total_seconds())
            try:
                await self.check_process()
            except Exception:
                log.exception("the checks of this machine failed")


def _find_failing_services(minutes: int) -> Iterator[FoundAlert]:
    if not minutes:
        return
    for service, seconds in failing_services().items():
        if seconds >= minutes * 60:
            name = SERVICE_NAMES.get(service, service)
            text = _("{service}: sin respuesta desde hace {n} minutos.")
            yield AlertKind.OUTSIDE, service, text.format(service=name, n=f"{seconds / 60:.0f}")


async def _count_given_up_mails(session: AsyncSession) -> int:
    """Count the unsent e-mails whose failed job has an open attention row. Alert e-mails are not counted."""
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
