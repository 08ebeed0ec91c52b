"""Files that staff ask for."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime

revision: str = 'c8b1f2463d90'
down_revision: str | None = 'b3f07c52e9a1'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    moment = UtcDateTime(timezone=True)
    op.create_table(
        'data_export',
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('actor_id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('file_format', sa.String(), nullable=False),
        sa.Column('since', sa.String(), nullable=False),
        sa.Column('until', sa.String(), nullable=False),
        sa.Column('total', sa.Integer(), nullable=False),
        sa.Column('done', sa.Integer(), nullable=False),
        sa.Column('place', sa.String(), nullable=False),
        sa.Column('pieces', sa.Integer(), nullable=False),
        sa.Column('is_done', sa.Boolean(), nullable=False),
        sa.Column('expires_at', moment, nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_data_export')),
    )
    op.create_index('ix_data_export_newest', 'data_export', ['actor_id', 'created_at'])
    op.create_index(op.f('ix_data_export_expires_at'), 'data_export', ['expires_at'])
    op.create_table(
        'data_export_piece',
        sa.Column('export_id', sa.String(), nullable=False),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column('content', sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ['export_id'], ['data_export.id'], name=op.f('fk_data_export_piece_export_id'), ondelete='CASCADE'
        ),
        sa.PrimaryKeyConstraint('export_id', 'number', name=op.f('pk_data_export_piece')),
    )


def downgrade() -> None:
    op.drop_table('data_export_piece')
    op.drop_table('data_export')
