"""Options of products: in what their variants differ. A product without any is told apart by its variants' titles."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime
from backend.migrations.triggers import watch
from backend.core.db.tables import Json

revision: str = 'c61f8d20ba97'
down_revision: str | None = 'c61f0b8d27e4'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

OPTION, VALUE, OF_VARIANT = 'product_option', 'product_option_value', 'variant_option_value'


def upgrade() -> None:
    moment = UtcDateTime(timezone=True)
    op.create_table(
        OPTION,
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('title', sa.String(), nullable=False),
        sa.Column('rank', sa.Integer(), nullable=False),
        sa.Column('meta', Json, nullable=False, server_default=sa.text("'{}'")),
        sa.ForeignKeyConstraint(
            ['product_id'], ['product.id'], name=op.f('fk_product_option_product_id'), ondelete='CASCADE'
        ),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_product_option')),
        sa.UniqueConstraint('product_id', 'title', name=op.f('uq_product_option_product_id_title')),
    )
    op.create_table(
        VALUE,
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('option_id', sa.String(), nullable=False),
        sa.Column('value', sa.String(), nullable=False),
        sa.Column('rank', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ['option_id'],
            ['product_option.id'],
            name=op.f('fk_product_option_value_option_id'),
            ondelete='CASCADE',
        ),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_product_option_value')),
        sa.UniqueConstraint('option_id', 'value', name=op.f('uq_product_option_value_option_id_value')),
    )
    op.create_table(
        OF_VARIANT,
        sa.Column('variant_id', sa.String(), nullable=False),
        sa.Column('value_id', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ['variant_id'], ['variant.id'], name=op.f('fk_variant_option_value_variant_id'), ondelete='CASCADE'
        ),
        sa.ForeignKeyConstraint(
            ['value_id'],
            ['product_option_value.id'],
            name=op.f('fk_variant_option_value_value_id'),
            ondelete='CASCADE',
        ),
        sa.PrimaryKeyConstraint('variant_id', 'value_id', name=op.f('pk_variant_option_value')),
    )
    op.create_index('ix_variant_option_value_value_id', OF_VARIANT, ['value_id'])
    for table in (OPTION, VALUE, OF_VARIANT):
        watch(table)


def downgrade() -> None:
    for table in (OF_VARIANT, VALUE, OPTION):
        op.drop_table(table)
