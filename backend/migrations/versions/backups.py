"""Copies of the shop that were made."""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op

import backend.core.db.database

revision: str = 'd3a6f81c05e9'
down_revision: str | None = 'b7a90d3e51c8'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    moment = backend.core.db.database.UtcDateTime
    op.create_table(
        'backup',
        sa.Column('id', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column('made_at', moment(timezone=True), nullable=False),
        sa.Column('size', sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_backup')),
    )
    op.create_index(op.f('ix_backup_made_at'), 'backup', ['made_at'])


def downgrade() -> None:
    op.drop_table('backup')
