"""Mapping of the columns of a table in an unknown format to the importer's columns: suggestions, and the conversion.

`suggest_mapping` suggests one of the importer's columns for each column of the table, by its heading and its
values. A person may change the suggestions. If several columns fit one of the importer's, such as `Código` and
`Referencia`, the first one is suggested, and all of them are marked as contested: nothing is imported until a
person has chosen one of them (`find_contested`). `convert_mapped` converts the table.
"""

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from statistics import fmean

from backend.catalog.bar_codes import is_bar_code
from backend.catalog.importer.columns import API_COLUMNS, COLUMNS, VARIANT_PICTURES
from backend.catalog.importer.formats.conversion import Draft, build_source_file
from backend.catalog.importer.formats.models import ColumnSuggestion, SourceFile, SourceFormat
from backend.catalog.importer.formats.recognition import NOTE_HEADINGS
from backend.catalog.importer.headings import find_column, find_list_column
from backend.catalog.importer.synonyms import BELOW, SYNONYMS
from backend.catalog.importer.tables.models import Table, TableRow
from backend.catalog.schemas.cell_parsers import LIST_SEPARATOR
from backend.catalog.schemas.cell_words import PATH_SEPARATOR
from backend.pricing import TAX_RATES
from backend.spreadsheet_reader.headings import normalize_heading

LIST_COLUMNS = frozenset({"categories", "old_addresses", "pictures", "tags", VARIANT_PICTURES})
"""The importer's columns that hold several values, so that several columns of a file may fill one of them together."""
MAPPABLE_COLUMNS = tuple(name for name in COLUMNS if name not in API_COLUMNS or name in ("tags", "type"))
"""The importer's columns that a person may choose."""
MAX_SAMPLES = 3
MAX_SAMPLE_LENGTH = 80
MAX_EXAMINED_ROWS = 200
"""Number of first rows whose values are examined."""
MIN_SHARE = 0.8
"""Minimum share of a column's filled cells with one kind of value, such as prices, to map the column by its values."""
MIN_PRICE, MAX_UNITS = 500, 9_999
MIN_BAR_CODE_LENGTH = 12
"""Minimum length of bar codes by which a column is recognised. Shorter bar codes look like other numbers."""
MIN_TITLE_LENGTH = 5
"""Minimum average number of letters in a column that may have the products' names."""
OPTION_COLUMNS = {f"value_{number}": f"option_{number}" for number in (1, 2, 3)}
_NUMBERED = re.compile(r"(\D+?) ?(\d{1,2})")
_NOT_FOR_SALE = re.compile(
    r"\b(?:costos?|compras?|mayor|mayorista|distribuidor|proveedor|minim[oa]|maxim[oa]|utilidad|margen|bodega|ubicacion"
    r"|fecha|cuenta|nit|consecutivo|telefono|cost|wholesale|supplier|date)\b"
)
"""Words in the headings of columns whose numbers are neither prices nor units for sale."""
_NO_NAME = re.compile(
    r"\b(?:unidad|medida|um|proveedor|bodega|ubicacion|usuario|vendedor|observacion(?:es)?|notas?|moneda|sucursal"
    r"|presentacion|estado)\b"
)
"""Words in the headings of columns whose texts are not names of products."""
_ITEMS = frozenset({"item"})
_OPTION_HEADINGS = frozenset(
    {"talla", "tallas", "talle", "tamano", "color", "colores", "size", "colour", "modelo", "variante", "variacion",
     "presentacion", "sabor", "diseno"}
)  # fmt: skip
_LIST_SIGNS = re.compile(r"[|;,>]")
_MONEY = re.compile(r"(?:\$|COP) ?[0-9][0-9.,']*|[0-9][0-9.,']* ?(?:COP|\$)", re.IGNORECASE)
_AMOUNT = re.compile(r"[0-9]{1,3}(?:[.,'][0-9]{3})+(?:[.,][0-9]{1,2})?|[0-9]+(?:[.,][0-9]{1,2})?")
_UNITS = re.compile(r"-?[0-9]{1,4}(?:[.,]0+)?")
_PERCENT = re.compile(r"([0-9]{1,2})(?:[.,]0+)? ?%")
_PICTURE = re.compile(r"\S.*\.(?:jpe?g|jfif|png|webp|avif|gif|heic)(?:\?\S*)?", re.IGNORECASE)


