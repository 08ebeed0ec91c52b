"""Request bodies and parameters of the Store API, from a cart to its order.

They contain no price, total or owner: the shop determines those.
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
from backend.legal.consents import MAX_VERSION_LENGTH

MAX_ITEMS = 60


class Address(AddressFields, LenientBody):
    """An address. `metadata` holds the fields that the platform lacks: `dane_code` (the municipality), `suburb`."""


AddressOrId = Annotated[
    Annotated[Address, Tag("(fields)")] | Annotated[FilledName, Tag("(id)")],
    Discriminator(lambda value: "(id)" if isinstance(value, str) else "(fields)"),
]
"""An address, or the id of one in the customer's address book."""


class NewItem(Body):
    """Units of a variant to add to a cart."""

    model_config = example(variant_id="variant_01JPZ6V3N8K4T2WQ7RXB5C9MHD", quantity=2)

    variant_id: FilledName
    quantity: Annotated[Units, Field(gt=0)]
    metadata: SmallMetadata | None = None


class ItemChange(Body):
    """The new quantity of a line; 0 removes it."""

    model_config = example(quantity=3)

    quantity: Annotated[Units, Field(ge=0)]
    metadata: SmallMetadata | None = None


class ConsentGiven(Body):
    """A consent of the shopper: its kind, and the version of the API client's own text."""

    model_config = example(kind="data", version="2026-01")

    kind: Literal["data", "terms", "marketing"]
    version: Annotated[str, Field(min_length=1, max_length=MAX_VERSION_LENGTH)]


class CartChange(Body):
    """Changes of a cart; absent fields keep their values."""

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
    """The chosen shipping option. `data` is passed to the provider; no provider of this shop needs any."""

    model_config = example(option_id="so_01JPZ6V3N8K4T2WQ7RXB5C9MHD")

    option_id: FilledName
    data: SmallMetadata | None = None


class PromoCodes(Body):
    """Promotion codes to add to a cart, or to remove from it."""

    model_config = example(promo_codes=[])

    promo_codes: Annotated[list[Name], Field(max_length=20)]


class ShippingOptionParameters(OneParameters):
    """Parameters of the list of a cart's shipping options."""

    cart_id: FilledName
    is_return: bool = False


class PaymentProvidersParameters(ListParameters):
    """Filters and page of the list of payment providers.

    A page has 20 providers by default (wire: commerce-api, Conventions).
    """

    limit: Limit = 20
    region_id: Name | None = None
    is_enabled: bool | None = None


class CalculateShipping(Body):
    """The cart for which the shipping price is calculated."""

    model_config = example(cart_id="cart_01JPZ6V3N8K4T2WQ7RXB5C9MHD")

    cart_id: FilledName
    data: SmallMetadata | None = None


class NewCollection(Body):
    """The cart for which a payment collection is created."""

    model_config = example(cart_id="cart_01JPZ6V3N8K4T2WQ7RXB5C9MHD")

    cart_id: FilledName
    metadata: SmallMetadata | None = None


class NewSession(Body):
    """The payment method. For `gateway_pse`, `data` has the payer's answers and bank (`GET /api/pse/banks`).

    If name, e-mail, telephone or address are missing, they are taken from the cart.
    """

    model_config = example(
        provider_id="gateway_pse",
        data={"bank": "1022", "person_type": "0", "doc_type": "CC", "doc_number": "1020304050"},
    )

    provider_id: FilledName
    data: SmallMetadata | None = None
