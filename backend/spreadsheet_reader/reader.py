"""Reading of spreadsheets in a child process, from the serving process or a command."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, BinaryIO

from backend.core.child_process import ChildFailed, ChildProcess
from backend.spreadsheet_reader.models import Area, Limits, Refusal, Row, UnreadableSpreadsheet

CHILD = "backend.spreadsheet_reader.child"


class Sheet:
    """A sheet of the file, whose rows are read on demand.

    Attributes:
        name: name of the sheet; empty for a text with delimiters.
        is_text: True if the file is a text with delimiters.
        is_hidden: True if the sheet is hidden.
        areas: its merged areas; complete only after its rows have been read.
    """

    def __init__(self, header: dict[str, Any], lines: Iterator[Any]) -> None:
        self.name: str = header["sheet"]
        self.is_text: bool = header["is_text"]
        self.is_hidden: bool = header["is_hidden"]
        self.areas: list[Area] = []
        self._lines = lines
        self._is_read = False

    def iter_rows(self) -> Iterator[Row]:
        """Yield the rows that have a filled cell. A second call continues after the row at which the first one stopped.

        Raises:
            UnreadableSpreadsheet: the rest of the sheet cannot be read.
        """
        while not self._is_read:
            line = next(self._lines)
            if isinstance(line, dict):
                self.areas = [(first, left, last, right) for first, left, last, right in line["areas"]]
                self._is_read = True
            else:
                number, texts, kinds, formats, is_hidden = line
                yield Row(
                    number, texts, kinds, {int(place): code for place, code in formats.items()}, is_hidden
                )


@contextmanager
def open_spreadsheet(file: BinaryIO, limits: Limits) -> Iterator[Iterator[Sheet]]:
    """Open a spreadsheet and yield its sheets, visible ones first. The child process ends with the context.

    Sheets are read on demand: a caller that stops after one sheet does not wait for the others.

    Args:
        file: an open file on the disk; the child process reads it.
        limits: see `Limits`.

    Raises:
        UnreadableSpreadsheet: the file is no spreadsheet, or exceeds a limit. It may also be raised later, while a
            sheet is read.
    """
    with ChildProcess(CHILD, file, asdict(limits), timeout_s=limits.timeout_s) as child:
        yield _iter_sheets(_iter_checked_lines(child))


def _iter_sheets(lines: Iterator[Any]) -> Iterator[Sheet]:
    for line in lines:
        sheet = Sheet(line, lines)
        yield sheet
        for _row in sheet.iter_rows():
            pass


def _iter_checked_lines(child: ChildProcess) -> Iterator[Any]:
    """Yield the child's lines until it reports the end.

    Raises:
        UnreadableSpreadsheet: the child refuses the file, or fails.
    """
    try:
        for line in child.lines():
            if isinstance(line, dict):
                if "refusal" in line:
                    raise UnreadableSpreadsheet(Refusal(line["refusal"]), line["detail"], line["line"])
                if "end" in line:
                    return
            yield line
    except ChildFailed:
        pass
    raise UnreadableSpreadsheet(Refusal.TOO_COMPLEX)
