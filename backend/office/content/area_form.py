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
    Slide,
    SlideKind,
    parse_body,
)
from backend.content.validation import validate_content
from backend.core.errors import InvalidData
from backend.media.picture_urls import encode_picture_url
from backend.office.offers.form import parse_day
from backend.office.product_picker import PickerRow, parse_picked_ids, read_rows

TEXTS = ("text", "link", "starts", "ends", "about", "title", "subject", "opening", "closing")
"""Fields that the form has once."""
CELLS = (
    "kind", "picture", "title", "text", "alt", "link", "label", "product_ids", "category_id", "visibility",
    "starts", "ends",
)  # fmt: skip
"""Fields that each row of the form has."""
HIDDEN = "hidden"
COLLECTION_PREFIX = "pcol_"
LINE = "line"
"""Kind of a row of the footer."""
_ROWS = {Area.BANNER: "slides", Area.HOME: "sections", Area.FOOTER: "lines"}
_FIELDS = {"product_id": "product_ids", "collection_id": "category_id"}
"""Form fields by the fields of a body, where the names differ."""


@dataclass(frozen=True, slots=True)
class AreaRow:
    """A row of the form: a slide, a section, or a line of the footer. Fields that its kind does not have are empty.

    Attributes:
        name: name of a section that the shop fills automatically.
        product_ids: ids of a section's products, or of a slide's product, from the product picker, separated by
            spaces.
        products: the products of `product_ids`, as the product picker shows them.
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
    title: str = ""
    text: str = ""
    alt: str = ""
    link: str = ""
    label: str = ""
    product_ids: str = ""
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


async def form_of(session: AsyncSession, body: Body) -> AreaForm:
    """Return the form of a content area, filled with this body."""
    match body:
        case BannerBody():
            products = await read_rows(session, [one.product_id for one in body.slides if one.product_id])
            return AreaForm(
                rows=[_slide_row(one, number, products) for number, one in enumerate(body.slides)]
            )
        case AnnouncementBody():
            return AreaForm(
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
            return AreaForm(rows=[_section_row(one, number, products) for number, one in enumerate(sections)])
        case FooterBody():
            lines = [
                AreaRow(f"row-{number}", LINE, text=one.text, link=one.link)
                for number, one in enumerate(body.lines)
            ]
            return AreaForm({"about": body.about, "title": body.title}, lines)
        case BrandBody() | MailBody():
            return AreaForm(body.model_dump())


async def read_form(session: AsyncSession, area: Area, form: AreaForm) -> Body:
    """Parse the form.

    Args:
        session: for reading the products that the form names.
        area: the area of the form.
        form: the typed values.

    Raises:
        InvalidData: the form is invalid; `fields` has the errors by field name, such as `link-row-0`.
    """
    problems: dict[str, str] = {}
    raw = _read_fields(area, form, problems)
    try:
        body = parse_body(area, raw)
        await validate_content(session, area, body)
    except InvalidData as error:
        # for invalid days and too many products, the messages of `problems` are more precise
        problems = {_field(path, form.rows): problem for path, problem in error.fields.items()} | problems
    if problems:
        raise InvalidData("The form is invalid", fields=problems)
    return body


def _field(path: str, rows: Sequence[AreaRow]) -> str:
    parts = path.split(".")
    if len(parts) == 3 and parts[1].isdigit() and int(parts[1]) < len(rows):
        return f"{_FIELDS.get(parts[2], parts[2])}-{rows[int(parts[1])].key}"
    return "rows" if path in _ROWS.values() else path


def _read_fields(area: Area, form: AreaForm, problems: dict[str, str]) -> dict[str, object]:
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
            return {"slides": [_raw_slide(row, problems) for row in form.rows]}
        case Area.HOME:
            return {"sections": [_raw_section(row, problems) for row in form.rows]}
        case _mail:
            return {name: texts.get(name, "") for name in ("subject", "opening", "closing")}


def _raw_slide(row: AreaRow, problems: dict[str, str]) -> dict[str, object]:
    common = {"kind": row.kind, "text": row.text, "link": row.link}
    days = _typed_days(row.starts, row.ends, f"-{row.key}", problems)
    if row.kind == SlideKind.PICTURE:
        return {**common, **days, "picture": row.picture, "alt": row.alt, "title": row.title}
    return {**common, **days, "product_id": next(iter(_picked_ids(row, 1, problems)), "")}


def _picked_ids(row: AreaRow, maximum: int, problems: dict[str, str]) -> list[str]:
    try:
        return parse_picked_ids(row.product_ids, maximum)
    except InvalidData as error:
        problems[f"product_ids-{row.key}"] = error.staff_text
        return []


def _raw_section(row: AreaRow, problems: dict[str, str]) -> dict[str, object]:
    ids = _picked_ids(row, MAX_SECTION_PRODUCTS, problems)
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


def _slide_row(slide: Slide, number: int, products: Mapping[str, PickerRow]) -> AreaRow:
    chosen = products.get(slide.product_id)
    return AreaRow(
        key=f"row-{number}",
        kind=slide.kind,
        picture=slide.picture,
        src=encode_picture_url(slide.picture),
        title=slide.title,
        text=slide.text,
        alt=slide.alt,
        link=slide.link,
        product_ids=chosen.id if chosen else "",
        products=[chosen] if chosen else [],
        starts=_format_day(slide.starts),
        ends=_format_day(slide.ends),
    )


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
        product_ids=" ".join(one.id for one in chosen),
        products=chosen,
        category_id=section.category_id or section.collection_id,
        visibility=HIDDEN if section.is_hidden else "",
    )
