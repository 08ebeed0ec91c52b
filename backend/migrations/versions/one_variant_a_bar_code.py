"""No two variants have one bar code. Where two did, the older kept it, and somebody is asked about the other."""

from collections.abc import Sequence
from datetime import timedelta

import sqlalchemy as sa
from alembic import op

from backend.core.clock import now
from backend.core.db.database import UtcDateTime
from backend.core.ids import new_id

revision: str = '7b1e94d3f06c'
down_revision: str | None = 'c61f8d20ba97'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

moment = UtcDateTime()
variant = sa.table('variant', *map(sa.column, ('id', 'product_id', 'title', 'ean')), sa.column('created_at', moment))
product = sa.table('product', *map(sa.column, ('id', 'title')))
term = sa.table('product_term', *map(sa.column, ('term', 'product_id')))
attention = sa.table(
    'attention',
    *map(sa.column, ('id', 'kind', 'subject_id', 'message')),
    sa.column('data', sa.JSON()),
    *(sa.column(name, moment) for name in ('created_at', 'updated_at', 'due_at')),
)


def upgrade() -> None:
    _take_codes_off_the_later()
    if op.get_bind().dialect.name == 'postgresql':
        op.execute('SET CONSTRAINTS ALL IMMEDIATE')  # the catalogue's triggers wait, and an index with them
    op.drop_index('ix_variant_ean', 'variant')
    op.create_index('ix_variant_ean', 'variant', ['ean'], unique=True)


def _take_codes_off_the_later() -> None:
    connection = op.get_bind()
    twice = sa.select(variant.c.ean).group_by(variant.c.ean).having(sa.func.count() > 1)
    found = connection.execute(
        sa.select(variant.c.id, variant.c.product_id, variant.c.title, variant.c.ean, product.c.title.label('toy'))
        .join(product, product.c.id == variant.c.product_id)
        .where(variant.c.ean.in_(twice))
        .order_by(variant.c.ean, variant.c.created_at, variant.c.id)
    ).all()
    first: dict[str, sa.Row] = {}
    raised_at = now()
    for row in found:
        kept = first.setdefault(row.ean, row)
        if kept is row:
            continue
        connection.execute(sa.update(variant).where(variant.c.id == row.id).values(ean=None))
        if row.product_id != kept.product_id:  # staff no longer find the toy by it
            connection.execute(
                sa.delete(term).where(term.c.term == row.ean, term.c.product_id == row.product_id)
            )
        connection.execute(
            attention.insert().values(
                id=new_id('attn'), kind='bar_code_twice', subject_id=row.id,
                message=f'{row.toy} ({row.title}) had the bar code {row.ean} of {kept.toy} ({kept.title})',
                data={'toy': row.toy, 'product_id': row.product_id, 'ean': row.ean, 'kept_by': kept.id},
                created_at=raised_at, updated_at=raised_at, due_at=raised_at + timedelta(days=7),
            )
        )


def downgrade() -> None:
    op.drop_index('ix_variant_ean', 'variant')
    op.create_index('ix_variant_ean', 'variant', ['ean'])
