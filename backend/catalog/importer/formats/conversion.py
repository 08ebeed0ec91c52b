"""Shared parts of the conversions: access to a table's cells, and construction of the converted source file."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation

from backend.catalog.handles import make_handle
from backend.catalog.importer.columns import COLUMNS, VARIANT_PICTURES
from backend.catalog.importer.formats.models import SourceFile, SourceFormat, SourceRow
from backend.catalog.importer.row_reader import Note, Problem
from backend.catalog.importer.tables.models import Table, TableRow
from backend.catalog.redirects.addresses import InvalidAddress, parse_address
from backend.catalog.schemas import cell_numbers, cell_words
from backend.catalog.schemas.cell_parsers import LIST_SEPARATOR, CellError, Noted
from backend.core.commands import UNCHANGED
from backend.spreadsheet_reader.headings import normalize_heading

PUBLISHED, DRAFT = "published", "draft"
MAX_OPTIONS = 3
_UNESCAPED_COMMA = re.compile(r"(?<!\\),")


class Cells:
    """Access to a table's cells by the field names of a format.

    Attributes:
        places: position in the table of each field that the table has.
    """

    def __init__(self, table: Table, headings: Mapping[str, Sequence[str]]) -> None:
        """Find the fields in the table.

        `headings` has the normalized headings of each field, the preferred one first.
        """
        positions: dict[str, int] = {}
        for place, heading in enumerate(table.headings):
            positions.setdefault(normalize_heading(heading), place)
        self.places = {
            name: next(positions[one] for one in others if one in positions)
            for name, others in headings.items()
            if any(one in positions for one in others)
        }

    def get(self, row: TableRow, name: str) -> str:
        """Return the row's text in this field; empty if there is none."""
        place = self.places.get(name)
        return (row.texts[place] or "").strip() if place is not None and place < len(row.texts) else ""

    def get_first(self, rows: Iterable[TableRow], name: str) -> str:
        """Return the first text in this field that is not empty, among these rows; empty if there is none."""
        return next((text for row in rows if (text := self.get(row, name))), "")

    def group_rows(self, rows: Iterable[TableRow], name: str) -> dict[str, list[TableRow]]:
        """Group the rows by their text in this field. A row without a text is a separate group."""
        groups: dict[str, list[TableRow]] = defaultdict(list)
        for row in rows:
            groups[self.get(row, name) or f" {row.line}"].append(row)
        return groups

    def find_places(self, names: Iterable[str]) -> list[int]:
        """Return the positions of the named fields. Fields that the table does not have are left out."""
        return [self.places[name] for name in names if name in self.places]


@dataclass(slots=True)
class Draft:
    """A row during its conversion to the importer's columns. A column that is not in `cells` has no value."""

    source: TableRow
    group: Sequence[TableRow] = ()
    """All rows of the table that describe its product; empty if there is only this one."""
    cells: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def set(self, column: str, text: str) -> None:
        """Set the text of a column. An empty text is ignored."""
        if text:
            self.cells[column] = text

    def set_price(self, price: str, before: str, *, suffix: str = "") -> None:
        """Set the price, and the price before a sale. Nothing is set without a price.

        If `before` is empty, a sale of an existing variant ends. The same applies if `before` is not higher than
        the price: some programs also store such a former price, although there is no sale.
        """
        if price:
            self.cells[f"price{suffix}"] = price
            self.cells[f"compare_at_price{suffix}"] = before if _is_higher(before, price) else ""

    def add_problem(self, column: str, message: str, code: str, detail: str = "") -> None:
        """Add a problem of the row."""
        self.problems.append(Problem(self.source.line, column, message, code, detail))

    def set_options(self, options: Mapping[str, str]) -> None:
        """Set the titles and values of the options. If there are too many, add a problem instead."""
        if len(options) > MAX_OPTIONS:
            message = f"a variant has at most {MAX_OPTIONS} options"
            self.add_problem("", message, "option count", ", ".join(options))
            return
        for number, (title, value) in enumerate(options.items(), start=1):
            self.cells |= {f"option_{number}": title, f"value_{number}": value}

    def set_variant_pictures(self, addresses: str) -> None:
        """Set the pictures of the variant; do nothing if it has no options. Call this after `set_options`."""
        if "option_1" in self.cells:
            self.set(VARIANT_PICTURES, addresses)


def _is_higher(before: str, price: str) -> bool:
    """Return True if `before` is a higher amount than `price`.

    If one of them is not an amount, return True unless `before` is empty.
    """
    try:
        return cell_numbers.parse_exact_price(before) > cell_numbers.parse_exact_price(price)
    except CellError:
        return bool(before)


