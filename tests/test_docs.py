"""Check that the documents name every setting, kind of attention and table."""

import re
from pathlib import Path

from backend.attention.kinds import AttentionKind
from backend.core.config.settings import AdminAccess, Settings
from backend.operations.table_registry import all_tables
from tools.settings_reference import REFERENCE, read_docstrings, write_reference

OPERATIONS = (Path(__file__).parent.parent / "docs" / "operations.md").read_text("utf-8")


def read_names_below(heading: str) -> set[str]:
    """Return the code spans between this heading and the next one of its level."""
    section = OPERATIONS.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"`([^`]+)`", section))


def test_settings_reference_is_current() -> None:
    """If this fails, run `.venv/bin/python -m tools.settings_reference`."""
    assert REFERENCE.read_text("utf-8") == write_reference()


def test_every_setting_has_a_docstring() -> None:
    documented = {name: text for _heading, name, text in read_docstrings()}
    assert documented.keys() == {*Settings.model_fields, *AdminAccess.model_fields}
    assert [name for name, text in documented.items() if not text] == []


def test_operations_document_lists_every_kind_of_attention() -> None:
    assert set(AttentionKind) - read_names_below("Attention") == set()


def test_operations_document_lists_every_table() -> None:
    assert set(all_tables().tables) - read_names_below("Data retention") == set()
