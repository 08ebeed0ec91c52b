"""Recovery codes of staff."""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op

import backend.core.db.database

revision: str = 'e81b64f0a9d3'
down_revision: str | None = 'c2f4d8a916b3'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    text, moment = sqlmodel.sql.sqltypes.AutoString, backend.core.db.database.UtcDateTime
    op.create_table(
        'staff_recovery_code',
        sa.Column('created_at', moment(timezone=True), nullable=False),
        sa.Column('updated_at', moment(timezone=True), nullable=False),
        sa.Column('code_hash', text(), nullable=False),
        sa.Column('staff_id', text(), nullable=False),
        sa.ForeignKeyConstraint(
            ['staff_id'], ['staff.id'], name=op.f('fk_staff_recovery_code_staff_id'), ondelete='CASCADE'
        ),
        sa.PrimaryKeyConstraint('code_hash', name=op.f('pk_staff_recovery_code')),
    )
    op.create_index(op.f('ix_staff_recovery_code_staff_id'), 'staff_recovery_code', ['staff_id'])
