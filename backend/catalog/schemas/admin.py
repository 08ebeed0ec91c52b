"""Bodies and parameters of the catalogue's Admin API. What is assigned by other routes is refused (spec: Errors)."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from backend.catalog.bar_codes import is_bar_code
from backend.catalog.schemas.product_fields import Handle, PictureAddress, ProductFields, Status
from backend.catalog.schemas.store import CategoriesParameters, ProductsParameters
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
    problem,
)

MAX_PICTURES = 50
MAX_VARIANTS = 100
MAX_BATCH = 100
"""Products of one batch: a second of the database, in which nobody else can write on SQLite."""
MAX_OPTIONS = 10
MAX_TAGS = 100


def _is_bar_code(text: str) -> str:
    if text and not is_bar_code(text):
        raise problem("A bar code is an EAN-13, an EAN-8 or a UPC-A, whose last digit checks the others")
    return text


BarCode = Annotated[Name, AfterValidator(_is_bar_code)]


class PriceIn(Body):
    """A price, in whole pesos with IVA included."""

    currency_code: Name = "cop"
    amount: Pesos
    id: Name | None = None
    min_quantity: None = None
    max_quantity: None = None
    rules: dict[str, Any] | None = None


Prices = Annotated[list[PriceIn], Field(max_length=10)]


class NothingKnown(Body):
    """What the platform has of variants and this shop has not: programs that send along what they were shown may."""

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
"""The key of a variant's metadata that lets a price of 0 be sold."""


def _check_keys(metadata: dict[str, Any]) -> dict[str, Any]:
    if unknown := sorted(metadata.keys() - {IS_FREE}):
        raise problem(f"The metadata of a variant has no key but '{IS_FREE}': not {unknown}")
    if not isinstance(metadata.get(IS_FREE) or False, bool):
        raise problem(f"Expected type: 'boolean' for field 'metadata, {IS_FREE}'")
    return metadata


VariantMetadata = Annotated[Metadata, AfterValidator(_check_keys)]


class VariantChange(NothingKnown):
    """A change of a variant; what is left out stays. `compare_at_price: null` ends a sale."""

    model_config = example(prices=[{"amount": 42_000}], compare_at_price=50_000)

    title: FilledName | None = None
    sku: Name | None = None
    ean: BarCode | None = Field(None, description="The number of the bar code: EAN-13, EAN-8 or UPC-A.")
    prices: Prices | None = None
    compare_at_price: Pesos | None = None
    metadata: VariantMetadata | None = Field(
        None,
        description="`is_free`: true if the variant may be sold at a price of 0. Other keys are refused.",
    )
    variant_rank: Annotated[Whole, Field(ge=0, le=10_000)] | None = None
    manage_inventory: bool | None = Field(
        None, description="The units of every variant are counted: a new one may say false, and is told true."
    )
    allow_backorder: Literal[False] | None = None
    options: Annotated[dict[str, Name], Field(max_length=MAX_OPTIONS)] | None = Field(
        None, description="The value of each of the product's options, by its title."
    )
    inventory_items: Annotated[list[Any], Field(max_length=0)] | None = Field(
        None, description="A variant has one item of its own: only an empty list is taken."
    )


class NewVariant(VariantChange):
    """A new variant."""

    model_config = example(title="Azul", sku="TROMPO-AZUL", prices=[{"amount": 45_000}])

    prices: Annotated[Prices, Field(min_length=1)]


class VariantUpdate(VariantChange):
    """A change of the variant that the address names."""

    id: Name | None = Field(None, description="That of the address, if any.")


class VariantInProduct(VariantChange):
    """A variant in the change of its product: a known one by its id, or a new one."""

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


class ImageIn(Body):
    """A picture by its address. File names may hold spaces and parentheses."""

    url: Annotated[PictureAddress, Field(min_length=1)]
    id: Name | None = None
    metadata: Metadata | None = None


Values = Annotated[list[FilledName], Field(max_length=MAX_VARIANTS)]


