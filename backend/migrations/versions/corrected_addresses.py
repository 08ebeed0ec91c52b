"""When staff corrected the address of an order."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime

revision: str = 'd52f9c07a1be'
down_revision: str | None = 'b3d70e6c41fa'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column('order', sa.Column('address_corrected_at', UtcDateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column('order', 'address_corrected_at')
