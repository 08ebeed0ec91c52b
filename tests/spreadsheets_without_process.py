"""Reading of spreadsheets in the test's own process: to start the reader's process takes half a second.

Tests with the fixture `reader_process` use the process, and so do the shops of browser tests.
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
    """A replacement of `ChildProcess` for the reader, without the limits on memory and time."""

    def __init__(
        self, _module: str, file: BinaryIO, argument: Mapping[str, Any], *, timeout_s: float
    ) -> None:
        assert timeout_s == argument["timeout_s"]
        self._file = os.fdopen(os.dup(file.fileno()), "rb")  # closed independently of `file`, as in a process
        self._limits = Limits(**argument)

    def __enter__(self) -> "ReaderWithoutProcess":
        return self

    def __exit__(self, *_error: object) -> None:
        self._file.close()

    def lines(self) -> Iterator[Any]:
        """Yield what the process would write, as JSON brings it."""
        for line in iter_output(self._file, self._limits):
            yield json.loads(json.dumps(line))


@contextmanager
def read_without_process() -> Iterator[None]:
    """Read all spreadsheets in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backend.spreadsheet_reader.reader.ChildProcess", ReaderWithoutProcess)
        yield
