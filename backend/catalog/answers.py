"""Responses of the Store API and the Admin API: products, variants, categories and collections."""

from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from backend.catalog.schemas.product_fields import Status, TaxRate
from backend.channels.answers import ChannelOut, ProfileOut
from backend.edge.wire import CalculatedPrice, DeletedMany, JsonDict, LastingStamps, Page, Stamps
from backend.inventory.answers import LinkedItem, StockedItem


class OptionFields(LastingStamps):
    """An option of a product, without its values."""

    id: str
    title: str
    is_exclusive: bool
    metadata: JsonDict | None


class OptionValueOut(LastingStamps):
    """A value of an option."""

    id: str
    value: str
    option_id: str
    rank: int | None
    metadata: JsonDict | None


class ProductOptionOut(OptionFields):
    """An option of a product, with its values."""

    values: list[OptionValueOut]


class OptionWithProducts(ProductOptionOut):
    """An option with its product."""

    products: list[JsonDict]


class VariantOption(OptionValueOut):
    """A variant's value for one option."""

    option: OptionFields


class PriceOut(Stamps):
    """A variant's price, for staff."""

    id: str
    currency_code: str
    amount: int
    raw_amount: JsonDict
    variant_id: str
    min_quantity: None
    max_quantity: None
    rules: JsonDict


class ImageOut(LastingStamps):
    """A picture of a product."""

    id: str
    url: str | None
    rank: int
    product_id: str
    metadata: JsonDict | None


class VariantParts(LastingStamps):
    """A variant, with the parts that are returned on request and the fields that only staff see."""

    id: str
    title: str
    sku: str | None
    barcode: None
    ean: str | None
    upc: None
    allow_backorder: bool
    manage_inventory: bool
    hs_code: None
    origin_country: None
    mid_code: None
    material: None
    weight: None
    length: None
    height: None
    width: None
    metadata: JsonDict | None
    thumbnail: str | None
    variant_rank: int
    product_id: str
    options: list[VariantOption]
    calculated_price: NotRequired[CalculatedPrice]
    inventory_quantity: NotRequired[int]
    images: NotRequired[list[ImageOut]]
    inventory_items: NotRequired[list[LinkedItem]]
    prices: NotRequired[list[PriceOut]]
    compare_at_price: NotRequired[int | None]


class VariantOut(VariantParts):
    """A variant. Prices are whole pesos, IVA included; `inventory_quantity` is the number of units that can be sold."""

    product: NotRequired[JsonDict]


class VariantWithProduct(VariantParts):
    """A variant with its product, for staff."""

    product: JsonDict
    inventory: list[StockedItem]


class CategoryFields(Stamps):
    """A category without its parent and children."""

    id: str
    name: str
    description: str
    handle: str
    is_active: NotRequired[bool]
    is_internal: NotRequired[bool]
    rank: int
    external_id: None
    metadata: JsonDict | None
    parent_category_id: str | None


class RelatedFields(CategoryFields):
    """A parent or a child of a category, without its own parent and children."""

    mpath: str
    deleted_at: None


class RelatedCategory(RelatedFields):
    """A parent or a child of a category, with its own parents and children on request."""

    category_children: NotRequired[list["RelatedCategory"]]
    parent_category: NotRequired["RelatedCategory | None"]


class CategoryOut(CategoryFields):
    """A category, with its parent and its children."""

    category_children: list[RelatedCategory]
    parent_category: RelatedCategory | None


class CollectionFields(Stamps):
    """A curated set of products."""

    id: str
    title: str
    handle: str
    external_id: None


class CollectionOut(CollectionFields):
    """A curated set of products, for staff."""

    metadata: JsonDict | None
    deleted_at: None


