"""Guests as customers of carts and orders, the language a program asked for, and what was said of what was sold."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json

revision: str = 'e5c91a7d20b4'
down_revision: str | None = '8e4b17d9a3c5'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        'guest_customer',
        sa.Column('created_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('updated_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('email', sa.String(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_guest_customer')),
        sa.UniqueConstraint('email', name=op.f('uq_guest_customer_email')),
    )
    for table in ('cart', 'order'):
        op.add_column(table, sa.Column('guest_id', sa.String(), nullable=True))
        op.add_column(table, sa.Column('locale', sa.String(), nullable=True))
        op.create_index(op.f(f'ix_{table}_guest_id'), table, ['guest_id'])
    op.add_column('order_line', sa.Column('facts', Json, nullable=False, server_default=sa.text("'{}'")))


def downgrade() -> None:
    op.drop_column('order_line', 'facts')
    for table in ('cart', 'order'):
        op.drop_index(op.f(f'ix_{table}_guest_id'), table)
        op.drop_column(table, 'locale')
        op.drop_column(table, 'guest_id')
    op.drop_table('guest_customer')