def suggest_mapping(table: Table) -> list[ColumnSuggestion]:
    """Return a suggestion for each column of the table, in their order."""
    values = [_list_values(table, place) for place in range(len(table.headings))]
    suggestions = [
        ColumnSuggestion(place, heading, _list_samples(values[place]))
        for place, heading in enumerate(table.headings)
    ]
    headings = [normalize_heading(heading) for heading in table.headings]
    code_places = [place for place, heading in enumerate(headings) if heading in SYNONYMS["sku"]]
    for column in SYNONYMS:
        ranked = sorted(
            (rank, place)
            for place, heading in enumerate(headings)
            if not suggestions[place].column and (rank := _rank(column, heading, values[place])) is not None
        )
        if column == "sku" and len(code_places) > 1 and "ean" not in map(find_column, headings):
            # a list has a code and a reference: the one with bar codes is no SKU
            coded = [place for _rank, place in ranked if _has_share(values[place], _is_long_bar_code)]
            if len(coded) == 1:
                suggestions[coded[0]].column = "ean"
                ranked = [one for one in ranked if one[1] != coded[0]]
        _assign(suggestions, column, [place for _rank, place in ranked])
    for place, heading in enumerate(headings):
        _assign_known_heading(suggestions, place, heading)
    _drop_second_price(suggestions)
    _assign_options(table, suggestions, headings)
    _assign_by_values(suggestions, headings, values)
    return suggestions


def find_contested(suggestions: Iterable[ColumnSuggestion]) -> dict[str, list[str]]:
    """Return the headings of the columns between which a person must choose, by the importer's column."""
    contested: dict[str, list[str]] = {}
    for one in suggestions:
        if one.contested:
            contested.setdefault(one.contested, []).append(one.heading)
    return contested


def take_columns(
    suggestions: Iterable[ColumnSuggestion], places: Container[int], column: str
) -> list[ColumnSuggestion]:
    """Return the suggestions after a person has chosen `column` for the table's columns at these positions.

    With an empty `column`, these columns are not imported. Otherwise, the table's other columns are not
    imported as `column` any more, unless it is one of `LIST_COLUMNS`. If this leaves only one candidate for
    another contested column of the importer, that candidate is chosen.
    """
    taken = []
    for one in suggestions:
        if one.place in places:
            taken.append(replace(one, column=column, contested=""))
        elif column and column in (one.column, one.contested) and column not in LIST_COLUMNS:
            taken.append(replace(one, column="" if one.column == column else one.column, contested=""))
        else:
            taken.append(one)
    contested = [one.contested for one in taken]
    return [
        replace(one, column=one.contested, contested="")
        if one.contested and contested.count(one.contested) == 1
        else one
        for one in taken
    ]


def find_repeated(table: Table, columns: Sequence[str]) -> dict[str, list[str]]:
    """Return the headings of columns that are mapped to the same column of the importer, by the importer's column.

    `LIST_COLUMNS` may repeat, and are left out.
    """
    headings: dict[str, list[str]] = {}
    for heading, column in zip(table.headings, columns, strict=True):
        if column and column not in LIST_COLUMNS:
            headings.setdefault(column, []).append(heading)
    return {column: some for column, some in headings.items() if len(some) > 1}


def convert_mapped(table: Table, columns: Sequence[str]) -> SourceFile:
    """Convert a table whose columns a person mapped. An empty cell leaves the product's value unchanged.

    Args:
        table: the table.
        columns: for each column of the table, the importer's column; empty if it is not imported. Only
            `LIST_COLUMNS` may repeat: see `find_repeated`.
    """
    places: dict[str, list[int]] = {}
    for place, column in enumerate(columns):
        if column in COLUMNS:
            places.setdefault(column, []).append(place)
    places = {column: _sort_numbered(table.headings, some) for column, some in places.items()}
    drafts = []
    for row in table.rows:
        draft = Draft(row)
        for column, some in places.items():
            draft.set(column, _join_cells(table, row, some))
        for value_column, option_column in OPTION_COLUMNS.items():
            if draft.cells.get(value_column) and option_column not in places:
                draft.set(option_column, table.headings[places[value_column][0]])
        drafts.append(draft)
    silent = [
        place for place, heading in enumerate(table.headings) if normalize_heading(heading) in NOTE_HEADINGS
    ]
    notes = ["tax not said"] if "price" in places and "price_without_tax" not in places else []
    return build_source_file(table, SourceFormat.UNKNOWN, drafts, places, notes=notes, silent_places=silent)


