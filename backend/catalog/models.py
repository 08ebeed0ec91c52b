"""The catalogue's tables: products, variants, options, pictures, categories, collections, tags and types."""

from datetime import date, datetime, timedelta

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
    true,
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
from backend.inventory.models import SELLABLE_UNITS, InventoryLevel
from backend.plain_tables.models import PlainRow
from backend.pricing import STANDARD_RATE

SEO_TITLE, SEO_DESCRIPTION = "seo_title", "seo_description"
"""Metadata keys of the title and the text that search engines show for a product's page."""


class Collection(Timestamps, table=True):
    """A curated set of products. A product is in one collection at most."""

    __tablename__ = "collection"

    id: str = Field(default_factory=lambda: new_id("pcol"), primary_key=True)
    title: str
    handle: str = Field(unique=True)
    description: str = Field(default="", sa_column_kwargs={"server_default": ""})
    rank: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    is_active: bool = Field(default=True, sa_column_kwargs={"server_default": true()})
    """False if shoppers do not see it. Its products are still for sale."""
    picture: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """URL of its picture; empty if pages show the picture of its first product."""
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)


class Category(Timestamps, table=True):
    """A category; it may have a parent."""

    __tablename__ = "category"

    id: str = Field(default_factory=lambda: new_id("pcat"), primary_key=True)
    name: str
    handle: str = Field(unique=True)
    description: str = ""
    parent_id: str | None = Field(default=None, foreign_key="category.id", index=True)
    rank: int = 0
    is_active: bool = Field(default=True, sa_column_kwargs={"server_default": true()})
    """False if shoppers see neither it nor the categories below it. Its products are still for sale."""
    picture: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """URL of its picture; empty if pages show the picture of its first product."""
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)


def _folded_title(context: DefaultExecutionContext) -> str:
    row: dict[str, str] = context.get_current_parameters()  # type: ignore[no-untyped-call]
    return fold(row["title"])


_FOR_SALE = text("status = 'published' AND deleted_at IS NULL")
_NOT_DELETED = text("deleted_at IS NULL")
_HIDDEN = text("status <> 'published' AND deleted_at IS NULL")
_WEIGHTLESS = text("weight IS NULL AND deleted_at IS NULL")
_DOWNLOADED = text("source_url <> ''")


