"""Files of products that programs ask for have a query and columns of their own."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = '8b1f63c0e7a4'
down_revision: str | None = 'd91c4be27a05'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    json = sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), 'postgresql')
    op.add_column('data_export', sa.Column('query', sa.String(), nullable=False, server_default=''))
    op.add_column('data_export', sa.Column('columns', json, nullable=False, server_default=sa.text("'[]'")))


def downgrade() -> None:
    op.drop_column('data_export', 'columns')
    op.drop_column('data_export', 'query')