def _sort_numbered(headings: Sequence[str], places: Sequence[int]) -> list[int]:
    """Return columns such as `Foto 2` and `Foto 1` in the order of their numbers; others in the file's order."""
    numbers = [_NUMBERED.fullmatch(normalize_heading(headings[place])) for place in places]
    if len({found[1] if found else "" for found in numbers}) > 1 or None in numbers:
        return list(places)
    return [
        place
        for _number, place in sorted(
            (int(found[2]), place) for found, place in zip(numbers, places, strict=True) if found
        )
    ]


def _join_cells(table: Table, row: TableRow, places: Sequence[int]) -> str:
    """Join the row's texts in these columns to the text of a list.

    A subcategory is joined to the category in the column before it, as a path.
    """
    parts: list[str] = []
    for place in places:
        text = row.texts[place]
        if not text:
            continue
        is_below = normalize_heading(table.headings[place]).startswith(BELOW)
        if is_below and parts and not _LIST_SIGNS.search(parts[-1] + text):
            parts[-1] = f"{parts[-1]} {PATH_SEPARATOR} {text}"
        else:
            parts.append(text)
    return LIST_SEPARATOR.join(parts)


def _rank(column: str, heading: str, values: Sequence[str]) -> int | None:
    """Return the position of a heading among the synonyms of a column; None if it does not fit the column.

    The heading `Item` may be above names, codes or row numbers, so it fits only if the values fit too.
    """
    synonyms = SYNONYMS[column]
    if heading not in synonyms or (heading in _ITEMS and _counts_rows(values)):
        return None
    if heading in _ITEMS and (column == "title") != _has_share(values, _is_name):
        return None
    return synonyms.index(heading)


def _is_name(text: str) -> bool:
    """Return True if the text looks like a name: it has a space, or no digits."""
    return " " in text or not any(letter.isdigit() for letter in text)


def _assign(suggestions: Sequence[ColumnSuggestion], column: str, places: Sequence[int]) -> None:
    """Map the first of these columns and, if there are several, mark all of them as contested.

    If `column` is one of `LIST_COLUMNS`, map all of them instead. For `title`, a column whose heading means a
    description is not contested.
    """
    if not places:
        return
    if column in LIST_COLUMNS:
        for place in places:
            suggestions[place].column = column
        return
    suggestions[places[0]].column = column
    if column == "title":  # a description next to a name is a description
        places = [
            place
            for place in places
            if normalize_heading(suggestions[place].heading) not in SYNONYMS["description"]
        ]
    if len(places) > 1:
        for place in places:
            suggestions[place].contested = column


def _assign_known_heading(suggestions: Sequence[ColumnSuggestion], place: int, heading: str) -> None:
    """Map a column by a heading of the importer's own files, or by a numbered heading such as `Foto 2`."""
    suggestion = suggestions[place]
    if suggestion.column or suggestion.contested or not heading:
        return
    column = find_column(heading) or find_list_column(heading)[0]
    if not column and (base := _base(heading)):
        column = next((name for name in sorted(LIST_COLUMNS & SYNONYMS.keys()) if base in SYNONYMS[name]), "")
    if column in MAPPABLE_COLUMNS and (
        column in LIST_COLUMNS or all(other.column != column for other in suggestions)
    ):
        suggestion.column = column


def _drop_second_price(suggestions: Sequence[ColumnSuggestion]) -> None:
    """Do not import the price without tax if another column has the price with tax."""
    if any(one.column == "price" for one in suggestions):
        for one in suggestions:
            if one.column == "price_without_tax":
                one.column = one.contested = ""


