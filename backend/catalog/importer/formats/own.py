"""The shop's own files and the platform's table of products. An empty cell clears the product's value."""

from backend.catalog.importer.columns import COLUMNS
from backend.catalog.importer.formats.conversion import Draft, build_source_file, join_list
from backend.catalog.importer.formats.models import SourceFile, SourceFormat
from backend.catalog.importer.formats.recognition import NOTE_HEADINGS
from backend.catalog.importer.headings import find_column, find_list_column
from backend.catalog.importer.tables.models import Table
from backend.core.texts import _
from backend.spreadsheet_reader.headings import normalize_heading

PLACEHOLDERS = {
    "option_1": "Default option",
    "value_1": "Default option value",
    "variant_title": "Default variant",
}
"""Texts that the platform writes, by column, for a product without options."""
UNCHANGED = _("(sin cambio)")
"""Text in a file of refused rows for a cell that was missing in the original row. It leaves the value unchanged."""


def convert(table: Table, source_format: SourceFormat) -> SourceFile:
    """Convert a file of the shop or of the platform.

    A list may be spread over several columns of the file, such as `Product Image 1` and `Product Image 2`. Of several
    columns for one value, such as the platform's `Variant Barcode` and `Variant Ean`, the first filled one counts.
    """
    places: dict[str, list[int]] = {}
    numbered: dict[str, list[tuple[int, int]]] = {}
    silent = []
    for place, heading in enumerate(table.headings):
        column = find_column(heading)
        if column:
            places.setdefault(column, []).append(place)
        elif (listed := find_list_column(heading))[0]:
            numbered.setdefault(listed[0], []).append((listed[1], place))
        elif normalize_heading(heading) in NOTE_HEADINGS:
            silent.append(place)
    for column, pairs in numbered.items():
        places.setdefault(column, []).extend(place for _number, place in sorted(pairs))
    drafts = []
    for row in table.rows:
        draft = Draft(row)
        for column, some in places.items():
            texts = [row.texts[place] if place < len(row.texts) else "" for place in some]
            known = [text for text in texts if text is not None and text != UNCHANGED]
            if known:
                first = next(filter(None, known), "")
                draft.cells[column] = join_list(known) if column in numbered and len(some) > 1 else first
        if source_format is SourceFormat.PLATFORM:
            draft.cells = {
                column: text for column, text in draft.cells.items() if text != PLACEHOLDERS.get(column)
            }
        drafts.append(draft)
    ordered = {column: places[column] for column in COLUMNS if column in places}
    return build_source_file(table, source_format, drafts, ordered, silent_places=silent)
