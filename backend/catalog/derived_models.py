"""Tables derived from the other tables of the catalogue: its versions, and the search index."""

from sqlalchemy import BigInteger, Index
from sqlmodel import Field, SQLModel

from backend.core.db.tables import ByteOrdered


class CatalogVersion(SQLModel, table=True):
    """Version numbers of the data behind the catalogue's responses. The table has one row.

    Database triggers on the catalogue's tables write them, in the transaction of the change
    (`backend.core.caching.version_probe`). A number is never used twice.
    """

    __tablename__ = "catalog_version"

    id: int = Field(default=1, primary_key=True)
    catalog: int = Field(default=0, sa_type=BigInteger)
    """Version of products, prices, pictures, categories, collections, regions and keys."""
    stock: int = Field(default=0, sa_type=BigInteger)
    """Version of the numbers of units that can be sold."""
    lists: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    """Version of the product lists (content and order, except by price or latest change) and of the regions."""
    sold_out: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    """Version of the set of sold-out variants."""
    shared: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    """Version of the data that is part of neither a single product nor the lists: tags, collections, keys…"""
    product_changes: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    """Number of committed changes of single products; a later change has a higher number (`ProductChange`)."""
    product_changes_by: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    """Id of the latest PostgreSQL transaction that raised `product_changes`; each transaction raises it only once."""


class ProductChange(SQLModel, table=True):
    """The latest change of a product or of its parts. Database triggers on the catalogue's tables write it.

    The row is kept after the product is deleted.
    """

    __tablename__ = "product_change"

    product_id: str = Field(primary_key=True)
    number: int = Field(sa_type=BigInteger, index=True)
    """The value of `CatalogVersion.product_changes` at that change."""


class SearchTerm(SQLModel, table=True):
    """A word that finds a product, and its weight (see `backend.catalog.search.database_engine`)."""

    __tablename__ = "search_term"
    # for queries of the words of given products that begin with a prefix
    __table_args__ = (Index("ix_search_term_product_id", "product_id", "term"),)

    term: str = Field(primary_key=True, sa_type=ByteOrdered)
    product_id: str = Field(foreign_key="product.id", primary_key=True, ondelete="CASCADE")
    weight: int


class SearchTypo(SQLModel, table=True):
    """A search word, and one of its remainders or its sound key.

    A remainder is the word with some letters left out. If two words have one in common, one may be a misspelling of
    the other. Words that sound alike have the same sound key, which is stored after a "~".
    """

    __tablename__ = "search_typo"

    remains: str = Field(primary_key=True, sa_type=ByteOrdered)
    term: str = Field(primary_key=True, sa_type=ByteOrdered)


class ProductTerm(SQLModel, table=True):
    """A word by which staff find a product, published or not (see `backend.catalog.search.staff_search`)."""

    __tablename__ = "product_term"
    __table_args__ = (Index("ix_product_term_product_id", "product_id", "term"),)

    term: str = Field(primary_key=True, sa_type=ByteOrdered)
    product_id: str = Field(foreign_key="product.id", primary_key=True, ondelete="CASCADE")
