"""Read spreadsheets in the test's own process, because starting the reader's child process takes half a second.

Tests with the fixture `reader_process` use the child process, and so do the shops of browser tests.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

import pytest

from backend.spreadsheet_reader.child import iter_output
from backend.spreadsheet_reader.models import Limits


class ReaderWithoutProcess:
    """A replacement for the reader's `ChildProcess`, without its limits on memory and time."""

    def __init__(
        self, _module: str, file: BinaryIO, argument: Mapping[str, Any], *, timeout_s: float
    ) -> None:
        assert timeout_s == argument["timeout_s"]
        # a separate descriptor, as in the child process: closing `file` does not close it
        self._file = os.fdopen(os.dup(file.fileno()), "rb")
        self._limits = Limits(**argument)

    def __enter__(self) -> "ReaderWithoutProcess":
        return self

    def __exit__(self, *_error: object) -> None:
        self._file.close()

    def lines(self) -> Iterator[Any]:
        """Yield the lines that the child process would write, after a conversion to JSON and back."""
        for line in iter_output(self._file, self._limits):
            yield json.loads(json.dumps(line))


@contextmanager
def read_without_process() -> Iterator[None]:
    """Read all spreadsheets in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backend.spreadsheet_reader.reader.ChildProcess", ReaderWithoutProcess)
        yield
