"""The daily summary: recorded once a day, at the hour in Colombia that the owner chose."""

from datetime import date, datetime, timedelta

from sqlalchemy import exists, select

from backend.core.dates import TIME_ZONE, day_begin
from backend.core.db.database import Database, database_now
from backend.jobs import JobRun, periodic
from backend.office_settings import NO_SUMMARY, read_summary_hour
from backend.staff.models import Staff
from backend.staff_notices.kinds import NoticeKind
from backend.staff_notices.models import StaffNotice
from backend.staff_notices.recording import record_notice

CHECK_INTERVAL = timedelta(minutes=1)
SAME_DAY_HOUR = 15
"""From this hour on, the summary is about the day itself; before, about the previous day."""


def find_due_day(moment: datetime, hour: int) -> date | None:
    """Return the day whose summary is due at this moment.

    Return None before `hour` (in Colombia), or if `hour` is `NO_SUMMARY`.
    """
    local = moment.astimezone(TIME_ZONE)
    if hour == NO_SUMMARY or local.hour < hour:
        return None
    return local.date() if hour >= SAME_DAY_HOUR else local.date() - timedelta(days=1)


class DailySummary:
    """Job handler that records the daily summary as a notice."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic("staff_notices.summary", every=CHECK_INTERVAL)
    async def record_due(self, _run: JobRun) -> None:
        """Record the summary that is due, unless any replica has already recorded it.

        If no replica was running at the hour, the summary is recorded later on that day. No summary is recorded for
        a day on which the shop had no staff yet.
        """
        async with self._database.read() as session:
            day = find_due_day(await database_now(session), await read_summary_hour(session))
            if day is None:
                return
            known = exists().where(
                StaffNotice.kind == NoticeKind.DAILY_SUMMARY, StaffNotice.subject_id == day.isoformat()
            )
            had_staff = exists().where(Staff.created_at < day_begin(day + timedelta(days=1)))
            is_due = (await session.execute(select(~known & had_staff))).scalar_one()
        if is_due:
            async with self._database.transaction() as session:
                await record_notice(session, NoticeKind.DAILY_SUMMARY, day.isoformat())
