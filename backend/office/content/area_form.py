"""The form of a content area: fill it from the stored content (`Body`), and parse it to a `Body`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from sqlalchemy.ext.asyncio import AsyncSession

from backend.content.areas import (
    DEFAULT_SECTIONS,
    MAX_SECTION_PRODUCTS,
    SECTION_NAMES,
    AnnouncementBody,
    Area,
    BannerBody,
    Body,
    BrandBody,
    FooterBody,
    HomeBody,
    MailBody,
    Section,
    SlideKind,
    parse_body,
)
from backend.content.validation import validate_content
from backend.core.errors import InvalidData
from backend.media.picture_urls import encode_picture_url
from backend.office.offers.form import parse_day
from backend.office.product_names import find_products_by_name, read_form_names
from backend.office.product_picker import PickerRow, parse_picked_ids, read_rows

TEXTS = ("text", "link", "starts", "ends", "about", "title", "subject", "opening", "closing")
"""Fields that the form has once."""
CELLS = (
    "kind", "picture", "toy", "title", "text", "alt", "link", "label", "toys", "category_id", "visibility", "starts",
    "ends",
)  # fmt: skip
"""Fields that each row of the form has."""
HIDDEN = "hidden"
COLLECTION_PREFIX = "pcol_"
LINE = "line"
"""Kind of a row of the footer."""
_ROWS = {Area.BANNER: "slides", Area.HOME: "sections", Area.FOOTER: "lines"}
_FIELDS = {"product_id": "toy", "product_ids": "toys", "collection_id": "category_id"}
"""Form fields by the fields of a body, where the names differ."""


@dataclass(frozen=True, slots=True)
class AreaRow:
    """A row of the form: a slide, a section, or a line of the footer. Fields that its kind does not have are empty.

    Attributes:
        name: name of a section that the shop fills automatically.
        toy: title or code of a product.
        toys: ids of the products of a section, separated by spaces: the value of a product picker.
        products: the same products, for the picker.
        category_id: id of a category or a collection.
        visibility: `HIDDEN` for a hidden section.
        src: URL of the picture.
        is_added: True if it is not saved yet.
    """

    key: str
    kind: str = ""
    name: str = ""
    picture: str = ""
    src: str = ""
    toy: str = ""
    title: str = ""
    text: str = ""
    alt: str = ""
    link: str = ""
    label: str = ""
    toys: str = ""
    category_id: str = ""
    visibility: str = ""
    starts: str = ""
    ends: str = ""
    is_added: bool = False
    products: list[PickerRow] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class AreaForm:
    """Values of the form, as texts."""

    texts: Mapping[str, str] = field(default_factory=dict)
    rows: Sequence[AreaRow] = ()


async def form_of(session: AsyncSession, body: Body) -> tuple[AreaForm, dict[str, str]]:
    """Return the form filled with a content body, and the ids of the body's products by their names in the form."""
    names = await _read_names(session, body)
    match body:
        case BannerBody():
            rows = [
                AreaRow(
                    key=f"row-{number}",
                    kind=one.kind,
                    picture=one.picture,
                    src=encode_picture_url(one.picture),
                    toy=names.get(one.product_id, ""),
                    title=one.title,
                    text=one.text,
                    alt=one.alt,
                    link=one.link,
                    starts=_format_day(one.starts),
                    ends=_format_day(one.ends),
                )
                for number, one in enumerate(body.slides)
            ]
            form = AreaForm(rows=rows)
        case AnnouncementBody():
            form = AreaForm(
                {
                    "text": body.text,
                    "link": body.link,
                    "starts": _format_day(body.starts),
                    "ends": _format_day(body.ends),
                }
            )
        case HomeBody():
            sections = body.sections or [Section(kind=kind) for kind in DEFAULT_SECTIONS]
            products = await read_rows(session, [one for some in sections for one in some.product_ids])
            form = AreaForm(rows=[_section_row(one, number, products) for number, one in enumerate(sections)])
        case FooterBody():
            lines = [
                AreaRow(f"row-{number}", LINE, text=one.text, link=one.link)
                for number, one in enumerate(body.lines)
            ]
            form = AreaForm({"about": body.about, "title": body.title}, lines)
        case BrandBody() | MailBody():
            form = AreaForm(body.model_dump())
    return form, {name: product_id for product_id, name in names.items()}


