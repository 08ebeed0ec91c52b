"""What people ask of the shop by its form."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime

revision: str = '9f5a2cb7e3d0'
down_revision: str | None = '8e4f1ba6d2c9'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    moment = UtcDateTime(timezone=True)
    op.create_table(
        'pqrs',
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('email', sa.String(), nullable=False),
        sa.Column('text', sa.String(), nullable=False),
        sa.Column('order_number', sa.String(), nullable=False),
        sa.Column('asked_at', moment, nullable=False),
        sa.Column('due_at', moment, nullable=False),
        sa.Column('answer', sa.String(), nullable=False),
        sa.Column('answered_at', moment, nullable=True),
        sa.PrimaryKeyConstraint('number', name=op.f('pk_pqrs')),
        sa.UniqueConstraint('id', name=op.f('uq_pqrs_id')),
    )
    unanswered = sa.text('answered_at IS NULL')
    op.create_index('ix_pqrs_open', 'pqrs', ['due_at'], sqlite_where=unanswered, postgresql_where=unanswered)


def downgrade() -> None:
    op.drop_table('pqrs')
