"""Rows of a sheet with options of one product belong together."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = '4c9e27b0d815'
down_revision: str | None = 'b7e2d94c1f36'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column(
        'product_import_row', sa.Column('of_product', sa.String(), nullable=False, server_default='')
    )
    op.create_index('ix_product_import_row_product', 'product_import_row', ['import_id', 'of_product'])


def downgrade() -> None:
    op.drop_index('ix_product_import_row_product', 'product_import_row')
    op.drop_column('product_import_row', 'of_product')
