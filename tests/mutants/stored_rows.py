"""Rows of a file with one JSON object per line. Each row is added when it is known, so that a later run continues."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson


def load_rows(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a file; none if it does not exist."""
    return [orjson.loads(line) for line in file.read_bytes().splitlines()] if file.exists() else []


def append_row(file: Path, row: Mapping[str, Any]) -> None:
    """Add a row to a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as stream:
        stream.write(orjson.dumps(row) + b"\n")
