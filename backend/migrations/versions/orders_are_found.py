"""Words that find an order, indices for lists of orders, and notes of the staff on them."""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op

import backend.core.db.database
from backend.customers.search_terms import buyer_terms
from backend.core.db.tables import ByteOrdered, Json

revision: str = '6f2b90c4de17'
down_revision: str | None = 'f3a6c81d2e07'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

TO_PACK = sa.text(
    "status = 'pending' AND (payment_status = 'captured' OR payment_status = 'partially_refunded') AND "
    "(fulfillment_status = 'not_fulfilled' OR fulfillment_status = 'partially_fulfilled')"
)
AT_ONCE = 1000


def upgrade() -> None:
    op.create_table(
        'order_term',
        sa.Column('term', ByteOrdered, nullable=False),
        sa.Column('order_number', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ['order_number'], ['order.number'], name=op.f('fk_order_term_order_number'), ondelete='CASCADE'
        ),
        sa.PrimaryKeyConstraint('term', 'order_number', name=op.f('pk_order_term')),
    )
    op.create_index('ix_order_term_order_number', 'order_term', ['order_number', 'term'])
    op.drop_index('ix_order_status', 'order')
    op.drop_index('ix_order_payment_status', 'order')
    op.create_index('ix_order_created_at', 'order', ['created_at', 'number'])
    for name in ('status', 'payment_status', 'fulfillment_status'):
        op.create_index(f'ix_order_{name}', 'order', [name, 'created_at', 'number'])
    op.create_index('ix_order_sold', 'order', ['status', 'paid_at', 'total'])
    op.create_index(
        'ix_order_to_pack',
        'order',
        ['status', 'paid_at', 'number'],
        sqlite_where=TO_PACK,
        postgresql_where=TO_PACK,
    )
    op.create_index('ix_fulfillment_tracking_number', 'fulfillment', ['tracking_number'])
    text, moment = sqlmodel.sql.sqltypes.AutoString, backend.core.db.database.UtcDateTime
    op.create_table(
        'order_note',
        sa.Column('created_at', moment(timezone=True), nullable=False),
        sa.Column('updated_at', moment(timezone=True), nullable=False),
        sa.Column('id', text(), nullable=False),
        sa.Column('order_number', sa.Integer(), nullable=False),
        sa.Column('text', text(), nullable=False),
        sa.Column('created_by', text(), nullable=False),
        sa.ForeignKeyConstraint(
            ['order_number'], ['order.number'], name=op.f('fk_order_note_order_number'), ondelete='CASCADE'
        ),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_order_note')),
    )
    op.create_index('ix_order_note_order_number', 'order_note', ['order_number'])
    _index_orders(op.get_bind())


def _index_orders(connection: sa.Connection) -> None:
    order = sa.table(
        'order',
        sa.column('number', sa.Integer),
        sa.column('email', sa.String),
        *(sa.column(name, Json) for name in ('shipping_address', 'billing_address', 'payer')),
    )
    term = sa.table('order_term', sa.column('term', sa.String), sa.column('order_number', sa.Integer))
    last = 0
    while True:
        rows = connection.execute(
            sa.select(order).where(order.c.number > last).order_by(order.c.number).limit(AT_ONCE)
        ).all()
        terms = [
            {'term': word, 'order_number': row.number}
            for row in rows
            for word in buyer_terms(
                row.email, [row.shipping_address or {}, row.billing_address or {}], row.payer
            )
        ]
        if terms:
            connection.execute(sa.insert(term), terms)
        if len(rows) < AT_ONCE:
            return
        last = rows[-1].number
