"""Reading of text with delimiters: `;`, `,` or tabs, in UTF-8, UTF-16 or Windows-1252."""

import csv
from collections.abc import Iterator
from io import StringIO, TextIOWrapper
from typing import BinaryIO, TextIO

from backend.core.spreadsheet import restore_cell
from backend.spreadsheet_reader.cell_counter import CellCounter
from backend.spreadsheet_reader.models import CellKind, Limits, Refusal, Row, UnreadableSpreadsheet

DELIMITERS = (";", ",", "\t")
BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_rows(file: BinaryIO, limits: Limits) -> Iterator[Row]:
    """Yield the rows that have a filled cell, each with the number of its first line.

    Raises:
        UnreadableSpreadsheet: the file is not text with delimiters, or exceeds a limit.
    """
    text = TextIOWrapper(file, "utf-8-sig", newline="") if limits.only_utf8 else _decode(file.read())
    counter = CellCounter(limits)
    number = 1
    try:
        reader = csv.reader(text, delimiter=_detect_delimiter(text), strict=True)
        for cells in reader:
            counter.add(len(cells))
            texts = [restore_cell(cell.strip()).strip() for cell in cells[: limits.max_columns]]
            if any(texts):
                yield Row(number, texts, CellKind.TEXT * len(texts), {}, is_hidden=False)
            number = reader.line_num + 1
    except csv.Error as error:
        raise UnreadableSpreadsheet(Refusal.DAMAGED, str(error), number) from None
    except UnicodeDecodeError:
        raise UnreadableSpreadsheet(Refusal.NOT_UTF8, line=number) from None


def _detect_delimiter(text: TextIO) -> str:
    """Return the delimiter that is most frequent in the first line that is not empty and not only delimiters."""
    first = next((line for line in text if line.strip(" ;,\t\r\n")), "")
    text.seek(0)
    return max(DELIMITERS, key=first.count)


def _decode(content: bytes) -> StringIO:
    encodings = ("utf-16",) if content.startswith(BYTE_ORDER_MARKS) else ("utf-8-sig", "cp1252")
    for encoding in encodings:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\x00" not in text:
            return StringIO(text, newline="")
    raise UnreadableSpreadsheet(Refusal.DAMAGED)
