"""Tables and columns are named as the field names them. What they hold stays."""

from collections.abc import Iterable, Sequence

from alembic import op
from sqlalchemy import text

revision: str = '5b1f0c7a92de'
down_revision: str | None = 'd8f6e06d3297'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

TABLES: tuple[tuple[str, str], ...] = (
    ("attempts", "rate_limit_counter"),
)
"""(name before, name since), one line each."""

COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("payment_session", "asked_at", "checked_at"),
    ("payment_notification", "tells_end", "is_final"),
    ("rate_limit_counter", "count", "hits"),
    ("rate_limit_counter", "until", "expires_at"),
)
"""(table's name since, column before, column since), one line each."""

VALUES: tuple[tuple[str, str, str, str], ...] = (
    ("mail", "kind", "parcel_shipped", "order_shipped"),
    ("mail", "kind", "reset", "password_reset"),
)
"""(table's name since, column's name since, text before, text since): words that are stored, one line each."""


def upgrade() -> None:
    for old, new in TABLES:
        _rename_table(old, new)
    for table, old, new in COLUMNS:
        _rename_column(table, old, new)
    for table, column, old, new in VALUES:
        _replace(table, column, old, new)


def downgrade() -> None:
    for table, column, old, new in reversed(VALUES):
        _replace(table, column, new, old)
    for table, old, new in reversed(COLUMNS):
        _rename_column(table, new, old)
    for old, new in reversed(TABLES):
        _rename_table(new, old)


def _replace(table: str, column: str, old: str, new: str) -> None:
    op.get_bind().execute(
        text(f'UPDATE "{table}" SET {column} = :new WHERE {column} = :old'), {"old": old, "new": new}
    )


def _rename_table(old: str, new: str) -> None:
    op.rename_table(old, new)
    _rename_belongings(new, old, new)


def _rename_column(table: str, old: str, new: str) -> None:
    # not by copying the table: SQLite would lose its triggers
    op.execute(f'ALTER TABLE "{table}" RENAME COLUMN {old} TO {new}')
    _rename_belongings(table, f'{table}_{old}', f'{table}_{new}')


def _rename_belongings(table: str, old: str, new: str) -> None:
    """Name indexes, and on PostgreSQL constraints, after what they belong to (`ix_{table}_{column}`).

    SQLite keeps the names of constraints: nothing there refers to them.
    """
    connection = op.get_bind()
    if connection.dialect.name == 'postgresql':
        constraints = connection.execute(
            text('SELECT conname FROM pg_constraint WHERE conrelid = CAST(:name AS regclass)'), {"name": f'"{table}"'}
        )
        for name in _of(old, constraints.scalars().all()):
            op.execute(f'ALTER TABLE "{table}" RENAME CONSTRAINT {name} TO {name.replace(old, new, 1)}')
        indexes = connection.execute(text('SELECT indexname FROM pg_indexes WHERE tablename = :name'), {"name": table})
        for name in _of(old, indexes.scalars().all()):
            op.execute(f'ALTER INDEX {name} RENAME TO {name.replace(old, new, 1)}')
        return
    written = connection.execute(
        text("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = :name AND sql IS NOT NULL"),
        {"name": table},
    ).all()
    sql_of = {name: sql for name, sql in written}
    for name in _of(old, sql_of):
        op.execute(f'DROP INDEX {name}')
        op.execute(text(sql_of[name].replace(name, name.replace(old, new, 1), 1)))


def _of(part: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.split('_', 1)[-1].startswith(part)]