class OptionChange(Body):
    """A change of an option; what is left out stays. A value that is left out is gone, unless a variant has it."""

    model_config = example(title="Talla")

    title: FilledName | None = None
    values: Values | None = None
    metadata: Metadata | None = None


class NewOption(OptionChange):
    """In what the variants of a product differ, and what there is to choose."""

    model_config = example(title="Talla", values=["Pequeño", "Mediano", "Grande"])

    title: FilledName
    values: Values


class ValueChange(Body):
    """What a value of an option is to be called."""

    model_config = example(value="Extra grande")

    value: FilledName


class OptionIn(OptionChange):
    """An option in the body of its product: a known one by its id or its title, or a new one.

    It is this product's alone, whatever `is_exclusive` says.
    """

    title: FilledName
    id: Name | None = None
    is_exclusive: bool | None = None


class IdOnly(Body):
    """Something by its id."""

    id: Name


class ProductChange(Body, ProductFields):
    """A change of a product; what is left out stays.

    Options that are left out are gone, and so are their values. Metadata is merged: an empty text or null takes a key
    out. `price` and `compare_at_price` are those of its only variant. Collections and categories are assigned by their
    own routes.
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
        None, description="Ones that exist: every product is sold in all of them."
    )
    shipping_profile_id: Name | None = Field(None, description="That of every product.")
    additional_data: Annotated[dict[str, Any], Field(max_length=0)] | None = None


class ProductUpdate(ProductChange):
    """A change of one product. Its collection and categories may be sent along as they are."""

    collection_id: Name | None = None
    categories: Annotated[list[IdOnly], Field(max_length=MAX_TAGS)] | None = None


class NewProduct(ProductUpdate):
    """A new product, a draft unless told otherwise."""

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
    def _or_one_from_the_title(cls, handle: Any) -> Any:
        return handle or None


class ProductInBatch(ProductChange):
    """A change of the product with this id."""

    id: Name


class ProductBatch(Body):
    """Products to create, to change and to delete, `MAX_BATCH` in all."""

    model_config = example(
        create=[{"title": "Zaranda de totumo", "price": 15_900}],
        update=[{"id": "prod_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "price": 79_900}],
    )

    create: list[NewProduct] = Field(default_factory=list)
    update: list[ProductInBatch] = Field(default_factory=list)
    delete: list[Name] = Field(default_factory=list)

    @model_validator(mode="after")
    def _is_not_too_long(self) -> Self:
        if len(self.create) + len(self.update) + len(self.delete) > MAX_BATCH:
            raise problem(f"A batch has {MAX_BATCH} products at most")
        return self


class Assignment(Links):
    """Products to put in and to take out. Unknown ids are skipped."""

    model_config = example(add=["prod_01JPZ6V3N8K4T2WQ7RXB5C9MHD"], remove=[])


class CollectionChange(Body):
    """A change of a collection; what is left out stays."""

    model_config = example(title="Regalos de Navidad")

    title: FilledName | None = None
    handle: Handle | None = None
    metadata: Metadata | None = None


class NewCollection(CollectionChange):
    """A new collection; its handle is made from the title unless it is given."""

    model_config = example(title="Amor y amistad", handle="amor-y-amistad")

    title: FilledName


class CategoryChange(Body):
    """A change of a category; what is left out stays."""

    model_config = example(description="Para jugar todos alrededor de la mesa.", rank=2)

    name: FilledName | None = None
    handle: Handle | None = None
    description: Text | None = None
    parent_category_id: Name | None = None
    rank: Annotated[Whole, Field(ge=0, le=10_000)] | None = None
    is_active: Literal[True] | None = None
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
    """Which products, drafts included."""

    status: list[Status] | None = None
    has_picture: bool | None = None
    has_weight: bool | None = Field(None, description="Without a weight a product is shipped as 1 kg.")
    low_stock: bool | None = Field(
        None, description="So few units of a variant are left at a location as the product says."
    )


class AdminCategoriesParameters(CategoriesParameters):
    """Which categories."""

    is_active: bool | None = None
    is_internal: bool | None = None
