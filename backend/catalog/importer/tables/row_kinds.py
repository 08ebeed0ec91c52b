"""Detection of rows that are no products: totals, groups, repeated headings, hints and rows without a code."""

import re
from collections.abc import Sequence
from itertools import takewhile

from backend.catalog.importer.cell_texts import is_formula_error
from backend.catalog.importer.headings import find_column
from backend.catalog.importer.synonyms import SYNONYMS
from backend.catalog.importer.tables.merged_cells import SheetRow
from backend.catalog.importer.tables.models import SetAsideReason
from backend.spreadsheet_reader.headings import normalize_heading
from backend.spreadsheet_reader.models import CellKind

CODE_COLUMNS = frozenset({"sku", "ean", "handle", "product_id", "variant_id"})
CODE_HEADINGS = frozenset(
    {
        *SYNONYMS["sku"], *SYNONYMS["ean"], "id", "id producto", "numero publicacion", "gtin upc ean o isbn",
        "gtin upc ean or isbn", "parent", "superior", "principal", "mpn", "item group id", "url handle",
        "id la publicacion", "numero la publicacion", "codigo publicacion", "identificador grupo articulos",
    }
)  # fmt: skip
"""Further headings of columns that identify a product, normalized and without prepositions."""
NAME_HEADINGS = frozenset(SYNONYMS["title"])
PRICE_COLUMNS = frozenset({"price", "compare_at_price"})
_TOTAL = re.compile(r"(?:gran |sub ?)?total(?:es)?(?: general(?:es)?| final(?:es)?)?|grand total")
"""A cell that has only the word total, possibly with a word such as general."""
_TOTAL_OF = re.compile(
    r"subtotal(?:es)? .*|sumas?(?: totales| total)?|(?:gran )?total(?:es)? (?:de|del|por|general|en|inventarios?|"
    r"lineas?|grupos?|categorias?|bodegas?|unidades|productos|articulos|referencias|items|registros|existencias|"
    r"costos?|valor|iva|paginas?|marcas?|familias?|\d+)(?: .*)?|"
    r"(?:valor|costo|precio|cantidad|numero|saldo) total(?: .*)?"
)
_TOTAL_START = re.compile(r"(?:gran |sub ?)?total(?:es)? .*")
_HINT = re.compile(
    r"(?:campo )?(?:obligatori[oa]|opcional|no modificable|modificable|requerid[oa]|required|optional|recommended|"
    r"recomendad[oa]|solo lectura|read only)(?: .*)?"
)
_PREPOSITIONS = re.compile(" del? ")
MAX_HINT_ROWS = 3
"""Number of rows below the headings that may have hints."""
MAX_TOTAL_CELLS = 3
"""Number of a row's first texts that are searched for the word total."""


class RowClassifier:
    """Classifier of the rows below the headings: products, and rows that are not imported."""

    def __init__(self, headings: Sequence[str]) -> None:
        self._normalized = [normalize_heading(heading) for heading in headings]
        columns = [find_column(heading) for heading in headings]
        self._code_places = [
            place
            for place, (heading, column) in enumerate(zip(self._normalized, columns, strict=True))
            if column in CODE_COLUMNS or _PREPOSITIONS.sub(" ", heading) in CODE_HEADINGS
        ]
        self._name_places = [
            place
            for place, (heading, column) in enumerate(zip(self._normalized, columns, strict=True))
            if column == "title" or heading in NAME_HEADINGS
        ]
        self._price_places = [place for place, column in enumerate(columns) if column in PRICE_COLUMNS]

    def classify(self, row: SheetRow, distance: int) -> SetAsideReason | None:
        """Return the reason why a row is set aside; None for a product.

        Args:
            row: the row, with filled merged cells.
            distance: number of rows below the headings, from 1.
        """
        if row.is_hidden:
            return SetAsideReason.HIDDEN_ROW
        cells = [(place, normalize_heading(text)) for place, text in enumerate(row.texts) if text]
        reasons = {
            SetAsideReason.REPEATED_HEAD: self._repeats_head(cells),
            SetAsideReason.NO_VALUES: all(is_formula_error(row.texts[place]) for place, _text in cells),
            SetAsideReason.HINTS: distance <= MAX_HINT_ROWS and self._has_hints(row, cells),
            SetAsideReason.TOTAL: self._is_total(row, cells),
            SetAsideReason.GROUP: row.source_count == 1 and len(self._normalized) > 2,
        }
        return next((reason for reason, is_so in reasons.items() if is_so), None)

    def find_rows_without_code(self, rows: Sequence[SheetRow]) -> set[int]:
        """Return the numbers of the rows without a code, if at least three quarters of the rows have a code."""
        numbers = {row.number for row in rows if not self._has_code(row)}
        return numbers if self._code_places and 4 * len(numbers) <= len(rows) else set()

    def find_rows_of_sums(self, rows: Sequence[SheetRow]) -> set[int]:
        """Return the numbers of rows at the end of the table that have only numbers, and neither a code nor a name."""
        if not self._name_places:
            return set()
        last = takewhile(
            lambda row: (
                not (self._has_code(row) or _is_filled(row, self._name_places))
                and not any(letter.isalpha() for text in row.texts for letter in text)
            ),
            reversed(rows[1:]),
        )
        return {row.number for row in last}

    def _has_code(self, row: SheetRow, *, other_than: int = -1) -> bool:
        return _is_filled(row, [place for place in self._code_places if place != other_than])

    def _repeats_head(self, cells: Sequence[tuple[int, str]]) -> bool:
        same = [
            text for place, text in cells if place < len(self._normalized) and text == self._normalized[place]
        ]
        return len(set(same)) > 1 and 2 * len(same) > len(cells)

    def _has_hints(self, row: SheetRow, cells: Sequence[tuple[int, str]]) -> bool:
        hints = sum(_HINT.fullmatch(text) is not None for _place, text in cells)
        has_price = any(
            place < len(row.texts) and any(letter.isdigit() for letter in row.texts[place])
            for place in self._price_places
        )
        return 2 * hints >= len(cells) and not has_price

    def _is_total(self, row: SheetRow, cells: Sequence[tuple[int, str]]) -> bool:
        filled = [one for one in cells if row.kinds[one[0]] == CellKind.TEXT][:MAX_TOTAL_CELLS]
        if any(_TOTAL.fullmatch(text) for _place, text in filled):
            return True
        return any(
            not self._has_code(row, other_than=place)
            and (_TOTAL_OF.fullmatch(text) or (self._code_places and _TOTAL_START.fullmatch(text)))
            for place, text in filled
        )


def _is_filled(row: SheetRow, places: Sequence[int]) -> bool:
    return any(place < len(row.texts) and row.texts[place] for place in places)
