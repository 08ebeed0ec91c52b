"""How answers look on the wire: compact JSON, moments to the millisecond, and totals by the platform's names.

`backend.pricing` adds up; here its totals only get their names (wire: commerce-api, Conventions). `subtotal` is before
tax and before discounts: subtotal − discount_subtotal + tax_total = total.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import orjson
from starlette.responses import Response

from backend.core.money import Cop
from backend.pricing import CartTotals, PartTotals, Totals

JsonDict = dict[str, Any]


class Wire(Response):
    """A JSON answer out of plain values, written as it is: nothing is validated or copied on the way."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The content as JSON."""
        return orjson.dumps(content)


def iso(moment: datetime | str | None) -> str | None:
    """A moment as the platform writes it: `2026-11-21T02:02:25.477Z`. A text was written so by the database."""
    if moment is None or isinstance(moment, str):
        return moment
    return f"{moment.isoformat(timespec='milliseconds')[:23]}Z"


def exact(amount: int | float) -> JsonDict:
    """The exact twin that the platform keeps beside an amount."""
    return {"value": str(amount), "precision": 20}


def with_twins(amounts: Mapping[str, int | float | None]) -> JsonDict:
    """The amounts, each with its twin `raw_…`."""
    twins = {f"raw_{name}": None if amount is None else exact(amount) for name, amount in amounts.items()}
    return {**amounts, **twins}


def sibling_id(prefix: str, owner_id: str) -> str:
    """The id of something that exists once beside its owner and has no row: the owner's ULID under another prefix."""
    return f"{prefix}_{owner_id.partition('_')[2]}"


def stamps(created_at: datetime | str, updated_at: datetime | str) -> JsonDict:
    """When something was made and last changed."""
    return {"created_at": iso(created_at), "updated_at": iso(updated_at)}


_DISCOUNTS = ("discount_total", "discount_subtotal", "discount_tax_total")
_NO_CREDIT = dict.fromkeys(("credit_line_total", "credit_line_subtotal", "credit_line_tax_total"), 0)


def totals(cart: CartTotals) -> JsonDict:
    """Every total of a cart or an order."""
    return {
        **_named("", cart),
        **_named("item_", cart.items),
        **_named("shipping_", cart.shipping),
        **_discounts(cart),
        "item_discount_total": cart.items.discount_total,
        "shipping_discount_total": cart.shipping.discount_total,
        **_NO_CREDIT,
    }


def priced(part: Totals) -> JsonDict:
    """The totals of one line or one way to ship."""
    return {**_named("", part), **_discounts(part)}


def tax_line(prefix: str, owner_id: str, rate: int, **more: Any) -> JsonDict:
    """The IVA at `rate` percent, as a line of tax."""
    return {
        "id": sibling_id(prefix, owner_id),
        "description": "IVA",
        "code": "IVA",
        "rate": rate,
        "provider_id": "tp_system",
        "data": None,
        "metadata": None,
        **more,
    }


def adjustments(prefix: str, owner_id: str, part: PartTotals | None, **more: Any) -> list[JsonDict]:
    """What was taken off a line or a way to ship. `prefix` and `owner_id` make the ids."""
    taken = part.adjustments if part else ()
    return [
        {
            "id": f"{sibling_id(prefix, owner_id)}{number}",
            "amount": adjustment.amount,
            "code": adjustment.code or None,
            "description": adjustment.description or None,
            "promotion_id": adjustment.promotion_id,
            "provider_id": None,
            "is_tax_inclusive": True,
            **more,
        }
        for number, adjustment in enumerate(taken)
    ]


def price(price_id: str, amount: Cop, original: Cop | None = None) -> JsonDict:
    """A calculated price. `original` is what it was before it was lowered, where it was."""
    before = amount if original is None else original
    is_sale = before > amount
    return {
        "id": price_id,
        "is_calculated_price_price_list": is_sale,
        "is_calculated_price_tax_inclusive": True,
        "calculated_amount": amount,
        "raw_calculated_amount": exact(amount),
        "is_original_price_price_list": False,
        "is_original_price_tax_inclusive": True,
        "original_amount": before,
        "raw_original_amount": exact(before),
        "currency_code": "cop",
        "calculated_price": _price_row(price_id, "sale" if is_sale else None),
        "original_price": _price_row(price_id, None),
    }


def _price_row(price_id: str, list_type: str | None) -> JsonDict:
    return {
        "id": sibling_id("price", price_id),
        "price_list_id": None,
        "price_list_type": list_type,
        "min_quantity": None,
        "max_quantity": None,
    }


def _named(prefix: str, part: Totals) -> JsonDict:
    return {
        f"{prefix}total": part.total,
        f"{prefix}subtotal": part.original_subtotal,
        f"{prefix}tax_total": part.tax_total,
        f"original_{prefix}total": part.original_total,
        f"original_{prefix}subtotal": part.original_subtotal,
        f"original_{prefix}tax_total": part.original_tax_total,
    }


def _discounts(part: Totals) -> JsonDict:
    return {name: getattr(part, name) for name in _DISCOUNTS}
