"""Reasons that programs offer for giving money or goods back."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json

revision: str = '7e1c04a9d35b'
down_revision: str | None = '2b7d5e90c4a1'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

KEYS = {'refund_reason': 'code', 'return_reason': 'value'}


def upgrade() -> None:
    moment = UtcDateTime(timezone=True)
    for table, key in KEYS.items():
        op.create_table(
            table,
            sa.Column('created_at', moment, nullable=False),
            sa.Column('updated_at', moment, nullable=False),
            sa.Column('id', sa.String(), nullable=False),
            sa.Column('meta', Json, nullable=False),
            sa.Column(key, sa.String(), nullable=False),
            sa.Column('label', sa.String(), nullable=False),
            sa.Column('description', sa.String(), nullable=True),
            sa.PrimaryKeyConstraint('id', name=op.f(f'pk_{table}')),
            sa.UniqueConstraint(key, name=op.f(f'uq_{table}_{key}')),
        )


def downgrade() -> None:
    for table in KEYS:
        op.drop_table(table)
