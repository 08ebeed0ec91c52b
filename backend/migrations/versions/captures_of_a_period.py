"""Captures of a period are found by an index of their own on SQLite too, which took that of the state."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = '7d20c5e8b41a'
down_revision: str | None = 'c81d5e07b2f4'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

COLUMNS = ['captured_at', 'captured_amount', 'collection_id']
IS_CAPTURED = sa.text("state = 'captured'")


def upgrade() -> None:
    op.drop_index('ix_payment_session_captured', table_name='payment_session')
    op.create_index('ix_payment_session_captured', 'payment_session', COLUMNS)


def downgrade() -> None:
    op.drop_index('ix_payment_session_captured', table_name='payment_session')
    op.create_index(
        'ix_payment_session_captured',
        'payment_session',
        COLUMNS,
        sqlite_where=IS_CAPTURED,
        postgresql_where=IS_CAPTURED,
    )
