"""Bearer tokens that were refreshed from one another end when their owner signs out."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime

revision: str = 'd93b6e2f5a10'
down_revision: str | None = 'd92c7be05f14'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table('revoked_token_chain',
    sa.Column('id', sa.String(), nullable=False),
    sa.Column('expires_at', UtcDateTime(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_revoked_token_chain'))
    )
    op.create_index(op.f('ix_revoked_token_chain_expires_at'), 'revoked_token_chain', ['expires_at'])
    for table in ('staff_session', 'customer_session'):
        op.add_column(table, sa.Column('token_chain', sa.String(), server_default='', nullable=False))


def downgrade() -> None:
    for table in ('staff_session', 'customer_session'):
        op.drop_column(table, 'token_chain')
    op.drop_table('revoked_token_chain')
