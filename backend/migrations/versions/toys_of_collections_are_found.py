"""Shoppers find a toy by the name of its collection too."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.catalog.search.index import COLLECTION, remains
from backend.catalog.search.query_words import words_of

revision: str = '9c4e2b7f60d1'
down_revision: str | None = 'a7d40f92c613'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

collection = sa.table('collection', *map(sa.column, ('id', 'title')))
product = sa.table('product', *map(sa.column, ('id', 'collection_id', 'status', 'deleted_at')))
term = sa.table('search_term', *map(sa.column, ('term', 'product_id', 'weight')))
typo = sa.table('search_typo', *map(sa.column, ('remains', 'term')))


def upgrade() -> None:
    connection = op.get_bind()
    for collection_id, title in connection.execute(sa.select(collection)).all():
        for word in words_of(title):
            _index(connection, collection_id, word)


def downgrade() -> None:
    """The words stay: a product's are written anew with its next change."""


def _index(connection: sa.Connection, collection_id: str, word: str) -> None:
    inside = sa.select(product.c.id).where(
        product.c.collection_id == collection_id,
        product.c.status == 'published',
        product.c.deleted_at.is_(None),
    )
    with_it = sa.select(term.c.product_id).where(term.c.term == word)
    connection.execute(
        sa.update(term)
        .where(term.c.term == word, term.c.weight < COLLECTION, term.c.product_id.in_(inside))
        .values(weight=COLLECTION)
    )
    connection.execute(
        sa.insert(term).from_select(
            ['term', 'product_id', 'weight'],
            inside.with_only_columns(sa.literal(word), product.c.id, sa.literal(COLLECTION)).where(
                product.c.id.not_in(with_it)
            ),
        )
    )
    known = sa.select(typo).where(typo.c.term == word, typo.c.remains == word)
    if connection.execute(known).first() is None:
        connection.execute(sa.insert(typo), [{'remains': left, 'term': word} for left in sorted(remains(word))])
