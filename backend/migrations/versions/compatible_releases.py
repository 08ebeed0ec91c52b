"""Releases whose code works on the tables of a newer one."""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision: str = 'f3a6c81d2e07'
down_revision: str | None = 'c3f1a8d27e94'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        'compatible_release',
        sa.Column('revision', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.PrimaryKeyConstraint('revision', name=op.f('pk_compatible_release')),
    )
