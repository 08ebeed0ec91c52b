"""Orders of which a part was sent are to be packed, too."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = 'a7d25c1e84f6'
down_revision: str | None = 'e4f1a07c93d8'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

COLUMNS = ['status', 'paid_at', 'number']
PAID = (
    "status = 'pending' AND (payment_status = 'captured' OR payment_status = 'partially_captured' OR "
    "payment_status = 'partially_refunded') AND "
)
BEFORE = sa.text(f"{PAID}(fulfillment_status = 'not_fulfilled' OR fulfillment_status = 'partially_fulfilled')")
TO_PACK = sa.text(
    f"{PAID}(fulfillment_status = 'not_fulfilled' OR fulfillment_status = 'partially_fulfilled' OR "
    "fulfillment_status = 'partially_shipped' OR fulfillment_status = 'partially_delivered')"
)


def upgrade() -> None:
    _index(TO_PACK)


def downgrade() -> None:
    _index(BEFORE)


def _index(where: sa.TextClause) -> None:
    op.drop_index('ix_order_to_pack', table_name='order')
    op.create_index('ix_order_to_pack', 'order', COLUMNS, sqlite_where=where, postgresql_where=where)
