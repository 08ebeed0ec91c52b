"""Orders whose money staff accepted in part are to be packed, too, and are paid."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = 'd3a71f60c9b8'
down_revision: str | None = '90b6e2d4f7c8'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

COLUMNS = ['status', 'paid_at', 'number']
BEFORE = sa.text(
    "status = 'pending' AND (payment_status = 'captured' OR payment_status = 'partially_refunded') AND "
    "(fulfillment_status = 'not_fulfilled' OR fulfillment_status = 'partially_fulfilled')"
)
TO_PACK = sa.text(
    "status = 'pending' AND (payment_status = 'captured' OR payment_status = 'partially_captured' OR "
    "payment_status = 'partially_refunded') AND "
    "(fulfillment_status = 'not_fulfilled' OR fulfillment_status = 'partially_fulfilled')"
)


def upgrade() -> None:
    op.execute(
        """UPDATE "order" SET paid_at = created_at WHERE payment_status = 'partially_captured' AND paid_at IS NULL"""
    )
    _index(TO_PACK)


def downgrade() -> None:
    _index(BEFORE)


def _index(where: sa.TextClause) -> None:
    op.drop_index('ix_order_to_pack', table_name='order')
    op.create_index('ix_order_to_pack', 'order', COLUMNS, sqlite_where=where, postgresql_where=where)
