"""Reading of text with delimiters: `;`, `,`, tabs or `|`, in UTF-8, UTF-16 or an older encoding."""

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO, TextIOWrapper
from itertools import islice
from typing import BinaryIO, TextIO

from backend.core.spreadsheet import restore_cell
from backend.spreadsheet_reader.cell_counter import CellCounter
from backend.spreadsheet_reader.encodings import decode_lines
from backend.spreadsheet_reader.headings import normalize_heading
from backend.spreadsheet_reader.models import CellKind, Limits, Refusal, Row, UnreadableSpreadsheet

DELIMITERS = (";", ",", "\t", "|")
BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
SAMPLE_ROWS = 20
SAMPLE_CHARACTERS = 256 << 10
_TEXT_FORMULA = re.compile(r'="([^"]*)"')
QUOTE_ERRORS = ("expected after", "unexpected end of data", "field larger than field limit")


def read_rows(file: BinaryIO, limits: Limits) -> Iterator[Row]:
    """Yield the rows that have a filled cell, each with the line number where it begins.

    Raises:
        UnreadableSpreadsheet: the file is not text with delimiters, or exceeds a limit.
    """
    text = TextIOWrapper(file, "utf-8-sig", newline="") if limits.only_utf8 else _decode(file.read())
    counter = CellCounter(limits)
    number = 1
    try:
        delimiter = _find_delimiter(text.read(SAMPLE_CHARACTERS), frozenset(limits.known_headings))
        text.seek(0)
        reader = csv.reader(text, delimiter=delimiter, strict=True)
        for cells in reader:
            counter.add(len(cells))
            texts = [_parse_cell(cell.strip()) for cell in cells[: limits.max_columns]]
            if any(texts):
                yield Row(number, texts, CellKind.TEXT * len(texts), {}, is_hidden=False)
            number = reader.line_num + 1
    except csv.Error as error:
        is_quote = any(part in str(error) for part in QUOTE_ERRORS)
        refusal = Refusal.QUOTE if is_quote else Refusal.DAMAGED
        raise UnreadableSpreadsheet(refusal, str(error), number) from None
    except UnicodeDecodeError:
        raise UnreadableSpreadsheet(Refusal.NOT_UTF8, line=number) from None
    finally:
        text.close()


def _parse_cell(cell: str) -> str:
    """Return the cell's text; for `="0017"`, return `0017`: programs write this so that Excel keeps the zeros."""
    as_formula = _TEXT_FORMULA.fullmatch(cell)
    return (as_formula[1] if as_formula else restore_cell(cell)).strip()


def _find_delimiter(sample: str, known_headings: frozenset[str]) -> str:
    """Return the delimiter with which one of the first rows has the most known headings.

    Without known headings, return the delimiter with which the most rows have the same number of cells.
    """
    return max(DELIMITERS, key=lambda delimiter: _rate_delimiter(sample, delimiter, known_headings))


def _rate_delimiter(sample: str, delimiter: str, known_headings: frozenset[str]) -> tuple[int, int, int]:
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(islice(csv.reader(StringIO(sample, newline=""), delimiter=delimiter), SAMPLE_ROWS))
    known = max((len(known_headings & set(map(normalize_heading, row))) for row in rows), default=0)
    lengths = [len(row) for row in rows if len(row) > 1]
    same = max((lengths.count(length) for length in set(lengths)), default=0)
    return (known if known > 1 else 0), same, max(lengths, default=0)


def _decode(content: bytes) -> TextIO:
    try:
        text = content.decode("utf-16") if content.startswith(BYTE_ORDER_MARKS) else decode_lines(content)
    except UnicodeDecodeError:
        raise UnreadableSpreadsheet(Refusal.DAMAGED) from None
    if "\x00" in text:
        raise UnreadableSpreadsheet(Refusal.DAMAGED)
    return StringIO(text, newline="")
