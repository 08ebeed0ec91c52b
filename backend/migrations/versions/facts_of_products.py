"""What a product is made of, where, and what its box says about safety."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = 'b4d0e61f27a9'
down_revision: str | None = '3d7e91c5ab40'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column('product', sa.Column('material', sa.String(), nullable=True))
    op.add_column('product', sa.Column('origin_country', sa.String(), nullable=True))
    op.add_column('product', sa.Column('warnings', sa.String(), nullable=False, server_default=''))


def downgrade() -> None:
    for column in ('warnings', 'origin_country', 'material'):
        op.drop_column('product', column)
