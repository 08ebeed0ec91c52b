"""What is sent to the carrier, made to fit its limits (wire: carrier 2.2 and 2.3).

A text that is too long is shortened, at a word where there is one. One that is too short is replaced by words that are
true of any shipment. A telephone number cannot be made up: it is left as it is, and refused by name. Nothing of how to
find the door is shortened: see `label_address`.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic.alias_generators import to_camel

from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.core.money import Cop
from backend.core.web.contact import one_line
from backend.shipping.packages import (
    MAX_CONTENT_VALUE,
    MAX_SIDE_CM,
    MAX_WEIGHT_KG,
    MIN_SIDE_CM,
    MIN_WEIGHT_KG,
    content_value,
)
from backend.shipping.providers.base import Contact, LabelRequest, Place, QuoteRequest
from backend.shipping.providers.carrier.label_address import (
    MAX_ADDRESS,
    MAX_CROSS_STREET,
    MAX_REFERENCE,
    abbreviate,
    fit_label_address,
)

DESCRIPTION = "Juguetes"
NO_NAME, NO_LAST_NAME, NO_COMPANY = "Sin nombre", "Sin apellido", "Particular"
NO_ADDRESS, NO_CROSS_STREET = "Sin dirección", "Sin cruce"
NO_SUBURB, NO_REFERENCE = "Sin barrio", "Sin referencia"
TOO_LONG = "Longer than a label can hold"

MIN_TEXT, MIN_ADDRESS = 2, 8
MIN_EMAIL, MAX_EMAIL = 8, 60

_COUNTRY_CODE = "57"
PHONE_DIGITS = 10


def text(least: int, most: int) -> StringConstraints:
    """A text of so many characters."""
    return StringConstraints(min_length=least, max_length=most)


Kilograms = Annotated[float, Field(ge=MIN_WEIGHT_KG, le=MAX_WEIGHT_KG)]
Centimetres = Annotated[int, Field(ge=MIN_SIDE_CM, le=MAX_SIDE_CM)]
DaneCode = Annotated[str, StringConstraints(pattern=r"^\d{8}$")]
Email = Annotated[
    str,
    StringConstraints(min_length=MIN_EMAIL, max_length=MAX_EMAIL, pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$"),
]
Phone = Annotated[str, StringConstraints(pattern=r"^\d{10}$")]


class Wire(BaseModel):
    """An object on the wire: our names in snake case, the carrier's in camel case."""

    model_config = ConfigDict(
        frozen=True, alias_generator=to_camel, populate_by_name=True, hide_input_in_errors=True
    )

    def body(self) -> JsonObject:
        """The object as JSON; what is None is not sent."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class WirePackage(Wire):
    """A package in kg and cm."""

    weight: Kilograms
    height: Centimetres
    width: Centimetres
    length: Centimetres


class WirePlace(Wire):
    """Where a quotation starts or ends."""

    dane_code: DaneCode
    address: Annotated[str, text(2, MAX_ADDRESS)]


class WireContact(WirePlace):
    """Who sends or receives a shipment, and where."""

    company: Annotated[str, text(2, 28)]
    first_name: Annotated[str, text(2, 14)]
    last_name: Annotated[str, text(2, 14)]
    email: Email
    phone: Phone
    suburb: Annotated[str, text(2, 30)]
    cross_street: Annotated[str, text(2, MAX_CROSS_STREET)]
    reference: Annotated[str, text(2, MAX_REFERENCE)]


class Quotation(Wire):
    """The body of `POST /quotation`."""

    packages: list[WirePackage] = Field(min_length=1)
    description: Annotated[str, text(3, 25)]
    content_value: Annotated[Cop, Field(ge=0, le=MAX_CONTENT_VALUE)]
    origin: WirePlace
    destination: WirePlace


class Shipment(Wire):
    """The body of `POST /shipment` and `POST /shipment_sandbox`."""

    id_rate: int
    my_shipment_reference: Annotated[str, text(2, 28)]
    request_pickup: bool
    pickup_date: date
    insurance: bool
    description: Annotated[str, text(3, 25)]
    content_value: Annotated[Cop, Field(ge=0, le=MAX_CONTENT_VALUE)]
    packages: list[WirePackage] = Field(min_length=1)
    origin: WireContact
    destination: WireContact


Message = TypeVar("Message", bound=Wire)


def quotation_for(request: QuoteRequest) -> Quotation:
    """The quotation to ask for.

    Raises:
        InvalidData: a place or a package is none the carrier takes; `fields` names it.
    """
    return _checked(
        Quotation,
        {
            "packages": [asdict(package) for package in request.packages],
            "description": fit(request.description, 25, 3, DESCRIPTION),
            "content_value": content_value(request.content_value),
            "origin": _place(request.origin),
            "destination": _place(request.destination),
        },
    )


def shipment_for(request: LabelRequest, *, rate_id: int, pickup_date: date) -> Shipment:
    """The shipment to make with a rate.

    The insurance is the minimum that the rate's price holds already, and the courier's daily round collects
    the shipment: nothing is ordered that costs more than what was quoted.

    Raises:
        InvalidData: a contact cannot be made to fit; `fields` names what to mend (`destination.phone`).
    """
    return _checked(
        Shipment,
        {
            "id_rate": rate_id,
            "my_shipment_reference": fit_reference(request.reference, 28),
            "request_pickup": False,
            "pickup_date": pickup_date,
            "insurance": False,
            "description": fit(request.description, 25, 3, DESCRIPTION),
            "content_value": content_value(request.content_value),
            "packages": [asdict(package) for package in request.packages],
            "origin": _contact(request.origin, "origin", fallback_email=request.origin.email),
            "destination": _contact(request.destination, "destination", fallback_email=request.origin.email),
        },
    )


def _place(place: Place) -> dict[str, str]:
    """The place as it is sent. The municipality makes the price: an address not typed yet is stood in for."""
    address = fit_address(place.address, MAX_ADDRESS)
    return {
        "dane_code": place.dane_code,
        "address": address if len(address) >= MIN_ADDRESS else NO_ADDRESS,
    }


def _contact(contact: Contact, side: str, *, fallback_email: str) -> dict[str, str]:
    """The contact as it is sent. An e-mail the carrier cannot take becomes the shop's: it only gets notices."""
    door = fit_label_address(contact.address, contact.reference, contact.cross_street)
    if door is None:
        name = f"{side}.address"
        raise InvalidData(f"The carrier cannot take this shipment: {name}", fields={name: TOO_LONG})
    address = door.address
    if len(address) < MIN_ADDRESS:
        more = contact.suburb or contact.cross_street
        address = fit_address(", ".join(filter(None, (address, more))), MAX_ADDRESS)
    cross_street = door.cross_street or fit_address(contact.address, MAX_CROSS_STREET)
    full_name = f"{contact.first_name} {contact.last_name}"
    return {
        "dane_code": contact.dane_code,
        "address": address,
        "company": fit(contact.company, 28) or fit(full_name, 28, fallback=NO_COMPANY),
        "first_name": fit(contact.first_name, 14, fallback=NO_NAME),
        "last_name": fit(contact.last_name, 14, fallback=NO_LAST_NAME),
        "email": contact.email if MIN_EMAIL <= len(contact.email) <= MAX_EMAIL else fallback_email,
        "phone": fit_phone(contact.phone),
        "suburb": fit(contact.suburb, 30, fallback=NO_SUBURB),
        "cross_street": cross_street if len(cross_street) >= MIN_TEXT else NO_CROSS_STREET,
        "reference": door.reference or NO_REFERENCE,
    }


