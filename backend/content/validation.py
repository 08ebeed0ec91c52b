"""Validation of content before it is saved. Problems are keyed by field: `slides.0.link` is the first slide's link."""

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Category, Collection, Product
from backend.content.areas import (
    DEFAULT_SECTIONS,
    MAX_PARAGRAPH_CHARS,
    MAX_TEXT_CHARS,
    MAX_TITLE_CHARS,
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
    Slide,
    SlideKind,
)
from backend.content.brand_validation import check_brand
from backend.content.links import find_link_problem
from backend.content.placeholders import find_unknown_placeholder
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.media.picture_widths import parse_uploaded_picture

Problems = dict[str, str]


async def validate_content(session: AsyncSession, area: Area, body: Body) -> None:
    """Check that the content of the area is valid.

    Raises:
        InvalidData: it is invalid; `fields` lists the problems.
    """
    problems: Problems = {}
    match body:
        case BannerBody():
            await _check_slides(session, body.slides, problems)
        case AnnouncementBody():
            _check_announcement(body, problems)
        case HomeBody():
            await _check_sections(session, body.sections, problems)
        case FooterBody():
            _check_footer(body, problems)
        case BrandBody():
            problems.update(check_brand(body))
        case MailBody():
            _check_mail(area, body, problems)
    if problems:
        raise InvalidData("The content cannot be shown", fields=problems)


async def _check_slides(session: AsyncSession, slides: list[Slide], problems: Problems) -> None:
    existing_product_ids = await _find_existing_ids(session, Product, (slide.product_id for slide in slides))
    for number, slide in enumerate(slides):
        at = f"slides.{number}."
        _check_days(slide, at, problems)
        _check_length(slide.text, MAX_TEXT_CHARS, f"{at}text", problems)
        if slide.kind is SlideKind.PRODUCT:
            if slide.product_id not in existing_product_ids:
                problems[f"{at}product_id"] = _("Elige un producto de la lista.")
        else:
            _check_picture(slide.picture, slide.alt, at, problems)
            _check_title(slide.title, f"{at}title", problems)
        if slide.link or slide.kind is SlideKind.PICTURE:
            _check_link(slide.link, f"{at}link", problems)


def _check_announcement(body: AnnouncementBody, problems: Problems) -> None:
    _check_days(body, "", problems)
    _check_length(body.text, MAX_TEXT_CHARS, "text", problems)
    if body.link:
        _check_link(body.link, "link", problems)
        if not body.text:
            problems["text"] = _("Escribe el texto.")


async def _check_sections(session: AsyncSession, sections: list[Section], problems: Problems) -> None:
    if not sections:
        return
    if sorted(one.kind for one in sections if one.kind in DEFAULT_SECTIONS) != sorted(DEFAULT_SECTIONS):
        problems["sections"] = _("Cada sección de la tienda va una sola vez.")
    existing_product_ids = await _find_existing_ids(
        session, Product, (one for section in sections for one in section.product_ids)
    )
    categories = await _find_existing_ids(session, Category, (section.category_id for section in sections))
    collections = await _find_existing_ids(
        session, Collection, (section.collection_id for section in sections)
    )
    for number, section in enumerate(sections):
        at = f"sections.{number}."
        if not set(section.product_ids) <= existing_product_ids:
            problems[f"{at}product_ids"] = _("Uno de los productos ya no existe.")
        if section.category_id and section.category_id not in categories:
            problems[f"{at}category_id"] = _("Esta categoría ya no existe.")
        if section.collection_id and section.collection_id not in collections:
            problems[f"{at}collection_id"] = _("Esta colección ya no existe.")
        _check_length(section.title, MAX_TITLE_CHARS, f"{at}title", problems)
        if section.kind is not SectionKind.EDITORIAL:
            continue
        _check_title(section.title, f"{at}title", problems)
        _check_length(section.text, MAX_PARAGRAPH_CHARS, f"{at}text", problems)
        if section.picture:
            _check_picture(section.picture, section.alt, at, problems)
        if section.link or section.label:
            _check_link(section.link, f"{at}link", problems)
            _check_title(section.label, f"{at}label", problems)


def _check_footer(body: FooterBody, problems: Problems) -> None:
    _check_length(body.about, MAX_TEXT_CHARS, "about", problems)
    if body.lines:
        _check_title(body.title, "title", problems)
    for number, line in enumerate(body.lines):
        at = f"lines.{number}."
        _check_length(line.text, MAX_TEXT_CHARS, f"{at}text", problems)
        if not line.text:
            problems[f"{at}text"] = _("Escribe el texto.")
        if line.link:
            _check_link(line.link, f"{at}link", problems)


def _check_mail(area: Area, body: MailBody, problems: Problems) -> None:
    _check_length(body.subject, MAX_TITLE_CHARS, "subject", problems)
    for name in ("opening", "closing"):
        _check_length(getattr(body, name), MAX_PARAGRAPH_CHARS, name, problems)
    for name, text in body:
        if wrong := find_unknown_placeholder(text, PLACEHOLDERS[area]):
            known = ", ".join(f"{{{one}}}" for one in PLACEHOLDERS[area])
            problems[name] = _("{wrong} no es un dato de este correo. Hay: {known}").format(
                wrong=wrong, known=known
            )


async def _find_existing_ids(
    session: AsyncSession, table: type[Product] | type[Category] | type[Collection], ids: Iterable[str]
) -> set[str]:
    given_ids = {one for one in ids if one}
    if not given_ids:
        return set()
    query = select(table.id).where(table.id.in_(given_ids))
    if table is Product:
        query = query.where(Product.deleted_at.is_(None))
    return set((await session.execute(query)).scalars())


def _check_days(scheduled: ScheduledContent, at: str, problems: Problems) -> None:
    if scheduled.starts and scheduled.ends and scheduled.ends < scheduled.starts:
        problems[f"{at}ends"] = _("Termina antes de empezar.")


def _check_title(title: str, at: str, problems: Problems) -> None:
    if not title:
        problems[at] = _("Escribe el texto.")
    _check_length(title, MAX_TITLE_CHARS, at, problems)


def _check_length(text: str, most: int, at: str, problems: Problems) -> None:
    if len(text) > most:
        problems[at] = _("Usa máximo {count} caracteres.").format(count=most)


def _check_link(link: str, at: str, problems: Problems) -> None:
    if problem := find_link_problem(link):
        problems[at] = problem


def _check_picture(picture: str, alt: str, at: str, problems: Problems) -> None:
    if parse_uploaded_picture(picture) is None:
        problems[f"{at}picture"] = _("Esta foto no es de la tienda. Súbela otra vez.")
    _check_length(alt, MAX_TEXT_CHARS, f"{at}alt", problems)
