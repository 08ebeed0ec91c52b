"""The carrier's validation, field by field, with its own messages (wire: carrier 2.1 to 2.3)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

Check = Callable[[Any], Any]
"""A function that takes a value and returns its problems.

They are None or an empty list, a list of sentences, or sentences by field.
"""

Sentences = list[str]


@dataclass(frozen=True, slots=True)
class Fields:
    """Validator of a JSON object. It has one check for each field; unknown fields are ignored."""

    required: Mapping[str, Check]
    optional: Mapping[str, Check]

    def __call__(self, value: Any) -> Any:
        """Return the error messages by field; a list with one message if the value is not an object."""
        if not isinstance(value, dict):
            return ["El campo debe ser un objeto."]
        wrong = {
            name: [f"El campo {name} es obligatorio"] if name not in value else check(value[name])
            for name, check in self.required.items()
        }
        wrong |= {
            name: check(value[name]) for name, check in self.optional.items() if value.get(name) is not None
        }
        return {name: messages for name, messages in wrong.items() if messages}


def text_check(minimum: int, maximum: int) -> Check:
    """Return a check for a text of `minimum` to `maximum` characters."""

    def check(value: Any) -> Sentences:
        fits = isinstance(value, str) and minimum <= len(value) <= maximum
        return [] if fits else [f"El campo debe tener entre {minimum} y {maximum} caracteres."]

    return check


def pattern_check(pattern: str, message: str) -> Check:
    """Return a check for a text that matches a pattern."""

    def check(value: Any) -> Sentences:
        return [] if isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) else [message]

    return check


def number_check(minimum: float, maximum: float, *, whole: bool = False) -> Check:
    """Return a check for a number from `minimum` to `maximum`. With `whole`, it must be an integer."""

    def check(value: Any) -> Sentences:
        kinds = int if whole else int | float
        fits = isinstance(value, kinds) and not isinstance(value, bool) and minimum <= value <= maximum
        return [] if fits else [f"El campo debe ser un número entre {minimum:g} y {maximum:g}."]

    return check


def check_flag(value: Any) -> Sentences:
    """Return an error message if the value is not a boolean."""
    return [] if isinstance(value, bool) else ["El campo debe ser de tipo booleano"]


def check_day(value: Any) -> Sentences:
    """Return an error message if the value is not a date in the form YYYY-MM-DD."""
    try:
        is_date = isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        is_date = False
    return [] if is_date else ["el campo debe ser de tipo fecha AAAA-MM-DD"]


def list_check(check: Check) -> Check:
    """Return a check that a value is a list with at least one element, and that `check` accepts each element."""

    def check_all(value: Any) -> Any:
        if not isinstance(value, list) or not value:
            return ["El campo debe ser una lista con al menos un elemento."]
        wrong = {str(index): messages for index, each in enumerate(value) if (messages := check(each))}
        return wrong or None

    return check_all


WHOLE = number_check(1, 2**53, whole=True)
EMAIL_FORM = pattern_check(r"[^@\s]+@[^@\s]+\.[^@\s]+", "Dato inválido, el campo debe ser de tipo email")
DANE_CODE = pattern_check(r"\d{8}", "El campo debe tener 8 dígitos.")
PHONE = pattern_check(r"\d{7,10}", "El campo debe tener entre 7 y 10 caracteres.")
AMOUNT = number_check(0, 3_000_000)
COD = {
    "codValue": AMOUNT,
    "includeGuideCost": check_flag,
    "codPaymentMethod": pattern_check("cash|data_phone", "Dato inválido"),
}


def check_email(value: Any) -> Sentences:
    """Return an error message if the value is not an e-mail address of 8 to 60 characters."""
    wrong: Sentences = EMAIL_FORM(value) or text_check(8, 60)(value)
    return wrong


def place_checks(min_address_length: int) -> dict[str, Check]:
    """Return the checks of an origin or destination."""
    return {"daneCode": DANE_CODE, "address": text_check(min_address_length, 50)}


def contact_checks(min_address_length: int) -> Fields:
    """Return the checks of a sender or receiver."""
    return Fields(
        place_checks(min_address_length)
        | {
            "company": text_check(2, 28),
            "firstName": text_check(2, 14),
            "lastName": text_check(2, 14),
            "email": check_email,
            "phone": PHONE,
            "suburb": text_check(2, 30),
            "crossStreet": text_check(2, 35),
            "reference": text_check(2, 25),
        },
        {},
    )


SIDE = number_check(1, 300)
PACKAGES = list_check(
    Fields({"weight": number_check(1, 1000), "height": SIDE, "width": SIDE, "length": SIDE}, {})
)
CONTENT = {"packages": PACKAGES, "description": text_check(2, 25), "contentValue": AMOUNT}

QUOTATION = Fields(
    CONTENT | {"origin": Fields(place_checks(2), {}), "destination": Fields(place_checks(8), {})}, COD
)
SHIPMENT = Fields(
    CONTENT
    | {
        "idRate": WHOLE,
        "myShipmentReference": text_check(2, 28),
        "requestPickup": check_flag,
        "pickupDate": check_day,
        "insurance": check_flag,
        "origin": contact_checks(2),
        "destination": contact_checks(8),
    },
    {"external_order_id": text_check(1, 28), **COD},
)
TRACK = Fields({"trackingCode": text_check(1, 60)}, {})
TRACK_ORDERS = Fields({"orders": list_check(WHOLE)}, {})
CANCELLATION = Fields({"idOrders": list_check(WHOLE)}, {})
