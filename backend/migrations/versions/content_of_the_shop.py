"""What the office says on the shop's pages: versions of each area, and when something of it turned."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from backend.core.db.database import UtcDateTime
from backend.migrations.triggers import watch

revision: str = 'e60b3d92f7a1'
down_revision: str | None = '8c52e0d17f3b'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        'content_version',
        sa.Column('created_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('updated_at', UtcDateTime(timezone=True), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('area', sa.String(), nullable=False),
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column(
            'body', sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), 'postgresql'), nullable=False
        ),
        sa.Column('created_by', sa.String(), nullable=False),
        sa.CheckConstraint('version > 0', name=op.f('ck_content_version_version')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_content_version')),
        sa.UniqueConstraint('area', 'version', name=op.f('uq_content_version_area_version')),
    )
    op.create_table(
        'content_turn',
        sa.Column('area', sa.String(), nullable=False),
        sa.Column('turned_at', UtcDateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint('area', name=op.f('pk_content_turn')),
    )
    watch('content_version')  # pages that show it are stored by the catalogue's version
    watch('content_turn')


def downgrade() -> None:
    op.drop_table('content_turn')
    op.drop_table('content_version')
