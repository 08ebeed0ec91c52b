"""Check that `docs/operations.md` names every setting, kind of attention and table."""

import re
from pathlib import Path

from backend.attention.kinds import AttentionKind
from backend.core.config.settings import AdminAccess, Settings
from backend.operations.table_registry import all_tables

OPERATIONS = (Path(__file__).parent.parent / "docs" / "operations.md").read_text("utf-8")


def read_names_below(heading: str) -> set[str]:
    """Return the code spans between this heading and the next one of its level."""
    section = OPERATIONS.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"`([^`]+)`", section))


def test_operations_document_lists_every_setting() -> None:
    documented = read_names_below("Settings")
    origin = {f"CARRIER_ORIGIN{part}" for part in documented if part.startswith("_")}
    settings = {name.upper() for name in (*Settings.model_fields, *AdminAccess.model_fields)}
    assert settings - documented - origin == set()


def test_operations_document_lists_every_kind_of_attention() -> None:
    assert set(AttentionKind) - read_names_below("Attention") == set()


def test_operations_document_lists_every_table() -> None:
    assert set(all_tables().tables) - read_names_below("Data retention") == set()
