"""The schedule of content: a job marks an area as changed when scheduled content begins or ends.

The day in Colombia, by the database's clock, decides which content is shown (`backend.content.current_content`).
Pages are cached until the database reports a change: the job changes a row that is watched for this purpose.
"""

from collections.abc import Iterator
from datetime import date, datetime, timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.content.areas import AnnouncementBody, Area, BannerBody, Body, ScheduledContent, parse_body
from backend.content.models import ContentTurn, ContentVersion
from backend.core.dates import day_begin
from backend.core.db.database import Database, database_now
from backend.jobs import JobRun, RunAgain, enqueue, job

TURN = "content.turn"
"""Kind of the job that runs when scheduled content begins or ends. Its key is the area."""


def list_scheduled_parts(body: Body) -> list[ScheduledContent]:
    """Return the parts of a body that can have a first and a final day: slides of the banner, or the announcement."""
    if isinstance(body, BannerBody):
        return list(body.slides)
    return [body] if isinstance(body, AnnouncementBody) else []


def find_next_turn(body: Body, moment: datetime) -> datetime | None:
    """Return the next time at which a scheduled part of the body begins or ends; None if there is none."""
    return min((turn for turn in _iter_turns(body) if turn > moment), default=None)


def _iter_turns(body: Body) -> Iterator[datetime]:
    for part in list_scheduled_parts(body):
        if part.starts is not None:
            yield day_begin(part.starts)
        if part.ends is not None and part.ends < date.max:
            yield day_begin(part.ends + timedelta(days=1))


async def schedule_turn(session: AsyncSession, area: Area, body: Body) -> None:
    """Schedule `ContentTurns.turn` for the next time at which a part of this body begins or ends.

    Call it after the body was saved.
    """
    moment = await database_now(session)
    if (turn := find_next_turn(body, moment)) is not None:
        await enqueue(session, TURN, key=area, after=turn - moment)


class ContentTurns:
    """Invalidates cached pages when scheduled content begins or ends."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @job(TURN, give_up_after=None)
    async def turn(self, run: JobRun) -> RunAgain | None:
        """Store that scheduled content of the area began or ended, and run again at the next such time.

        An additional run is harmless.
        """
        area = Area(str(run.key))
        async with self._database.transaction() as session:
            moment = await database_now(session)
            await session.merge(ContentTurn(area=area, turned_at=moment))
            newest = select(ContentVersion.body).where(ContentVersion.area == area)
            body = (await session.execute(newest.order_by(ContentVersion.version.desc()).limit(1))).scalar()
        turn = None if body is None else find_next_turn(parse_body(area, body), moment)
        return None if turn is None else RunAgain(turn - moment, reset=True)
