"""Answers about imports: the state of an import, its rows, and the result of an upload of pictures."""

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from backend.edge.wire import Page
from backend.imports.reports import ImportReport
from backend.imports.row_pages import CellMessage, ImportRow


class RowProblem(TypedDict):
    """A problem in the spreadsheet to correct, or a note about a cell whose value was changed when it was read."""

    row: Annotated[int, Field(description="Row number in the spreadsheet.")]
    column: Annotated[
        str, Field(description="The column's name; empty if the problem concerns the whole row.")
    ]
    heading: Annotated[str, Field(description="The file's own heading of the column.")]
    value: Annotated[str, Field(description="The cell; shortened.")]
    code: str
    message: str


class CodeChange(TypedDict):
    """A changed SKU or bar code of an existing variant."""

    row: int
    title: str
    column: str
    before: str
    after: str


class RowSetAside(TypedDict):
    """A row or a sheet that is not imported."""

    line: Annotated[int, Field(description="Row number in the spreadsheet; 0 for a sheet.")]
    reason: str
    text: Annotated[str, Field(description="Its first cells, or the name of the sheet.")]
    message: str


class FileColumn(TypedDict):
    """A column of a spreadsheet in an unknown format, and the importer's column that it is imported as."""

    place: Annotated[int, Field(description="Position in the file, from 0.")]
    heading: str
    samples: list[str]
    column: Annotated[str, Field(description="The column that it is taken for; empty if it is not imported.")]
    contested: Annotated[
        str, Field(description="The column that others may be for, too: the import starts after a choice.")
    ]


class SentPictures(TypedDict):
    """Pictures that the rows name, compared with the uploaded ones. Long lists are cut off; the counts are not."""

    rows: Annotated[int, Field(description="Rows that name pictures.")]
    complete: Annotated[int, Field(description="Rows whose pictures were all found.")]
    missing: list[str]
    missing_count: int
    unnamed: Annotated[list[str], Field(description="Sent pictures that no row names.")]
    unnamed_count: int


class RowChange(TypedDict):
    """A row that creates or changes a product."""

    row: int
    title: str
    is_new: bool
    changes: Annotated[list[dict[str, Any]], Field(description="A list of `column`, `before` and `after`.")]
    losses: Annotated[list[str], Field(description="Columns whose value the row empties or takes away.")]


class ImportOut(TypedDict):
    """State of an import."""

    id: str
    status: Annotated[
        str, Field(description="`checked`: nothing is written yet; `running`; `stopped`; `done`.")
    ]
    total: int
    new: int
    changed: int
    same: int
    wrong: int
    settled: Annotated[int, Field(description="Rows that were written or refused.")]
    partial: Annotated[
        int, Field(description="Rows that were written without a picture that could not be downloaded.")
    ]
    refused: int
    format: Annotated[
        str,
        Field(
            description="The program that wrote the file: `shopify`, `woocommerce`, `prestashop`, `google`, "
            "`mercadolibre`, `platform`, `trompo` or `unknown`."
        ),
    ]
    sheet: Annotated[str, Field(description="The imported sheet; empty for a text file.")]
    publish: Annotated[
        bool, Field(description="True if new products without a status are published; else they are drafts.")
    ]
    losses: Annotated[
        int,
        Field(
            description="Values of existing products that the import would empty or take away. If there are any, "
            "it starts only with `confirm_losses`."
        ),
    ]
    losses_by_column: Annotated[dict[str, int], Field(description="Number of rows that lose a value.")]
    code_changes: Annotated[list[CodeChange], Field(description="The first of them.")]
    set_aside: Annotated[list[RowSetAside], Field(description="The first of them.")]
    set_aside_count: int
    file_notes: Annotated[list[str], Field(description="Sentences about the whole file.")]
    notes: Annotated[list[RowProblem], Field(description="The first of them.")]
    pictures: SentPictures
    mapping: Annotated[list[FileColumn], Field(description="Columns of a file with the format `unknown`.")]
    ignored_columns: list[str]
    problems: Annotated[list[RowProblem], Field(description="The first of them.")]
    changes: Annotated[list[RowChange], Field(description="The first of them.")]


class RowOut(RowChange):
    """A row of an import."""

    problems: list[RowProblem]
    notes: list[RowProblem]


class RowsAnswer(Page):
    """A page of an import's rows."""

    rows: list[RowOut]


class ImportAnswer(TypedDict):
    """Response with the state of an import."""

    product_import: ImportOut


class RefusedPicture(TypedDict):
    """A picture that was refused."""

    name: str
    code: str
    message: str


class TakenAnswer(TypedDict):
    """Result of an upload of pictures."""

    taken: int
    refused: list[RefusedPicture]
    left: Annotated[int, Field(description="Pictures of a zip that are not processed yet: send it again.")]


def report_to_wire(found: ImportReport) -> ImportOut:
    """Return the state of an import in the shape of the API."""
    counts = found.counts
    return {
        "id": found.id,
        "status": found.status,
        "total": found.total,
        "new": counts.new,
        "changed": counts.changed,
        "same": counts.same,
        "wrong": counts.wrong,
        "settled": counts.settled,
        "partial": counts.partial,
        "refused": counts.refused,
        "format": found.format,
        "sheet": found.sheet,
        "publish": found.publishes,
        "losses": found.loss_count,
        "losses_by_column": dict(found.losses),
        "code_changes": [
            {
                "row": one["line"],
                "title": one["title"],
                "column": one["column"],
                "before": one["before"],
                "after": one["after"],
            }
            for one in found.code_changes
        ],
        "set_aside": [
            {"line": one.line, "reason": one.reason, "text": one.text, "message": one.message}
            for one in found.set_aside
        ],
        "set_aside_count": found.set_aside_count,
        "file_notes": list(found.file_notes),
        "notes": [_message_to_wire(one) for one in found.notes],
        "pictures": {
            "rows": found.pictures.row_count,
            "complete": found.pictures.complete_count,
            "missing": found.pictures.missing,
            "missing_count": found.pictures.missing_count,
            "unnamed": found.pictures.unnamed,
            "unnamed_count": found.pictures.unnamed_count,
        },
        "mapping": [
            {
                "place": one.place,
                "heading": one.heading,
                "samples": one.samples,
                "column": one.column,
                "contested": one.contested,
            }
            for one in found.mapping
        ],
        "ignored_columns": list(found.ignored),
        "problems": [_message_to_wire(one) for one in found.problems],
        "changes": [_change_to_wire(one) for one in found.changes],
    }


def _change_to_wire(one: ImportRow) -> RowChange:
    return {
        "row": one.line,
        "title": one.title,
        "is_new": one.is_new,
        "changes": list(one.changes),
        "losses": list(one.losses),
    }


def row_to_wire(one: ImportRow) -> RowOut:
    """Return a row of an import in the shape of the API."""
    return {
        **_change_to_wire(one),
        "problems": [_message_to_wire(problem) for problem in one.problems],
        "notes": [_message_to_wire(note) for note in one.notes],
    }


def _message_to_wire(one: CellMessage) -> RowProblem:
    return {
        "row": one.line,
        "column": one.column,
        "heading": one.heading,
        "value": one.value,
        "code": one.code,
        "message": one.text,
    }
