"""Legal texts that the office saves, each version kept."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime
from backend.migrations.triggers import watch

revision: str = '7d3e0a95c1b8'
down_revision: str | None = '7b1e94d3f06c'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        'legal_text',
        sa.Column('created_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('updated_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('source', sa.String(), nullable=False),
        sa.Column('is_reviewed', sa.Boolean(), nullable=False),
        sa.Column('created_by', sa.String(), nullable=False),
        sa.CheckConstraint('version > 1', name=op.f('ck_legal_text_version')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_legal_text')),
        sa.UniqueConstraint('kind', 'version', name=op.f('uq_legal_text_kind_version')),
    )
    watch('legal_text')  # pages that show it are stored by the catalogue's version


def downgrade() -> None:
    op.drop_table('legal_text')
