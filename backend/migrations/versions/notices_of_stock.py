"""Who wants to be told when a sold-out toy is back."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime

revision: str = 'f41c8e72a9d6'
down_revision: str | None = '9c4e2b7f60d1'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        'stock_notice',
        sa.Column('created_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('updated_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('variant_id', sa.String(), nullable=False),
        sa.Column('email', sa.String(), nullable=False),
        sa.Column('confirmed_at', UtcDateTime(timezone=True), nullable=True),
        sa.Column('told_at', UtcDateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ['variant_id'],
            ['variant.id'],
            name=op.f('fk_stock_notice_variant_id_variant'),
            ondelete='CASCADE',
        ),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_stock_notice')),
        sa.UniqueConstraint('variant_id', 'email', name=op.f('uq_stock_notice_variant_id_email')),
    )


def downgrade() -> None:
    op.drop_table('stock_notice')
