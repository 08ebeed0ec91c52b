"""Invoices, credit notes, the numbers that they took, and what the embedded provider made of them."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json

revision: str = 'e4b95f1d07c3'
down_revision: str | None = 'd4a7c1e85b36'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    moment = UtcDateTime(timezone=True)
    op.create_table(
        'invoice',
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('order_id', sa.String(), nullable=False),
        sa.Column('refund_id', sa.String(), nullable=True),
        sa.Column('state', sa.String(), nullable=False),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('provider_id', sa.String(), nullable=False),
        sa.Column('prefix', sa.String(), nullable=True),
        sa.Column('number', sa.Integer(), nullable=True),
        sa.Column('document', Json, nullable=False),
        sa.Column('asked_at', moment, nullable=True),
        sa.Column('issued_at', moment, nullable=True),
        sa.Column('code', sa.String(), nullable=False),
        sa.Column('reason', sa.String(), nullable=False),
        sa.Column('xml', sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_invoice')),
        sa.UniqueConstraint('prefix', 'number', name=op.f('uq_invoice_prefix_number')),
        sa.UniqueConstraint('refund_id', name=op.f('uq_invoice_refund_id')),
    )
    op.create_index('ix_invoice_order_id', 'invoice', ['order_id'])
    op.create_index('ix_invoice_newest', 'invoice', ['created_at', 'id'])
    op.create_index('ix_invoice_state', 'invoice', ['state', 'created_at', 'id'])
    op.create_index('ix_invoice_issued', 'invoice', ['issued_at', 'id'])
    is_invoice = sa.text("kind = 'invoice'")
    op.create_index(
        'uq_invoice_of_order',
        'invoice',
        ['order_id'],
        unique=True,
        sqlite_where=is_invoice,
        postgresql_where=is_invoice,
    )
    op.create_table(
        'invoice_sequence',
        sa.Column('prefix', sa.String(), nullable=False),
        sa.Column('last', sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint('prefix', name=op.f('pk_invoice_sequence')),
    )
    op.create_table(
        'sandbox_invoice',
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.Column('number', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('code', sa.String(), nullable=False),
        sa.Column('xml', sa.LargeBinary(), nullable=False),
        sa.Column('issued_at', moment, nullable=False),
        sa.PrimaryKeyConstraint('number', name=op.f('pk_sandbox_invoice')),
    )


def downgrade() -> None:
    op.drop_table('sandbox_invoice')
    op.drop_table('invoice_sequence')
    op.drop_table('invoice')
