"""version of the catalogue, and lists that sort without accents."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.migrations.triggers import watch
from backend.core.collation import fold

revision: str = "81a20494dfa4"
down_revision: str | None = "503855b94020"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

WATCHED = (
    "category",
    "collection",
    "picture",
    "product",
    "product_category",
    "publishable_key",
    "region",
    "sales_channel",
    "search_term",
    "variant",
)
FOR_SALE = sa.text("status = 'published' AND deleted_at IS NULL")
AT_ONCE = 1000


def upgrade() -> None:
    op.create_table(
        "catalog_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("catalog", sa.BigInteger(), nullable=False),
        sa.Column("stock", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_catalog_version")),
    )
    op.execute("INSERT INTO catalog_version (id, catalog, stock) VALUES (1, 0, 0)")
    # with a default, so that SQLite adds the column without copying the table
    key = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    op.add_column("product", sa.Column("title_key", key, nullable=False, server_default=""))
    _fold_titles()
    # nearly all are published: an index by status alone only leads SQLite away from the one below
    op.drop_index("ix_product_status", "product")
    columns = ["id", "status", "deleted_at"]  # all that counting reads
    op.create_index(
        "ix_product_for_sale", "product", columns, sqlite_where=FOR_SALE, postgresql_where=FOR_SALE
    )
    op.create_index("ix_product_newest", "product", ["created_at", "id"])
    op.create_index(op.f("ix_product_title_key"), "product", ["title_key"])
    for table in WATCHED:
        watch(table)
    watch("inventory_level", "stock")


def _fold_titles() -> None:
    product = sa.table("product", sa.column("id"), sa.column("title"), sa.column("title_key"))
    connection = op.get_bind()
    rows = connection.execute(sa.select(product.c.id, product.c.title)).all()
    change = (
        sa.update(product)
        .where(product.c.id == sa.bindparam("product_id"))
        .values(title_key=sa.bindparam("folded"))
    )
    for start in range(0, len(rows), AT_ONCE):
        folded = [{"product_id": row.id, "folded": fold(row.title)} for row in rows[start : start + AT_ONCE]]
        connection.execute(change, folded)
