"""Keys that are revoked, keys of programs for the Admin API, and what is said of regions and sales channels."""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op

import backend.core.db.database
from backend.core.db.tables import Json

revision: str = 'b9e3c7015ad4'
down_revision: str | None = 'f3c81d7be602'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    text, moment = sqlmodel.sql.sqltypes.AutoString, backend.core.db.database.UtcDateTime
    # columns are added one by one and no table is copied: the triggers that watch these tables stay
    for table in ('region', 'sales_channel'):
        op.add_column(table, sa.Column('meta', Json, nullable=False, server_default=sa.text("'{}'")))
    op.add_column('sales_channel', sa.Column('description', text(), nullable=True))
    op.add_column('publishable_key', sa.Column('created_by', text(), nullable=True))
    op.add_column('publishable_key', sa.Column('revoked_at', moment(timezone=True), nullable=True))
    op.add_column('publishable_key', sa.Column('revoked_by', text(), nullable=True))
    op.create_table(
        'secret_key',
        sa.Column('created_at', moment(timezone=True), nullable=False),
        sa.Column('updated_at', moment(timezone=True), nullable=False),
        sa.Column('id', text(), nullable=False),
        sa.Column('token_hash', text(), nullable=False),
        sa.Column('redacted', text(), nullable=False),
        sa.Column('title', text(), nullable=False),
        sa.Column('role', text(), nullable=False),
        sa.Column('created_by', text(), nullable=False),
        sa.Column('last_used_at', moment(timezone=True), nullable=True),
        sa.Column('revoked_at', moment(timezone=True), nullable=True),
        sa.Column('revoked_by', text(), nullable=True),
        sa.ForeignKeyConstraint(['created_by'], ['staff.id'], name=op.f('fk_secret_key_created_by')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_secret_key')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_secret_key_token_hash')),
    )
    op.create_index(op.f('ix_secret_key_created_by'), 'secret_key', ['created_by'])
