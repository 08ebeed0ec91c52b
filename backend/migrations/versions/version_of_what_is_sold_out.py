"""A number of the catalogue's version for which variants are sold out: a sale of others is none to a list."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.migrations.watches import forget_sold_out, watch_sold_out

revision: str = 'c41e7a9053bd'
down_revision: str | None = '5e9a41d7c30b'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column(
        'catalog_version', sa.Column('sold_out', sa.BigInteger(), nullable=False, server_default='0')
    )
    watch_sold_out()


def downgrade() -> None:
    forget_sold_out()
    op.drop_column('catalog_version', 'sold_out')
