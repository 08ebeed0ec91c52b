"""Words that find customers and guests, and notes of the staff on them."""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op

import backend.core.db.database
from backend.customers.search_terms import buyer_terms
from backend.core.db.tables import ByteOrdered

revision: str = 'b3f07c52e9a1'
down_revision: str | None = '93e5a7d04c1f'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

AT_ONCE = 1000


def upgrade() -> None:
    text, moment = sqlmodel.sql.sqltypes.AutoString, backend.core.db.database.UtcDateTime
    op.create_table(
        'customer_term',
        sa.Column('term', ByteOrdered, nullable=False),
        sa.Column('customer_id', text(), nullable=False),
        sa.PrimaryKeyConstraint('term', 'customer_id', name=op.f('pk_customer_term')),
    )
    op.create_index(op.f('ix_customer_term_customer_id'), 'customer_term', ['customer_id'])
    op.create_table(
        'customer_note',
        sa.Column('created_at', moment(timezone=True), nullable=False),
        sa.Column('updated_at', moment(timezone=True), nullable=False),
        sa.Column('id', text(), nullable=False),
        sa.Column('customer_id', text(), nullable=False),
        sa.Column('text', text(), nullable=False),
        sa.Column('created_by', text(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_customer_note')),
    )
    op.create_index(op.f('ix_customer_note_customer_id'), 'customer_note', ['customer_id'])
    for table in ('customer', 'guest_customer'):
        _index_people(op.get_bind(), table)


def downgrade() -> None:
    op.drop_table('customer_note')
    op.drop_table('customer_term')


def _index_people(connection: sa.Connection, table: str) -> None:
    names = ('id', 'email', 'first_name', 'last_name', 'phone', 'company_name')
    person = sa.table(table, *(sa.column(name, sa.String) for name in names))
    term = sa.table('customer_term', sa.column('term', sa.String), sa.column('customer_id', sa.String))
    last = ''
    while True:
        rows = connection.execute(
            sa.select(person).where(person.c.id > last).order_by(person.c.id).limit(AT_ONCE)
        ).all()
        terms = [
            {'term': word, 'customer_id': row.id}
            for row in rows
            for word in buyer_terms(
                row.email,
                [
                    {
                        'first_name': row.first_name,
                        'last_name': row.last_name,
                        'company': row.company_name,
                        'phone': row.phone,
                    }
                ],
                None,
            )
        ]
        if terms:
            connection.execute(sa.insert(term), terms)
        if len(rows) < AT_ONCE:
            return
        last = rows[-1].id
