"""Request bodies and parameters of the catalogue's Admin API.

Fields that have their own routes are refused (spec: Errors).
"""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from backend.catalog.bar_codes import is_bar_code
from backend.catalog.schemas.product_fields import Handle, PictureAddress, ProductFields, Status
from backend.catalog.schemas.store import CategoriesParameters, ProductsParameters
from backend.core.money import MAX_AMOUNT
from backend.edge.schemas import (
    Body,
    FilledName,
    Links,
    Metadata,
    Name,
    Pesos,
    Text,
    Whole,
    example,
    validation_error,
)

MAX_PICTURES = 50
MAX_VARIANTS = 100
MAX_BATCH = 100
"""Products per batch: it takes about a second, during which SQLite allows no other writer."""
MAX_OPTIONS = 10
MAX_TAGS = 100


def _check_bar_code(text: str) -> str:
    if text and not is_bar_code(text):
        raise validation_error(
            "A bar code is an EAN-13, an EAN-8, a UPC-A or a GTIN-14, whose last digit checks the others"
        )
    return text


BarCode = Annotated[Name, AfterValidator(_check_bar_code)]


class PriceIn(Body):
    """A price, in whole pesos with IVA included."""

    currency_code: Name = "cop"
    amount: Pesos
    id: Name | None = None
    min_quantity: None = None
    max_quantity: None = None
    rules: dict[str, Any] | None = None


Prices = Annotated[list[PriceIn], Field(max_length=10)]


class UnsupportedFields(Body):
    """The platform's variant fields that this shop does not have. Clients may send them back as null."""

    upc: None = None
    barcode: None = None
    mid_code: None = None
    hs_code: None = None
    origin_country: None = None
    material: None = None
    weight: None = None
    length: None = None
    height: None = None
    width: None = None


IS_FREE = "is_free"
"""Metadata key that allows a variant to be sold at a price of 0."""
COST = "cost"
"""Metadata key of a variant's cost in whole pesos, without IVA. Only the Admin API has it."""


def _check_keys(metadata: dict[str, Any]) -> dict[str, Any]:
    if unknown := sorted(metadata.keys() - {IS_FREE, COST}):
        raise validation_error(
            f"The metadata of a variant has no keys but '{IS_FREE}' and '{COST}': not {unknown}"
        )
    if not isinstance(metadata.get(IS_FREE) or False, bool):
        raise validation_error(f"Expected type: 'boolean' for field 'metadata, {IS_FREE}'")
    cost = metadata.get(COST)
    if cost not in (None, "") and (type(cost) is not int or not 0 <= cost <= MAX_AMOUNT):
        raise validation_error(f"Expected whole pesos for field 'metadata, {COST}'")
    return metadata


VariantMetadata = Annotated[Metadata, AfterValidator(_check_keys)]


class VariantChange(UnsupportedFields):
    """A change of a variant; omitted fields stay. `compare_at_price: null` ends a sale."""

    model_config = example(prices=[{"amount": 42_000}], compare_at_price=50_000)

    title: FilledName | None = None
    sku: Name | None = None
    ean: BarCode | None = Field(
        None, description="The number of the bar code: EAN-13, EAN-8, UPC-A or GTIN-14."
    )
    prices: Prices | None = None
    compare_at_price: Pesos | None = None
    metadata: VariantMetadata | None = Field(
        None,
        description="`is_free`: true if the variant may be sold at a price of 0. `cost`: the cost of a unit in whole"
        " pesos, without IVA; null or an empty text clears it. Other keys are refused.",
    )
    variant_rank: Annotated[Whole, Field(ge=0, le=10_000)] | None = None
    manage_inventory: bool | None = Field(
        None,
        description="Always true, since all units are counted. False is accepted for a new variant, and ignored.",
    )
    allow_backorder: bool | None = Field(
        None,
        description="True while the product is a preorder (`preorder_day`). It is accepted and ignored.",
    )
    options: Annotated[dict[str, Name], Field(max_length=MAX_OPTIONS)] | None = Field(
        None, description="The value of each of the product's options, by its title."
    )
    inventory_items: Annotated[list[Any], Field(max_length=0)] | None = Field(
        None, description="A variant has its own single item: only an empty list is accepted."
    )


