"""Sending a part of a file: `Range`, `If-Range`, 206 and 416 (RFC 9110, 14)."""

import re
from dataclasses import dataclass

_RANGE = re.compile(r"bytes=[ \t]*([0-9]{0,18})-([0-9]{0,18})[ \t]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """The bytes from `start` to before `end` of a file that has `size`."""

    start: int
    end: int
    size: int

    @property
    def header(self) -> str:
        """`Content-Range`."""
        return f"bytes {self.start}-{self.end - 1}/{self.size}"


class Unsatisfiable(ValueError):
    """The file has no such part: the answer is 416."""


def part_of(asked: str, size: int) -> Part | None:
    """The part that a `Range` asks for; None for all of the file.

    A header that breaks the grammar, names another unit or several parts counts for nothing, as it may (14.2).

    Raises:
        Unsatisfiable: it begins behind the file's end, or is empty.
    """
    found = _RANGE.fullmatch(asked)
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        start, end = max(0, size - int(found[2])), size
    else:
        start = int(found[1])
        end = min(int(found[2]) + 1, size) if found[2] else size
        if found[2] and int(found[2]) < start:
            return None
    if start >= end:
        raise Unsatisfiable
    return Part(start, end, size)
