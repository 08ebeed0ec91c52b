"""Prices that are lower from one moment to another, and end by themselves."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json

revision: str = 'b6d30f9a71e8'
down_revision: str | None = '7d20c5e8b41a'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

ON = sa.text("state = 'on'")


def upgrade() -> None:
    op.create_table(
        'price_list',
        sa.Column('created_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('updated_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('title', sa.String(), nullable=False),
        sa.Column('rule', Json, nullable=False),
        sa.Column('starts_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('ends_at', UtcDateTime(timezone=True), nullable=True),
        sa.Column('ended_at', UtcDateTime(timezone=True), nullable=True),
        sa.CheckConstraint('ends_at IS NULL OR starts_at < ends_at', name=op.f('ck_price_list_ends_at')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_price_list')),
    )
    op.create_index('ix_price_list_newest', 'price_list', ['created_at', 'id'])
    op.create_table(
        'price_list_price',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('price_list_id', sa.String(), nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('variant_id', sa.String(), nullable=False),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('state', sa.String(), nullable=False),
        sa.Column('before', sa.Integer(), nullable=True),
        sa.Column('compare_at_before', sa.Integer(), nullable=True),
        sa.Column('problem', sa.String(), nullable=False),
        sa.CheckConstraint('amount > 0', name=op.f('ck_price_list_price_amount')),
        sa.ForeignKeyConstraint(
            ['price_list_id'],
            ['price_list.id'],
            name=op.f('fk_price_list_price_price_list_id'),
            ondelete='CASCADE',
        ),
        sa.ForeignKeyConstraint(
            ['variant_id'],
            ['variant.id'],
            name=op.f('fk_price_list_price_variant_id'),
            ondelete='CASCADE',
        ),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_price_list_price')),
        sa.UniqueConstraint(
            'price_list_id', 'variant_id', name=op.f('uq_price_list_price_price_list_id_variant_id')
        ),
    )
    op.create_index(
        'ix_price_list_price_state', 'price_list_price', ['price_list_id', 'state', 'product_id']
    )
    op.create_index('ix_price_list_price_variant_id', 'price_list_price', ['variant_id'])
    op.create_index(
        'uq_price_list_price_on',
        'price_list_price',
        ['variant_id'],
        unique=True,
        sqlite_where=ON,
        postgresql_where=ON,
    )


def downgrade() -> None:
    op.drop_table('price_list_price')
    op.drop_table('price_list')
