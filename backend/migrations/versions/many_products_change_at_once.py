"""Changes of many products, and what each of them changed."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json

revision: str = '8e4b17d9a3c5'
down_revision: str | None = '5d20c7a1e94b'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        'bulk_change',
        sa.Column('created_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('updated_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('actor_id', sa.String(), nullable=False),
        sa.Column('value', Json, nullable=False),
        sa.Column('seen_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('status', sa.String(), nullable=False),
        sa.Column('total', sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_bulk_change')),
    )
    op.create_index('ix_bulk_change_newest', 'bulk_change', ['created_at', 'id'])
    op.create_table(
        'bulk_change_row',
        sa.Column('bulk_change_id', sa.String(), nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('state', sa.String(), nullable=False),
        sa.Column('problem', sa.String(), nullable=False),
        sa.Column('values', Json, nullable=False),
        sa.ForeignKeyConstraint(
            ['bulk_change_id'],
            ['bulk_change.id'],
            name=op.f('fk_bulk_change_row_bulk_change_id'),
            ondelete='CASCADE',
        ),
        sa.PrimaryKeyConstraint('bulk_change_id', 'product_id', name=op.f('pk_bulk_change_row')),
    )
    op.create_index(
        'ix_bulk_change_row_state', 'bulk_change_row', ['bulk_change_id', 'state', 'product_id']
    )


def downgrade() -> None:
    op.drop_table('bulk_change_row')
    op.drop_table('bulk_change')
