"""Sheets of products that staff send."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json

revision: str = 'd4a7c1e85b36'
down_revision: str | None = '3f8e1c5ab7d2'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    moment = UtcDateTime(timezone=True)
    op.create_table(
        'product_import',
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('actor_id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('location_id', sa.String(), nullable=False),
        sa.Column('makes_places', sa.Boolean(), nullable=False),
        sa.Column('columns', Json, nullable=False),
        sa.Column('ignored', Json, nullable=False),
        sa.Column('status', sa.String(), nullable=False),
        sa.Column('total', sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_product_import')),
    )
    op.create_index('ix_product_import_newest', 'product_import', ['created_at', 'id'])
    op.create_table(
        'product_import_row',
        sa.Column('import_id', sa.String(), nullable=False),
        sa.Column('line', sa.Integer(), nullable=False),
        sa.Column('texts', Json, nullable=False),
        sa.Column('plan', sa.String(), nullable=False),
        sa.Column('state', sa.String(), nullable=False),
        sa.Column('title', sa.String(), nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('problems', Json, nullable=False),
        sa.Column('changes', Json, nullable=False),
        sa.ForeignKeyConstraint(
            ['import_id'],
            ['product_import.id'],
            name=op.f('fk_product_import_row_import_id'),
            ondelete='CASCADE',
        ),
        sa.PrimaryKeyConstraint('import_id', 'line', name=op.f('pk_product_import_row')),
    )
    op.create_index('ix_product_import_row_state', 'product_import_row', ['import_id', 'state', 'line'])
    op.create_index('ix_product_import_row_plan', 'product_import_row', ['import_id', 'plan', 'line'])
    op.create_table(
        'product_import_picture',
        sa.Column('import_id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('url', sa.String(), nullable=False),
        sa.Column('problem', sa.String(), nullable=False),
        sa.Column('checksum', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ['import_id'],
            ['product_import.id'],
            name=op.f('fk_product_import_picture_import_id'),
            ondelete='CASCADE',
        ),
        sa.PrimaryKeyConstraint('import_id', 'name', name=op.f('pk_product_import_picture')),
    )


def downgrade() -> None:
    op.drop_table('product_import_picture')
    op.drop_table('product_import_row')
    op.drop_table('product_import')
