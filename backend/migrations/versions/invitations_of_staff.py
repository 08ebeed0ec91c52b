"""Invitations of staff."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime

revision: str = '3d7e91c5ab40'
down_revision: str | None = 'b9e3c7015ad4'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

INVITE = 'staff_invite'


def upgrade() -> None:
    moment = UtcDateTime(timezone=True)
    op.create_table(
        INVITE,
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('email', sa.String(), nullable=False),
        sa.Column('role', sa.String(), nullable=False),
        sa.Column('invited_by', sa.String(), nullable=False),
        sa.Column('token_hash', sa.String(), nullable=True),
        sa.Column('expires_at', moment, nullable=True),
        sa.Column('sent_at', moment, nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_invite')),
        sa.UniqueConstraint('email', name=op.f('uq_staff_invite_email')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_staff_invite_token_hash')),
    )


def downgrade() -> None:
    op.drop_table(INVITE)
