"""Words by which staff find a product, and indices for their lists of products."""

from collections import defaultdict
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.catalog.search.index import staff_terms
from backend.core.db.tables import ByteOrdered

revision: str = '5d20c7a1e94b'
down_revision: str | None = 'b4d0e61f27a9'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

LISTS = {
    'ix_product_kept': sa.text('deleted_at IS NULL'),
    'ix_product_hidden': sa.text("status <> 'published' AND deleted_at IS NULL"),
    'ix_product_weightless': sa.text('weight IS NULL AND deleted_at IS NULL'),
}
AT_ONCE = 1000


def upgrade() -> None:
    op.create_table(
        'product_term',
        sa.Column('term', ByteOrdered, nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ['product_id'], ['product.id'], name=op.f('fk_product_term_product_id'), ondelete='CASCADE'
        ),
        sa.PrimaryKeyConstraint('term', 'product_id', name=op.f('pk_product_term')),
    )
    op.create_index('ix_product_term_product_id', 'product_term', ['product_id', 'term'])
    for name, condition in LISTS.items():
        op.create_index(
            name, 'product', ['title_key', 'id'], sqlite_where=condition, postgresql_where=condition
        )
    _index_products(op.get_bind())


def downgrade() -> None:
    for name in LISTS:
        op.drop_index(name, 'product')
    op.drop_table('product_term')


def _index_products(connection: sa.Connection) -> None:
    product = sa.table('product', *map(sa.column, ('id', 'title', 'handle', 'deleted_at')))
    variant = sa.table('variant', *map(sa.column, ('product_id', 'sku', 'ean')))
    term = sa.table('product_term', sa.column('term', sa.String), sa.column('product_id', sa.String))
    last = ''
    while True:
        products = connection.execute(
            sa.select(product.c.id, product.c.title, product.c.handle)
            .where(product.c.id > last, product.c.deleted_at.is_(None))
            .order_by(product.c.id)
            .limit(AT_ONCE)
        ).all()
        codes = defaultdict(list)
        of_these = variant.c.product_id.in_([row.id for row in products])
        for row in connection.execute(sa.select(variant).where(of_these)):
            codes[row.product_id] += [code for code in (row.sku, row.ean) if code]
        terms = [
            {'term': word, 'product_id': row.id}
            for row in products
            for word in staff_terms(row.title, row.handle, codes[row.id])
        ]
        if terms:
            connection.execute(sa.insert(term), terms)
        if len(products) < AT_ONCE:
            return
        last = products[-1].id
