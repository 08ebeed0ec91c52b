"""The promised day of an order. Orders of earlier releases have none."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = 'c41d7e90b3a5'
down_revision: str | None = '5f1c0de84b37'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Add the column."""
    op.add_column('order', sa.Column('promised_day', sa.Date(), nullable=True))
