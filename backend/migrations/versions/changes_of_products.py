"""Which products changed, in the order of the changes, and a number of the catalogue's version for what many share."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.migrations.triggers import unwatch_products, watch, watch_products

revision: str = '90b6e2d4f7c8'
down_revision: str | None = 'c41e7a9053bd'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

COLUMNS = ('shared', 'product_changes', 'product_changes_by')
OF_PRODUCTS = (
    'picture',
    'product',
    'product_category',
    'product_has_tag',
    'product_has_type',
    'product_option',
    'review',
    'variant',
)
SHARED = (
    'collection',
    'content_turn',
    'content_version',
    'legal_text',
    'product_option_value',
    'product_tag',
    'product_type',
    'publishable_key',
    'stored_setting',
    'variant_option_value',
)


def upgrade() -> None:
    for column in COLUMNS:
        op.add_column(
            'catalog_version', sa.Column(column, sa.BigInteger(), nullable=False, server_default='0')
        )
    op.create_table(
        'product_change',
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('number', sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint('product_id', name=op.f('pk_product_change')),
    )
    op.create_index(op.f('ix_product_change_number'), 'product_change', ['number'])
    for table in SHARED:
        watch(table, 'catalog', 'shared')
    for table in OF_PRODUCTS:
        watch_products(table)


def downgrade() -> None:
    for table in OF_PRODUCTS:
        unwatch_products(table)
    for table in SHARED:
        watch(table)
    op.drop_table('product_change')
    for column in COLUMNS:
        op.drop_column('catalog_version', column)
