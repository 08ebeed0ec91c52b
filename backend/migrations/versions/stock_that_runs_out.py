"""An index of the units that are left, so that what runs out is found without looking at all there is."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = 'c61f0b8d27e4'
down_revision: str | None = 'e5c91a7d20b4'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_index(
        'ix_inventory_level_free', 'inventory_level', [sa.text('(stocked - reserved)'), 'id']
    )


def downgrade() -> None:
    op.drop_index('ix_inventory_level_free', 'inventory_level')
