"""Presses that were done: a browser may send each again."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime

revision: str = 'd2b6f0917c4e'
down_revision: str | None = 'b4d81f60c2a7'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        'press',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('subject', sa.String(), nullable=False),
        sa.Column('sending', sa.String(), nullable=False),
        sa.Column('created_at', UtcDateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint('id', name='pk_press'),
    )
    op.create_index('ix_press_created_at', 'press', ['created_at'])


def downgrade() -> None:
    op.drop_table('press')
