"""Why stock changes, when a toy counts as running out, and the codes on its boxes."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime

revision: str = 'f3c81d7be602'
down_revision: str | None = '6f2b90c4de17'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

MOVEMENT = 'stock_movement'


def upgrade() -> None:
    op.create_table(
        MOVEMENT,
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('created_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('variant_id', sa.String(), nullable=False),
        sa.Column('location_id', sa.String(), nullable=False),
        sa.Column('delta', sa.Integer(), nullable=False),
        sa.Column('stocked', sa.Integer(), nullable=False),
        sa.Column('reason', sa.String(), nullable=False),
        sa.Column('actor_id', sa.String(), nullable=False),
        sa.Column('note', sa.String(), nullable=False),
        sa.Column('supplier', sa.String(), nullable=False),
        sa.Column('document', sa.String(), nullable=False),
        sa.Column('order_id', sa.String(), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_stock_movement')),
    )
    op.create_index('ix_stock_movement_variant', MOVEMENT, ['variant_id', 'created_at', 'id'])
    op.create_index('ix_stock_movement_newest', MOVEMENT, ['created_at', 'id'])
    op.create_index('ix_stock_movement_order_id', MOVEMENT, ['order_id'])
    op.add_column('product', sa.Column('low_stock_at', sa.Integer(), nullable=True))
    op.add_column('variant', sa.Column('ean', sa.String(), nullable=True))
    op.create_index('ix_variant_ean', 'variant', ['ean'])
    op.create_index('ix_product_low_stock_at', 'product', ['low_stock_at'])


def downgrade() -> None:
    op.drop_index('ix_product_low_stock_at', 'product')
    op.drop_index('ix_variant_ean', 'variant')
    op.drop_column('variant', 'ean')
    op.drop_column('product', 'low_stock_at')
    op.drop_table(MOVEMENT)
