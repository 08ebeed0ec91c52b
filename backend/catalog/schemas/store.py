"""Parameters of the catalogue's Store API."""

from typing import Annotated

from pydantic import AfterValidator, Field

from backend.edge.schemas import (
    FilterParameters,
    MomentParameters,
    Name,
    OneParameters,
    validation_error,
)


def _refuse_deleted(is_wanted: bool) -> bool:
    if is_wanted:
        raise validation_error("What was deleted is not shown")
    return is_wanted


class PriceContext(OneParameters):
    """The region and other context of a price. `calculated_price` needs the region."""

    region_id: Name | None = None
    cart_id: Name | None = None
    country_code: Name | None = None
    province: Name | None = None


class ProductParameters(PriceContext):
    """Parameters of a request for one product."""


class ProductsParameters(MomentParameters, PriceContext):
    """Filters of the product list. Values of one parameter are combined with OR, parameters with AND."""

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
    with_deleted: Annotated[bool, AfterValidator(_refuse_deleted)] = False


class VariantFilters(MomentParameters):
    """Filters of the variant list. Values of one parameter are combined with OR, parameters with AND."""

    id: list[Name] | None = None
    product_id: list[Name] | None = None
    sku: list[Name] | None = None
    ean: list[Name] | None = None


class VariantsParameters(VariantFilters, PriceContext):
    """Filters of the variants of products for sale."""

    q: str | None = Field(None, max_length=200, description="Words that find the product.")


class CategoryParameters(OneParameters):
    """Parameters of a request for one category.

    They decide whether the answer contains the whole trees of ancestors and descendants, or only the parent and
    children.
    """

    include_descendants_tree: bool = False
    include_ancestors_tree: bool = False


class CategoriesParameters(FilterParameters, CategoryParameters):
    """Filters of the category list. `parent_category_id=null` finds the roots."""

    q: str | None = Field(None, max_length=200)
    id: list[Name] | None = None
    handle: list[Name] | None = None
    name: list[Name] | None = None
    parent_category_id: list[Name] | None = None


class OptionsParameters(MomentParameters):
    """Filters of the list of product options."""

    q: Name | None = Field(None, description="A part of the title.")
    id: list[Name] | None = None
    title: list[Name] | None = None
    is_exclusive: bool | None = None


class CollectionsParameters(FilterParameters):
    """Filters of the collection list."""

    q: str | None = Field(None, max_length=200)
    id: list[Name] | None = None
    handle: list[Name] | None = None
    title: list[Name] | None = None
