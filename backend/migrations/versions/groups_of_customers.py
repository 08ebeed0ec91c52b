"""What staff know of a guest, groups of customers, and customers in the order in which they came."""

from collections.abc import Sequence

import sqlalchemy as sa
import sqlmodel
from alembic import op

import backend.core.db.database
from backend.core.db.tables import Json

revision: str = 'a7d40f92c613'
down_revision: str | None = '7d3e0a95c1b8'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

PERSONS = ('customer', 'guest_customer')


def upgrade() -> None:
    text, moment = sqlmodel.sql.sqltypes.AutoString, backend.core.db.database.UtcDateTime
    for name in ('first_name', 'last_name', 'phone', 'company_name'):
        op.add_column('guest_customer', sa.Column(name, text(), nullable=False, server_default=''))
    op.add_column('guest_customer', sa.Column('meta', Json, nullable=False, server_default=sa.text("'{}'")))
    for table in PERSONS:
        op.create_index(f'ix_{table}_newest', table, ['created_at', 'id'])
    op.create_table(
        'customer_group',
        sa.Column('created_at', moment(timezone=True), nullable=False),
        sa.Column('updated_at', moment(timezone=True), nullable=False),
        sa.Column('id', text(), nullable=False),
        sa.Column('name', text(), nullable=False),
        sa.Column('meta', Json, nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_customer_group')),
        sa.UniqueConstraint('name', name=op.f('uq_customer_group_name')),
    )
    op.create_table(
        'customer_group_member',
        sa.Column('created_at', moment(timezone=True), nullable=False),
        sa.Column('updated_at', moment(timezone=True), nullable=False),
        sa.Column('group_id', text(), nullable=False),
        sa.Column('customer_id', text(), nullable=False),
        sa.ForeignKeyConstraint(
            ['group_id'], ['customer_group.id'],
            name=op.f('fk_customer_group_member_group_id'), ondelete='CASCADE',
        ),
        sa.PrimaryKeyConstraint('group_id', 'customer_id', name=op.f('pk_customer_group_member')),
    )
    op.create_index(op.f('ix_customer_group_member_customer_id'), 'customer_group_member', ['customer_id'])


def downgrade() -> None:
    op.drop_table('customer_group_member')
    op.drop_table('customer_group')
    for table in PERSONS:
        op.drop_index(f'ix_{table}_newest', table)
    for name in ('meta', 'company_name', 'phone', 'last_name', 'first_name'):
        op.drop_column('guest_customer', name)
