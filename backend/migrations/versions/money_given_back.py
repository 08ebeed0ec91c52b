"""Payments whose money had paid no order as staff gave it back are marked: they pay neither their cart nor its chain.

Certain of those alone whose refund was booked without an order. Of them, what had been captured for a cart of which
nothing is known stays as it is, as it does today.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = 'e4f1a07c93d8'
down_revision: str | None = '6b1e93f4c7a2'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

payment = sa.table('payment_session', *map(sa.column, ('id', 'state')), sa.column('data', sa.JSON()))
refund = sa.table('refund', *map(sa.column, ('payment_session_id', 'order_id')))
attention = sa.table('attention', *map(sa.column, ('kind', 'payment_session_id')))


def upgrade() -> None:
    given_back = sa.select(payment.c.id, payment.c.data).where(
        payment.c.state == 'captured',
        sa.exists().where(refund.c.payment_session_id == payment.c.id, refund.c.order_id.is_(None)),
        ~sa.exists().where(
            attention.c.payment_session_id == payment.c.id, attention.c.kind == 'paid_without_order'
        ),
    )
    connection = op.get_bind()
    for session_id, data in connection.execute(given_back).all():
        marked = sa.update(payment).where(payment.c.id == session_id).values(data={**data, 'given_back': True})
        connection.execute(marked)


def downgrade() -> None:
    """The mark stays: the code of before does not look at it."""
