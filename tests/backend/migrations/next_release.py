"""A later release: the code's migrations and one more that a test adds."""

import shutil
from pathlib import Path

import pytest

from backend.migrations import runner
from tests.backend.migrations.newest import newest_migration

NEXT_REVISION = "ffffffffffff"
_MIGRATION = """
import sqlalchemy as sa
from alembic import op

from backend.migrations.triggers import watch, watch_products

revision = {revision!r}
down_revision = {newest!r}
branch_labels = depends_on = None


def upgrade() -> None:
    {statements}
"""
ADD_SHELF = "op.add_column('product', sa.Column('shelf', sa.String(), nullable=True))"
"""A migration that an older release can ignore."""


def add_migration(monkeypatch: pytest.MonkeyPatch, folder: Path, *statements: str) -> Path:
    """Add a migration with these statements for this test. Return the new file."""
    copied = folder / "migrations"
    shutil.copytree(runner.FOLDER, copied, ignore=shutil.ignore_patterns("__pycache__"))
    file = copied / "versions" / "made_up.py"
    body = "\n    ".join(statements)
    file.write_text(_MIGRATION.format(revision=NEXT_REVISION, newest=newest_migration(), statements=body))
    monkeypatch.setattr(runner, "FOLDER", copied)
    return file
