"""Promotions, their campaigns, the codes in carts, and what was used of each."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json

revision: str = '4b8e61d9f027'
down_revision: str | None = 'a06b3dc8f4e1'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    moment = UtcDateTime(timezone=True)
    stands = sa.text('deleted_at IS NULL')
    automatic = sa.text("is_automatic AND status = 'active' AND deleted_at IS NULL")
    op.create_table(
        'campaign',
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('campaign_identifier', sa.String(), nullable=False),
        sa.Column('description', sa.String(), nullable=True),
        sa.Column('starts_at', moment, nullable=True),
        sa.Column('ends_at', moment, nullable=True),
        sa.Column('budget_type', sa.String(), nullable=True),
        sa.Column('budget_limit', sa.Integer(), nullable=True),
        sa.Column('budget_attribute', sa.String(), nullable=True),
        sa.Column('deleted_at', moment, nullable=True),
        sa.CheckConstraint(
            'ends_at IS NULL OR starts_at IS NULL OR starts_at < ends_at', name=op.f('ck_campaign_ends_at')
        ),
        sa.CheckConstraint('budget_limit IS NULL OR budget_limit > 0', name=op.f('ck_campaign_budget_limit')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_campaign')),
    )
    op.create_index(
        'uq_campaign_identifier', 'campaign', ['campaign_identifier'],
        unique=True, sqlite_where=stands, postgresql_where=stands,
    )
    op.create_table(
        'promotion',
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('code', sa.String(), nullable=False),
        sa.Column('code_key', sa.String(), nullable=False),
        sa.Column('is_automatic', sa.Boolean(), nullable=False),
        sa.Column('status', sa.String(), nullable=False),
        sa.Column('campaign_id', sa.String(), nullable=True),
        sa.Column('use_limit', sa.Integer(), nullable=True),
        sa.Column('method_type', sa.String(), nullable=False),
        sa.Column('target_type', sa.String(), nullable=False),
        sa.Column('allocation', sa.String(), nullable=False),
        sa.Column('value', sa.Integer(), nullable=False),
        sa.Column('max_quantity', sa.Integer(), nullable=True),
        sa.Column('description', sa.String(), nullable=True),
        sa.Column('rules', Json, nullable=False),
        sa.Column('target_rules', Json, nullable=False),
        sa.Column('meta', Json, nullable=False),
        sa.Column('deleted_at', moment, nullable=True),
        sa.CheckConstraint('value > 0', name=op.f('ck_promotion_value')),
        sa.CheckConstraint("method_type <> 'percentage' OR value <= 100", name=op.f('ck_promotion_percentage')),
        sa.CheckConstraint('use_limit IS NULL OR use_limit > 0', name=op.f('ck_promotion_use_limit')),
        sa.CheckConstraint('max_quantity IS NULL OR max_quantity > 0', name=op.f('ck_promotion_max_quantity')),
        sa.ForeignKeyConstraint(['campaign_id'], ['campaign.id'], name=op.f('fk_promotion_campaign_id')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_promotion')),
    )
    op.create_index(op.f('ix_promotion_campaign_id'), 'promotion', ['campaign_id'])
    op.create_index(
        'uq_promotion_code', 'promotion', ['code_key'],
        unique=True, sqlite_where=stands, postgresql_where=stands,
    )
    op.create_index(
        'ix_promotion_automatic', 'promotion', ['id'], sqlite_where=automatic, postgresql_where=automatic
    )
    op.create_table(
        'cart_promotion',
        sa.Column('cart_id', sa.String(), nullable=False),
        sa.Column('promotion_id', sa.String(), nullable=False),
        sa.Column('created_at', moment, nullable=False),
        sa.ForeignKeyConstraint(
            ['cart_id'], ['cart.id'], name=op.f('fk_cart_promotion_cart_id'), ondelete='CASCADE'
        ),
        sa.ForeignKeyConstraint(
            ['promotion_id'], ['promotion.id'], name=op.f('fk_cart_promotion_promotion_id'), ondelete='CASCADE'
        ),
        sa.PrimaryKeyConstraint('cart_id', 'promotion_id', name=op.f('pk_cart_promotion')),
    )
    op.create_index(op.f('ix_cart_promotion_promotion_id'), 'cart_promotion', ['promotion_id'])
    op.create_table(
        'promotion_use',
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('promotion_id', sa.String(), nullable=False),
        sa.Column('holder', sa.String(), nullable=False),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('customer_id', sa.String(), nullable=True),
        sa.Column('buyer', sa.String(), nullable=False),
        sa.Column('confirmed_at', moment, nullable=True),
        sa.Column('is_counted', sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(['promotion_id'], ['promotion.id'], name=op.f('fk_promotion_use_promotion_id')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_promotion_use')),
        sa.UniqueConstraint('holder', 'promotion_id', name=op.f('uq_promotion_use_holder_promotion_id')),
    )
    op.create_index(op.f('ix_promotion_use_promotion_id'), 'promotion_use', ['promotion_id'])
    op.create_index(op.f('ix_promotion_use_customer_id'), 'promotion_use', ['customer_id'])


def downgrade() -> None:
    for table in ('promotion_use', 'cart_promotion', 'promotion', 'campaign'):
        op.drop_table(table)
