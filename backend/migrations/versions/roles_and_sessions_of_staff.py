"""Roles and sessions of staff."""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op

import backend.core.db.database

revision: str = 'c2f9d07be416'
down_revision: str | None = 'a41c7be03f58'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    text, moment = sqlmodel.sql.sqltypes.AutoString, backend.core.db.database.UtcDateTime
    # whoever is there already may do everything: they become owners
    op.add_column('staff', sa.Column('role', text(), nullable=False, server_default='owner'))
    op.add_column('staff', sa.Column('disabled_at', moment(timezone=True), nullable=True))
    op.add_column('staff', sa.Column('token_epoch', sa.Integer(), nullable=False, server_default='0'))
    op.add_column('staff', sa.Column('totp_secret', text(), nullable=True))
    op.add_column('staff', sa.Column('totp_pending', text(), nullable=True))
    op.add_column('staff', sa.Column('totp_last_step', sa.Integer(), nullable=True))
    op.add_column('staff', sa.Column('totp_failures', sa.Integer(), nullable=False, server_default='0'))
    # a member who is made without a role would be an owner
    with op.batch_alter_table('staff') as batch:
        batch.alter_column('role', server_default=None)
    op.create_table(
        'staff_session',
        sa.Column('created_at', moment(timezone=True), nullable=False),
        sa.Column('updated_at', moment(timezone=True), nullable=False),
        sa.Column('id', text(), nullable=False),
        sa.Column('token_hash', text(), nullable=False),
        sa.Column('staff_id', text(), nullable=False),
        sa.Column('expires_at', moment(timezone=True), nullable=False),
        sa.Column('last_seen_at', moment(timezone=True), nullable=False),
        sa.Column('second_factor_at', moment(timezone=True), nullable=True),
        sa.Column('revoked_at', moment(timezone=True), nullable=True),
        sa.Column('user_agent', text(), nullable=False),
        sa.Column('address', text(), nullable=False),
        sa.ForeignKeyConstraint(['staff_id'], ['staff.id'], name=op.f('fk_staff_session_staff_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_session')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_staff_session_token_hash')),
    )
    op.create_index(op.f('ix_staff_session_staff_id'), 'staff_session', ['staff_id'])
    op.create_index(op.f('ix_staff_session_expires_at'), 'staff_session', ['expires_at'])
