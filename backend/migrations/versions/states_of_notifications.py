"""A notification says how the payment stands."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = 'f27c93a0d6b4'
down_revision: str | None = 'd2b6f0917c4e'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column('payment_notification', sa.Column('said_state', sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column('payment_notification', 'said_state')
