"""Views of a product import: the changes that it would make or has made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.columns import OPTIONS, PICTURE_COLUMNS
from backend.catalog.importer.formats.mapping import MAPPABLE_COLUMNS, find_contested
from backend.catalog.importer.formats.models import ColumnSuggestion
from backend.catalog.importer.headings import get_label
from backend.core.money import format_cop
from backend.core.texts import _, format_count
from backend.imports.api.routes import PATH
from backend.imports.models import ImportStatus, ProductImport
from backend.imports.picture_report import PictureReport
from backend.imports.reports import (
    ImportReport,
    find_newest_import,
    list_unfinished_imports,
    read_report,
)
from backend.imports.row_pages import PAGE_SIZE, CellMessage, RowList
from backend.staff.rights import Actor, Right

FORMAT_TEXTS: dict[str, str] = {
    "shopify": _("Archivo de Shopify"),
    "woocommerce": _("Archivo de WooCommerce"),
    "prestashop": _("Archivo de PrestaShop"),
    "google": _("Archivo de Google Merchant"),
    "mercadolibre": _("Archivo de Mercado Libre"),
    "platform": _("Archivo de la plataforma"),
    "trompo": _("Plantilla de la tienda"),
    "unknown": _("Lista propia"),
}
"""Names of the formats of product files."""
STATUS_TEXTS: dict[ImportStatus, str] = {
    ImportStatus.CHECKED: _("Vista previa: nada guardado"),
    ImportStatus.RUNNING: _("Importando…"),
    ImportStatus.STOPPED: _("Detenida"),
    ImportStatus.DONE: _("Importado"),
}
PRICES = frozenset({"price", "compare_at_price", "cost"})
LEFT_OUT = "-"
"""Form value of a column that is not imported."""
COLUMN_LABELS = {LEFT_OUT: _("No importar"), **{name: get_label(name) for name in MAPPABLE_COLUMNS}}
"""Labels of the importer's columns that can be chosen for a column of a file with an unknown format."""
EMPTY_VALUE = _("nada")
MAX_VALUE_LENGTH = 80
"""Maximum number of characters of a value."""


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A value of a product before and after the import."""

    column: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class RowView:
    """A spreadsheet row that creates or changes a product."""

    line: int
    title: str
    is_new: bool
    changes: list[ChangeView]
    losses: str


@dataclass(frozen=True, slots=True)
class TextView:
    """A sentence about a part of the file, such as the problem of a cell or a row that is not imported."""

    key: str
    place: str
    text: str


@dataclass(frozen=True, slots=True)
class ColumnView:
    """A column of a file with an unknown format.

    `column` is the product field that it fills. `samples` has three of its values.
    """

    place: int
    heading: str
    samples: str
    column: str


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """A possible answer to a `QuestionView`: a column of the file that may contain the values of `column`."""

    place: int
    column: str
    heading: str
    samples: str


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question to the staff member, such as: which column of the file contains the price?"""

    key: str
    text: str
    choices: list[ChoiceView]


@dataclass(frozen=True, slots=True)
class UnfinishedView:
    """An unfinished import that is not the one on the screen. `state` is its status and progress in words."""

    id: str
    name: str
    is_stopped: bool
    state: str


@dataclass(frozen=True, slots=True)
class PagerView:
    """The position of a page in a list of rows.

    Attributes:
        text: the position in words; empty if the list has only one page.
        before: number of the previous page, from 0; -1 if there is none.
        after: number of the next page; -1 if there is none.
    """

    text: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class ImportView:
    """An import.

    Attributes:
        status: `checked`, `running`, `stopped` or `done`; `status_text` in words.
        total: number of rows.
        settled: number of rows that are finished.
        summary: number of rows by their result, in words.
        to_write: number of rows that create or change a product.
        refused: number of rows that are not imported.
        makes_places: True if missing categories, collections, tags and types are created.
        progress: number of finished rows and of all rows, in words.
        problems_pager: position of the shown problems in the list of all problems. `notes_pager` and `rows_pager`
            are the positions in the lists of notes and of changed rows.
        format: name of the recognised format, and of the file's sheet.
        losses: number of existing values that the import would delete, by column, in words; empty if there are
            none.
        codes: changed SKUs and bar codes.
        publishes: True if new products without a status are published.
        notes: cells whose imported value differs from the written text; `file_notes` are about the whole file.
        set_aside: rows and sheets that are not imported; `set_aside_count` in words.
        pictures: sentences about the uploaded pictures.
        mapping: the columns of a file with an unknown format; a person must answer the `questions` about them
            first.
    """

    id: str
    name: str
    status: str
    status_text: str
    total: int
    settled: int
    progress: str
    summary: str
    to_write: int
    refused: int
    makes_places: bool
    misses_places: bool
    ignored: str
    problems: list[TextView]
    problems_pager: PagerView
    rows: list[RowView]
    rows_pager: PagerView
    refused_href: str
    format: str
    losses: str
    codes: list[TextView]
    publishes: bool
    new_count: int
    file_notes: list[str]
    notes: list[TextView]
    notes_count: str
    notes_pager: PagerView
    set_aside: list[TextView]
    set_aside_count: str
    pictures: list[str]
    mapping: list[ColumnView]
    questions: list[QuestionView]


