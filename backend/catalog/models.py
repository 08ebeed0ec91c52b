"""The catalogue's tables: products with variants, options and pictures, and categories, collections, tags, types."""

from datetime import datetime, timedelta

from sqlalchemy import (
    CheckConstraint,
    ColumnElement,
    Connection,
    Index,
    ScalarSelect,
    UniqueConstraint,
    delete,
    event,
    false,
    func,
    insert,
    inspect,
    literal_column,
    select,
    text,
)
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.orm import Mapper
from sqlmodel import Field, SQLModel

from backend.core.clock import now
from backend.core.collation import fold
from backend.core.dates import day_begin, today_in_colombia
from backend.core.db.database import UtcDateTime
from backend.core.db.tables import ByteOrdered, Json, JsonObject, Timestamps
from backend.core.ids import new_id
from backend.core.money import Cop
from backend.core.texts import _
from backend.inventory.models import InventoryLevel
from backend.plain_tables.models import PlainRow
from backend.pricing import STANDARD_RATE


class Collection(Timestamps, table=True):
    """A curated set of products. A product is in one collection at most."""

    __tablename__ = "collection"

    id: str = Field(default_factory=lambda: new_id("pcol"), primary_key=True)
    title: str
    handle: str = Field(unique=True)
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)


class Category(Timestamps, table=True):
    """A category; it may sit under a parent."""

    __tablename__ = "category"

    id: str = Field(default_factory=lambda: new_id("pcat"), primary_key=True)
    name: str
    handle: str = Field(unique=True)
    description: str = ""
    parent_id: str | None = Field(default=None, foreign_key="category.id", index=True)
    rank: int = 0
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)


def _folded_title(context: DefaultExecutionContext) -> str:
    row: dict[str, str] = context.get_current_parameters()  # type: ignore[no-untyped-call]
    return fold(row["title"])


_FOR_SALE = text("status = 'published' AND deleted_at IS NULL")
_KEPT = text("deleted_at IS NULL")
_HIDDEN = text("status <> 'published' AND deleted_at IS NULL")
_WEIGHTLESS = text("weight IS NULL AND deleted_at IS NULL")


class Product(Timestamps, table=True):
    """A product (spec: Entities, Product). Weight in kg and sizes in cm; absent on all current products."""

    __tablename__ = "product"
    __table_args__ = (
        # a page of what is for sale, and its count, are read from this index alone
        Index(
            "ix_product_for_sale",
            *("id", "status", "deleted_at"),
            sqlite_where=_FOR_SALE,
            postgresql_where=_FOR_SALE,
        ),
        # what the shop puts forward, then what is new
        Index(
            "ix_product_shown",
            *("featured", "created_at", "id"),
            sqlite_where=_FOR_SALE,
            postgresql_where=_FOR_SALE,
        ),
        Index("ix_product_newest", "created_at", "id"),
        # the staff's lists are in the order of titles: all, those that are hidden, those without a weight
        Index("ix_product_kept", "title_key", "id", sqlite_where=_KEPT, postgresql_where=_KEPT),
        Index("ix_product_hidden", "title_key", "id", sqlite_where=_HIDDEN, postgresql_where=_HIDDEN),
        Index(
            "ix_product_weightless", "title_key", "id", sqlite_where=_WEIGHTLESS, postgresql_where=_WEIGHTLESS
        ),
        CheckConstraint("tax_rate IN (0, 5, 19)", name="tax_rate"),
    )

    id: str = Field(default_factory=lambda: new_id("prod"), primary_key=True)
    handle: str = Field(unique=True)
    title: str
    title_key: str = Field(
        default=None,
        sa_type=ByteOrdered,
        index=True,
        nullable=False,
        sa_column_kwargs={"default": _folded_title, "server_default": ""},
    )
    """The title as lists are sorted by it: without accents and in lower case. It follows the title by itself."""
    subtitle: str = ""
    description: str = ""
    status: str = "published"
    thumbnail: str | None = None
    collection_id: str | None = Field(default=None, foreign_key="collection.id", index=True)
    featured: bool = Field(default=False, index=True)
    tax_rate: int = Field(default=STANDARD_RATE, sa_column_kwargs={"server_default": str(STANDARD_RATE)})
    """The IVA that is in its price, in percent: one of `backend.pricing.TAX_RATES`."""
    weight: float | None = None
    length: float | None = None
    height: float | None = None
    width: float | None = None
    brand: str = Field(default="", index=True)
    age_range: str = Field(default="", index=True)
    material: str | None = None
    origin_country: str | None = None
    """Where it is made: two letters (ISO 3166), in lower case."""
    warnings: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """What its box says about safety."""
    low_stock_at: int | None = Field(default=None, index=True)
    """So many units, or fewer, at a location are few; None: as many as the office says of all."""
    rating_count: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    """How many reviews of it are shown, and their stars together: `backend.reviews.moderation` counts them."""
    rating_total: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    extra_metadata: JsonObject = Field(default_factory=dict, sa_type=Json)
    """The metadata without the keys that have columns (`METADATA_FIELDS` in `product_fields.py`)."""
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class FormerHandle(Timestamps, table=True):
    """A handle a product had before: links to it still lead to the product, until another product takes the handle."""

    __tablename__ = "former_handle"

    handle: str = Field(primary_key=True)
    product_id: str = Field(foreign_key="product.id", index=True, ondelete="CASCADE")


