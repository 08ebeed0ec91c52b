"""What a program says of a price list."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = '3f8e1c5ab7d2'
down_revision: str | None = 'b6d30f9a71e8'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column('price_list', sa.Column('description', sa.String(), nullable=False, server_default=''))


def downgrade() -> None:
    op.drop_column('price_list', 'description')
