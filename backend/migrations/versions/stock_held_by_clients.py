"""Payment sessions say which units they hold and for which client, so that one client's holds can be limited."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = 'b4d81f60c2a7'
down_revision: str | None = 'c6a94d17e3b8'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

CLIENT = ('client_address', 'client_device', 'client_email', 'client_phone')


def upgrade() -> None:
    is_postgresql = op.get_bind().dialect.name == 'postgresql'
    json = sa.dialects.postgresql.JSONB() if is_postgresql else sa.JSON()
    op.add_column(
        'payment_session', sa.Column('units', json, nullable=False, server_default=sa.text("'{}'"))
    )
    op.add_column(
        'payment_session',
        sa.Column('holds_stock', sa.Boolean(), nullable=False, server_default=sa.text('true')),
    )
    for name in CLIENT:
        op.add_column('payment_session', sa.Column(name, sa.String(), nullable=True))
    op.create_index('ix_payment_session_client', 'payment_session', ['expires_at', *CLIENT])


def downgrade() -> None:
    op.drop_index('ix_payment_session_client', table_name='payment_session')
    for name in reversed(CLIENT):
        op.drop_column('payment_session', name)
    op.drop_column('payment_session', 'holds_stock')
    op.drop_column('payment_session', 'units')
