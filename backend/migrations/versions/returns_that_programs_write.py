"""Returns that programs write step by step, and why each line of a return comes back."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json

revision: str = '8c52e0d17f3b'
down_revision: str | None = 'e4b95f1d07c3'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    moment = UtcDateTime(timezone=True)
    op.create_table(
        'order_return_draft',
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('order_id', sa.String(), nullable=False),
        sa.Column('step', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('reason', sa.String(), nullable=False),
        sa.Column('items', Json, nullable=False),
        sa.Column('created_by', sa.String(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_order_return_draft')),
        sa.UniqueConstraint('order_id', name=op.f('uq_order_return_draft_order_id')),
    )
    op.add_column('order_return_line', sa.Column('reason_id', sa.String(), nullable=True))
    op.add_column('order_return_line', sa.Column('note', sa.String(), nullable=False, server_default=''))


def downgrade() -> None:
    op.drop_column('order_return_line', 'note')
    op.drop_column('order_return_line', 'reason_id')
    op.drop_table('order_return_draft')
