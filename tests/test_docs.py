"""The pages in docs/ name all that the code has."""

import re
from pathlib import Path

from backend.attention.kinds import AttentionKind
from backend.core.config.settings import AdminAccess, Settings
from backend.operations.table_registry import all_tables

OPERATIONS = (Path(__file__).parent.parent / "docs" / "operations.md").read_text("utf-8")


def named_below(heading: str) -> set[str]:
    """What stands in backticks between this heading and the next one of its kind."""
    section = OPERATIONS.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"`([^`]+)`", section))


def test_every_setting_is_named() -> None:
    named = named_below("Settings")
    origin = {f"CARRIER_ORIGIN{part}" for part in named if part.startswith("_")}
    settings = {name.upper() for name in (*Settings.model_fields, *AdminAccess.model_fields)}
    assert settings - named - origin == set()


def test_every_kind_of_attention_is_named() -> None:
    assert set(AttentionKind) - named_below("Attention") == set()


def test_every_table_is_named() -> None:
    assert set(all_tables().tables) - named_below("What goes by itself") == set()
