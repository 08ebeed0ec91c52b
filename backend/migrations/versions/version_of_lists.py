"""A number of the catalogue's version for what decides which products are in which list, and in which order."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.migrations.triggers import watch

revision: str = 'd27f05b8c6e1'
down_revision: str | None = '8b1f63c0e7a4'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

OF_PRODUCTS = (
    'status',
    'deleted_at',
    'handle',
    'title',
    'title_key',
    'collection_id',
    'age_range',
    'created_at',
)
TABLES = (
    'category',
    'product_category',
    'product_has_tag',
    'product_has_type',
    'region',
    'sales_channel',
    'search_term',
)


def upgrade() -> None:
    op.add_column('catalog_version', sa.Column('lists', sa.BigInteger(), nullable=False, server_default='0'))
    watch('product', 'lists', columns=OF_PRODUCTS)
    for table in TABLES:
        watch(table, 'catalog', 'lists')


def downgrade() -> None:
    for table in TABLES:
        watch(table)
    if op.get_bind().dialect.name == 'postgresql':
        op.execute('DROP TRIGGER watch_lists_of_product ON product')
    else:
        for event in ('insert', 'update', 'delete'):
            op.execute(f'DROP TRIGGER watch_lists_of_product_{event}')
    op.drop_column('catalog_version', 'lists')
