"""Opening and ending of alerts.

If several replicas find the same problem at the same time, only one row and one event are created.
"""

from dataclasses import dataclass

from sqlalchemy import bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.alerts.kinds import RULES, AlertKind
from backend.alerts.models import Alert
from backend.core.clock import now
from backend.core.db.database import database_now, db_now, lock_rows
from backend.core.db.tables import insert_into, table_of
from backend.core.errors import require_found
from backend.core.events import publish
from backend.core.ids import new_id


@dataclass(frozen=True, slots=True)
class AlertBegan:
    """Event: an alert was opened. Published in the transaction that opens it."""

    alert_id: str


@dataclass(frozen=True, slots=True)
class AlertEnded:
    """Event: an alert ended. Published in the transaction that ends it."""

    alert_id: str


async def raise_alert(session: AsyncSession, kind: AlertKind, subject: str, message: str) -> None:
    """Open an alert, or update `seen_at` if it is already open."""
    alert = table_of(Alert).c
    refresh = (
        update(Alert)
        .where(Alert.kind == kind, Alert.subject == subject, Alert.ended_at.is_(None))
        .values(seen_at=db_now())
        .returning(alert.id)
        .execution_options(synchronize_session=False)
    )
    if (await session.execute(refresh)).first() is not None:
        return
    moment, written = await database_now(session), now()
    row = {
        "id": new_id("alert"),
        "kind": kind,
        "subject": subject,
        "message": message,
        "began_at": moment,
        "seen_at": moment,
        "created_at": written,
        "updated_at": written,
    }
    new_one = await session.execute(_INSERT, row)
    if new_one.scalar_one_or_none() is not None:
        await publish(session, AlertBegan(row["id"]))  # type: ignore[arg-type]


async def end_alerts(session: AsyncSession) -> int:
    """End alerts whose problem was not found again within the `ends_after` of their kind. Return the count."""
    count = 0
    for kind, rules in RULES.items():
        expired = lock_rows(select(Alert)).where(
            Alert.kind == kind, Alert.ended_at.is_(None), Alert.seen_at <= db_now(-rules.ends_after)
        )
        for alert in (await session.execute(expired)).scalars().all():
            alert.ended_at = await database_now(session)
            await session.flush()
            await publish(session, AlertEnded(alert.id))
            count += 1
    return count


async def read_alert(session: AsyncSession, alert_id: str) -> Alert:
    """Return the alert with this id.

    Raises:
        NotFound: the alert does not exist.
    """
    return require_found(
        (await session.execute(_BY_ID, {"alert_id": alert_id})).scalar_one_or_none(), "Alert", alert_id
    )


_BY_ID = select(Alert).where(Alert.id == bindparam("alert_id"))


_ALERTS = table_of(Alert)
_INSERT = (
    insert_into(_ALERTS)
    .on_conflict_do_nothing(index_elements=["kind", "subject"], index_where=_ALERTS.c.ended_at.is_(None))
    .returning(_ALERTS.c.id)
)
