"""What the shop's owner is told while it lasts."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime

revision: str = 'c3f1a8d27e94'
down_revision: str | None = 'd3a6f81c05e9'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        'alert',
        sa.Column('created_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('updated_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('subject', sa.String(), nullable=False),
        sa.Column('message', sa.String(), nullable=False),
        sa.Column('began_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('seen_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('ended_at', UtcDateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_alert')),
    )
    op.create_index(
        'uq_alert_lasting',
        'alert',
        ['kind', 'subject'],
        unique=True,
        sqlite_where=sa.text('ended_at IS NULL'),
        postgresql_where=sa.text('ended_at IS NULL'),
    )


def downgrade() -> None:
    op.drop_table('alert')
