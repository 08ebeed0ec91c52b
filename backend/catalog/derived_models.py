"""Tables that are worked out of the catalogue's others: its versions, and the words that find a product."""

from sqlalchemy import BigInteger, Index
from sqlmodel import Field, SQLModel

from backend.core.db.tables import ByteOrdered


class CatalogVersion(SQLModel, table=True):
    """One row: the version of what the catalogue's responses are made of.

    The database itself writes them, in the transaction of the change, by triggers on the tables of the catalogue
    (`backend.core.caching.version_probe`). A number is never used twice.
    """

    __tablename__ = "catalog_version"

    id: int = Field(default=1, primary_key=True)
    catalog: int = Field(default=0, sa_type=BigInteger)
    """Of products, prices, pictures, categories, collections, regions and keys."""
    stock: int = Field(default=0, sa_type=BigInteger)
    """Of how many units can be sold."""
    lists: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    """Of which products are in which list, and in which order but that of prices and latest changes; of regions."""
    sold_out: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    """Of which variants are sold out."""
    shared: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    """Of the catalogue without what belongs to one product and what decides of lists: tags, collections, keys…"""
    product_changes: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    """How many changes of single products were committed: a later one has a higher number (`ProductChange`)."""
    product_changes_by: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    """The transaction that raised it last, on PostgreSQL: it raises it once, however many rows it changes."""


class ProductChange(SQLModel, table=True):
    """When a product, or a part of it, changed last. Written by the same triggers; a deleted product keeps its row."""

    __tablename__ = "product_change"

    product_id: str = Field(primary_key=True)
    number: int = Field(sa_type=BigInteger, index=True)
    """`CatalogVersion.product_changes` at the change."""


class SearchTerm(SQLModel, table=True):
    """A word that finds a product, and how much it says about it (see `backend.catalog.search.index`)."""

    __tablename__ = "search_term"

    term: str = Field(primary_key=True, sa_type=ByteOrdered)
    product_id: str = Field(foreign_key="product.id", primary_key=True, ondelete="CASCADE", index=True)
    weight: int


class SearchTypo(SQLModel, table=True):
    """A word with letters left out, and the word it comes from: two words that share one are a typo apart."""

    __tablename__ = "search_typo"

    remains: str = Field(primary_key=True, sa_type=ByteOrdered)
    term: str = Field(primary_key=True, sa_type=ByteOrdered)


class ProductTerm(SQLModel, table=True):
    """A word by which staff find a product, published or not (see `backend.catalog.search.staff_search`)."""

    __tablename__ = "product_term"
    __table_args__ = (Index("ix_product_term_product_id", "product_id", "term"),)

    term: str = Field(primary_key=True, sa_type=ByteOrdered)
    product_id: str = Field(foreign_key="product.id", primary_key=True, ondelete="CASCADE")
