"""Content that is visible now, by the database's clock."""

from dataclasses import dataclass, field
from datetime import date
from typing import cast

from sqlalchemy import func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.content.areas import (
    DEFAULT_SECTIONS,
    AnnouncementBody,
    Area,
    BannerBody,
    Body,
    BrandBody,
    FooterBody,
    HomeBody,
    Section,
    Slide,
    parse_body,
)
from backend.content.models import ContentVersion
from backend.core.caching.cached_reads import CachedReads
from backend.core.dates import today_in_colombia
from backend.core.db.database import Database, database_now


@dataclass(frozen=True, slots=True)
class Announcement:
    """The line above every page. It is hidden if it has no text. Without `href` it is plain text, not a link."""

    text: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class FooterLineView:
    """A line of the footer."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Footer:
    """The office's content of the footer; its fields may be empty."""

    about: str = ""
    title: str = ""
    lines: list[FooterLineView] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class VisibleContent:
    """The visible content. `slides` and `sections` are empty if staff chose none: then the shop does."""

    announcement: Announcement = field(default_factory=Announcement)
    footer: Footer = field(default_factory=Footer)
    slides: tuple[Slide, ...] = ()
    sections: tuple[Section, ...] = ()
    brand: BrandBody = field(default_factory=BrandBody)


class CurrentContent:
    """A cache of the visible content. All pages of the shop read the content through it."""

    def __init__(self, database: Database, probe: CachedReads) -> None:
        self._database = database
        self._probe = probe

    async def read_current(self) -> VisibleContent:
        """Return the visible content.

        It is up to date on every replica, and usually needs no query of the content's tables.
        """
        return await self._probe.read_cached("content", self._read)

    async def _read(self) -> VisibleContent:
        async with self._database.read() as session:
            return await read_visible_content(session)


async def read_visible_content(session: AsyncSession) -> VisibleContent:
    """Read the content that is visible now, by the database's clock."""
    newest = select(ContentVersion.area, func.max(ContentVersion.version)).group_by(ContentVersion.area)
    query = select(ContentVersion.area, ContentVersion.body).where(
        tuple_(ContentVersion.area, ContentVersion.version).in_(newest)
    )
    stored = dict((await session.execute(query)).all())
    if not stored:
        return VisibleContent()
    bodies = {area: parse_body(area, stored[area]) for area in Area if area in stored}
    return select_visible_content(bodies, today_in_colombia(await database_now(session)))


def select_visible_content(bodies: dict[Area, Body], day: date) -> VisibleContent:
    """Select the content that is visible on this day."""
    announcement = cast("AnnouncementBody", bodies.get(Area.ANNOUNCEMENT, AnnouncementBody()))
    footer = cast("FooterBody", bodies.get(Area.FOOTER, FooterBody()))
    banner = cast("BannerBody", bodies.get(Area.BANNER, BannerBody()))
    home = cast("HomeBody", bodies.get(Area.HOME, HomeBody()))
    brand = cast("BrandBody", bodies.get(Area.BRAND, BrandBody()))
    is_default = home.sections == [Section(kind=kind) for kind in DEFAULT_SECTIONS]
    return VisibleContent(
        announcement=announcement_view(announcement) if announcement.is_shown_on(day) else Announcement(),
        footer=footer_view(footer),
        slides=tuple(slide for slide in banner.slides if slide.is_shown_on(day)),
        sections=() if is_default else tuple(home.sections),
        brand=brand,
    )


def announcement_view(body: AnnouncementBody) -> Announcement:
    """Convert the announcement for display."""
    return Announcement(body.text, body.link)


def footer_view(body: FooterBody) -> Footer:
    """Convert the footer for display."""
    return Footer(body.about, body.title, [FooterLineView(line.text, line.link) for line in body.lines])
