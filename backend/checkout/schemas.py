"""Bodies and parameters of the Store API on the way from a cart to an order.

No price, total or owner is taken: the shop says those.
"""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from backend.edge.schemas import (
    AddressFields,
    Body,
    Email,
    FilledName,
    LenientBody,
    Limit,
    ListParameters,
    Name,
    OneParameters,
    SmallMetadata,
    Units,
    example,
)
from backend.legal.consents import LONGEST_VERSION

MAX_ITEMS = 60


class Address(AddressFields, LenientBody):
    """An address. What the platform has no field for is in `metadata`: `dane_code` (the municipality), `suburb`."""


AddressOrId = Annotated[
    Annotated[Address, Tag("(fields)")] | Annotated[FilledName, Tag("(id)")],
    Discriminator(lambda value: "(id)" if isinstance(value, str) else "(fields)"),
]
"""An address, or the id of one in the customer's address book."""


class NewItem(Body):
    """Units of a variant, for a cart."""

    model_config = example(variant_id="variant_01JPZ6V3N8K4T2WQ7RXB5C9MHD", quantity=2)

    variant_id: FilledName
    quantity: Annotated[Units, Field(gt=0)]
    metadata: SmallMetadata | None = None


class ItemChange(Body):
    """How many units a line is to have; 0 removes it."""

    model_config = example(quantity=3)

    quantity: Annotated[Units, Field(ge=0)]
    metadata: SmallMetadata | None = None


class ConsentGiven(Body):
    """What the shopper agreed to: the kind, and the version of the program's own text."""

    model_config = example(kind="data", version="2026-01")

    kind: Literal["data", "terms", "marketing"]
    version: Annotated[str, Field(min_length=1, max_length=LONGEST_VERSION)]


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
    shipping_address: AddressOrId | None = None
    billing_address: AddressOrId | None = None
    promo_codes: Annotated[list[Name], Field(max_length=20)] | None = None
    consents: Annotated[list[ConsentGiven], Field(max_length=10)] | None = None
    metadata: SmallMetadata | None = None
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
    data: SmallMetadata | None = None


class PromoCodes(Body):
    """Codes of promotions."""

    model_config = example(promo_codes=[])

    promo_codes: Annotated[list[Name], Field(max_length=20)]


class ShippingOptionParameters(OneParameters):
    """Whose shipping options."""

    cart_id: FilledName
    is_return: bool = False


class PaymentProvidersParameters(ListParameters):
    """Whose ways to pay. A page has 20 of them (wire: commerce-api, Conventions)."""

    limit: Limit = 20
    region_id: Name | None = None
    is_enabled: bool | None = None


class CalculateShipping(Body):
    """For which cart the price is to be calculated."""

    model_config = example(cart_id="cart_01JPZ6V3N8K4T2WQ7RXB5C9MHD")

    cart_id: FilledName
    data: SmallMetadata | None = None


class NewCollection(Body):
    """For which cart a payment is to be collected."""

    model_config = example(cart_id="cart_01JPZ6V3N8K4T2WQ7RXB5C9MHD")

    cart_id: FilledName
    metadata: SmallMetadata | None = None


class NewSession(Body):
    """How to pay. For `gateway_pse`, `data` is who pays and from which bank (`GET /api/pse/banks`).

    What it leaves out of name, e-mail, telephone and address is taken from the cart.
    """

    model_config = example(
        provider_id="gateway_pse",
        data={"bank": "1022", "person_type": "0", "doc_type": "CC", "doc_number": "1020304050"},
    )

    provider_id: FilledName
    data: SmallMetadata | None = None
