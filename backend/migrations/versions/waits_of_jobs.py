"""For how long each job was to wait, so that one which a wrong clock put off is found."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = 'c6a94d17e3b8'
down_revision: str | None = 'c1d4f7a90b36'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column('job', sa.Column('delay_s', sa.Float(), nullable=True))
    op.add_column('job', sa.Column('again_delay_s', sa.Float(), nullable=True))


def downgrade() -> None:
    op.drop_column('job', 'again_delay_s')
    op.drop_column('job', 'delay_s')
