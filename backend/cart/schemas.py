"""What the Store API takes for a cart. No price, total or owner is among it: those are the shop's to say."""

from typing import Annotated, Any

from pydantic import Field

from backend.edge.schemas import Body, Email, FilledName, LenientBody, Metadata, Name, Units

MAX_ITEMS = 60


class Address(LenientBody):
    """An address. What the platform has no field for is in `metadata`: `dane_code` (the municipality), `suburb`."""

    first_name: Name | None = None
    last_name: Name | None = None
    phone: Name | None = None
    company: Name | None = None
    address_1: Name | None = None
    address_2: Name | None = None
    city: Name | None = None
    country_code: Name | None = None
    province: Name | None = None
    postal_code: Name | None = None
    metadata: Metadata | None = None


class NewItem(Body):
    """Units of a variant, for a cart."""

    variant_id: FilledName
    quantity: Annotated[Units, Field(gt=0)]
    metadata: Metadata | None = None


class ItemChange(Body):
    """How many units a line is to have; 0 removes it."""

    quantity: Annotated[Units, Field(ge=0)]
    metadata: Metadata | None = None


class CartChange(Body):
    """What may be said of a cart at any time; what is left out stays."""

    region_id: Name | None = None
    email: Email | None = None
    sales_channel_id: Name | None = None
    shipping_address: Address | None = None
    billing_address: Address | None = None
    promo_codes: Annotated[list[Name], Field(max_length=20)] | None = None
    metadata: Metadata | None = None
    locale: Name | None = None
    additional_data: dict[str, Any] | None = None


class NewCart(CartChange):
    """A new cart."""

    currency_code: Name | None = None
    items: Annotated[list[NewItem], Field(max_length=MAX_ITEMS)] | None = None


class ChosenShipping(Body):
    """The shipping option to ship by. `data` is the provider's; none of ours needs any."""

    option_id: FilledName
    data: Metadata | None = None


class PromoCodes(Body):
    """Codes of promotions."""

    promo_codes: Annotated[list[Name], Field(max_length=20)]