async def import_view(
    session: AsyncSession, actor: Actor, pages: Mapping[str, int], opened_id: str = ""
) -> ImportView | None:
    """Return the opened import, or else the actor's newest; None if there is none, or if the actor may not import.

    Args:
        session: the session.
        actor: the staff member.
        pages: for each list of rows (`backend.imports.row_pages.RowList`), the number of the shown page, from 0.
        opened_id: id of an import that the actor opened.

    Raises:
        Forbidden: the actor may not see the catalogue.
    """
    actor.require(Right.READ_CATALOG)
    if not actor.may(Right.CHANGE_CATALOG):
        return None
    is_there = opened_id and await session.get(ProductImport, opened_id) is not None
    import_id = opened_id if is_there else await find_newest_import(session, actor)
    if not import_id:
        return None
    offsets = {kind: pages.get(kind, 0) * PAGE_SIZE for kind in RowList}
    return _import_view(await read_report(session, actor, import_id, offsets), pages)


async def unfinished_views(session: AsyncSession, actor: Actor, shown_id: str) -> list[UnfinishedView]:
    """Return the unfinished imports except the one with `shown_id`; an empty list if the actor may not import."""
    if not actor.may(Right.CHANGE_CATALOG):
        return []
    return [
        UnfinishedView(
            one.id,
            one.name,
            one.status is ImportStatus.STOPPED,
            " · ".join([STATUS_TEXTS[one.status], _progress_text(one.settled, one.total)]),
        )
        for one in await list_unfinished_imports(session, actor)
        if one.id != shown_id
    ]


def _import_view(found: ImportReport, pages: Mapping[str, int]) -> ImportView:
    counts = found.counts
    is_checked = found.status is ImportStatus.CHECKED
    bad = counts.wrong if is_checked else counts.refused
    moving = counts.new + counts.changed
    if is_checked:
        parts = [
            (counts.new, _("1 nuevo"), _("{n} nuevos")),
            (counts.changed, _("1 cambia"), _("{n} cambian")),
            (counts.same, _("1 ya está así"), _("{n} ya están así")),
            (bad, _("1 por corregir"), _("{n} por corregir")),
        ]
    else:
        parts = [
            (counts.settled - bad - counts.partial, _("1 listo"), _("{n} listos")),
            (counts.partial, _("1 sin todas sus fotos"), _("{n} sin todas sus fotos")),
            (bad, _("1 no se importó"), _("{n} no se importaron")),
        ]
    return ImportView(
        id=found.id,
        name=found.name,
        status=found.status.value,
        status_text=STATUS_TEXTS[found.status],
        total=found.total,
        settled=counts.settled,
        progress=_progress_text(counts.settled, found.total),
        summary=" · ".join(
            one if count == 1 else many.format(n=count) for count, one, many in parts if count
        ),
        to_write=moving,
        refused=bad,
        makes_places=found.makes_places,
        misses_places=found.makes_places or found.misses_places,
        ignored=", ".join(found.ignored),
        problems=[
            TextView(
                f"{one.line} {one.column} {one.code} {number}",
                _place_text(found, one),
                f"«{one.value}»: {one.text}" if one.value else one.text,
            )
            for number, one in enumerate(found.problems)
        ],
        problems_pager=_pager_view(pages, RowList.PROBLEMS, bad + (0 if is_checked else counts.partial)),
        rows=[
            RowView(
                one.line,
                one.title,
                one.is_new,
                [_change_view(change) for change in one.changes],
                ", ".join(map(_column_text, one.losses)),
            )
            for one in found.changes
        ],
        rows_pager=_pager_view(pages, RowList.CHANGES, moving),
        refused_href=f"{PATH}/{found.id}/refused",
        format=" · ".join(
            part
            for part in (
                FORMAT_TEXTS.get(found.format, found.format),
                _("Hoja «{sheet}»").format(sheet=found.sheet) if found.sheet else "",
            )
            if part
        ),
        losses=" · ".join(
            f"{_column_text(column)}: {count}" for column, count in sorted(found.losses.items())
        ),
        codes=[_code_view(one) for one in found.code_changes],
        publishes=found.publishes,
        new_count=counts.new,
        file_notes=list(found.file_notes),
        notes=[
            TextView(f"{one.line} {one.column} {one.code} {number}", _place_text(found, one), one.text)
            for number, one in enumerate(found.notes)
        ],
        notes_count=format_count(found.note_count, _("1 fila con avisos"), _("{n} filas con avisos")),
        notes_pager=_pager_view(pages, RowList.NOTES, found.note_count),
        set_aside=[
            TextView(
                f"{one.line} {number}",
                _("Fila {line}").format(line=one.line) if one.line else _("Hoja"),
                f"{one.text}: {one.message}" if one.text else one.message,
            )
            for number, one in enumerate(found.set_aside)
        ],
        set_aside_count=format_count(
            found.set_aside_count, _("1 fila que no se importa"), _("{n} filas que no se importan")
        ),
        pictures=_picture_texts(found.pictures),
        mapping=[
            ColumnView(
                one.place, one.heading or _("(sin nombre)"), " · ".join(one.samples), one.column or LEFT_OUT
            )
            for one in found.mapping
        ],
        questions=_question_views(found.mapping),
    )