@event.listens_for(Product, "before_update")
def _refold_title(_mapper: Mapper[Product], _connection: Connection, product: Product) -> None:
    product.title_key = fold(product.title)


@event.listens_for(Product, "after_update")
def _store_former_handle(_mapper: Mapper[Product], connection: Connection, product: Product) -> None:
    """Store the handle that a product had before, in the transaction that changes it."""
    former_handles = inspect(product).attrs.handle.history.deleted
    if not former_handles:
        return
    handles = [*former_handles, product.handle]
    connection.execute(delete(FormerHandle).where(FormerHandle.handle.in_(handles)))
    for handle in former_handles:
        former = FormerHandle(handle=handle, product_id=product.id)
        connection.execute(insert(FormerHandle).values(**former.model_dump()))


class ProductCategory(SQLModel, table=True):
    """A product stands in a category."""

    __tablename__ = "product_category"

    product_id: str = Field(foreign_key="product.id", primary_key=True, ondelete="CASCADE")
    category_id: str = Field(foreign_key="category.id", primary_key=True, ondelete="CASCADE", index=True)


class ProductTag(PlainRow, table=True):
    """A word that any number of products have: `value`."""

    __tablename__ = "product_tag"

    id: str = Field(default_factory=lambda: new_id("ptag"), primary_key=True)
    value: str = Field(unique=True)


class ProductType(PlainRow, table=True):
    """What kind of thing a product is: `value`. It is of one type at most."""

    __tablename__ = "product_type"

    id: str = Field(default_factory=lambda: new_id("ptyp"), primary_key=True)
    value: str = Field(unique=True)


class ProductHasTag(SQLModel, table=True):
    """A product has a tag."""

    __tablename__ = "product_has_tag"

    product_id: str = Field(foreign_key="product.id", primary_key=True, ondelete="CASCADE")
    tag_id: str = Field(foreign_key="product_tag.id", primary_key=True, ondelete="CASCADE", index=True)


class ProductHasType(SQLModel, table=True):
    """A product is of a type."""

    __tablename__ = "product_has_type"

    product_id: str = Field(foreign_key="product.id", primary_key=True, ondelete="CASCADE")
    type_id: str = Field(foreign_key="product_type.id", ondelete="CASCADE", index=True)


ONLY = _("Única")
"""The title of a product's only variant."""


def variant_name(title: str) -> str:
    """What a variant is called beside its product's title; empty where that title says it all."""
    return "" if title == ONLY else title


WRAPPING_SKU = "ENVOLTURA"
"""The code of the gift wrapping, which may cost nothing (`backend.catalog.gift_wrapping`)."""


class Variant(Timestamps, table=True):
    """What is bought: a product in one make, with its SKU and price. Prices are pesos with IVA included."""

    __tablename__ = "variant"
    __table_args__ = (
        CheckConstraint("price >= 0", name="price"),
        Index("ix_variant_price", "price", "product_id"),
    )

    id: str = Field(default_factory=lambda: new_id("variant"), primary_key=True)
    product_id: str = Field(foreign_key="product.id", index=True, ondelete="CASCADE")
    title: str = ONLY
    sku: str | None = Field(default=None, unique=True)
    ean: str | None = Field(default=None, index=True, unique=True)
    """The number of the bar code on its box (EAN-13, EAN-8, UPC-A)."""
    price: Cop
    compare_at_price: Cop | None = None
    rank: int = 0
    is_free: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """True if the variant may be sold at a price of 0. Otherwise 0 is a price that nobody has typed yet."""

    @property
    def has_price(self) -> bool:
        """True if the variant can be sold at its price: see `has_price`."""
        return self.price > 0 or self.is_free or self.sku == WRAPPING_SKU


