"""Consents with their proof: to which text, when and from where."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime

revision: str = '8e4f1ba6d2c9'
down_revision: str | None = 'f41c8e72a9d6'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    moment = UtcDateTime(timezone=True)
    op.create_table(
        'kept_text',
        sa.Column('digest', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('text', sa.String(), nullable=False),
        sa.Column('kept_at', moment, nullable=False),
        sa.PrimaryKeyConstraint('digest', name=op.f('pk_kept_text')),
    )
    op.create_table(
        'consent',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('version', sa.String(), nullable=False),
        sa.Column('digest', sa.String(), nullable=False),
        sa.Column('source', sa.String(), nullable=False),
        sa.Column('given_at', moment, nullable=False),
        sa.Column('client_ip', sa.String(), nullable=False),
        sa.Column('cart_id', sa.String(), nullable=True),
        sa.Column('customer_id', sa.String(), nullable=True),
        sa.Column('withdrawn_at', moment, nullable=True),
        sa.CheckConstraint('cart_id IS NOT NULL OR customer_id IS NOT NULL', name=op.f('ck_consent_whose')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_consent')),
        sa.UniqueConstraint(
            'cart_id', 'kind', 'version', 'digest', name=op.f('uq_consent_cart_id_kind_version_digest')
        ),
    )
    op.create_index('ix_consent_customer_id', 'consent', ['customer_id'])


def downgrade() -> None:
    op.drop_table('consent')
    op.drop_table('kept_text')
