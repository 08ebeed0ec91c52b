"""Parameters of the catalogue's Store API."""

from typing import Annotated

from pydantic import AfterValidator, Field

from backend.edge.schemas import (
    FilterParameters,
    Moments,
    Name,
    OneParameters,
    problem,
)


def _nothing_deleted(is_wanted: bool) -> bool:
    if is_wanted:
        raise problem("What was deleted is not shown")
    return is_wanted


class PriceContext(OneParameters):
    """Where a price is to hold. `calculated_price` needs the region."""

    region_id: Name | None = None
    cart_id: Name | None = None
    country_code: Name | None = None
    province: Name | None = None


class ProductParameters(PriceContext):
    """How a product is asked for."""


class ProductsParameters(Moments, PriceContext):
    """Which products. Values of one parameter are alternatives, parameters narrow each other."""

    q: str | None = Field(
        None, max_length=200, description="Words; every one must be found, accents do not matter."
    )
    id: list[Name] | None = None
    handle: list[Name] | None = None
    title: list[Name] | None = None
    category_id: list[Name] | None = Field(None, description="A category includes those below it.")
    collection_id: list[Name] | None = None
    sales_channel_id: list[Name] | None = None
    tag_id: list[Name] | None = None
    type_id: list[Name] | None = None
    option_id: list[Name] | None = None
    option_value_id: list[Name] | None = None
    external_id: list[Name] | None = Field(None, description="No product has one.")
    variant_id: list[Name] | None = Field(None, alias="variants[id]")
    variant_sku: list[Name] | None = Field(None, alias="variants[sku]")
    variant_ean: list[Name] | None = Field(None, alias="variants[ean]")
    variant_title: list[Name] | None = Field(None, alias="variants[title]")
    is_giftcard: bool | None = None
    with_deleted: Annotated[bool, AfterValidator(_nothing_deleted)] = False


class VariantFilters(Moments):
    """Which variants. Values of one parameter are alternatives, parameters narrow each other."""

    id: list[Name] | None = None
    product_id: list[Name] | None = None
    sku: list[Name] | None = None
    ean: list[Name] | None = None


class VariantsParameters(VariantFilters, PriceContext):
    """Which variants of products for sale."""

    q: str | None = Field(None, max_length=200, description="Words that find the product.")


class CategoryParameters(OneParameters):
    """How a category is asked for: all that is below it and above it, or only the nearest."""

    include_descendants_tree: bool = False
    include_ancestors_tree: bool = False


class CategoriesParameters(FilterParameters, CategoryParameters):
    """Which categories. `parent_category_id=null` asks for the roots."""

    q: str | None = Field(None, max_length=200)
    id: list[Name] | None = None
    handle: list[Name] | None = None
    name: list[Name] | None = None
    parent_category_id: list[Name] | None = None


class OptionsParameters(Moments):
    """Which options of products."""

    q: Name | None = Field(None, description="A part of the title.")
    id: list[Name] | None = None
    title: list[Name] | None = None
    is_exclusive: bool | None = None


class CollectionsParameters(FilterParameters):
    """Which collections."""

    q: str | None = Field(None, max_length=200)
    id: list[Name] | None = None
    handle: list[Name] | None = None
    title: list[Name] | None = None
