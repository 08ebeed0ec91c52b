"""Labels of the embedded carrier."""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

import backend.core.db.database

revision: str = 'b7d0e4a95c21'
down_revision: str | None = 'e81b64f0a9d3'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    text, moment = sqlmodel.sql.sqltypes.AutoString, backend.core.db.database.UtcDateTime
    op.create_table(
        'sandbox_label',
        sa.Column('created_at', moment(timezone=True), nullable=False),
        sa.Column('updated_at', moment(timezone=True), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('order_id', sa.BigInteger(), nullable=False),
        sa.Column('tracker', text(), nullable=False),
        sa.Column('reference', text(), nullable=False),
        sa.Column('carrier', text(), nullable=False),
        sa.Column('is_test', sa.Boolean(), nullable=False),
        sa.Column('status', text(), nullable=False),
        sa.Column('times', sa.JSON().with_variant(JSONB(), 'postgresql'), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_sandbox_label')),
        sa.UniqueConstraint('order_id', name=op.f('uq_sandbox_label_order_id')),
        sa.UniqueConstraint('tracker', name=op.f('uq_sandbox_label_tracker')),
        sqlite_autoincrement=True,
    )
