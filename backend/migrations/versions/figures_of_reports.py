"""What was captured, refunded and begun in a period is found by an index."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = '93e5a7d04c1f'
down_revision: str | None = 'd52f9c07a1be'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    is_captured = sa.text("state = 'captured'")
    op.create_index(
        'ix_payment_session_captured',
        'payment_session',
        ['captured_at', 'captured_amount', 'collection_id'],
        sqlite_where=is_captured,
        postgresql_where=is_captured,
    )
    op.create_index('ix_refund_booked', 'refund', ['created_at', 'amount'])
    op.create_index('ix_cart_created_at', 'cart', ['created_at'])


def downgrade() -> None:
    op.drop_index('ix_cart_created_at', table_name='cart')
    op.drop_index('ix_refund_booked', table_name='refund')
    op.drop_index('ix_payment_session_captured', table_name='payment_session')
