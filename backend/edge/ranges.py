"""Parts of a file: `Range`, `If-Range`, 206 and 416 (RFC 9110, 14)."""

import re
from dataclasses import dataclass

_RANGE = re.compile(r"bytes=[ \t]*([0-9]{0,18})-([0-9]{0,18})[ \t]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FileRange:
    """The bytes from `start` (inclusive) to `end` (exclusive) of a file with `size` bytes."""

    start: int
    end: int
    size: int

    @property
    def header(self) -> str:
        """Value of `Content-Range`."""
        return f"bytes {self.start}-{self.end - 1}/{self.size}"


class UnsatisfiableRange(ValueError):
    """The file does not have the requested part: the answer is 416."""


def parse_range(header: str, size: int) -> FileRange | None:
    """Parse a `Range` header; None for the whole file.

    A header that breaks the grammar, or names another unit or several parts, is ignored, as RFC 9110 allows (14.2).

    Raises:
        UnsatisfiableRange: the part begins after the file's end, or is empty.
    """
    match = _RANGE.fullmatch(header)
    if match is None or not (match[1] or match[2]):
        return None
    if not match[1]:
        start, end = max(0, size - int(match[2])), size
    else:
        start = int(match[1])
        end = min(int(match[2]) + 1, size) if match[2] else size
        if match[2] and int(match[2]) < start:
            return None
    if start >= end:
        raise UnsatisfiableRange
    return FileRange(start, end, size)
