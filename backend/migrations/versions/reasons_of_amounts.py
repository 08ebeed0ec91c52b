"""Why more goes back for a return than its units are worth."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = '3f1b7c92e06d'
down_revision: str | None = 'f27c93a0d6b4'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column(
        'order_return', sa.Column('amount_reason', sa.String(), server_default='', nullable=False)
    )


def downgrade() -> None:
    op.drop_column('order_return', 'amount_reason')
