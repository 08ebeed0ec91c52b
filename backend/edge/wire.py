"""Format of API answers: compact JSON, moments to the millisecond, and totals with the platform's names.

`backend.pricing` computes the totals; this module only names them (wire: commerce-api, Conventions). `subtotal` is
before tax and before discounts: subtotal − discount_subtotal + tax_total = total.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Generic, cast, overload

import orjson
from starlette.responses import Response
from typing_extensions import TypedDict, TypeVar, Unpack

from backend.core.money import Cop
from backend.pricing import CartTotals, PartTotals, Totals

JsonDict = dict[str, Any]
Content = TypeVar("Content", default=Any)
Amounts = TypeVar("Amounts", bound=Mapping[str, object])


class Wire(Response, Generic[Content]):
    """A JSON answer, sent without validation or copying at run time.

    A route that returns `Wire[OrderAnswer]` is documented with `OrderAnswer`, and mypy checks the content against
    it.
    """

    media_type = "application/json"

    def __init__(
        self, content: Content, status_code: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(content, status_code, headers)

    def render(self, content: Any) -> bytes:
        """Return the content as JSON."""
        return orjson.dumps(content)


class Page(TypedDict):
    """A page of a list, and the number of items in the whole list."""

    count: int
    offset: int
    limit: int


class Deleted(TypedDict):
    """A deleted object."""

    id: str
    object: str
    deleted: bool


class DeletedMany(TypedDict):
    """Deleted objects of one kind."""

    ids: list[str]
    object: str
    deleted: bool


class Stamps(TypedDict):
    """Times of creation and of the latest change."""

    created_at: str
    updated_at: str


class LastingStamps(Stamps):
    """Times of a row that the API does not return after it was deleted, so `deleted_at` is always null."""

    deleted_at: None


class Priced(TypedDict):
    """The totals of one line or one shipping method."""

    total: int
    subtotal: int
    tax_total: int
    original_total: int
    original_subtotal: int
    original_tax_total: int
    discount_total: int
    discount_subtotal: int
    discount_tax_total: int


class AllTotals(Priced):
    """Every total of a cart or an order."""

    item_total: int
    item_subtotal: int
    item_tax_total: int
    item_discount_total: int
    original_item_total: int
    original_item_subtotal: int
    original_item_tax_total: int
    shipping_total: int
    shipping_subtotal: int
    shipping_tax_total: int
    shipping_discount_total: int
    original_shipping_total: int
    original_shipping_subtotal: int
    original_shipping_tax_total: int
    credit_line_total: int
    credit_line_subtotal: int
    credit_line_tax_total: int


class AddressParts(TypedDict):
    """Fields of an address on the platform."""

    first_name: str | None
    last_name: str | None
    company: str | None
    address_1: str | None
    address_2: str | None
    city: str | None
    postal_code: str | None
    country_code: str | None
    province: str | None
    phone: str | None
    metadata: JsonDict | None


class PartOf(TypedDict, total=False):
    """The line or shipping method to which a tax line or an adjustment belongs."""

    item_id: str
    shipping_method_id: str


class TaxLine(PartOf):
    """IVA of a line or a shipping method."""

    id: str
    description: str
    code: str
    rate: int
    provider_id: str
    data: None
    metadata: None


class Adjustment(PartOf):
    """Discount on a line or a shipping method."""

    id: str
    amount: int
    code: str | None
    description: str | None
    promotion_id: str | None
    provider_id: None
    is_tax_inclusive: bool


class PriceRow(TypedDict):
    """Stored price from which a calculated price is derived."""

    id: str
    price_list_id: None
    price_list_type: str | None
    min_quantity: None
    max_quantity: None


class CalculatedPrice(TypedDict):
    """Current price of a variant, and its price before a discount."""

    id: str
    is_calculated_price_price_list: bool
    is_calculated_price_tax_inclusive: bool
    calculated_amount: int
    raw_calculated_amount: JsonDict
    is_original_price_price_list: bool
    is_original_price_tax_inclusive: bool
    original_amount: int
    raw_original_amount: JsonDict
    currency_code: str
    calculated_price: PriceRow
    original_price: PriceRow


@overload
def iso(moment: datetime | str) -> str: ...
@overload
def iso(moment: None) -> None: ...
@overload
def iso(moment: datetime | str | None) -> str | None: ...
def iso(moment: datetime | str | None) -> str | None:
    """Format a moment like the platform: `2026-11-21T02:02:25.477Z`.

    A text is returned unchanged, because the database has already formatted it.
    """
    if moment is None or isinstance(moment, str):
        return moment
    return f"{moment.isoformat(timespec='milliseconds')[:23]}Z"


def exact_value(amount: int | float) -> JsonDict:
    """Return the exact value object that the platform shows next to an amount."""
    return {"value": str(amount), "precision": 20}


def with_raw_amounts(amounts: Amounts) -> Amounts:
    """Return the amounts, and for each amount its exact value as `raw_…`.

    The types of the responses omit the `raw_…` fields.
    """
    numbers = cast(Mapping[str, int | float | None], amounts)
    twins = {
        f"raw_{name}": None if amount is None else exact_value(amount) for name, amount in numbers.items()
    }
    return cast(Amounts, {**amounts, **twins})


def derive_sibling_id(prefix: str, owner_id: str) -> str:
    """Return an id for a part of an object that has no separate row: the object's ULID with another prefix."""
    return f"{prefix}_{owner_id.partition('_')[2]}"


