"""The schedule of content: a job marks it as changed when something begins or ends by itself.

What is shown is decided by the day that the database's clock has in Colombia (`backend.content.current_content`). Pages
are stored until the database says that something changed: the job changes a row that is watched for that.
"""

from collections.abc import Iterator
from datetime import date, datetime, timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.content.areas import AnnouncementBody, Area, BannerBody, Body, Timed, read_body
from backend.content.models import ContentTurn, ContentVersion
from backend.core.dates import day_begin
from backend.core.db.database import Database, database_now
from backend.jobs import JobRun, RunAgain, enqueue, job

TURN = "content.turn"
"""The job; its key is the area."""


def timed_parts(body: Body) -> list[Timed]:
    """What of a body is shown from one day to another."""
    if isinstance(body, BannerBody):
        return list(body.slides)
    return [body] if isinstance(body, AnnouncementBody) else []


def next_turn(body: Body, moment: datetime) -> datetime | None:
    """When something of the body next begins or ends after this moment; None when nothing does."""
    return min((turn for turn in _turns(body) if turn > moment), default=None)


def _turns(body: Body) -> Iterator[datetime]:
    for part in timed_parts(body):
        if part.starts is not None:
            yield day_begin(part.starts)
        if part.ends is not None and part.ends < date.max:
            yield day_begin(part.ends + timedelta(days=1))


async def plan_turn(session: AsyncSession, area: Area, body: Body) -> None:
    """Have the job run when something of this body, which was just saved, begins or ends."""
    moment = await database_now(session)
    if (turn := next_turn(body, moment)) is not None:
        await enqueue(session, TURN, key=area, after=turn - moment)


class ContentTurns:
    """Tells pages that something began or ended."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @job(TURN, give_up_after=None)
    async def turn(self, run: JobRun) -> RunAgain | None:
        """Note that the area turned, and run again when it next does. Told once too often, nothing changes."""
        area = Area(str(run.key))
        async with self._database.transaction() as session:
            moment = await database_now(session)
            await session.merge(ContentTurn(area=area, turned_at=moment))
            newest = select(ContentVersion.body).where(ContentVersion.area == area)
            body = (await session.execute(newest.order_by(ContentVersion.version.desc()).limit(1))).scalar()
        turn = None if body is None else next_turn(read_body(area, body), moment)
        return None if turn is None else RunAgain(turn - moment, reset=True)
