"""Events of a cart that its shopper has not caused, until they are dismissed."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from backend.core.db.database import UtcDateTime

revision: str = 'd94f20c8b7e1'
down_revision: str | None = '6c84e1f0a97d'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        'cart_news',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('cart_id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('detail', sa.JSON().with_variant(postgresql.JSONB(), 'postgresql'), nullable=False),
        sa.Column('created_at', UtcDateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint('id', name='pk_cart_news'),
    )
    op.create_index('ix_cart_news_cart_id', 'cart_news', ['cart_id'])
    op.create_index('ix_cart_news_created_at', 'cart_news', ['created_at'])


def downgrade() -> None:
    op.drop_table('cart_news')
