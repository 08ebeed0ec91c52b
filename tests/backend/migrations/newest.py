"""The revision that a migrated database has."""

from alembic.script import ScriptDirectory

from backend.migrations.runner import FOLDER


def newest_migration() -> str:
    """Return the head of the migrations."""
    head = ScriptDirectory(str(FOLDER)).get_current_head()
    assert head is not None
    return head
