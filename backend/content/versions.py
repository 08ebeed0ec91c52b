"""Versions of content: each save or restore adds a version, and a concurrent save is refused."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, func, select, tuple_
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.content.areas import BODIES, Area, Body, parse_body, to_stored_json
from backend.content.models import ContentVersion
from backend.content.schedule import schedule_turn
from backend.content.validation import validate_content
from backend.core.errors import Conflict, NotFound
from backend.staff.rights import Actor, Right

NO_VERSION = 0
"""The version of an area before the office has saved any content."""


def right_to_change(area: Area) -> Right:
    """Return the right that is required to change the area."""
    return Right.CHANGE_BRAND if area is Area.BRAND else Right.CHANGE_CONTENT


@dataclass(frozen=True, slots=True)
class SavedContent:
    """A version of an area. `saved_at` and `saved_by` are None for `NO_VERSION`."""

    area: Area
    version: int
    body: Body
    saved_at: datetime | None = None
    saved_by: str | None = None


async def read_current_version(session: AsyncSession, area: Area) -> SavedContent:
    """Return the current version of the area."""
    (current,) = await read_current_versions(session, [area])
    return current


async def read_current_versions(session: AsyncSession, areas: Sequence[Area]) -> list[SavedContent]:
    """Return the current version of each area, in the order of `areas`."""
    rows = {row.area: row for row in (await session.execute(_NEWEST, {"areas": areas})).scalars()}
    return [
        _to_saved_content(rows[area]) if area in rows else SavedContent(area, NO_VERSION, BODIES[area]())
        for area in areas
    ]


_NEWEST = select(ContentVersion).where(
    tuple_(ContentVersion.area, ContentVersion.version).in_(
        select(ContentVersion.area, func.max(ContentVersion.version))
        .where(ContentVersion.area.in_(bindparam("areas", expanding=True)))
        .group_by(ContentVersion.area)
    )
)


async def read_content(session: AsyncSession, area: Area, version: int) -> SavedContent:
    """Return one version of the area.

    Raises:
        NotFound: there is no such version.
    """
    if version == NO_VERSION:
        return SavedContent(area, NO_VERSION, BODIES[area]())
    query = select(ContentVersion).where(ContentVersion.area == area, ContentVersion.version == version)
    row = (await session.execute(query)).scalar_one_or_none()
    if row is None:
        raise NotFound(f"{area} has no version {version}")
    return _to_saved_content(row)


async def list_content_versions(session: AsyncSession, area: Area) -> list[SavedContent]:
    """Return every version of the area, newest first."""
    query = select(ContentVersion).where(ContentVersion.area == area).order_by(ContentVersion.version.desc())
    rows = (await session.execute(query)).scalars()
    return [*map(_to_saved_content, rows), SavedContent(area, NO_VERSION, BODIES[area]())]


async def save_content(
    session: AsyncSession, actor: Actor, area: Area, body: Body, *, seen: int
) -> SavedContent:
    """Save the content as a new version of the area. Unchanged content adds no version.

    Args:
        actor: the staff member who saves it.
        area: the area.
        body: the new content.
        seen: the version that was current when the caller read the area.

    Raises:
        Forbidden: the role may not change this area.
        InvalidData: the content is invalid; `fields` lists the problems.
        Conflict: another version was saved in the meantime.
    """
    actor.require(right_to_change(area))
    await validate_content(session, area, body)
    before = await _require_unchanged(session, area, seen)
    return before if body == before.body else await _add_version(session, actor, before, body, "changed")


async def restore_content(
    session: AsyncSession, actor: Actor, area: Area, version: int, *, seen: int
) -> SavedContent:
    """Save the content of an earlier version again, as a new version.

    Products of the version that no longer exist are not shown.

    Raises:
        Forbidden: the role may not change this area.
        NotFound: there is no such version.
        Conflict: another version was saved in the meantime.
    """
    actor.require(right_to_change(area))
    earlier, before = (
        await read_content(session, area, version),
        await _require_unchanged(session, area, seen),
    )
    return await _add_version(session, actor, before, earlier.body, "content restored")


async def _require_unchanged(session: AsyncSession, area: Area, seen: int) -> SavedContent:
    before = await read_current_version(session, area)
    if before.version != seen:
        raise Conflict(f"{area} has version {before.version} now")
    return before


async def _add_version(
    session: AsyncSession, actor: Actor, before: SavedContent, body: Body, action: str
) -> SavedContent:
    row = ContentVersion(
        area=before.area, version=before.version + 1, body=to_stored_json(body), created_by=actor.id
    )
    await record(session, actor, action, Subject(SubjectType.CONTENT, before.area))
    try:
        async with session.begin_nested():
            session.add(row)
    except IntegrityError:
        raise Conflict(f"{before.area} was just saved by another staff member") from None
    await schedule_turn(session, before.area, body)
    return _to_saved_content(row)


def _to_saved_content(row: ContentVersion) -> SavedContent:
    area = Area(row.area)
    return SavedContent(area, row.version, parse_body(area, row.body), row.created_at, row.created_by)
