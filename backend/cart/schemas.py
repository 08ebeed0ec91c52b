"""What the Store API takes for a cart. No price, total or owner is among it: those are the shop's to say."""

from typing import Annotated, Any

from pydantic import Field

from backend.edge.schemas import (
    AddressFields,
    Body,
    Email,
    FilledName,
    LenientBody,
    Metadata,
    Name,
    Units,
    example,
)

MAX_ITEMS = 60


class Address(AddressFields, LenientBody):
    """An address. What the platform has no field for is in `metadata`: `dane_code` (the municipality), `suburb`."""


class NewItem(Body):
    """Units of a variant, for a cart."""

    model_config = example(variant_id="variant_01JPZ6V3N8K4T2WQ7RXB5C9MHD", quantity=2)

    variant_id: FilledName
    quantity: Annotated[Units, Field(gt=0)]
    metadata: Metadata | None = None


class ItemChange(Body):
    """How many units a line is to have; 0 removes it."""

    model_config = example(quantity=3)

    quantity: Annotated[Units, Field(ge=0)]
    metadata: Metadata | None = None


class CartChange(Body):
    """What may be said of a cart at any time; what is left out stays."""

    model_config = example(
        email="ana@example.com",
        shipping_address={
            "first_name": "Ana",
            "last_name": "Gómez",
            "phone": "3001234567",
            "address_1": "Carrera 43A # 1-50",
            "city": "Medellín",
            "province": "Antioquia",
            "country_code": "co",
            "metadata": {"dane_code": "05001000", "suburb": "El Poblado"},
        },
    )

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

    model_config = example(
        items=[{"variant_id": "variant_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "quantity": 1}], email="ana@example.com"
    )

    currency_code: Name | None = None
    items: Annotated[list[NewItem], Field(max_length=MAX_ITEMS)] | None = None


class ChosenShipping(Body):
    """The shipping option to ship by. `data` is the provider's; none of ours needs any."""

    model_config = example(option_id="so_01JPZ6V3N8K4T2WQ7RXB5C9MHD")

    option_id: FilledName
    data: Metadata | None = None


class PromoCodes(Body):
    """Codes of promotions."""

    model_config = example(promo_codes=[])

    promo_codes: Annotated[list[Name], Field(max_length=20)]
