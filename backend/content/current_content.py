"""What of the content is shown now, by the database's clock."""

from dataclasses import dataclass, field
from datetime import date
from typing import cast

from sqlalchemy import func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.content.areas import (
    OWN_SECTIONS,
    AnnouncementBody,
    Area,
    BannerBody,
    Body,
    FooterBody,
    HomeBody,
    Section,
    Slide,
    read_body,
)
from backend.content.models import ContentVersion
from backend.core.caching.cached_reads import CachedReads
from backend.core.dates import today_in_colombia
from backend.core.db.database import Database, database_now


@dataclass(frozen=True, slots=True)
class Announcement:
    """The line above every page. There is none without a text; without `href` it leads nowhere."""

    text: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of the footer."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Footer:
    """What the office says in the footer; empty where it says nothing."""

    about: str = ""
    title: str = ""
    lines: list[ShownLine] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ShownContent:
    """What is shown now. `slides` and `sections` are empty where the shop chooses itself."""

    announcement: Announcement = field(default_factory=Announcement)
    footer: Footer = field(default_factory=Footer)
    slides: tuple[Slide, ...] = ()
    sections: tuple[Section, ...] = ()


class CurrentContent:
    """The only way to read what the shop's pages say now."""

    def __init__(self, database: Database, probe: CachedReads) -> None:
        self._database = database
        self._probe = probe

    async def now(self) -> ShownContent:
        """What is shown now. Exact on every replica, and seldom read."""
        return await self._probe.cached("content", self._read)

    async def _read(self) -> ShownContent:
        async with self._database.read() as session:
            return await read_shown(session)


async def read_shown(session: AsyncSession) -> ShownContent:
    """What is shown at this moment of the database's clock."""
    newest = select(ContentVersion.area, func.max(ContentVersion.version)).group_by(ContentVersion.area)
    query = select(ContentVersion.area, ContentVersion.body).where(
        tuple_(ContentVersion.area, ContentVersion.version).in_(newest)
    )
    stored = dict((await session.execute(query)).all())
    if not stored:
        return ShownContent()
    bodies = {area: read_body(area, stored[area]) for area in Area if area in stored}
    return shown_on(bodies, today_in_colombia(await database_now(session)))


def shown_on(bodies: dict[Area, Body], day: date) -> ShownContent:
    """What is shown on this day of what the areas say."""
    announcement = cast("AnnouncementBody", bodies.get(Area.ANNOUNCEMENT, AnnouncementBody()))
    footer = cast("FooterBody", bodies.get(Area.FOOTER, FooterBody()))
    banner = cast("BannerBody", bodies.get(Area.BANNER, BannerBody()))
    home = cast("HomeBody", bodies.get(Area.HOME, HomeBody()))
    is_own = [section.kind for section in home.sections] == list(OWN_SECTIONS)
    return ShownContent(
        announcement=announcement_of(announcement) if announcement.is_on(day) else Announcement(),
        footer=footer_of(footer),
        slides=tuple(slide for slide in banner.slides if slide.is_on(day)),
        sections=() if is_own else tuple(home.sections),
    )


def announcement_of(body: AnnouncementBody) -> Announcement:
    """The line as pages show it."""
    return Announcement(body.text, body.link)


def footer_of(body: FooterBody) -> Footer:
    """The footer's part as pages show it."""
    return Footer(body.about, body.title, [ShownLine(line.text, line.link) for line in body.lines])
