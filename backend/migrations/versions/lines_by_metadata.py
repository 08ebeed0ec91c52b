"""A cart may have several lines of one variant, with different metadata."""

from collections.abc import Sequence

from alembic import op

revision: str = 'c1d4f7a90b36'
down_revision: str | None = 'c5e80b9f1d27'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    with op.batch_alter_table('line_item', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('uq_line_item_cart_id_variant_id'), type_='unique')


def downgrade() -> None:
    op.execute(
        'DELETE FROM line_item WHERE id NOT IN (SELECT min(id) FROM line_item GROUP BY cart_id, variant_id)'
    )
    with op.batch_alter_table('line_item', schema=None) as batch_op:
        batch_op.create_unique_constraint(batch_op.f('uq_line_item_cart_id_variant_id'), ['cart_id', 'variant_id'])
