"""Conversion of Admin API bodies to the commands of the product services."""

from typing import TypeVar

from backend.catalog.products.commands import (
    ChangeProduct,
    ChangeProducts,
    ChangeVariants,
    CreateProduct,
    WritePicture,
    WriteVariant,
)
from backend.catalog.products.options import OptionInput
from backend.catalog.schemas import admin
from backend.catalog.schemas.admin import ALT, COST, IS_FREE, OPTION_VALUE_ID
from backend.catalog.schemas.product_fields import FIELDS
from backend.core.commands import UNCHANGED
from backend.core.errors import InvalidData
from backend.core.money import Cop

Command = TypeVar("Command", bound=ChangeProduct)

STOCK_IS_ALWAYS_COUNTED = "The units of every variant are counted: 'manage_inventory' cannot become false"


def to_create_product(body: admin.NewProduct) -> CreateProduct:
    """Convert the request body to a command that creates a product.

    Raises:
        InvalidData: a variant has several prices or a price in another currency than cop, or the option value
            of a picture is not a text.
    """
    return _product_command(CreateProduct, body)


def to_change_product(body: admin.ProductChange) -> ChangeProduct:
    """Convert the request body to a command that changes the fields that the body contains.

    Raises:
        InvalidData: the body has an empty list of prices for an existing variant, switches off the count of
            its stock, or is invalid as in `to_create_product`.
    """
    return _product_command(ChangeProduct, body)


def to_change_products(body: admin.ProductBatch) -> ChangeProducts:
    """Convert the request body to a command that creates, changes and deletes products.

    Raises:
        InvalidData: see `to_change_product`.
    """
    return ChangeProducts(
        create=[to_create_product(new) for new in body.create],
        update=[(change.id, to_change_product(change)) for change in body.update],
        delete=body.delete,
    )


def to_change_variants(body: admin.VariantBatch) -> ChangeVariants:
    """Convert the request body to a command that creates, changes and deletes variants.

    Raises:
        InvalidData: see `to_change_product`.
    """
    return ChangeVariants(
        create=[to_write_variant(new) for new in body.create],
        update=[to_write_variant(change, change.id) for change in body.update],
        delete=body.delete,
    )


def to_write_variant(body: admin.VariantChange, variant_id: str | None = None) -> WriteVariant:
    """Convert the request body to a command that changes the variant `variant_id`, or creates one for None.

    Raises:
        InvalidData: see `to_change_product`.
    """
    if variant_id is not None and body.manage_inventory is False:
        raise InvalidData(STOCK_IS_ALWAYS_COUNTED)
    given = body.model_fields_set
    return WriteVariant(
        id=variant_id,
        title=body.title,
        sku=body.sku if "sku" in given else UNCHANGED,
        ean=body.ean if "ean" in given else UNCHANGED,
        price=_get_price(body, is_new=variant_id is None),
        compare_at_price=body.compare_at_price if "compare_at_price" in given else UNCHANGED,
        cost=_get_cost(body),
        is_free=bool(body.metadata[IS_FREE]) if body.metadata and IS_FREE in body.metadata else None,
        rank=body.variant_rank,
        options=body.options or {},
    )


def _product_command(kind: type[Command], body: admin.ProductChange) -> Command:
    given = body.model_fields_set
    fields = {name: getattr(body, name) for name in FIELDS if name in given}
    categories = body.categories if isinstance(body, admin.ProductUpdate) else None
    if isinstance(body, admin.NewProduct):
        fields["status"] = body.status
    return kind(
        fields={name: FIELDS[name].null if value is None else value for name, value in fields.items()},
        metadata=body.metadata or {},
        price=body.price,
        compare_at_price=body.compare_at_price if "compare_at_price" in given else UNCHANGED,
        pictures=None if body.images is None else [_to_picture(image) for image in body.images],
        variants=None if body.variants is None else [to_write_variant(one, one.id) for one in body.variants],
        options=None if body.options is None else [_to_option(one) for one in body.options],
        tag_ids=None if body.tags is None else [tag.id for tag in body.tags],
        type_id=body.type_id if "type_id" in given else UNCHANGED,
        sales_channel_ids=[channel.id for channel in body.sales_channels or ()],
        shipping_profile_id=body.shipping_profile_id,
        collection_id=getattr(body, "collection_id", None) if "collection_id" in given else UNCHANGED,
        category_ids=None if categories is None else [category.id for category in categories],
    )


def _to_option(option: admin.OptionIn) -> OptionInput:
    return OptionInput(option.title, option.values, option.id, option.metadata)


def _to_picture(image: admin.ImageIn) -> WritePicture:
    metadata = image.metadata or {}
    alt, value_id = metadata.get(ALT), UNCHANGED
    if OPTION_VALUE_ID in metadata:
        value_id = metadata[OPTION_VALUE_ID] or None
        if not isinstance(value_id, str | None):
            raise InvalidData(
                f"Invalid request: Expected type: 'string' for field 'metadata, {OPTION_VALUE_ID}'"
            )
    return WritePicture(url=image.url, alt=alt if isinstance(alt, str) else None, value_id=value_id)


def _get_cost(body: admin.VariantChange) -> Cop | None:
    """Return the cost in pesos; None to remove the stored cost, `UNCHANGED` if the body does not name the cost."""
    if not body.metadata or COST not in body.metadata:
        unchanged: Cop | None = UNCHANGED
        return unchanged
    cost: Cop | str | None = body.metadata[COST]
    return cost if isinstance(cost, int) else None


def _get_price(body: admin.VariantChange, *, is_new: bool) -> Cop | None:
    """Return the price in pesos; None if the body has none.

    Raises:
        InvalidData: the body has several prices, one in another currency than cop, or an empty list for an
            existing variant.
    """
    if body.prices is None or (is_new and not body.prices):
        return None
    if len(body.prices) != 1 or body.prices[0].currency_code.casefold() != "cop":
        raise InvalidData("A variant has one price, in cop")
    return body.prices[0].amount
