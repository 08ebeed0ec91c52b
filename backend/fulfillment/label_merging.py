"""Merging of labels into one PDF. Labels are untrusted files from carriers, so a child process parses them.

The child's command-line argument has the sizes of the labels in bytes. Its standard input has the labels one after
the other.
"""

import json
import logging
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from backend.core.child_process import ChildFailed, ChildProcess, limit_this_process

CHILD = "backend.fulfillment.label_merging"
MAX_MEMORY_BYTES = 768 << 20
MAX_CPU_S = 30
TIMEOUT_S = 120
MAX_FAILURES = 3
"""Number of labels that may crash the child. After that many, the remaining labels are not merged."""
PIECE_BYTES = 1 << 20

log = logging.getLogger(__name__)


def merge_labels(labels: Sequence[tuple[str, bytes]]) -> bytes | None:
    """Return one PDF of the readable labels; None if none is readable. Call it from a thread.

    Args:
        labels: the reference and the label PDF of each fulfillment.
    """
    left = list(labels)
    for _failure in range(MAX_FAILURES):
        result = _run_child([label for _reference, label in left])
        for index in result.unreadable:
            log.warning("the label of fulfillment %s cannot be read", left[index][0])
        if result.is_finished:
            return result.pdf or None
        left = [label for index, label in enumerate(left) if index not in result.unreadable]
    return None


@dataclass(slots=True)
class _Result:
    """Result of one run of the child process: the PDF, and the positions of unreadable labels."""

    pdf: bytes = b""
    unreadable: list[int] = field(default_factory=list)
    is_finished: bool = False


def _run_child(labels: Sequence[bytes]) -> _Result:
    """Merge the labels in a child process.

    If a label crashes the child, the result has no PDF and names only this label as unreadable.
    """
    result, reading = _Result(), 0
    argument = {"sizes": [len(label) for label in labels], "max_cpu_s": MAX_CPU_S}
    with TemporaryFile() as file:
        file.writelines(labels)
        file.seek(0)
        with ChildProcess(CHILD, file, argument, timeout_s=TIMEOUT_S) as child:
            try:
                for line in child.lines():
                    reading = line.get("label", reading)
                    result.unreadable += line.get("unreadable", ())
                    result.pdf += b64decode(line.get("piece", ""))
            except ChildFailed:
                return _Result(unreadable=[reading])
    result.is_finished = True
    return result


def main() -> None:
    """Merge the labels from the standard input. Write the parts of the resulting PDF as lines of JSON."""
    argument = json.loads(sys.argv[1])
    limit_this_process(MAX_MEMORY_BYTES, argument["max_cpu_s"])
    for line in _merge(sys.stdin.buffer, argument["sizes"]):
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def _merge(file: BinaryIO, sizes: Sequence[int]) -> Iterator[dict[str, Any]]:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter()
    for index, size in enumerate(sizes):
        yield {"label": index}
        try:
            for page in list(PdfReader(BytesIO(file.read(size))).pages):
                writer.add_page(page)
        except Exception:  # noqa: BLE001 - the library may raise any error for a damaged file
            yield {"unreadable": [index]}
    if not writer.pages:
        return
    merged = BytesIO()
    writer.write(merged)
    content = merged.getvalue()
    for start in range(0, len(content), PIECE_BYTES):
        yield {"piece": b64encode(content[start : start + PIECE_BYTES]).decode()}


if __name__ == "__main__":
    main()
