"""Bodies and parameters of price lists (wire: commerce-api, Admin)."""

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
    problem,
)

MOST_PRICES = 1_000
"""In one request."""
Amount = Annotated[Whole, Field(ge=1, le=MAX_AMOUNT)]
When = Annotated[Moment, Field(strict=False)]


def _refuse_rules(rules: dict[str, Any]) -> dict[str, Any]:
    if rules:
        names = ", ".join(f"'{name}'" for name in list(rules)[:5])
        raise problem(f"Prices with rules are not supported: leave {names} out of the field 'rules'")
    return rules


NoRules = Annotated[dict[str, Any], AfterValidator(_refuse_rules)]


class NewPrice(Body):
    """What a variant costs while the list lasts, in pesos with IVA. It is for everybody and for any quantity."""

    model_config = example(variant_id="variant_01JPZ6V3N8K4T2WQ7RXB5C9MHD", amount=9_900, currency_code="cop")

    variant_id: FilledName
    amount: Amount
    currency_code: Literal["cop", "COP"] = "cop"
    min_quantity: None = None
    max_quantity: None = None
    rules: NoRules | None = None


class PriceChange(Body):
    """Another amount of a price."""

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
    """What may be said of a price list; what is left out stays.

    Lists are of the type `sale`, active from the beginning and for everybody: other values are refused.
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
    """A new price list. Without a beginning it begins at once, without an end it stays until it is deleted."""

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
    prices: Annotated[list[NewPrice], Field(min_length=1, max_length=MOST_PRICES)]


class PricesChange(Body):
    """Prices to add, to change, and the ids of those to take out. The list must not have begun."""

    model_config = example(create=[], update=[], delete=["price_01JPZ6V3N8K4T2WQ7RXB5C9MHD"])

    create: Annotated[list[NewPrice], Field(max_length=MOST_PRICES)] | None = None
    update: Annotated[list[PriceChange], Field(max_length=MOST_PRICES)] | None = None
    delete: Ids | None = None


class ProductsRemoval(Body):
    """The ids of products whose prices are taken out of the list. It must not have begun."""

    model_config = example(remove=["prod_01JPZ6V3N8K4T2WQ7RXB5C9MHD"])

    remove: Ids


class PriceListsParameters(FilterParameters):
    """Which price lists."""

    id: list[Name] | None = None
    q: Name | None = Field(None, description="Part of the title.")


class PricesParameters(ListParameters):
    """Which prices of a list."""

    id: list[Name] | None = None
    variant_id: list[Name] | None = None
