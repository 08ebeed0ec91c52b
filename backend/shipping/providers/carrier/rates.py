"""The rates of a quotation, and which of them is charged (spec: Price rule)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import TypeGuard

from backend.money import Cop
from backend.tables import JsonObject

ABSURD_AMOUNT = 20_000_000
"""No shipment within the carrier's limits costs this much; a rate that says so is a mistake."""


@dataclass(frozen=True, slots=True)
class Rate:
    """One courier's offer. `price` is what a shopper pays: flete + minimumInsurance."""

    id: int
    price: Cop
    carrier: str
    product: str
    delivery_days: int | None
    data: JsonObject


def cheapest(rates: Iterable[object]) -> Rate | None:
    """The valid rate with the lowest price; the faster, then the first, among equals. None if none is valid."""
    valid = [offer for rate in rates if (offer := read_rate(rate)) is not None]
    return min(valid, key=lambda offer: (offer.price, _days(offer)), default=None)


def read_rate(rate: object) -> Rate | None:
    """The element of `data.rates[]` as an offer, or None when it is none (wire: carrier 2.2).

    A valid rate has a whole `idRate`, a positive `flete` and a `minimumInsurance` that is not negative, both
    finite numbers, and a sum below `ABSURD_AMOUNT`. The sum is rounded up to the peso, so that the shop never
    pays the rest.
    """
    if not isinstance(rate, dict):
        return None
    rate_id, flete, insurance = (
        rate.get("idRate"),
        _amount(rate.get("flete")),
        _amount(rate.get("minimumInsurance")),
    )
    if not _is_whole(rate_id) or flete is None or insurance is None or flete <= 0 or insurance < 0:
        return None
    if flete + insurance >= ABSURD_AMOUNT:
        return None
    days = rate.get("deliveryDays")
    return Rate(
        id=rate_id,
        price=int((flete + insurance).to_integral_value(ROUND_CEILING)),
        carrier=_text(rate.get("carrier")),
        product=_text(rate.get("product")),
        delivery_days=days if _is_whole(days) and days >= 0 else None,
        data={name: rate[name] for name in ("idRate", "idProduct", "idCarrier") if _is_whole(rate.get(name))}
        | {"flete": float(flete), "minimumInsurance": float(insurance)},
    )


def _days(rate: Rate) -> float:
    return math.inf if rate.delivery_days is None else rate.delivery_days


def _amount(value: object) -> Decimal | None:
    """A JSON number as an exact decimal; None for what is no finite number, or a text that looks like one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return Decimal(str(value)) if abs(value) < ABSURD_AMOUNT else None  # NaN is less than nothing


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
