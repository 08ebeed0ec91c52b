"""Who of the staff did what: entries that the database refuses to change or delete."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json

revision: str = 'b7a90d3e51c8'
down_revision: str | None = 'b7d0e4a95c21'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

ENTRY, PERSONAL = 'audit_entry', 'audit_personal_value'
_REFUSE = """
CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit is append-only';
END $$
"""


def _refuse(table: str, event: str) -> None:
    """Let the database refuse this for every row of the table."""
    name = f'refuse_{table}_{event.lower()}'
    if op.get_bind().dialect.name == 'postgresql':
        each = 'STATEMENT' if event == 'TRUNCATE' else 'ROW'
        op.execute(
            f'CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH {each} EXECUTE FUNCTION refuse_audit_change()'
        )
    elif event != 'TRUNCATE':
        op.execute(
            f"CREATE TRIGGER {name} BEFORE {event} ON {table} "
            "BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END"
        )


def upgrade() -> None:
    op.create_table(
        ENTRY,
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('created_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('actor_id', sa.String(), nullable=False),
        sa.Column('action', sa.String(), nullable=False),
        sa.Column('subject_type', sa.String(), nullable=False),
        sa.Column('subject_id', sa.String(), nullable=False),
        sa.Column('changes', Json, nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_audit_entry')),
    )
    op.create_index('ix_audit_entry_newest', ENTRY, ['created_at', 'id'])
    op.create_index('ix_audit_entry_subject', ENTRY, ['subject_id', 'created_at', 'id'])
    op.create_index('ix_audit_entry_actor', ENTRY, ['actor_id', 'created_at', 'id'])
    op.create_table(
        PERSONAL,
        sa.Column('entry_id', sa.String(), nullable=False),
        sa.Column('place', sa.Integer(), nullable=False),
        sa.Column('before', Json, nullable=True),
        sa.Column('after', Json, nullable=True),
        sa.ForeignKeyConstraint(['entry_id'], ['audit_entry.id'], name=op.f('fk_audit_personal_value_entry_id')),
        sa.PrimaryKeyConstraint('entry_id', 'place', name=op.f('pk_audit_personal_value')),
    )
    if op.get_bind().dialect.name == 'postgresql':
        op.execute(_REFUSE)
    for event in ('UPDATE', 'DELETE', 'TRUNCATE'):
        _refuse(ENTRY, event)
    _refuse(PERSONAL, 'UPDATE')


def downgrade() -> None:
    op.drop_table(PERSONAL)
    op.drop_table(ENTRY)
    if op.get_bind().dialect.name == 'postgresql':
        op.execute('DROP FUNCTION refuse_audit_change()')