def _progress_text(settled: int, total: int) -> str:
    return _("{done} de {total} filas").format(done=settled, total=total)


def _pager_view(pages: Mapping[str, int], kind: RowList, count: int) -> PagerView:
    page = pages.get(kind, 0)
    first, last = page * PAGE_SIZE + 1, min((page + 1) * PAGE_SIZE, count)
    if count <= PAGE_SIZE and not page:
        return PagerView("", -1, -1)
    text = _("{first} a {last} de {count} filas").format(first=first, last=last, count=count)
    return PagerView(text, page - 1, page + 1 if last < count else -1)


def _question_views(mapping: Sequence[ColumnSuggestion]) -> list[QuestionView]:
    """Return a question for each product field that several columns of the file may fill."""
    return [
        QuestionView(
            column,
            _("¿Qué columna es «{column}»?").format(column=get_label(column)),
            [
                ChoiceView(one.place, column, one.heading, " · ".join(one.samples))
                for one in mapping
                if one.contested == column
            ],
        )
        for column in find_contested(mapping)
    ]


def _place_text(found: ImportReport, message: CellMessage) -> str:
    """Return the position of a message's cell in words: the sheet, the row, and the file's heading of the column."""
    column = message.heading or (get_label(message.column) if message.column else "")
    parts = (found.sheet, _("Fila {line}").format(line=message.line), column)
    return " · ".join(part for part in parts if part)


def _column_text(column: str) -> str:
    return _("Opciones") if column == OPTIONS else get_label(column)


def _code_view(change: Mapping[str, Any]) -> TextView:
    before, after = change["before"], _value_text(change["column"], change["after"])
    column = get_label(change["column"])
    return TextView(
        f"{change['line']} {change['column']}", f"{change['title']} · {column}", f"{before} → {after}"
    )


def _picture_texts(report: PictureReport) -> list[str]:
    """Return sentences about the uploaded pictures.

    They give the number of rows with all their pictures, the missing pictures, and the pictures that no row names.
    """
    texts = []
    if report.row_count:
        texts.append(
            _("Filas con todas sus fotos: {n} de {total}.").format(
                n=report.complete_count, total=report.row_count
            )
        )
    for names, count, text in (
        (report.missing, report.missing_count, _("Faltan {n}: {names}")),
        (report.unnamed, report.unnamed_count, _("Ninguna fila nombra {n}: {names}")),
    ):
        if count:
            texts.append(text.format(n=count, names=", ".join(names) + ("…" if count > len(names) else ".")))
    return texts


def _change_view(change: Mapping[str, Any]) -> ChangeView:
    column = change["column"]
    return ChangeView(
        get_label(column), _value_text(column, change["before"]), _value_text(column, change["after"])
    )


def _value_text(column: str, value: Any) -> str:
    if value in (None, ""):
        return EMPTY_VALUE
    if column in PRICES and isinstance(value, int):
        return format_cop(value)
    if column in PICTURE_COLUMNS:
        return ", ".join(part.rpartition("/")[2] for part in str(value).split("|"))[:MAX_VALUE_LENGTH]
    text = str(value).replace("|", ", ")
    return text if len(text) <= MAX_VALUE_LENGTH else f"{text[:MAX_VALUE_LENGTH]}…"
