"""Mails that a stranger can cause count for limits of their address, and wait."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime

revision: str = 'd92c7be05f14'
down_revision: str | None = '3f1b7c92e06d'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    moment = UtcDateTime(timezone=True)
    op.create_table(
        'mail_slot',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('address_key', sa.String(), nullable=False),
        sa.Column('mail_id', sa.String(), nullable=False),
        sa.Column('asked_at', moment, nullable=False),
        sa.Column('taken_at', moment, nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_mail_slot')),
    )
    op.create_index('ix_mail_slot_address_key', 'mail_slot', ['address_key', 'taken_at'])
    op.create_index(op.f('ix_mail_slot_taken_at'), 'mail_slot', ['taken_at'])
    for name in ('address_key', 'joined_to'):
        op.add_column('mail', sa.Column(name, sa.String(), nullable=True))
        op.create_index(op.f(f'ix_mail_{name}'), 'mail', [name])


def downgrade() -> None:
    for name in ('joined_to', 'address_key'):
        op.drop_index(op.f(f'ix_mail_{name}'), table_name='mail')
        op.drop_column('mail', name)
    op.drop_table('mail_slot')
