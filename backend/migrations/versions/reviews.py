"""Reviews of buyers, and what a product's row counts of them."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime
from backend.migrations.triggers import watch
from backend.core.db.tables import Json

revision: str = 'b7e2d94c1f36'
down_revision: str | None = 'e60b3d92f7a1'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

WAITING = sa.text("state = 'waiting'")


def upgrade() -> None:
    # with defaults, so that SQLite adds the columns without copying the table
    op.add_column('product', sa.Column('rating_count', sa.Integer(), nullable=False, server_default='0'))
    op.add_column('product', sa.Column('rating_total', sa.Integer(), nullable=False, server_default='0'))
    op.create_table(
        'review',
        sa.Column('created_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('updated_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('order_id', sa.String(), nullable=True),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('stars', sa.Integer(), nullable=False),
        sa.Column('text', sa.String(), nullable=False),
        sa.Column('pictures', Json, nullable=False),
        sa.Column('state', sa.String(), nullable=False),
        sa.Column('refusal', sa.String(), nullable=False),
        sa.Column('answer', sa.String(), nullable=False),
        sa.Column('answered_at', UtcDateTime(timezone=True), nullable=True),
        sa.Column('written_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('decided_at', UtcDateTime(timezone=True), nullable=True),
        sa.Column('is_demo', sa.Boolean(), nullable=False),
        sa.CheckConstraint('stars BETWEEN 1 AND 5', name=op.f('ck_review_stars')),
        sa.ForeignKeyConstraint(
            ['product_id'], ['product.id'], name=op.f('fk_review_product_id_product'), ondelete='CASCADE'
        ),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_review')),
        sa.UniqueConstraint('order_id', 'product_id', name=op.f('uq_review_order_id_product_id')),
    )
    op.create_index('ix_review_of_product', 'review', ['product_id', 'state', 'written_at'])
    op.create_index(
        'ix_review_waiting', 'review', ['written_at'], sqlite_where=WAITING, postgresql_where=WAITING
    )
    watch('review')


def downgrade() -> None:
    op.drop_table('review')
    op.drop_column('product', 'rating_total')
    op.drop_column('product', 'rating_count')
