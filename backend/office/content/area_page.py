"""What the office shows of an area of content: its form, every version, and what a body looks like in the shop."""

from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Category, Product, for_sale
from backend.content.areas import (
    AREA_NAMES,
    OWN_SECTIONS,
    PLACEHOLDERS,
    AnnouncementBody,
    Area,
    BannerBody,
    Body,
    FooterBody,
    HomeBody,
    MailBody,
    Section,
    SectionKind,
    SlideKind,
    Timed,
)
from backend.content.current_content import Announcement, Footer, announcement_of, footer_of
from backend.content.home import SectionView, SlideView, sections_of, slides_of
from backend.content.versions import NOTHING, SavedContent, content_versions, current_content
from backend.core.config.settings import Settings
from backend.core.dates import date_name, short_time_label, time_label, today_in_colombia
from backend.core.db.database import database_now
from backend.core.texts import _
from backend.office.content.area_form import LINE, AreaRow, form_of
from backend.office.content.mail_preview import example_mail
from backend.staff.actor_names import names_of
from backend.staff.rights import Actor, Right

MOST_TITLES = 400
"""Titles that a field suggests."""


@dataclass(frozen=True, slots=True)
class SavedRow:
    """A version in the list: when it was published, and by whom."""

    version: int
    label: str
    by: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class CategoryChoice:
    """A category that can be chosen."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class AreaPage:
    """An area to be changed.

    Attributes:
        version: the one in force, which the form shows.
        texts, rows: the form; `blank` is a new row of it.
        known: the ids of the toys that the form names, by their titles.
        titles: of toys, to be suggested.
        names: what the texts of a mail can name.
    """

    area: str
    title: str
    version: int
    texts: dict[str, str]
    rows: list[AreaRow]
    blank: AreaRow
    known: dict[str, str]
    titles: list[str]
    categories: list[CategoryChoice]
    versions: list[SavedRow]
    names: str


@dataclass(frozen=True, slots=True)
class AreaPreview:
    """What a body looks like in the shop.

    Attributes:
        title: which body: what was typed, an earlier version, or what somebody else published.
        notes: what cannot be seen by looking: days, and toys that are left out.
        version: of an earlier version, its number; -1 of what was typed.
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


@dataclass(frozen=True, slots=True)
class AreaSummary:
    """An area in the list of what can be changed."""

    area: str
    title: str
    detail: str


BLANKS: dict[Area, str] = {
    Area.BANNER: SlideKind.TOY,
    Area.HOME: SectionKind.EDITORIAL,
    Area.FOOTER: LINE,
}


async def area_summaries(session: AsyncSession, actor: Actor) -> list[AreaSummary]:
    """Every area, and how it stands.

    Raises:
        Forbidden: the role may not see the shop's settings.
    """
    actor.require(Right.READ_SETTINGS)
    saved = [await current_content(session, area) for area in Area]
    return [AreaSummary(one.area, AREA_NAMES[one.area], _detail(one)) for one in saved]


def _detail(saved: SavedContent) -> str:
    if saved.version == NOTHING or saved.saved_at is None:
        return _("Como viene con la tienda")
    return _("Versión {version}, {when}").format(version=saved.version, when=short_time_label(saved.saved_at))


async def area_page(session: AsyncSession, actor: Actor, area: Area) -> AreaPage:
    """The area as it stands.

    Raises:
        Forbidden: the role may not see the shop's settings.
    """
    actor.require(Right.READ_SETTINGS)
    current = await current_content(session, area)
    form, known = await form_of(session, current.body)
    categories = await session.execute(
        select(Category.id, Category.name).order_by(Category.name, Category.id)
    )
    return AreaPage(
        area=area,
        title=AREA_NAMES[area],
        version=current.version,
        texts=dict(form.texts),
        rows=list(form.rows),
        blank=AreaRow("", BLANKS.get(area, "")),
        known=known,
        titles=await _suggested(session) if area in {Area.BANNER, Area.HOME} else [],
        categories=[CategoryChoice(one, name) for one, name in categories] if area is Area.HOME else [],
        versions=await _versions(session, current),
        names=", ".join(f"{{{name}}}" for name in PLACEHOLDERS.get(area, ())),
    )


async def _suggested(session: AsyncSession) -> list[str]:
    query = select(Product.title).where(for_sale()).order_by(Product.title_key).limit(MOST_TITLES)
    return list(dict.fromkeys((await session.execute(query)).scalars()))


async def _versions(session: AsyncSession, current: SavedContent) -> list[SavedRow]:
    versions = await content_versions(session, current.area)
    people = await names_of(session, {one.saved_by for one in versions if one.saved_by})
    return [
        SavedRow(
            one.version,
            time_label(one.saved_at) if one.saved_at else _("Como viene con la tienda"),
            people.get(one.saved_by or "", ""),
            one.version == current.version,
        )
        for one in versions
    ]


@dataclass(frozen=True, slots=True)
class Looked:
    """What is to be looked at: an area's body, and what it is called. `version`: see `AreaPreview`."""

    area: Area
    body: Body
    title: str
    version: int = -1


async def preview_of(
    session: AsyncSession, looked: Looked, settings: Settings, effective: Settings
) -> AreaPreview:
    """What a body looks like in the shop, days aside: they are in the notes.

    Args:
        session: reads what it names.
        looked: the body.
        settings: those of the environment, for mails.
        effective: the effective settings, for mails.
    """
    body, title, version = looked.body, looked.title, looked.version
    match body:
        case MailBody():
            subject, page = example_mail(settings, effective, looked.area, body)
            return AreaPreview(title, version=version, mail_subject=subject, mail_page=page)
        case AnnouncementBody():
            notes = [] if body.text else [_("Sin texto no hay aviso.")]
            return AreaPreview(
                title,
                announcement=announcement_of(body),
                notes=[*notes, *await _days(session, body, body.text)],
                version=version,
            )
        case FooterBody():
            return AreaPreview(title, footer=footer_of(body), version=version)
        case HomeBody():
            sections = body.sections or [Section(kind=kind) for kind in OWN_SECTIONS]
            return AreaPreview(title, sections=await sections_of(session, sections), version=version)
        case BannerBody():
            slides = await slides_of(session, body.slides)
            return AreaPreview(
                title, slides=slides, notes=await _slide_notes(session, body, slides), version=version
            )


async def _slide_notes(session: AsyncSession, body: BannerBody, slides: list[SlideView]) -> list[str]:
    shown = {slide.id for slide in slides}
    form, _known = await form_of(session, body)
    notes: list[str] = []
    for slide, row in zip(body.slides, form.rows, strict=True):
        name = row.toy or row.title
        if slide.kind is SlideKind.TOY and slide.product_id not in shown:
            notes.append(
                _("«{toy}» no se puede comprar ahora: no se ve hasta que se pueda.").format(toy=name)
            )
        notes += await _days(session, slide, name)
    if not any(slide.handle for slide in slides):
        notes.append(_("Mientras ningún juguete tuyo se pueda comprar, la tienda pone los suyos."))
    return notes


async def _days(session: AsyncSession, timed: Timed, name: str) -> list[str]:
    today = today_in_colombia(await database_now(session))
    notes = []
    if timed.starts and timed.starts > today:
        notes.append(_("«{name}» se ve desde el {day}.").format(name=name, day=date_name(timed.starts)))
    if timed.ends and timed.ends >= today:
        notes.append(_("«{name}» se ve hasta el {day}.").format(name=name, day=date_name(timed.ends)))
    elif timed.ends:
        notes.append(_("«{name}» terminó el {day}: no se ve.").format(name=name, day=date_name(timed.ends)))
    return notes
