"""A number of the catalogue's version for which variants are sold out: a sale of others is none to a list."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.migrations.triggers import watch

revision: str = 'c41e7a9053bd'
down_revision: str | None = '5e9a41d7c30b'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# No level has less than nothing, so a variant with units in several places is not sold out while none of its levels is.
IS_SOLD_OUT = {
    'INSERT': 'NEW.stocked > NEW.reserved',
    'UPDATE': '(OLD.stocked > OLD.reserved) <> (NEW.stocked > NEW.reserved) OR OLD.variant_id <> NEW.variant_id',
    'DELETE': 'OLD.stocked > OLD.reserved',
}


def upgrade() -> None:
    op.add_column(
        'catalog_version', sa.Column('sold_out', sa.BigInteger(), nullable=False, server_default='0')
    )
    watch('inventory_level', 'sold_out', when=IS_SOLD_OUT)


def downgrade() -> None:
    of_table = ' ON inventory_level' if op.get_bind().dialect.name == 'postgresql' else ''
    for event in IS_SOLD_OUT:
        op.execute(f'DROP TRIGGER watch_sold_out_of_inventory_level_{event.lower()}{of_table}')
    op.drop_column('catalog_version', 'sold_out')