def _assign_options(table: Table, suggestions: Sequence[ColumnSuggestion], headings: Sequence[str]) -> None:
    """Map columns such as `Talla` and `Color` to options, if rows with the same name always differ in them."""
    title = next((one.place for one in suggestions if one.column == "title"), None)
    free = [
        one.place
        for one in suggestions
        if headings[one.place] in _OPTION_HEADINGS and not (one.column or one.contested)
    ][: len(OPTION_COLUMNS)]
    if title is None or not free:
        return
    variants: dict[str, list[tuple[str, ...]]] = {}
    for row in table.rows:
        if name := normalize_heading(row.texts[title] or ""):
            variants.setdefault(name, []).append(tuple(row.texts[place] or "" for place in free))
    repeated = [some for some in variants.values() if len(some) > 1]
    if repeated and all(len(set(some)) == len(some) for some in repeated):
        for place, column in zip(free, OPTION_COLUMNS, strict=False):
            suggestions[place].column = column


def _assign_by_values(
    suggestions: Sequence[ColumnSuggestion], headings: Sequence[str], values: Sequence[Sequence[str]]
) -> None:
    """Map columns with an unknown heading by their values."""
    mapped = {one.column for one in suggestions}
    free = [
        one.place
        for one in suggestions
        if not (one.column or one.contested)
        and values[one.place]
        and headings[one.place] not in NOTE_HEADINGS | _OPTION_HEADINGS
        and not _NOT_FOR_SALE.search(headings[one.place])
        and not any(
            {headings[one.place], _base(headings[one.place])} & set(some) for some in SYNONYMS.values()
        )
    ]
    kinds: Sequence[tuple[str, Sequence[str], Callable[[str], bool]]] = (
        ("ean", ("ean",), _is_long_bar_code),
        ("tax_rate", ("tax_rate",), _is_tax_rate),
        ("pictures", ("pictures",), lambda text: _PICTURE.fullmatch(text) is not None),
        ("price", ("price", "price_without_tax"), lambda text: _MONEY.fullmatch(text) is not None),
        ("price", ("price", "price_without_tax"), _is_amount),
        ("stock", ("stock",), lambda text: _UNITS.fullmatch(text) is not None),
    )
    for column, fields, is_kind in kinds:
        if mapped & set(fields):
            continue
        places = [
            place for place in free if _has_share(values[place], is_kind) and not _counts_rows(values[place])
        ]
        if places:
            _assign(suggestions, column, places)
            mapped.add(column)
            free = [place for place in free if place not in places]
    if "title" not in mapped:
        texts = [
            place
            for place in free
            if _has_share(values[place], lambda text: any(map(str.isalpha, text)))
            and not _NO_NAME.search(headings[place])
        ]
        longest = max(texts, key=lambda place: fmean(map(len, values[place])), default=None)
        if longest is not None and fmean(map(len, values[longest])) >= MIN_TITLE_LENGTH:
            suggestions[longest].column = "title"


def _list_values(table: Table, place: int) -> list[str]:
    texts = ((row.texts[place] or "").strip() for row in table.rows[:MAX_EXAMINED_ROWS])
    return [text for text in texts if text]


def _list_samples(values: Sequence[str]) -> list[str]:
    return [value[:MAX_SAMPLE_LENGTH] for value in list(dict.fromkeys(values))[:MAX_SAMPLES]]


def _base(heading: str) -> str:
    """Return a numbered heading without its number: `precio` for `precio 2`; empty if it has no number."""
    found = _NUMBERED.fullmatch(heading)
    return found[1] if found else ""


def _has_share(values: Sequence[str], is_kind: Callable[[str], bool]) -> bool:
    return bool(values) and sum(map(is_kind, values)) >= MIN_SHARE * len(values)


def _is_long_bar_code(text: str) -> bool:
    return len(text) >= MIN_BAR_CODE_LENGTH and is_bar_code(text)


def _is_tax_rate(text: str) -> bool:
    found = _PERCENT.fullmatch(text)
    return found is not None and int(found[1]) in TAX_RATES


def _is_amount(text: str) -> bool:
    """Return True for a number that is large enough to be a price in pesos."""
    whole = re.sub(r"[.,][0-9]{1,2}$", "", text)
    digits = re.sub(r"[.,']", "", whole)
    return _AMOUNT.fullmatch(text) is not None and int(digits) >= MIN_PRICE


def _counts_rows(values: Sequence[str]) -> bool:
    """Return True if the values are row numbers: 1, 2, 3 and so on."""
    return len(values) > 1 and list(values) == [str(number) for number in range(1, len(values) + 1)]
