"""What the carrier refuses, field by field, in its own words (wire: carrier 2.1 to 2.3)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

Check = Callable[[Any], Any]
"""Takes a value and gives what is wrong with it: nothing (None or empty), a list of sentences, or those by field."""

SENTENCE = list[str]


@dataclass(frozen=True, slots=True)
class Fields:
    """An object: what each of its fields must be."""

    required: Mapping[str, Check]
    optional: Mapping[str, Check]

    def __call__(self, value: Any) -> Any:
        """The messages by field."""
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


def text(least: int, most: int) -> Check:
    """A text of so many characters."""

    def check(value: Any) -> SENTENCE:
        fits = isinstance(value, str) and least <= len(value) <= most
        return [] if fits else [f"El campo debe tener entre {least} y {most} caracteres."]

    return check


def matching(pattern: str, message: str) -> Check:
    """A text of one form."""

    def check(value: Any) -> SENTENCE:
        return [] if isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) else [message]

    return check


def number(least: float, most: float, *, whole: bool = False) -> Check:
    """A number in a range."""

    def check(value: Any) -> SENTENCE:
        kinds = int if whole else int | float
        fits = isinstance(value, kinds) and not isinstance(value, bool) and least <= value <= most
        return [] if fits else [f"El campo debe ser un número entre {least:g} y {most:g}."]

    return check


def flag(value: Any) -> SENTENCE:
    """A boolean."""
    return [] if isinstance(value, bool) else ["El campo debe ser de tipo booleano"]


def day(value: Any) -> SENTENCE:
    """A date as AAAA-MM-DD."""
    try:
        is_date = isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        is_date = False
    return [] if is_date else ["el campo debe ser de tipo fecha AAAA-MM-DD"]


def some(check: Check) -> Check:
    """A list with at least one element, each of one form."""

    def check_all(value: Any) -> Any:
        if not isinstance(value, list) or not value:
            return ["El campo debe ser una lista con al menos un elemento."]
        wrong = {str(index): messages for index, each in enumerate(value) if (messages := check(each))}
        return wrong or None

    return check_all


WHOLE = number(1, 2**53, whole=True)
EMAIL_FORM = matching(r"[^@\s]+@[^@\s]+\.[^@\s]+", "Dato inválido, el campo debe ser de tipo email")
DANE_CODE = matching(r"\d{8}", "El campo debe tener 8 dígitos.")
PHONE = matching(r"\d{7,10}", "El campo debe tener entre 7 y 10 caracteres.")
AMOUNT = number(0, 3_000_000)
COD = {
    "codValue": AMOUNT,
    "includeGuideCost": flag,
    "codPaymentMethod": matching("cash|data_phone", "Dato inválido"),
}


def email(value: Any) -> SENTENCE:
    """An e-mail address of 8 to 60 characters."""
    wrong: SENTENCE = EMAIL_FORM(value) or text(8, 60)(value)
    return wrong


def place(address_least: int) -> dict[str, Check]:
    """Where a shipment starts or ends."""
    return {"daneCode": DANE_CODE, "address": text(address_least, 50)}


def contact(address_least: int) -> Fields:
    """Who sends or receives."""
    return Fields(
        place(address_least)
        | {
            "company": text(2, 28),
            "firstName": text(2, 14),
            "lastName": text(2, 14),
            "email": email,
            "phone": PHONE,
            "suburb": text(2, 30),
            "crossStreet": text(2, 35),
            "reference": text(2, 25),
        },
        {},
    )


SIDE = number(1, 300)
PACKAGES = some(Fields({"weight": number(1, 1000), "height": SIDE, "width": SIDE, "length": SIDE}, {}))
CONTENT = {"packages": PACKAGES, "description": text(2, 25), "contentValue": AMOUNT}

QUOTATION = Fields(CONTENT | {"origin": Fields(place(2), {}), "destination": Fields(place(8), {})}, COD)
SHIPMENT = Fields(
    CONTENT
    | {
        "idRate": WHOLE,
        "myShipmentReference": text(2, 28),
        "requestPickup": flag,
        "pickupDate": day,
        "insurance": flag,
        "origin": contact(2),
        "destination": contact(8),
    },
    {"external_order_id": text(1, 28), **COD},
)
TRACK = Fields({"trackingCode": text(1, 60)}, {})
TRACK_ORDERS = Fields({"orders": some(WHOLE)}, {})
CANCELLATION = Fields({"idOrders": some(WHOLE)}, {})
