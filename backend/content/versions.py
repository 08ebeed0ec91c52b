"""Saving content: each save is a version, an earlier one comes back as a new one, and nobody's save is lost."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.content.areas import BODIES, Area, Body, as_stored, read_body
from backend.content.models import ContentVersion
from backend.content.schedule import plan_turn
from backend.content.validation import check
from backend.core.errors import Conflict, NotFound
from backend.staff.rights import Actor, Right

NOTHING = 0
"""The version of an area in which the office said nothing yet."""


@dataclass(frozen=True, slots=True)
class SavedContent:
    """A version of an area. `saved_at` and `saved_by` are None for `NOTHING`."""

    area: Area
    version: int
    body: Body
    saved_at: datetime | None = None
    saved_by: str | None = None


async def current_content(session: AsyncSession, area: Area) -> SavedContent:
    """The version of the area that is in force."""
    newest = select(ContentVersion).where(ContentVersion.area == area)
    row = (
        await session.execute(newest.order_by(ContentVersion.version.desc()).limit(1))
    ).scalar_one_or_none()
    return _saved(row) if row is not None else SavedContent(area, NOTHING, BODIES[area]())


async def read_content(session: AsyncSession, area: Area, version: int) -> SavedContent:
    """One version of the area.

    Raises:
        NotFound: there is none with this number.
    """
    if version == NOTHING:
        return SavedContent(area, NOTHING, BODIES[area]())
    query = select(ContentVersion).where(ContentVersion.area == area, ContentVersion.version == version)
    row = (await session.execute(query)).scalar_one_or_none()
    if row is None:
        raise NotFound(f"{area} has no version {version}")
    return _saved(row)


async def content_versions(session: AsyncSession, area: Area) -> list[SavedContent]:
    """Every version of the area, the newest first."""
    query = select(ContentVersion).where(ContentVersion.area == area).order_by(ContentVersion.version.desc())
    rows = (await session.execute(query)).scalars()
    return [*map(_saved, rows), SavedContent(area, NOTHING, BODIES[area]())]


async def save_content(
    session: AsyncSession, actor: Actor, area: Area, body: Body, *, seen: int
) -> SavedContent:
    """Let the area say this from now on, as a new version. What it says already changes nothing.

    Args:
        actor: who saves it.
        area: which area.
        body: what it is to say.
        seen: the version that was in force when the caller looked.

    Raises:
        Forbidden: the role may not change content.
        InvalidData: it cannot be shown; `fields` says why.
        Conflict: somebody saved another version meanwhile.
    """
    actor.require(Right.CHANGE_CONTENT)
    await check(session, area, body)
    before = await _still(session, area, seen)
    return before if body == before.body else await _add(session, actor, before, body, "changed")


async def restore_content(
    session: AsyncSession, actor: Actor, area: Area, version: int, *, seen: int
) -> SavedContent:
    """Put what an earlier version said into force again, as a new version.

    What it shows may be gone meanwhile: a toy that is no longer there is left out, as of any version.

    Raises:
        Forbidden: the role may not change content.
        NotFound: there is no such version.
        Conflict: somebody saved another version meanwhile.
    """
    actor.require(Right.CHANGE_CONTENT)
    earlier, before = await read_content(session, area, version), await _still(session, area, seen)
    return await _add(session, actor, before, earlier.body, "content restored")


async def _still(session: AsyncSession, area: Area, seen: int) -> SavedContent:
    before = await current_content(session, area)
    if before.version != seen:
        raise Conflict(f"{area} has version {before.version} now")
    return before


async def _add(
    session: AsyncSession, actor: Actor, before: SavedContent, body: Body, action: str
) -> SavedContent:
    row = ContentVersion(
        area=before.area, version=before.version + 1, body=as_stored(body), created_by=actor.id
    )
    await record(session, actor, action, Subject(Thing.CONTENT, before.area))
    try:
        async with session.begin_nested():
            session.add(row)
    except IntegrityError:
        raise Conflict(f"{before.area} was saved by somebody else just now") from None
    await plan_turn(session, before.area, body)
    return _saved(row)


def _saved(row: ContentVersion) -> SavedContent:
    area = Area(row.area)
    return SavedContent(area, row.version, read_body(area, row.body), row.created_at, row.created_by)