def build_source_file(
    table: Table,
    source_format: SourceFormat,
    drafts: Iterable[Draft],
    places: Mapping[str, Sequence[int]],
    *,
    notes: Sequence[str] = (),
    silent_places: Iterable[int] = (),
) -> SourceFile:
    """Return the source file of the converted rows, in the order of their lines.

    Args:
        table: the table.
        source_format: its format.
        drafts: the converted rows.
        places: for each of the importer's columns, the positions of the table's columns from which it is made.
        notes: codes of sentences about the whole file.
        silent_places: positions of other columns that the conversion uses. They are not reported as ignored.
    """
    sorted_drafts = sorted(drafts, key=lambda draft: draft.source.line)
    filled = {name for draft in sorted_drafts for name in draft.cells}
    columns = [name for name in COLUMNS if name in filled]
    used = {place for some in places.values() for place in some} | set(silent_places)
    return SourceFile(
        table=table,
        format=source_format,
        sheet=table.sheet,
        columns=columns,
        headings=[" / ".join(table.headings[place] for place in places.get(name, ())) for name in columns],
        ignored=[
            heading[:60] for place, heading in enumerate(table.headings) if heading and place not in used
        ],
        rows=[
            SourceRow(
                draft.source.line,
                [draft.cells.get(name) for name in columns],
                draft.problems,
                draft.notes,
                [row.line for row in draft.group or (draft.source,)],
            )
            for draft in sorted_drafts
        ],
        set_aside=table.set_aside,
        notes=list(notes),
    )


def split_commas(text: str) -> list[str]:
    """Return the parts between commas. A comma after a backslash does not separate parts."""
    parts = (part.replace("\\,", ",").strip() for part in _UNESCAPED_COMMA.split(text))
    return [part for part in parts if part]


def join_list(parts: Iterable[str]) -> str:
    """Return the parts, without duplicates, as the text of a cell with a list."""
    return cell_words.join_list(dict.fromkeys(part.replace(LIST_SEPARATOR, "/") for part in parts if part))


def join_addresses(addresses: Iterable[str]) -> str:
    """Return web addresses, without duplicates, as the text of a cell with a list.

    A text may have several addresses with any separators.
    """
    parts = (part for one in addresses for part in cell_words.split_addresses(one))
    return join_list(part.replace(LIST_SEPARATOR, "%7C") for part in parts)


def join_old_addresses(texts: Iterable[str]) -> str:
    """Return former addresses as the text of a cell with a list.

    Addresses that cannot be redirected, such as the home page, are left out.
    """
    found = []
    for text in texts:
        with suppress(InvalidAddress):
            found.append(str(parse_address(text)))
    return join_list(found)


def says_yes(text: str) -> bool:
    """Return True for yes in the words of any program: Excel in Spanish writes `VERDADERO` for `TRUE`."""
    try:
        return cell_words.parse_yes_or_no(text)
    except CellError:
        return False


def parse_decimal(text: str) -> Decimal | None:
    """Return the number that a program wrote with a decimal point; None for other texts."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def write_decimal(value: Decimal) -> str:
    """Format the number without zeros at the end of its decimals."""
    return f"{value.normalize():f}"


def parse_day(text: str) -> date | None:
    """Return the day at the beginning of a text in ISO 8601; None for other texts, such as `0000-00-00`."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def drop_zero(text: str) -> str:
    """Return the measure, or an empty text if it is zero. Programs write zero for an unknown measure."""
    value = parse_decimal(text.replace(",", "."))
    return "" if value is not None and not value else text


def set_greatest_weight(drafts: Sequence[Draft], weights: Sequence[str]) -> None:
    """Set the product's weight to that of its heaviest variant. Add a note if the weights differ.

    A weight that cannot be read is stored unchanged, so that its row is refused.

    Args:
        drafts: the rows of the product.
        weights: weights of the variants in kilograms, such as `0.35` or `0,35`; empty if unknown.
    """
    values: dict[Decimal, None] = {}
    for weight in filter(None, weights):
        try:
            found = cell_numbers.WEIGHT.read(weight)
        except CellError:
            drafts[0].set("weight", weight)
            return
        value = found.value if isinstance(found, Noted) else found
        if value is not UNCHANGED:
            values[Decimal(str(value))] = None
    if values:
        drafts[0].set("weight", write_decimal(max(values)))
    if len(values) > 1:
        drafts[0].notes.append(Note("weight", "several weights", write_decimal(max(values))))


def name_repeated_titles(titles: Mapping[str, str]) -> dict[str, str]:
    """Return different handles for products whose titles would give the same handle, by the product's key.

    Products with a unique title are left out.

    Args:
        titles: titles of products. The key of each identifies the product in the program that wrote the file.
    """
    handles = {key: make_handle(title) for key, title in titles.items()}
    counts = Counter(handles.values())
    return {
        key: make_handle(f"{handle} {key}")
        for key, handle in handles.items()
        if handle and counts[handle] > 1
    }
