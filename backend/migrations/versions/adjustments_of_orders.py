"""An order keeps what was taken off its lines and its shipping."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy import Text
from sqlalchemy.dialects import postgresql

revision: str = 'a41c7be03f58'
down_revision: str | None = '5b1f0c7a92de'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column('order', sa.Column('adjustments', sa.JSON().with_variant(postgresql.JSONB(astext_type=Text()), 'postgresql'), server_default=sa.text("'[]'"), nullable=False))


def downgrade() -> None:
    op.drop_column('order', 'adjustments')
