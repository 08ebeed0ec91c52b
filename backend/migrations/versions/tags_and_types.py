"""Tags and types of products, by which programs sort them."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime
from backend.migrations.triggers import watch
from backend.core.db.tables import Json

revision: str = '2b7d5e90c4a1'
down_revision: str | None = '9f5a2cb7e3d0'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

KINDS = ('tag', 'type')


def upgrade() -> None:
    moment = UtcDateTime(timezone=True)
    for kind in KINDS:
        table, link = f'product_{kind}', f'product_has_{kind}'
        op.create_table(
            table,
            sa.Column('created_at', moment, nullable=False),
            sa.Column('updated_at', moment, nullable=False),
            sa.Column('id', sa.String(), nullable=False),
            sa.Column('meta', Json, nullable=False),
            sa.Column('value', sa.String(), nullable=False),
            sa.PrimaryKeyConstraint('id', name=op.f(f'pk_{table}')),
            sa.UniqueConstraint('value', name=op.f(f'uq_{table}_value')),
        )
        key = ('product_id', 'tag_id') if kind == 'tag' else ('product_id',)
        op.create_table(
            link,
            sa.Column('product_id', sa.String(), nullable=False),
            sa.Column(f'{kind}_id', sa.String(), nullable=False),
            sa.ForeignKeyConstraint(
                ['product_id'], ['product.id'], name=op.f(f'fk_{link}_product_id'), ondelete='CASCADE'
            ),
            sa.ForeignKeyConstraint(
                [f'{kind}_id'], [f'{table}.id'], name=op.f(f'fk_{link}_{kind}_id'), ondelete='CASCADE'
            ),
            sa.PrimaryKeyConstraint(*key, name=op.f(f'pk_{link}')),
        )
        op.create_index(op.f(f'ix_{link}_{kind}_id'), link, [f'{kind}_id'])
        watch(table)
        watch(link)


def downgrade() -> None:
    for kind in KINDS:
        op.drop_table(f'product_has_{kind}')
        op.drop_table(f'product_{kind}')
