"""Indexes for the orders of the storefront's lists, and brands among what decides of lists."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.migrations.versions.version_of_lists import OF_PRODUCTS
from backend.migrations.triggers import watch

revision: str = '5e9a41d7c30b'
down_revision: str | None = 'd27f05b8c6e1'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

FOR_SALE = sa.text("status = 'published' AND deleted_at IS NULL")


def upgrade() -> None:
    op.create_index(
        'ix_product_shown',
        'product',
        ['featured', 'created_at', 'id'],
        sqlite_where=FOR_SALE,
        postgresql_where=FOR_SALE,
    )
    op.create_index('ix_variant_price', 'variant', ['price', 'product_id'])
    watch('product', 'lists', columns=(*OF_PRODUCTS, 'brand'))


def downgrade() -> None:
    watch('product', 'lists', columns=OF_PRODUCTS)
    op.drop_index('ix_variant_price', 'variant')
    op.drop_index('ix_product_shown', 'product')
