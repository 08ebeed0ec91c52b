"""Checks that a quotation is of the shipment that was asked about, and in pesos.

The carrier repeats what it priced. A rate for another municipality, other packages or in another currency is no offer
for ours, however cheap it is. What is not repeated is believed.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from math import ceil
from typing import Any

from backend.shipping.providers.carrier.requests import Quotation, WirePackage

CURRENCY = "COP"
CURRENCY_NAMES = ("currency", "currencyCode", "moneda")
SIDES = ("height", "width", "length")
CODE_DIGITS = 8
SEAT = "000"


def find_contradiction(answer: Mapping[str, Any], asked: Quotation) -> str | None:
    """Return what in the answer, or in one of its rates, is not of the quotation asked for; None if nothing is."""
    return next(_contradictions(answer, asked), None)


def _contradictions(answer: Mapping[str, Any], asked: Quotation) -> Iterator[str]:
    for name in CURRENCY_NAMES:
        currency = answer.get(name)
        if isinstance(currency, str) and currency.strip() and currency.strip().upper() != CURRENCY:
            yield f"{name} is not {CURRENCY}"
    destination = answer.get("destination")
    code = destination.get("daneCode") if isinstance(destination, Mapping) else None
    if code is not None and not _is_same_code(code, asked.destination.dane_code):
        yield "destination.daneCode is another municipality"
    packages = answer.get("packages", answer.get("package"))
    if isinstance(packages, Mapping):
        packages = [packages]
    if isinstance(packages, list) and packages and not _are_same_packages(packages, asked.packages):
        yield "packages are not those that were asked about"


def _is_same_code(code: object, ours: str) -> bool:
    """Return True if it is our municipality, also as a number that has lost its zero, or as DIVIPOLA's five digits."""
    digits = str(code).strip()
    if not digits.isascii() or not digits.isdigit():
        return False
    if len(digits) <= CODE_DIGITS - len(SEAT):
        return digits.zfill(CODE_DIGITS - len(SEAT)) + SEAT == ours
    return digits.zfill(CODE_DIGITS) == ours


def _are_same_packages(packages: Sequence[object], ours: Sequence[WirePackage]) -> bool:
    return len(packages) == len(ours) and all(map(_is_same_package, packages, ours))


def _is_same_package(package: object, ours: WirePackage) -> bool:
    """Return True if every measure that the package names is ours. Couriers round a weight up to the kilogram."""
    if not isinstance(package, Mapping):
        return False
    weight = Decimal(str(ours.weight))
    measures = {"weight": {weight, Decimal(ceil(weight))}} | {
        side: {Decimal(getattr(ours, side))} for side in SIDES
    }
    return all(
        _number(package[name]) in allowed
        for name, allowed in measures.items()
        if package.get(name) is not None
    )


def _number(value: object) -> Decimal | None:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