def stamps(created_at: datetime | str, updated_at: datetime | str) -> Stamps:
    """Return the times of creation and of the latest change."""
    return {"created_at": iso(created_at), "updated_at": iso(updated_at)}


def address_view(address: JsonDict) -> AddressParts:
    """Return the address with all of the platform's fields."""
    return {
        "first_name": address.get("first_name"),
        "last_name": address.get("last_name"),
        "company": address.get("company"),
        "address_1": address.get("address_1"),
        "address_2": address.get("address_2"),
        "city": address.get("city"),
        "postal_code": address.get("postal_code"),
        "country_code": address.get("country_code"),
        "province": address.get("province"),
        "phone": address.get("phone"),
        "metadata": address.get("metadata"),
    }


def cart_totals_view(cart: CartTotals) -> AllTotals:
    """Return every total of a cart or an order."""
    items, shipping = cart.items, cart.shipping
    return {
        **part_totals_view(cart),
        "item_total": items.total,
        "item_subtotal": items.original_subtotal,
        "item_tax_total": items.tax_total,
        "item_discount_total": items.discount_total,
        "original_item_total": items.original_total,
        "original_item_subtotal": items.original_subtotal,
        "original_item_tax_total": items.original_tax_total,
        "shipping_total": shipping.total,
        "shipping_subtotal": shipping.original_subtotal,
        "shipping_tax_total": shipping.tax_total,
        "shipping_discount_total": shipping.discount_total,
        "original_shipping_total": shipping.original_total,
        "original_shipping_subtotal": shipping.original_subtotal,
        "original_shipping_tax_total": shipping.original_tax_total,
        "credit_line_total": 0,
        "credit_line_subtotal": 0,
        "credit_line_tax_total": 0,
    }


def part_totals_view(part: Totals) -> Priced:
    """Return the totals of one line or one shipping method."""
    return {
        "total": part.total,
        "subtotal": part.original_subtotal,
        "tax_total": part.tax_total,
        "original_total": part.original_total,
        "original_subtotal": part.original_subtotal,
        "original_tax_total": part.original_tax_total,
        "discount_total": part.discount_total,
        "discount_subtotal": part.discount_subtotal,
        "discount_tax_total": part.discount_tax_total,
    }


def tax_line_view(prefix: str, owner_id: str, rate: int, **part_of: Unpack[PartOf]) -> TaxLine:
    """Return the IVA at `rate` percent as a tax line."""
    return {
        "id": derive_sibling_id(prefix, owner_id),
        "description": "IVA",
        "code": "IVA",
        "rate": rate,
        "provider_id": "tp_system",
        "data": None,
        "metadata": None,
        **part_of,
    }


def adjustment_views(
    prefix: str, owner_id: str, part: PartTotals | None, **part_of: Unpack[PartOf]
) -> list[Adjustment]:
    """Return the discounts on a line or a shipping method. `prefix` and `owner_id` determine the ids."""
    part_adjustments = part.adjustments if part else ()
    return [
        {
            "id": f"{derive_sibling_id(prefix, owner_id)}{number}",
            "amount": adjustment.amount,
            "code": adjustment.code or None,
            "description": adjustment.description or None,
            "promotion_id": adjustment.promotion_id,
            "provider_id": None,
            "is_tax_inclusive": True,
            **part_of,
        }
        for number, adjustment in enumerate(part_adjustments)
    ]


def price_view(price_id: str, amount: Cop, original: Cop | None = None) -> CalculatedPrice:
    """Return a calculated price. `original` is the price before the reduction; None if the price is not reduced."""
    original_amount = amount if original is None else original
    is_sale = original_amount > amount
    return {
        "id": price_id,
        "is_calculated_price_price_list": is_sale,
        "is_calculated_price_tax_inclusive": True,
        "calculated_amount": amount,
        "raw_calculated_amount": exact_value(amount),
        "is_original_price_price_list": False,
        "is_original_price_tax_inclusive": True,
        "original_amount": original_amount,
        "raw_original_amount": exact_value(original_amount),
        "currency_code": "cop",
        "calculated_price": _price_row(price_id, "sale" if is_sale else None),
        "original_price": _price_row(price_id, None),
    }


def _price_row(price_id: str, list_type: str | None) -> PriceRow:
    return {
        "id": derive_sibling_id("price", price_id),
        "price_list_id": None,
        "price_list_type": list_type,
        "min_quantity": None,
        "max_quantity": None,
    }
