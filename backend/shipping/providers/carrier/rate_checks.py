"""Checks that a quotation is for the requested shipment, and in pesos.

The carrier's response repeats the data of the request. A rate for another municipality or other packages, or in
another currency, is not valid. Data that the response does not repeat are assumed to be correct.
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


def find_contradiction(answer: Mapping[str, Any], quotation: Quotation) -> str | None:
    """Return the first difference between the response (or one of its rates) and the requested quotation.

    None if everything matches.
    """
    return next(_contradictions(answer, quotation), None)


def _contradictions(answer: Mapping[str, Any], quotation: Quotation) -> Iterator[str]:
    for name in CURRENCY_NAMES:
        currency = answer.get(name)
        if isinstance(currency, str) and currency.strip() and currency.strip().upper() != CURRENCY:
            yield f"{name} is not {CURRENCY}"
    destination = answer.get("destination")
    code = destination.get("daneCode") if isinstance(destination, Mapping) else None
    if code is not None and not _is_same_code(code, quotation.destination.dane_code):
        yield "destination.daneCode is another municipality"
    packages = answer.get("packages", answer.get("package"))
    if isinstance(packages, Mapping):
        packages = [packages]
    if isinstance(packages, list) and packages and not _are_same_packages(packages, quotation.packages):
        yield "packages are not the requested ones"


def _is_same_code(code: object, expected: str) -> bool:
    """Return True if the carrier's code means the same municipality as the expected code.

    The carrier may send a number without the leading zero, or only DIVIPOLA's five digits.
    """
    digits = str(code).strip()
    if not digits.isascii() or not digits.isdigit():
        return False
    if len(digits) <= CODE_DIGITS - len(SEAT):
        return digits.zfill(CODE_DIGITS - len(SEAT)) + SEAT == expected
    return digits.zfill(CODE_DIGITS) == expected


def _are_same_packages(packages: Sequence[object], expected: Sequence[WirePackage]) -> bool:
    return len(packages) == len(expected) and all(map(_is_same_package, packages, expected))


def _is_same_package(package: object, expected: WirePackage) -> bool:
    """Return True if every measure in the response equals the requested one.

    The weight may be rounded up to a kilogram.
    """
    if not isinstance(package, Mapping):
        return False
    weight = Decimal(str(expected.weight))
    measures = {"weight": {weight, Decimal(ceil(weight))}} | {
        side: {Decimal(getattr(expected, side))} for side in SIDES
    }
    return all(
        _parse_number(package[name]) in allowed
        for name, allowed in measures.items()
        if package.get(name) is not None
    )


def _parse_number(value: object) -> Decimal | None:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