class ProductOption(Timestamps, table=True):
    """In what the variants of a product differ, such as their colour.

    A product without any has one all the same that is stored nowhere: which of its variants, by their titles
    (`backend.catalog.products.options.implied_option`).
    """

    __tablename__ = "product_option"
    __table_args__ = (UniqueConstraint("product_id", "title"),)

    id: str = Field(default_factory=lambda: new_id("opt"), primary_key=True)
    product_id: str = Field(foreign_key="product.id", ondelete="CASCADE")
    title: str
    rank: int = 0
    meta: JsonObject = Field(
        default_factory=dict, sa_type=Json, sa_column_kwargs={"server_default": text("'{}'")}
    )


class ProductOptionValue(Timestamps, table=True):
    """A value of an option, such as blue."""

    __tablename__ = "product_option_value"
    __table_args__ = (UniqueConstraint("option_id", "value"),)

    id: str = Field(default_factory=lambda: new_id("optval"), primary_key=True)
    option_id: str = Field(foreign_key="product_option.id", ondelete="CASCADE")
    value: str
    rank: int = 0


class VariantOptionValue(SQLModel, table=True):
    """A variant has this value of an option."""

    __tablename__ = "variant_option_value"

    variant_id: str = Field(foreign_key="variant.id", primary_key=True, ondelete="CASCADE")
    value_id: str = Field(
        foreign_key="product_option_value.id", primary_key=True, ondelete="CASCADE", index=True
    )


class Picture(Timestamps, table=True):
    """A picture of a product. `url` is the largest file; `sources` the files by width: `[{"url", "width"}]`."""

    __tablename__ = "picture"
    __table_args__ = (UniqueConstraint("product_id", "rank"),)

    id: str = Field(default_factory=lambda: new_id("img"), primary_key=True)
    product_id: str = Field(foreign_key="product.id", index=True, ondelete="CASCADE")
    url: str
    alt: str = ""
    rank: int = 0
    width: int = 960
    height: int = 960
    sources: list[JsonObject] = Field(default_factory=list, sa_type=Json)


NEW_FOR = timedelta(days=30)
"""How long before the beginning of today a product may have been created that counts as new."""


def for_sale() -> ColumnElement[bool]:
    """The product is published and not deleted: the same condition as that of `ix_product_for_sale`."""
    return (Product.status == literal_column("'published'")) & Product.deleted_at.is_(None)


def is_hidden() -> ColumnElement[bool]:
    """The product is kept but not published: the same condition as that of `ix_product_hidden`."""
    return (Product.status != literal_column("'published'")) & Product.deleted_at.is_(None)


def put_forward() -> tuple[ColumnElement[bool], ColumnElement[datetime], ColumnElement[str]]:
    """What the shop puts forward first, then what is new: the order of `ix_product_shown`, backwards."""
    return Product.featured.desc(), Product.created_at.desc(), Product.id.desc()


def new_since() -> datetime:
    """When the oldest products were created that count as new. It changes at the beginning of a day in Colombia only.

    So what shows whether a product is new can be stored for a day (`backend.core.caching.version_cache`).
    """
    return day_begin(today_in_colombia(now())) - NEW_FOR


def is_new() -> ColumnElement[bool]:
    """The product counts as new."""
    return Product.created_at >= new_since()


def has_price(variant: type[Variant] = Variant) -> ColumnElement[bool]:
    """Return the condition that the variant can be sold at its price: more than 0, or 0 where it is marked as free."""
    return (variant.price > 0) | variant.is_free.is_(True) | (variant.sku == WRAPPING_SKU)


def units_of_product() -> ScalarSelect[int]:
    """How many units of the product, over its variants, can be sold now."""
    return (
        select(func.coalesce(func.sum(InventoryLevel.stocked - InventoryLevel.reserved), 0))
        .join(Variant, Variant.id == InventoryLevel.variant_id)
        .where(Variant.product_id == Product.id, has_price())
        .correlate(Product)
        .scalar_subquery()
    )


def available() -> ColumnElement[bool]:
    """A unit of the product can be sold now."""
    return units_of_product() > 0