class Product(Timestamps, table=True):
    """A product (spec: Entities, Product). The weight is in kg, sizes are in cm; each is None if it is unknown."""

    __tablename__ = "product"
    __table_args__ = (
        # a page of the products for sale, and their count, are read from this index alone
        Index(
            "ix_product_for_sale",
            *("id", "status", "deleted_at"),
            sqlite_where=_FOR_SALE,
            postgresql_where=_FOR_SALE,
        ),
        # featured products first, then the newest
        Index(
            "ix_product_shown",
            *("featured", "created_at", "id"),
            sqlite_where=_FOR_SALE,
            postgresql_where=_FOR_SALE,
        ),
        Index("ix_product_newest", "created_at", "id"),
        # the staff's lists are sorted by title: all products, hidden ones, ones without a weight
        Index("ix_product_kept", "title_key", "id", sqlite_where=_NOT_DELETED, postgresql_where=_NOT_DELETED),
        Index("ix_product_hidden", "title_key", "id", sqlite_where=_HIDDEN, postgresql_where=_HIDDEN),
        Index(
            "ix_product_weightless", "title_key", "id", sqlite_where=_WEIGHTLESS, postgresql_where=_WEIGHTLESS
        ),
        CheckConstraint("tax_rate IN (0, 5, 19)", name="tax_rate"),
        CheckConstraint("NOT tax_excluded OR tax_rate = 0", name="tax_excluded"),
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
    """The title as a sort key: without accents and in lower case. It is updated together with the title."""
    subtitle: str = ""
    description: str = ""
    status: str = "published"
    thumbnail: str | None = None
    collection_id: str | None = Field(default=None, foreign_key="collection.id", index=True)
    featured: bool = Field(default=False, index=True)
    tax_rate: int = Field(default=STANDARD_RATE, sa_column_kwargs={"server_default": str(STANDARD_RATE)})
    """The IVA included in the price, in percent: one of `backend.pricing.TAX_RATES`."""
    tax_excluded: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """True if the product is excluded from IVA (Estatuto Tributario, art. 424), not exempt."""
    weight: float | None = None
    length: float | None = None
    height: float | None = None
    width: float | None = None
    brand: str = Field(default="", index=True)
    age_range: str = Field(default="", index=True)
    material: str | None = None
    origin_country: str | None = None
    """Country of manufacture: two letters (ISO 3166), in lower case."""
    warnings: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """The safety warnings on the box."""
    low_stock_at: int | None = Field(default=None, index=True)
    """Stock at a location is low at this number of units or fewer; None: the number in the office's settings."""
    preorder_day: date | None = None
    """Day in Colombia on which a preorder's units arrive at the shop; None if the product is no preorder."""
    preorder_units: int | None = None
    """Units of each variant that the preorder offers in addition to the stock."""
    rating_count: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    """Number of published reviews; `rating_total` is the sum of their stars. See `backend.reviews.moderation`."""
    rating_total: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    extra_metadata: JsonObject = Field(default_factory=dict, sa_type=Json)
    """The metadata without the keys that have columns (`METADATA_FIELDS` in `product_fields.py`)."""
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    @property
    def seo_title(self) -> str:
        """The title for search engines, from the metadata; empty to use the product's own."""
        return self._read_text(SEO_TITLE)

    @seo_title.setter
    def seo_title(self, text: str) -> None:
        self._write_text(SEO_TITLE, text)

    @property
    def seo_description(self) -> str:
        """The description for search engines, from the metadata; empty to use the product's own."""
        return self._read_text(SEO_DESCRIPTION)

    @seo_description.setter
    def seo_description(self, text: str) -> None:
        self._write_text(SEO_DESCRIPTION, text)

    def _read_text(self, key: str) -> str:
        text = self.extra_metadata.get(key)
        return text if isinstance(text, str) else ""

    def _write_text(self, key: str, text: str) -> None:
        rest = {name: value for name, value in self.extra_metadata.items() if name != key}
        self.extra_metadata = {**rest, key: text} if text else rest


class FormerHandle(Timestamps, table=True):
    """A former handle of a product. URLs with it still open the product, until another product takes the handle."""

    __tablename__ = "former_handle"

    handle: str = Field(primary_key=True)
    product_id: str = Field(foreign_key="product.id", index=True, ondelete="CASCADE")


@event.listens_for(Product, "before_update")
def _refold_title(_mapper: Mapper[Product], _connection: Connection, product: Product) -> None:
    product.title_key = fold(product.title)


@event.listens_for(Product, "after_update")
def _store_former_handle(_mapper: Mapper[Product], connection: Connection, product: Product) -> None:
    """Store the product's previous handle in the transaction that changes it."""
    former_handles = inspect(product).attrs.handle.history.deleted
    if not former_handles:
        return
    handles = [*former_handles, product.handle]
    connection.execute(delete(FormerHandle).where(FormerHandle.handle.in_(handles)))
    for handle in former_handles:
        former = FormerHandle(handle=handle, product_id=product.id)
        connection.execute(insert(FormerHandle).values(**former.model_dump()))


class ProductCategory(SQLModel, table=True):
    """A link between a product and a category that contains it."""

    __tablename__ = "product_category"

    product_id: str = Field(foreign_key="product.id", primary_key=True, ondelete="CASCADE")
    category_id: str = Field(foreign_key="category.id", primary_key=True, ondelete="CASCADE", index=True)


class ProductTag(PlainRow, table=True):
    """A word (`value`) that any number of products may have."""

    __tablename__ = "product_tag"

    id: str = Field(default_factory=lambda: new_id("ptag"), primary_key=True)
    value: str = Field(unique=True)


class ProductType(PlainRow, table=True):
    """A kind of product (`value`). A product has one type at most."""

    __tablename__ = "product_type"

    id: str = Field(default_factory=lambda: new_id("ptyp"), primary_key=True)
    value: str = Field(unique=True)


class ProductHasTag(SQLModel, table=True):
    """A link between a product and one of its tags."""

    __tablename__ = "product_has_tag"

    product_id: str = Field(foreign_key="product.id", primary_key=True, ondelete="CASCADE")
    tag_id: str = Field(foreign_key="product_tag.id", primary_key=True, ondelete="CASCADE", index=True)


class ProductHasType(SQLModel, table=True):
    """A link between a product and its type."""

    __tablename__ = "product_has_type"

    product_id: str = Field(foreign_key="product.id", primary_key=True, ondelete="CASCADE")
    type_id: str = Field(foreign_key="product_type.id", ondelete="CASCADE", index=True)


ONLY_VARIANT_TITLE = _("Única")
"""The title of a product's only variant."""


_UNNAMED_TITLES = frozenset(
    {ONLY_VARIANT_TITLE.casefold(), "default", "default title", "default variant", "default option value"}
)
"""Titles of an only variant: the shop's, and those that other shops and the platform give it."""


def variant_name(title: str) -> str:
    """Return the variant's name to display next to the product's title; empty for the default title of a variant."""
    return "" if title.casefold() in _UNNAMED_TITLES else title


WRAPPING_SKU = "ENVOLTURA"
"""The SKU of the gift wrapping, whose price may be 0 (`backend.catalog.gift_wrapping`)."""


_ON_SALE = text("compare_at_price > price")


class Variant(Timestamps, table=True):
    """A version of a product that can be bought, with its SKU and price. Prices are whole pesos, IVA included."""

    __tablename__ = "variant"
    __table_args__ = (
        CheckConstraint("price >= 0", name="price"),
        CheckConstraint("cost >= 0", name="cost"),
        Index("ix_variant_price", "price", "product_id"),
        Index("ix_variant_on_sale", "product_id", sqlite_where=_ON_SALE, postgresql_where=_ON_SALE),
    )

    id: str = Field(default_factory=lambda: new_id("variant"), primary_key=True)
    product_id: str = Field(foreign_key="product.id", index=True, ondelete="CASCADE")
    title: str = ONLY_VARIANT_TITLE
    sku: str | None = Field(default=None, unique=True)
    ean: str | None = Field(default=None, index=True, unique=True)
    """The bar code number on the box (EAN-13, EAN-8, UPC-A)."""
    price: Cop
    compare_at_price: Cop | None = None
    cost: Cop | None = None
    """Cost of a unit for the shop in whole pesos, without IVA; None if it is unknown. Only staff see it."""
    thumbnail: str | None = None
    """URL of the first picture of its option values; None to use the product's pictures.

    See `backend.catalog.products.variant_pictures`.
    """
    rank: int = 0
    is_free: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """True if the variant may be sold at a price of 0. Otherwise a price of 0 means that no price was entered yet."""

    @property
    def has_price(self) -> bool:
        """True if the variant can be sold at its price: see the function `has_price`."""
        return self.price > 0 or self.is_free or self.sku == WRAPPING_SKU


class ProductOption(Timestamps, table=True):
    """An attribute in which the variants of a product differ, such as the colour.

    A product without stored options has an implied one, whose values are the titles of the variants
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
    meta: JsonObject = Field(
        default_factory=dict, sa_type=Json, sa_column_kwargs={"server_default": text("'{}'")}
    )


class VariantOptionValue(SQLModel, table=True):
    """A link between a variant and one of its option values."""

    __tablename__ = "variant_option_value"

    variant_id: str = Field(foreign_key="variant.id", primary_key=True, ondelete="CASCADE")
    value_id: str = Field(
        foreign_key="product_option_value.id", primary_key=True, ondelete="CASCADE", index=True
    )


class Picture(Timestamps, table=True):
    """A picture of a product. `url` is the largest file; `sources` are the files by width: `[{"url", "width"}]`."""

    __tablename__ = "picture"
    __table_args__ = (
        UniqueConstraint("product_id", "rank"),
        Index("ix_picture_source_url", "source_url", sqlite_where=_DOWNLOADED, postgresql_where=_DOWNLOADED),
    )

    id: str = Field(default_factory=lambda: new_id("img"), primary_key=True)
    product_id: str = Field(foreign_key="product.id", index=True, ondelete="CASCADE")
    url: str
    alt: str = ""
    value_id: str | None = Field(
        default=None, foreign_key="product_option_value.id", index=True, ondelete="SET NULL"
    )
    """The option value that the picture shows, such as blue; None if it shows the product in general."""
    rank: int = 0
    width: int = 960
    height: int = 960
    sources: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    source_url: str = ""
    """Web address from which an import downloaded it; empty for any other picture."""


NEW_PRODUCT_PERIOD = timedelta(days=30)
"""A product counts as new if it was created at most this long before the beginning of today."""


def for_sale() -> ColumnElement[bool]:
    """Return the SQL condition for products that are published and not deleted.

    It is written like the condition of the partial index `ix_product_for_sale`, so that databases can use that
    index.
    """
    return (Product.status == literal_column("'published'")) & Product.deleted_at.is_(None)


def is_hidden() -> ColumnElement[bool]:
    """Return the SQL condition for products that are neither published nor deleted.

    It is written like the condition of the partial index `ix_product_hidden`, so that databases can use that index.
    """
    return (Product.status != literal_column("'published'")) & Product.deleted_at.is_(None)


def featured_first_order() -> tuple[ColumnElement[bool], ColumnElement[datetime], ColumnElement[str]]:
    """Return the ORDER BY columns for featured products first, then the newest.

    Databases can sort like this by reading the index `ix_product_shown` backwards.
    """
    return Product.featured.desc(), Product.created_at.desc(), Product.id.desc()


def new_products_cutoff() -> datetime:
    """Return the earliest creation time of a product that counts as new. It changes only at midnight in Colombia.

    So a response that shows whether a product is new can be cached for a day
    (`backend.core.caching.version_cache`).
    """
    return day_begin(today_in_colombia(now())) - NEW_PRODUCT_PERIOD


def is_new() -> ColumnElement[bool]:
    """Return the SQL condition for products that count as new."""
    return Product.created_at >= new_products_cutoff()


def has_price(variant: type[Variant] = Variant) -> ColumnElement[bool]:
    """Return the SQL condition for variants with a price above 0, variants marked as free, and the wrapping."""
    return (variant.price > 0) | variant.is_free.is_(True) | (variant.sku == WRAPPING_SKU)


def units_of_product() -> ScalarSelect[int]:
    """Return a subquery for the number of units of the product that can be sold now, summed over its variants."""
    return (
        select(func.coalesce(func.sum(SELLABLE_UNITS), 0))
        .join(Variant, Variant.id == InventoryLevel.variant_id)
        .where(Variant.product_id == Product.id, has_price())
        .correlate(Product)
        .scalar_subquery()
    )


def is_available() -> ColumnElement[bool]:
    """Return the SQL condition for products with at least one unit that can be sold now."""
    return units_of_product() > 0
