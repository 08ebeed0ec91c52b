"""Child process that reads a spreadsheet from its standard input. It writes sheets and rows as lines of JSON."""

import json
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Any, BinaryIO
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile
from zlib import error as ZlibError  # noqa: N812 - it is a class

from backend.core.archives import UnsafeMember
from backend.core.child_process import limit_this_process
from backend.spreadsheet_reader.cell_counter import CellCounter
from backend.spreadsheet_reader.delimited import read_rows
from backend.spreadsheet_reader.models import ForeignFormat, Limits, Refusal, Row, UnreadableSpreadsheet

ZIP = b"PK\x03\x04"
COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""First bytes of an XLS, or of an XLSX with a password (MS-CFB)."""
ENCRYPTED_MARKER = "EncryptedPackage".encode("utf-16-le")
MARKUP = (b"<!doctype", b"<html", b"<table", b"<?xml", b"<meta", b"<head", b"<body", b"<style")
PARSE_ERRORS = (ParseError, BadZipFile, UnsafeMember, ZlibError, EOFError, OSError, ValueError, LookupError)


def main() -> None:
    """Read the spreadsheet from the standard input. The command-line argument contains its `Limits` as JSON."""
    limits = Limits(**json.loads(sys.argv[1]))
    limit_this_process(limits.max_memory_bytes, limits.max_cpu_s)
    for line in iter_output(sys.stdin.buffer, limits):
        sys.stdout.write(json.dumps(line) + "\n")


def iter_output(file: BinaryIO, limits: Limits) -> Iterator[Any]:
    """Yield the lines of `read_lines`, and then `{"end": True}` or the reason why the file cannot be read."""
    try:
        yield from read_lines(file, limits)
        yield {"end": True}
    except UnreadableSpreadsheet as error:
        yield to_refusal(error)
    except (MemoryError, RecursionError):
        yield to_refusal(UnreadableSpreadsheet(Refusal.TOO_COMPLEX))
    except PARSE_ERRORS:
        yield to_refusal(UnreadableSpreadsheet(Refusal.DAMAGED))


def read_lines(file: BinaryIO, limits: Limits) -> Iterator[Any]:
    """Yield the lines for each sheet: `{"sheet": …}`, then its rows as arrays, then `{"areas": …}`.

    Raises:
        UnreadableSpreadsheet, or one of `PARSE_ERRORS`: the file cannot be read.
    """
    if file.seek(0, 2) > limits.max_file_bytes:
        raise UnreadableSpreadsheet(Refusal.TOO_LARGE)
    file.seek(0)
    head = file.read(1024)
    file.seek(0)
    if head.startswith(ZIP):
        yield from _iter_workbook_lines(file, limits)
        return
    _refuse_foreign(head, file)
    yield {"sheet": "", "is_text": True, "is_hidden": False}
    yield from map(_to_array, read_rows(file, limits))
    yield {"areas": []}


def to_refusal(error: UnreadableSpreadsheet) -> dict[str, Any]:
    """Return the output line for the parent process with the reason why the file cannot be read."""
    return {"refusal": error.refusal.value, "detail": str(error.detail)[:200], "line": error.line}


def _iter_workbook_lines(file: BinaryIO, limits: Limits) -> Iterator[Any]:
    from backend.spreadsheet_reader.workbook import Workbook  # loads openpyxl
    from backend.spreadsheet_reader.worksheet import Worksheet

    book, counter = Workbook(file, limits), CellCounter(limits)
    if not book.sheets:
        raise UnreadableSpreadsheet(Refusal.DAMAGED, "no sheets")
    for part in book.sheets:
        sheet = Worksheet(book, part, limits, counter)
        yield {"sheet": part.name[:200], "is_text": False, "is_hidden": part.is_hidden}
        yield from map(_to_array, sheet.iter_rows())
        yield {"areas": sheet.areas}


def _refuse_foreign(head: bytes, file: BinaryIO) -> None:
    """Raise UnreadableSpreadsheet if the file is an old XLS workbook, an encrypted workbook or a web page."""
    if head.startswith(COMPOUND_FILE):
        if ENCRYPTED_MARKER in file.read():
            raise UnreadableSpreadsheet(Refusal.PASSWORD)
        raise UnreadableSpreadsheet(Refusal.OTHER_FORMAT, ForeignFormat.XLS)
    if head.removeprefix(BOM_UTF8).lstrip().lower().startswith(MARKUP):
        raise UnreadableSpreadsheet(Refusal.OTHER_FORMAT, ForeignFormat.WEB_PAGE)


def _to_array(row: Row) -> list[Any]:
    return [row.number, row.texts, row.kinds, row.formats, row.is_hidden]


if __name__ == "__main__":
    main()
