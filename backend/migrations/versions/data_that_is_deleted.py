"""When an order lost what is personal and no invoice needs."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime

revision: str = 'c81d5e07b2f4'
down_revision: str | None = 'c8b1f2463d90'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

ERASED = sa.text('erased_at IS NOT NULL')


def upgrade() -> None:
    op.add_column('order', sa.Column('erased_at', UtcDateTime(timezone=True), nullable=True))
    op.create_index(
        'ix_order_erased', 'order', ['created_at', 'number'], sqlite_where=ERASED, postgresql_where=ERASED
    )


def downgrade() -> None:
    op.drop_index('ix_order_erased', 'order')
    op.drop_column('order', 'erased_at')
