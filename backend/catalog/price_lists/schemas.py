"""Request bodies and parameters of price lists (wire: commerce-api, Admin)."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from backend.core.money import MAX_AMOUNT
from backend.edge.schemas import (
    Body,
    FilledName,
    FilterParameters,
    Ids,
    ListParameters,
    Moment,
    Name,
    Text,
    Whole,
    example,
    validation_error,
)

MAX_PRICES_PER_REQUEST = 1_000
"""Maximum number of prices in one request."""
Amount = Annotated[Whole, Field(ge=1, le=MAX_AMOUNT)]
When = Annotated[Moment, Field(strict=False)]


def _refuse_rules(rules: dict[str, Any]) -> dict[str, Any]:
    if rules:
        names = ", ".join(f"'{name}'" for name in list(rules)[:5])
        raise validation_error(f"Prices with rules are not supported: leave {names} out of the field 'rules'")
    return rules


NoRules = Annotated[dict[str, Any], AfterValidator(_refuse_rules)]


class NewPrice(Body):
    """A variant's price while the list is active, in pesos with IVA. It applies to all customers and any quantity."""

    model_config = example(variant_id="variant_01JPZ6V3N8K4T2WQ7RXB5C9MHD", amount=9_900, currency_code="cop")

    variant_id: FilledName
    amount: Amount
    currency_code: Literal["cop", "COP"] = "cop"
    min_quantity: None = None
    max_quantity: None = None
    rules: NoRules | None = None


class PriceChange(Body):
    """A new amount of a price."""

    model_config = example(
        id="price_01JPZ6V3N8K4T2WQ7RXB5C9MHD", variant_id="variant_01JPZ6V3N8K4T2WQ7RXB5C9MHD", amount=8_900
    )

    id: FilledName
    variant_id: FilledName | None = None
    amount: Amount | None = None
    currency_code: Literal["cop", "COP"] = "cop"
    min_quantity: None = None
    max_quantity: None = None
    rules: NoRules | None = None


class PriceListChange(Body):
    """A change of a price list; omitted fields stay.

    Lists have the type `sale`, the status `active` and no rules: other values are refused.
    """

    model_config = example(title="Navidad y Reyes")

    title: FilledName | None = None
    description: Text | None = None
    starts_at: When | None = None
    ends_at: When | None = None
    status: Literal["active"] | None = None
    type: Literal["sale"] | None = None
    rules: NoRules | None = None


class NewPriceList(PriceListChange):
    """A new price list. Without a start it starts immediately; without an end it stays until it is deleted."""

    model_config = example(
        title="Navidad",
        description="Rebajas de diciembre",
        status="active",
        type="sale",
        prices=[
            {"variant_id": "variant_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "amount": 9_900, "currency_code": "cop"}
        ],
    )

    title: FilledName
    status: Literal["active"]
    prices: Annotated[list[NewPrice], Field(min_length=1, max_length=MAX_PRICES_PER_REQUEST)]


class PricesChange(Body):
    """Prices to add and to change, and ids of prices to remove. The list must not have started."""

    model_config = example(create=[], update=[], delete=["price_01JPZ6V3N8K4T2WQ7RXB5C9MHD"])

    create: Annotated[list[NewPrice], Field(max_length=MAX_PRICES_PER_REQUEST)] | None = None
    update: Annotated[list[PriceChange], Field(max_length=MAX_PRICES_PER_REQUEST)] | None = None
    delete: Ids | None = None


class ProductsRemoval(Body):
    """Ids of products whose prices are removed from the list. The list must not have started."""

    model_config = example(remove=["prod_01JPZ6V3N8K4T2WQ7RXB5C9MHD"])

    remove: Ids


class PriceListsParameters(FilterParameters):
    """Filters of the list of price lists."""

    id: list[Name] | None = None
    q: Name | None = Field(None, description="Part of the title.")


class PricesParameters(ListParameters):
    """Filters of a list's prices."""

    id: list[Name] | None = None
    variant_id: list[Name] | None = None