class ProductOwnFields(Stamps):
    """Fields of a product that are returned by default."""

    id: str
    handle: str
    title: str
    subtitle: str
    description: str
    material: str | None
    origin_country: Annotated[str | None, Field(description="Where it is made: two letters (ISO 3166).")]
    hs_code: None
    mid_code: None
    thumbnail: str | None
    weight: Annotated[float | None, Field(description="Kilograms.")]
    length: Annotated[float | None, Field(description="Centimetres.")]
    height: Annotated[float | None, Field(description="Centimetres.")]
    width: Annotated[float | None, Field(description="Centimetres.")]
    is_giftcard: bool
    discountable: bool
    collection_id: str | None
    type_id: str | None
    type: JsonDict | None
    tags: list[JsonDict]


class ProductRelations(TypedDict):
    """Relations of a product that are returned by default."""

    collection: CollectionOut | None
    variants: list[VariantOut]
    options: list[ProductOptionOut]
    images: list[ImageOut]


class ProductOut(ProductOwnFields, ProductRelations):
    """A product. Status, metadata, categories, tax rate and prices are returned only on request, with `fields`."""

    featured: NotRequired[bool]
    status: NotRequired[Status]
    preorder_day: NotRequired[
        Annotated[str | None, Field(description="Day on which the units of a preorder arrive at the shop.")]
    ]
    preorder_units: NotRequired[
        Annotated[int | None, Field(description="Units of each variant that a preorder offers.")]
    ]
    tax_rate: NotRequired[
        Annotated[
            TaxRate,
            Field(description="The IVA that is in its price, in percent: 0, 5 or 19. A new product has 19."),
        ]
    ]
    tax_excluded: NotRequired[
        Annotated[
            bool, Field(description="True if it is excluded from IVA, not exempt. Then `tax_rate` is 0.")
        ]
    ]
    warnings: NotRequired[Annotated[str, Field(description="The safety warnings on its box.")]]
    metadata: NotRequired[JsonDict]
    categories: NotRequired[list[CategoryFields]]
    external_id: NotRequired[None]
    deleted_at: NotRequired[str | None]
    sales_channels: NotRequired[list[ChannelOut]]
    shipping_profile: NotRequired[ProfileOut | None]


class ProductAnswer(TypedDict):
    """Response with one product."""

    product: ProductOut


class ProductsAnswer(Page):
    """A page of the products."""

    products: list[ProductOut]


class ProductBatchAnswer(TypedDict):
    """Result of a batch of product changes: the created, changed and deleted products."""

    created: list[ProductOut]
    updated: list[ProductOut]
    deleted: DeletedMany


class VariantsAnswer(Page):
    """A page of the variants."""

    variants: list[VariantOut]


class StaffVariantAnswer(TypedDict):
    """Response with one variant."""

    variant: VariantWithProduct


class StaffVariantsAnswer(Page):
    """A page of the variants."""

    variants: list[VariantWithProduct]


class VariantBatchAnswer(TypedDict):
    """Result of a batch of variant changes: the created, changed and deleted variants."""

    created: list[VariantWithProduct]
    updated: list[VariantWithProduct]
    deleted: DeletedMany


class ProductOptionAnswer(TypedDict):
    """Response with one option."""

    product_option: ProductOptionOut


class ProductOptionsAnswer(Page):
    """A page of the options."""

    product_options: list[ProductOptionOut]


class OptionWithProductsAnswer(TypedDict):
    """Response with one option and its product."""

    product_option: OptionWithProducts


class OptionValueAnswer(TypedDict):
    """Response with one option value."""

    product_option_value: OptionValueOut


class OptionValuesAnswer(Page):
    """A page of an option's values."""

    product_option_values: list[OptionValueOut]


class CategoryAnswer(TypedDict):
    """Response with one category."""

    product_category: CategoryOut


class CategoriesAnswer(Page):
    """A page of the categories."""

    product_categories: list[CategoryOut]


class CollectionAnswer(TypedDict):
    """Response with one collection, for staff."""

    collection: CollectionOut


class CollectionsAnswer(Page):
    """A page of the collections."""

    collections: list[CollectionOut]


class StoreCollectionAnswer(TypedDict):
    """Response with one collection, for the Store API."""

    collection: CollectionFields


class StoreCollectionsAnswer(Page):
    """A page of the collections."""

    collections: list[CollectionFields]
