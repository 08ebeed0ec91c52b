"""Reading spreadsheets in a child process, from the serving process or a command."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, BinaryIO

from backend.core.child_process import ChildFailed, ChildProcess
from backend.spreadsheet_reader.models import Area, Limits, Refusal, Row, UnreadableSpreadsheet

CHILD = "backend.spreadsheet_reader.child"


class Sheet:
    """A sheet that is being read.

    Attributes:
        name: empty for a text with delimiters.
        is_text: True if the file is a text with delimiters.
        is_hidden: True if the sheet is hidden.
        areas: its merged areas, once its rows have been read.
    """

    def __init__(self, said: dict[str, Any], lines: Iterator[Any]) -> None:
        self.name: str = said["sheet"]
        self.is_text: bool = said["is_text"]
        self.is_hidden: bool = said["is_hidden"]
        self.areas: list[Area] = []
        self._lines = lines
        self._is_read = False

    def rows(self) -> Iterator[Row]:
        """Yield its rows that have a filled cell; a second call goes on where the first one stopped.

        Raises:
            UnreadableSpreadsheet: it cannot be read on.
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
    """Read a spreadsheet: its sheets, visible ones first. The child process ends with the context.

    Nothing is read ahead: who stops after one sheet does not wait for the others.

    Args:
        file: an opened file of the disk; the child process reads it.
        limits: see `Limits`.

    Raises:
        UnreadableSpreadsheet: it is none, or exceeds a limit. Sheets raise it while they are read, too.
    """
    with ChildProcess(CHILD, file, asdict(limits), timeout_s=limits.timeout_s) as child:
        yield _sheets(_checked_lines(child))


def _sheets(lines: Iterator[Any]) -> Iterator[Sheet]:
    for line in lines:
        sheet = Sheet(line, lines)
        yield sheet
        for _row in sheet.rows():
            pass


def _checked_lines(child: ChildProcess) -> Iterator[Any]:
    """Yield the child's lines until it says that it has finished."""
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
