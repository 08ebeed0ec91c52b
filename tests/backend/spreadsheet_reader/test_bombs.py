"""Files that are made to exhaust a reader cost no more than its limits.

| fault | outcome |
|---|---|
| cells without a reference in the final row; many cells, rows, texts, entities | refused within the child's memory |
| markup that is slow to search | refused as damaged |
| a part, or an ODS, that unpacks to a gigabyte | refused before it is unpacked |
| a directory with many members, or members in an unusual compression | refused before anything is unpacked |
| a reader that takes too long, or is killed | refused, and no child is left |
"""

import resource
import zipfile
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from backend.imports.spreadsheet_parsing import LIMITS
from backend.spreadsheet_reader import reader
from backend.spreadsheet_reader.models import Limits, Refusal, UnreadableSpreadsheet
from backend.spreadsheet_reader.reader import open_spreadsheet
from tests.attacks import bombs

pytestmark = pytest.mark.usefixtures("reader_process")
FEW_CELLS = replace(LIMITS, max_cells=300_000)
"""The bombs exceed it too, and need less processor time."""


def read_all(content: bytes, limits: Limits) -> None:
    with TemporaryFile() as file:
        file.write(content)
        file.flush()
        with open_spreadsheet(file, limits) as sheets:
            for sheet in sheets:
                deque(sheet.iter_rows(), maxlen=0)


def read_refusal(content: bytes, limits: Limits = LIMITS) -> Refusal:
    with pytest.raises(UnreadableSpreadsheet) as refused:
        read_all(content, limits)
    return refused.value.refusal


@pytest.mark.parametrize(
    ("build", "refusals"),
    [
        (bombs.cells_without_reference, {Refusal.TOO_MANY_CELLS}),
        (bombs.unfinished_cells, {Refusal.DAMAGED}),
        (bombs.cells_in_one_row, {Refusal.TOO_MANY_CELLS, Refusal.TOO_COMPLEX}),
        (bombs.empty_rows, {Refusal.DAMAGED, Refusal.TOO_COMPLEX}),
        (bombs.shared_texts, {Refusal.TOO_MANY_CELLS}),
        (bombs.expanding_entities, {Refusal.DAMAGED}),
        (bombs.nested_elements, {Refusal.DAMAGED}),
        (bombs.large_part, {Refusal.TOO_LARGE}),
        (bombs.ods_bomb, {Refusal.TOO_LARGE, Refusal.OTHER_FORMAT}),
        (bombs.many_members, {Refusal.TOO_LARGE}),
        (bombs.delimiters, {Refusal.TOO_MANY_CELLS}),
        (bombs.unclosed_quote, {Refusal.QUOTE}),
    ],
)
def test_spreadsheet_bomb_is_refused_within_the_limits(
    build: Callable[[], bytes], refusals: set[Refusal]
) -> None:
    content = build()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    refusal = read_refusal(content, FEW_CELLS)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert refusal in refusals
    # a child has this process's memory until it starts its own program, and Linux counts that too
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after.ru_maxrss <= max(LIMITS.max_memory_bytes // 1024, before.ru_maxrss, own)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < LIMITS.max_cpu_s + 2


@pytest.mark.parametrize("compression", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_spreadsheet_with_unusual_compression_is_refused(compression: int) -> None:
    content = bombs.pack(bombs.xlsx_parts(b"<worksheet/>"), compression)
    assert read_refusal(content) is Refusal.DAMAGED


def test_processor_time_of_the_reader_process_is_limited() -> None:
    rows = b"<row>" + b'<c t="str"><v>a</v></c>' * 100 + b"</row>"
    content = bombs.xlsx(rows * 29_000)
    assert read_refusal(content, replace(LIMITS, max_cpu_s=1)) is Refusal.TOO_COMPLEX


def test_reader_process_that_does_not_end_in_time_is_killed() -> None:
    content = bombs.xlsx((b"<row>" + b'<c t="str"><v>a</v></c>' * 100 + b"</row>") * 29_000)
    assert read_refusal(content, replace(LIMITS, timeout_s=1)) is Refusal.TOO_COMPLEX


def test_file_is_refused_if_its_reader_process_is_killed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    module = tmp_path / "killed.py"
    module.write_text(
        """import os; print('{"sheet": "", "is_text": true, "is_hidden": false}', flush=True)\n"""
        "os.kill(os.getpid(), 9)"
    )
    monkeypatch.setattr("backend.core.child_process.ROOT", tmp_path)
    monkeypatch.setattr(reader, "CHILD", "killed")
    with (
        TemporaryFile() as file,
        open_spreadsheet(file, LIMITS) as sheets,
        pytest.raises(UnreadableSpreadsheet) as refused,
    ):
        next(next(sheets).iter_rows())
    assert refused.value.refusal is Refusal.TOO_COMPLEX
