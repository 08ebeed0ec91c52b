"""Variants that may be sold at a price of 0."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = '6c84e1f0a97d'
down_revision: str | None = 'd93b6e2f5a10'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column('variant', sa.Column('is_free', sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    op.drop_column('variant', 'is_free')
