"""The office's screen of a content area: its form, its versions, and a preview of its content in the shop."""

from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import read_tree
from backend.catalog.models import Collection
from backend.content.areas import (
    AREA_NAMES,
    DEFAULT_SECTIONS,
    PLACEHOLDERS,
    AnnouncementBody,
    Area,
    BannerBody,
    Body,
    BrandBody,
    FooterBody,
    HomeBody,
    MailBody,
    ScheduledContent,
    Section,
    SectionKind,
    SlideKind,
)
from backend.content.brand import read_brand
from backend.content.current_content import Announcement, Footer, announcement_view, footer_view
from backend.content.home import SectionView, SlideView, list_section_views, list_slide_views
from backend.content.versions import NO_VERSION, SavedContent, list_content_versions, read_current_version
from backend.core.config.settings import Settings
from backend.core.dates import date_name, short_time_label, time_label, today_in_colombia
from backend.core.db.database import database_now
from backend.core.texts import _
from backend.office.catalog.category_page import list_options
from backend.office.content.area_form import LINE, AreaRow, form_of
from backend.office.content.brand_look import BrandLook, build_look
from backend.office.content.mail_preview import example_mail
from backend.staff.actor_names import actor_names
from backend.staff.rights import Actor, Right


@dataclass(frozen=True, slots=True)
class SavedRow:
    """A version in the list: when it was published, and by which staff member."""

    version: int
    label: str
    saved_by: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class CategoryChoice:
    """A category or a collection to choose. The name of a category includes those of its parents."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class AreaPage:
    """A content area in its editor.

    Attributes:
        version: the number of the current version, which the form shows.
        texts, rows: the values of the form; `blank` is an empty row to add.
        names: variables that the texts of a mail can contain.
    """

    area: str
    title: str
    version: int
    texts: dict[str, str]
    rows: list[AreaRow]
    blank: AreaRow
    categories: list[CategoryChoice]
    versions: list[SavedRow]
    names: str


@dataclass(frozen=True, slots=True)
class AreaPreview:
    """A preview of a content body in the shop.

    Attributes:
        title: the source of the body: the form, an earlier version, or a version that another person published.
        notes: facts that the preview does not show: the days on which the body is displayed, and products that are
            left out.
        version: number of an earlier version; -1 for the content of the form.
    """

    title: str
    announcement: Announcement = field(default_factory=Announcement)
    slides: list[SlideView] = field(default_factory=list)
    sections: list[SectionView] = field(default_factory=list)
    footer: Footer = field(default_factory=Footer)
    notes: list[str] = field(default_factory=list)
    version: int = -1
    mail_subject: str = ""
    mail_page: str = ""
    brand: BrandLook | None = None


@dataclass(frozen=True, slots=True)
class AreaSummary:
    """A content area in the list of areas."""

    area: str
    title: str
    detail: str


BLANKS: dict[Area, str] = {
    Area.BANNER: SlideKind.PRODUCT,
    Area.HOME: SectionKind.EDITORIAL,
    Area.FOOTER: LINE,
}


async def area_summaries(session: AsyncSession, actor: Actor) -> list[AreaSummary]:
    """Return all content areas except the brand, which has its own screen, each with its current version.

    Raises:
        Forbidden: the actor may not see the shop's settings.
    """
    actor.require(Right.READ_SETTINGS)
    saved = [await read_current_version(session, area) for area in Area if area is not Area.BRAND]
    return [AreaSummary(one.area, AREA_NAMES[one.area], _summary_text(one)) for one in saved]


def _summary_text(saved: SavedContent) -> str:
    if saved.version == NO_VERSION or saved.saved_at is None:
        return _("Como viene con la tienda")
    return _("Versión {version}, {when}").format(version=saved.version, when=short_time_label(saved.saved_at))


async def area_page(session: AsyncSession, actor: Actor, area: Area) -> AreaPage:
    """Return the area with its current version in the form.

    Raises:
        Forbidden: the actor may not see the shop's settings.
    """
    actor.require(Right.READ_SETTINGS)
    current = await read_current_version(session, area)
    form = await form_of(session, current.body)
    return AreaPage(
        area=area,
        title=AREA_NAMES[area],
        version=current.version,
        texts=dict(form.texts),
        rows=list(form.rows),
        blank=AreaRow("", BLANKS.get(area, ""), is_added=True),
        categories=await _list_groups(session) if area is Area.HOME else [],
        versions=await list_version_rows(session, current),
        names=", ".join(f"{{{name}}}" for name in PLACEHOLDERS.get(area, ())),
    )


async def _list_groups(session: AsyncSession) -> list[CategoryChoice]:
    """Return the categories and then the collections, as options of a select field."""
    categories = list_options(await read_tree(session))
    collections = await session.execute(
        select(Collection.id, Collection.title).order_by(Collection.title, Collection.id)
    )
    return [
        *(CategoryChoice(one.id, one.label) for one in categories),
        *(CategoryChoice(one, _("Colección: {name}").format(name=name)) for one, name in collections),
    ]


async def list_version_rows(session: AsyncSession, current: SavedContent) -> list[SavedRow]:
    """Return all versions of the content area, newest first. `current` is its current version."""
    versions = await list_content_versions(session, current.area)
    names = await actor_names(session, {one.saved_by for one in versions if one.saved_by})
    return [
        SavedRow(
            one.version,
            time_label(one.saved_at) if one.saved_at else _("Como viene con la tienda"),
            names.get(one.saved_by or "", ""),
            one.version == current.version,
        )
        for one in versions
    ]


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """A content body to preview. `title` and `version` are those of `AreaPreview`."""

    area: Area
    body: Body
    title: str
    version: int = -1


async def preview_content(
    session: AsyncSession, request: PreviewRequest, settings: Settings, effective: Settings
) -> AreaPreview:
    """Return the preview of a content body, even outside its days of display. The notes list these days.

    Args:
        session: for reading the products of the body.
        request: the body.
        settings: settings of the environment, for mails.
        effective: the effective settings, for mails.
    """
    body, title, version = request.body, request.title, request.version
    match body:
        case MailBody():
            subject, page = example_mail(
                settings, effective, await read_brand(session, effective), request.area, body
            )
            return AreaPreview(title, version=version, mail_subject=subject, mail_page=page)
        case AnnouncementBody():
            notes = [] if body.text else [_("Sin texto no hay aviso.")]
            return AreaPreview(
                title,
                announcement=announcement_view(body),
                notes=[*notes, *await _day_notes(session, body, body.text)],
                version=version,
            )
        case BrandBody():
            return AreaPreview(title, brand=build_look(body, effective), version=version)
        case FooterBody():
            return AreaPreview(title, footer=footer_view(body), version=version)
        case HomeBody():
            sections = body.sections or [Section(kind=kind) for kind in DEFAULT_SECTIONS]
            return AreaPreview(title, sections=await list_section_views(session, sections), version=version)
        case BannerBody():
            slides = await list_slide_views(session, body.slides)
            return AreaPreview(
                title, slides=slides, notes=await _slide_notes(session, body, slides), version=version
            )


async def _slide_notes(session: AsyncSession, body: BannerBody, slides: list[SlideView]) -> list[str]:
    shown = {slide.id for slide in slides}
    form = await form_of(session, body)
    notes: list[str] = []
    for slide, row in zip(body.slides, form.rows, strict=True):
        name = row.products[0].title if row.products else row.title
        if slide.kind is SlideKind.PRODUCT and slide.product_id not in shown:
            notes.append(
                _("«{toy}» no se puede comprar ahora: no se ve hasta que se pueda.").format(toy=name)
            )
        notes += await _day_notes(session, slide, name)
    if not any(slide.handle for slide in slides):
        notes.append(_("Mientras ningún producto tuyo se pueda comprar, la tienda pone los suyos."))
    return notes


async def _day_notes(session: AsyncSession, timed: ScheduledContent, name: str) -> list[str]:
    today = today_in_colombia(await database_now(session))
    notes = []
    if timed.starts and timed.starts > today:
        notes.append(_("«{name}» se ve desde el {day}.").format(name=name, day=date_name(timed.starts)))
    if timed.ends and timed.ends >= today:
        notes.append(_("«{name}» se ve hasta el {day}.").format(name=name, day=date_name(timed.ends)))
    elif timed.ends:
        notes.append(_("«{name}» terminó el {day}: no se ve.").format(name=name, day=date_name(timed.ends)))
    return notes
