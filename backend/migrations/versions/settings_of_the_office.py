"""What the office saves of the shop's settings."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime
from backend.migrations.triggers import watch

revision: str = 'c2f4d8a916b3'
down_revision: str | None = 'c2f9d07be416'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        'stored_setting',
        sa.Column('created_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('updated_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('value', sa.String(), nullable=False),
        sa.PrimaryKeyConstraint('name', name=op.f('pk_stored_setting')),
    )
    watch('stored_setting')


def downgrade() -> None:
    op.drop_table('stored_setting')
