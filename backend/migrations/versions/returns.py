"""Returns: what a buyer sends back or never got, and the money that goes back for it."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime

revision: str = 'a06b3dc8f4e1'
down_revision: str | None = '7e1c04a9d35b'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    moment = UtcDateTime(timezone=True)
    op.create_table(
        'order_return',
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('order_id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('state', sa.String(), nullable=False),
        sa.Column('reason', sa.String(), nullable=False),
        sa.Column('asked_by', sa.String(), nullable=False),
        sa.Column('asked_at', moment, nullable=False),
        sa.Column('due_at', moment, nullable=False),
        sa.Column('received_at', moment, nullable=True),
        sa.Column('approved_at', moment, nullable=True),
        sa.Column('ended_at', moment, nullable=True),
        sa.Column('amount', sa.Integer(), nullable=True),
        sa.Column('denial', sa.String(), nullable=False),
        sa.Column('refund_id', sa.String(), nullable=True),
        sa.CheckConstraint('amount IS NULL OR amount > 0', name=op.f('ck_order_return_amount')),
        sa.PrimaryKeyConstraint('number', name=op.f('pk_order_return')),
        sa.UniqueConstraint('id', name=op.f('uq_order_return_id')),
    )
    op.create_index(op.f('ix_order_return_order_id'), 'order_return', ['order_id'])
    op.create_index('ix_order_return_state', 'order_return', ['state', 'due_at', 'number'])
    op.create_index('ix_order_return_due', 'order_return', ['due_at', 'number'])
    op.create_table(
        'order_return_line',
        sa.Column('return_id', sa.String(), nullable=False),
        sa.Column('line_id', sa.String(), nullable=False),
        sa.Column('quantity', sa.Integer(), nullable=False),
        sa.Column('good', sa.Integer(), nullable=False),
        sa.Column('damaged', sa.Integer(), nullable=False),
        sa.Column('restocked', sa.Boolean(), nullable=False),
        sa.CheckConstraint('quantity > 0', name=op.f('ck_order_return_line_quantity')),
        sa.CheckConstraint(
            'good >= 0 AND damaged >= 0 AND good + damaged <= quantity', name=op.f('ck_order_return_line_received')
        ),
        sa.ForeignKeyConstraint(
            ['return_id'], ['order_return.id'], name=op.f('fk_order_return_line_return_id'), ondelete='CASCADE'
        ),
        sa.PrimaryKeyConstraint('return_id', 'line_id', name=op.f('pk_order_return_line')),
    )
    op.create_table(
        'order_return_account',
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.Column('return_id', sa.String(), nullable=False),
        sa.Column('bank', sa.String(), nullable=False),
        sa.Column('account_type', sa.String(), nullable=False),
        sa.Column('account_number', sa.String(), nullable=False),
        sa.Column('holder', sa.String(), nullable=False),
        sa.Column('document', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ['return_id'], ['order_return.id'], name=op.f('fk_order_return_account_return_id'), ondelete='CASCADE'
        ),
        sa.PrimaryKeyConstraint('return_id', name=op.f('pk_order_return_account')),
    )
    op.create_table(
        'order_return_file',
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('return_id', sa.String(), nullable=False),
        sa.Column('purpose', sa.String(), nullable=False),
        sa.Column('media_type', sa.String(), nullable=False),
        sa.Column('content', sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ['return_id'], ['order_return.id'], name=op.f('fk_order_return_file_return_id'), ondelete='CASCADE'
        ),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_order_return_file')),
    )
    op.create_index(op.f('ix_order_return_file_return_id'), 'order_return_file', ['return_id'])


def downgrade() -> None:
    for table in ('order_return_file', 'order_return_account', 'order_return_line', 'order_return'):
        op.drop_table(table)