def _checked(message: type[Message], values: Mapping[str, Any]) -> Message:
    try:
        return message.model_validate(values)
    except ValidationError as error:
        raise _invalid(error) from None


def _invalid(error: ValidationError) -> InvalidData:
    fields = {
        ".".join(to_camel(str(part)) for part in problem["loc"]): problem["msg"]
        for problem in error.errors(include_input=False, include_url=False, include_context=False)
    }
    return InvalidData(f"The carrier cannot take this shipment: {', '.join(fields)}", fields=fields)


def fit(text: str, most: int, least: int = 2, fallback: str = "") -> str:
    """The text on one line with at most `most` characters; the fallback when fewer than `least` are left."""
    fitted = _cut(one_line(text), most)
    return fitted if len(fitted) >= least else fallback


def fit_address(text: str, most: int) -> str:
    """An address in at most `most` characters: first abbreviated as Colombians do, then cut at a word."""
    address = one_line(text)
    return address if len(address) <= most else _cut(abbreviate(address), most)


def fit_reference(text: str, most: int) -> str:
    """Our reference in at most `most` characters: its end, which is what tells two of them apart."""
    return one_line(text)[-most:].strip()


def fit_phone(text: str) -> str:
    """The digits of a Colombian phone number without the country's prefix."""
    digits = re.sub(r"\D", "", text)
    has_prefix = digits.startswith(_COUNTRY_CODE) and len(digits) == len(_COUNTRY_CODE) + PHONE_DIGITS
    return digits.removeprefix(_COUNTRY_CODE) if has_prefix else digits


def _cut(text: str, most: int) -> str:
    """The first `most` characters, to the last whole word if that keeps at least half of them."""
    if len(text) <= most:
        return text
    whole_words = text[: most + 1].rpartition(" ")[0]
    kept = whole_words if len(whole_words) * 2 >= most else text[:most]
    return kept.rstrip(" ,;.-#")