class NewVariant(VariantChange):
    """A new variant."""

    model_config = example(title="Azul", sku="TROMPO-AZUL", prices=[{"amount": 45_000}])

    prices: Annotated[Prices, Field(min_length=1)]


class VariantUpdate(VariantChange):
    """A change of the variant in the request's path."""

    id: Name | None = Field(None, description="If given, it must equal the id in the path.")


class VariantInProduct(VariantChange):
    """A variant in the body of its product: an existing one by its id, or a new one."""

    id: Name | None = None


class VariantInBatch(VariantInProduct):
    """A change of the variant with this id."""

    id: Name


class VariantBatch(Body):
    """Variants of a product to create, to change and to delete."""

    model_config = example(
        create=[{"title": "Verde", "sku": "TROMPO-VERDE", "prices": [{"amount": 45_000}]}],
        update=[{"id": "variant_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "prices": [{"amount": 43_000}]}],
    )

    create: Annotated[list[NewVariant], Field(max_length=MAX_VARIANTS)] = Field(default_factory=list)
    update: Annotated[list[VariantInBatch], Field(max_length=MAX_VARIANTS)] = Field(default_factory=list)
    delete: Annotated[list[Name], Field(max_length=MAX_VARIANTS)] = Field(default_factory=list)


ALT, OPTION_VALUE_ID = "alt", "option_value_id"
"""Metadata keys of a picture: its alternative text, and the option value that it shows."""


class ImageIn(Body):
    """A picture by its address. File names may contain spaces and parentheses.

    `metadata.option_value_id` is the option value that the picture shows; null removes it. A variant has the
    pictures that show its values, and those that show no value.
    """

    url: Annotated[PictureAddress, Field(min_length=1)]
    id: Name | None = None
    metadata: Metadata | None = None


Values = Annotated[list[FilledName], Field(max_length=MAX_VARIANTS)]


class OptionChange(Body):
    """A change of an option; omitted fields stay.

    If `values` is given, all other values of the option are deleted. If a variant has a value that would be
    deleted, the change is refused.
    """

    model_config = example(title="Talla")

    title: FilledName | None = None
    values: Values | None = None
    metadata: Metadata | None = None


class NewOption(OptionChange):
    """A new option of a product, with its values."""

    model_config = example(title="Talla", values=["Pequeño", "Mediano", "Grande"])

    title: FilledName
    values: Values


class ValueChange(Body):
    """A change of an option value; omitted fields stay. `metadata.color` is the colour of its swatch, as `#rrggbb`."""

    model_config = example(value="Extra grande")

    value: FilledName | None = None
    metadata: Metadata | None = None


class OptionIn(OptionChange):
    """An option in the body of its product: an existing one by its id or its title, or a new one.

    It belongs to this product only, whatever `is_exclusive` is.
    """

    title: FilledName
    id: Name | None = None
    is_exclusive: bool | None = None


class IdOnly(Body):
    """A reference to an object by its id."""

    id: Name


class ProductChange(Body, ProductFields):
    """A change of a product; omitted fields stay.

    If `options` is given, all other options are deleted with their values. Metadata is merged: an empty text or null
    removes a key. `price` and `compare_at_price` apply to its only variant. Collections and categories are assigned
    by their own routes.
    """

    model_config = example(price=79_900, compare_at_price=95_000, metadata={"ageRange": "6-8"})

    price: Pesos | None = None
    compare_at_price: Pesos | None = None
    images: Annotated[list[ImageIn], Field(max_length=MAX_PICTURES)] | None = None
    variants: Annotated[list[VariantInProduct], Field(max_length=MAX_VARIANTS)] | None = None
    options: Annotated[list[OptionIn], Field(max_length=MAX_OPTIONS)] | None = None
    tags: Annotated[list[IdOnly], Field(max_length=MAX_TAGS)] | None = None
    type_id: Name | None = None
    metadata: Metadata | None = None
    discountable: Literal[True] | None = None
    is_giftcard: Literal[False] | None = None
    sales_channels: Annotated[list[IdOnly], Field(max_length=20)] | None = Field(
        None, description="They must exist. Every product is sold in all channels."
    )
    shipping_profile_id: Name | None = Field(None, description="The shipping profile of every product.")
    additional_data: Annotated[dict[str, Any], Field(max_length=0)] | None = None


class ProductUpdate(ProductChange):
    """A change of one product.

    The body may repeat the product's current collection and categories, but not change them.
    """

    collection_id: Name | None = None
    categories: Annotated[list[IdOnly], Field(max_length=MAX_TAGS)] | None = None


class NewProduct(ProductUpdate):
    """A new product, by default a draft."""

    model_config = example(
        title="Pirinola de madera",
        description="Todos ponen, toma todo: la pirinola de siempre, torneada en madera de pino.",
        status="published",
        weight=0.08,
        images=[{"url": "https://juguetes.example/fotos/pirinola.webp", "metadata": {"alt": "Una pirinola"}}],
        options=[{"title": "Color", "values": ["Rojo", "Azul"]}],
        variants=[
            {"sku": "PIRINOLA-R", "options": {"Color": "Rojo"}, "prices": [{"amount": 18_900}]},
            {"sku": "PIRINOLA-A", "options": {"Color": "Azul"}, "prices": [{"amount": 19_900}]},
        ],
        metadata={"brand": "Talleres del Oriente", "ageRange": "3-5"},
    )

    title: FilledName
    status: Status = "draft"

    @field_validator("handle", mode="before")
    @classmethod
    def _convert_empty_handle(cls, handle: Any) -> Any:
        return handle or None


class ProductInBatch(ProductChange):
    """A change of the product with this id."""

    id: Name


class ProductBatch(Body):
    """Products to create, to change and to delete, at most `MAX_BATCH` in total."""

    model_config = example(
        create=[{"title": "Zaranda de totumo", "price": 15_900}],
        update=[{"id": "prod_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "price": 79_900}],
    )

    create: list[NewProduct] = Field(default_factory=list)
    update: list[ProductInBatch] = Field(default_factory=list)
    delete: list[Name] = Field(default_factory=list)

    @model_validator(mode="after")
    def _check_size(self) -> Self:
        if len(self.create) + len(self.update) + len(self.delete) > MAX_BATCH:
            raise validation_error(f"A batch has {MAX_BATCH} products at most")
        return self


class Assignment(Links):
    """Ids of products to add and to remove. Unknown ids are skipped."""

    model_config = example(add=["prod_01JPZ6V3N8K4T2WQ7RXB5C9MHD"], remove=[])


class CollectionChange(Body):
    """A change of a collection; omitted fields stay.

    `metadata.thumbnail` is the address of its picture, which was uploaded before. Null removes it.
    """

    model_config = example(title="Regalos de Navidad")

    title: FilledName | None = None
    handle: Handle | None = None
    metadata: Metadata | None = None


class NewCollection(CollectionChange):
    """A new collection. Without a handle, the handle is derived from the title."""

    model_config = example(title="Amor y amistad", handle="amor-y-amistad")

    title: FilledName


class CategoryChange(Body):
    """A change of a category; omitted fields stay.

    `metadata.thumbnail` is the address of its picture, which was uploaded before. Null removes it.
    """

    model_config = example(description="Para jugar todos alrededor de la mesa.", rank=2)

    name: FilledName | None = None
    handle: Handle | None = None
    description: Text | None = None
    parent_category_id: Name | None = None
    rank: Annotated[Whole, Field(ge=0, le=10_000)] | None = None
    is_active: bool | None = None
    is_internal: Literal[False] | None = None
    metadata: Metadata | None = None


class NewCategory(CategoryChange):
    """A new category."""

    model_config = example(
        name="Juegos de cartas",
        handle="juegos-de-cartas",
        parent_category_id="pcat_01JPZ6V3N8K4T2WQ7RXB5C9MHD",
    )

    name: FilledName


class AdminProductsParameters(ProductsParameters):
    """Filters of the product list, which includes drafts."""

    status: list[Status] | None = None
    has_picture: bool | None = None
    has_weight: bool | None = Field(None, description="Without a weight a product is shipped as 1 kg.")
    low_stock: bool | None = Field(
        None, description="A variant's stock at a location is at or below the low-stock limit."
    )


class AdminCategoriesParameters(CategoriesParameters):
    """Filters of the category list."""

    is_active: bool | None = None
    is_internal: bool | None = None
