"""Bodies and parameters of draft orders.

A price in a body is accepted only if it equals the catalogue's price, as for carts.
"""

from typing import Annotated

from pydantic import Field

from backend.checkout.schemas import MAX_ITEMS, AddressOrId
from backend.edge.schemas import (
    Body,
    Email,
    FilledName,
    Metadata,
    MomentParameters,
    Name,
    Pesos,
    SmallMetadata,
    Units,
    example,
)

VARIANT, OPTION = "variant_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "so_01JPZ6V3N8K4T2WQ7RXB5C9MHD"
Codes = Annotated[list[Name], Field(max_length=20)]


class DraftOrdersParameters(MomentParameters):
    """Filters of draft orders."""

    id: list[Name] | None = None
    q: Name | None = Field(
        None, description="A part of the id; for callers who may see customers, of the e-mail."
    )
    region_id: list[Name] | None = None
    sales_channel_id: list[Name] | None = None
    customer_id: list[Name] | None = None


class DraftItemFields(Body):
    """The number of units of a line, and the price that the caller expects."""

    quantity: Annotated[Units, Field(ge=0)]
    unit_price: Pesos | None = None
    """Only the catalogue's price is accepted."""


class ChangedItem(DraftItemFields):
    """The new number of units of a line; 0 removes the line."""

    model_config = example(quantity=2)


class AddedItem(DraftItemFields):
    """Units of a variant to add to a draft order."""

    variant_id: FilledName
    quantity: Annotated[Units, Field(ge=1)]
    metadata: SmallMetadata | None = None


class AddedItems(Body):
    """Units of variants to add to a draft order."""

    model_config = example(items=[{"variant_id": VARIANT, "quantity": 1}])

    items: Annotated[list[AddedItem], Field(max_length=MAX_ITEMS)]


class DraftOrderChange(Body):
    """Changes of a draft order; absent fields keep their values."""

    model_config = example(email="ana@example.com")

    email: Email | None = None
    customer_id: Name | None = None
    """The id of a customer or a guest of the shop. With it, `email` is ignored."""
    sales_channel_id: Name | None = None
    """The sales channel of a new draft. A later change accepts only the same one."""
    shipping_address: AddressOrId | None = None
    """An address, or the id of an address in the customer's address book."""
    billing_address: AddressOrId | None = None
    locale: Name | None = None
    metadata: Metadata | None = None


class DraftMethod(Body):
    """A shipping option for a new draft. It gets the live price; `amount` and `name` are ignored."""

    shipping_option_id: FilledName
    name: Name | None = None
    amount: Pesos | None = None


class NewDraftOrder(DraftOrderChange):
    """A new draft order. The customer is not notified until it has become an order."""

    model_config = example(email="ana@example.com", items=[{"variant_id": VARIANT, "quantity": 1}])

    region_id: Name | None = None
    currency_code: Name | None = None
    items: Annotated[list[AddedItem], Field(max_length=MAX_ITEMS)] | None = None
    shipping_methods: Annotated[list[DraftMethod], Field(max_length=1)] | None = None
    promo_codes: Codes | None = None
    no_notification_order: bool | None = None


class EditCodes(Body):
    """Promotion codes to add to a draft, or to remove from it."""

    model_config = example(promo_codes=[])

    promo_codes: Codes


class ChosenMethod(Body):
    """The shipping option of a draft, at its live price."""

    model_config = example(shipping_option_id=OPTION)

    shipping_option_id: FilledName
    custom_amount: Pesos | None = None
    """Only the live price is accepted."""


class ChangedMethod(Body):
    """Another shipping option of a draft, at its live price. Without an id, the current option is priced again."""

    model_config = example(shipping_option_id=OPTION)

    shipping_option_id: FilledName | None = None
    custom_amount: Pesos | None = None