async def read_form(session: AsyncSession, area: Area, form: AreaForm, known: Mapping[str, str]) -> Body:
    """Parse the form.

    Args:
        session: for reading the products that the form names.
        area: the area of the form.
        form: the typed values.
        known: ids of the products that the form showed, by their names in the form.

    Raises:
        InvalidData: the form is invalid; `fields` has the errors by the form's fields: `link-row-0`, `text`.
    """
    problems: dict[str, str] = {}
    raw = await _read_fields(session, area, form, known, problems)
    try:
        body = parse_body(area, raw)
        await validate_content(session, area, body)
    except InvalidData as error:
        # for invalid days and unknown products, the messages of `problems` are more precise
        problems = {_field(path, form.rows): problem for path, problem in error.fields.items()} | problems
    if problems:
        raise InvalidData("The form is invalid", fields=problems)
    return body


def _field(path: str, rows: Sequence[AreaRow]) -> str:
    parts = path.split(".")
    if len(parts) == 3 and parts[1].isdigit() and int(parts[1]) < len(rows):
        return f"{_FIELDS.get(parts[2], parts[2])}-{rows[int(parts[1])].key}"
    return "rows" if path in _ROWS.values() else path


async def _read_fields(
    session: AsyncSession, area: Area, form: AreaForm, known: Mapping[str, str], problems: dict[str, str]
) -> dict[str, object]:
    texts = form.texts
    match area:
        case Area.ANNOUNCEMENT:
            return {
                "text": texts.get("text", ""),
                "link": texts.get("link", ""),
                **_typed_days(texts.get("starts", ""), texts.get("ends", ""), "", problems),
            }
        case Area.FOOTER:
            lines = [{"text": row.text, "link": row.link} for row in form.rows]
            return {"about": texts.get("about", ""), "title": texts.get("title", ""), "lines": lines}
        case Area.BANNER:
            return {"slides": [await _raw_slide(session, row, known, problems) for row in form.rows]}
        case Area.HOME:
            return {"sections": [_raw_section(row, problems) for row in form.rows]}
        case _mail:
            return {name: texts.get(name, "") for name in ("subject", "opening", "closing")}


async def _raw_slide(
    session: AsyncSession, row: AreaRow, known: Mapping[str, str], problems: dict[str, str]
) -> dict[str, object]:
    common = {"kind": row.kind, "text": row.text, "link": row.link}
    days = _typed_days(row.starts, row.ends, f"-{row.key}", problems)
    if row.kind == SlideKind.PICTURE:
        return {**common, **days, "picture": row.picture, "alt": row.alt, "title": row.title}
    ids, problem = await find_products_by_name(session, [row.toy], known)
    if problem:
        problems[f"toy-{row.key}"] = problem
    return {**common, **days, "product_id": next(iter(ids), "")}


def _raw_section(row: AreaRow, problems: dict[str, str]) -> dict[str, object]:
    ids: list[str] = []
    try:
        ids = parse_picked_ids(row.toys, MAX_SECTION_PRODUCTS)
    except InvalidData as error:
        problems[f"toys-{row.key}"] = error.staff_text
    names = ("kind", "title", "text", "picture", "alt", "link", "label")
    group = "collection_id" if row.category_id.startswith(COLLECTION_PREFIX) else "category_id"
    common: dict[str, object] = {name: getattr(row, name) for name in names}
    return {**common, "is_hidden": row.visibility == HIDDEN, "product_ids": ids, group: row.category_id}


def _typed_days(starts: str, ends: str, row: str, problems: dict[str, str]) -> dict[str, object]:
    return {
        "starts": parse_day(starts, f"starts{row}", problems),
        "ends": parse_day(ends, f"ends{row}", problems),
    }


def _format_day(day: date | None) -> str:
    return day.isoformat() if day else ""


def _section_row(section: Section, number: int, products: Mapping[str, PickerRow]) -> AreaRow:
    chosen = [products[one] for one in section.product_ids if one in products]
    return AreaRow(
        key=f"row-{number}",
        kind=section.kind,
        name=SECTION_NAMES.get(section.kind, ""),
        picture=section.picture,
        src=encode_picture_url(section.picture) if section.picture else "",
        title=section.title,
        text=section.text,
        alt=section.alt,
        link=section.link,
        label=section.label,
        toys=" ".join(one.id for one in chosen),
        products=chosen,
        category_id=section.category_id or section.collection_id,
        visibility=HIDDEN if section.is_hidden else "",
    )


async def _read_names(session: AsyncSession, body: Body) -> dict[str, str]:
    """Return the names that the products of slides have in the form, by their ids."""
    slides = body.slides if isinstance(body, BannerBody) else []
    product_ids = [one.product_id for one in slides if one.product_id]
    return await read_form_names(session, product_ids) if product_ids else {}
