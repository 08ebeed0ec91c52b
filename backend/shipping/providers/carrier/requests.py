"""Request bodies for the carrier, adapted to its limits (wire: carrier 2.2 and 2.3).

A text that is too long is cut, between words if possible. A text that is too short is replaced by neutral words. A
phone number is never replaced: an invalid one causes an error that names the field. The directions to the door are
never cut: see `label_address`.
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
from backend.core.web.contact import to_one_line
from backend.shipping.packages import (
    MAX_CONTENT_VALUE,
    MAX_SIDE_CM,
    MAX_WEIGHT_KG,
    MIN_SIDE_CM,
    MIN_WEIGHT_KG,
    limit_content_value,
)
from backend.shipping.providers.base import (
    DEFAULT_DESCRIPTION,
    Contact,
    LabelRequest,
    QuoteRequest,
    ShippingPlace,
)
from backend.shipping.providers.carrier.label_address import (
    MAX_ADDRESS,
    MAX_CROSS_STREET,
    MAX_REFERENCE,
    abbreviate,
    fit_label_address,
)

NO_NAME, NO_LAST_NAME, NO_COMPANY = "Sin nombre", "Sin apellido", "Particular"
NO_ADDRESS, NO_CROSS_STREET = "Sin dirección", "Sin cruce"
NO_SUBURB, NO_REFERENCE = "Sin barrio", "Sin referencia"
TOO_LONG = "Longer than a label can hold"

MIN_TEXT, MIN_ADDRESS = 2, 8
MIN_EMAIL, MAX_EMAIL = 8, 60

_COUNTRY_CODE = "57"
PHONE_DIGITS = 10


def text_constraints(min_length: int, max_length: int) -> StringConstraints:
    """Return constraints for a text of `min_length` to `max_length` characters."""
    return StringConstraints(min_length=min_length, max_length=max_length)


Kilograms = Annotated[float, Field(ge=MIN_WEIGHT_KG, le=MAX_WEIGHT_KG)]
Centimetres = Annotated[int, Field(ge=MIN_SIDE_CM, le=MAX_SIDE_CM)]
DaneCode = Annotated[str, StringConstraints(pattern=r"^\d{8}$")]
Email = Annotated[
    str,
    StringConstraints(min_length=MIN_EMAIL, max_length=MAX_EMAIL, pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$"),
]
Phone = Annotated[str, StringConstraints(pattern=r"^\d{10}$")]


class Wire(BaseModel):
    """An object in a request. Its fields have snake case names in Python, and camel case names in JSON."""

    model_config = ConfigDict(
        frozen=True, alias_generator=to_camel, populate_by_name=True, hide_input_in_errors=True
    )

    def body(self) -> JsonObject:
        """Return the object as JSON; fields of None are left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class WirePackage(Wire):
    """A package in kg and cm."""

    weight: Kilograms
    height: Centimetres
    width: Centimetres
    length: Centimetres


class WirePlace(Wire):
    """Origin or destination of a quotation."""

    dane_code: DaneCode
    address: Annotated[str, text_constraints(2, MAX_ADDRESS)]


class WireContact(WirePlace):
    """Sender or recipient of a shipment, with the place."""

    company: Annotated[str, text_constraints(2, 28)]
    first_name: Annotated[str, text_constraints(2, 14)]
    last_name: Annotated[str, text_constraints(2, 14)]
    email: Email
    phone: Phone
    suburb: Annotated[str, text_constraints(2, 30)]
    cross_street: Annotated[str, text_constraints(2, MAX_CROSS_STREET)]
    reference: Annotated[str, text_constraints(2, MAX_REFERENCE)]


class Quotation(Wire):
    """The body of `POST /quotation`."""

    packages: list[WirePackage] = Field(min_length=1)
    description: Annotated[str, text_constraints(3, 25)]
    content_value: Annotated[Cop, Field(ge=0, le=MAX_CONTENT_VALUE)]
    origin: WirePlace
    destination: WirePlace


class Shipment(Wire):
    """The body of `POST /shipment` and `POST /shipment_sandbox`."""

    id_rate: int
    my_shipment_reference: Annotated[str, text_constraints(2, 28)]
    request_pickup: bool
    pickup_date: date
    insurance: bool
    description: Annotated[str, text_constraints(3, 25)]
    content_value: Annotated[Cop, Field(ge=0, le=MAX_CONTENT_VALUE)]
    packages: list[WirePackage] = Field(min_length=1)
    origin: WireContact
    destination: WireContact


Message = TypeVar("Message", bound=Wire)


def to_quotation(request: QuoteRequest) -> Quotation:
    """Convert the request to the carrier's quotation.

    Raises:
        InvalidData: a place or a package is not valid for the carrier; see `fields`.
    """
    return _validate(
        Quotation,
        {
            "packages": [asdict(package) for package in request.packages],
            "description": fit_text(request.description, 25, 3, DEFAULT_DESCRIPTION),
            "content_value": limit_content_value(request.content_value),
            "origin": _to_wire_place(request.origin),
            "destination": _to_wire_place(request.destination),
        },
    )


def to_shipment(request: LabelRequest, *, rate_id: int, pickup_date: date) -> Shipment:
    """Convert the request to the carrier's shipment with this rate.

    To cost no more than the quoted price, the shipment has no extra insurance, and no separate pickup is requested:
    the courier collects the packages on its daily round.

    Raises:
        InvalidData: a contact cannot be adapted; `fields` has the parts to correct (`destination.phone`).
    """
    return _validate(
        Shipment,
        {
            "id_rate": rate_id,
            "my_shipment_reference": fit_reference(request.reference, 28),
            "request_pickup": False,
            "pickup_date": pickup_date,
            "insurance": False,
            "description": fit_text(request.description, 25, 3, DEFAULT_DESCRIPTION),
            "content_value": limit_content_value(request.content_value),
            "packages": [asdict(package) for package in request.packages],
            "origin": _to_wire_contact(request.origin, "origin", fallback_email=request.origin.email),
            "destination": _to_wire_contact(
                request.destination, "destination", fallback_email=request.origin.email
            ),
        },
    )


def _to_wire_place(place: ShippingPlace) -> dict[str, str]:
    """Convert the place. Only the municipality affects the price, so a missing address is replaced by neutral words."""
    address = fit_address(place.address, MAX_ADDRESS)
    return {
        "dane_code": place.dane_code,
        "address": address if len(address) >= MIN_ADDRESS else NO_ADDRESS,
    }


def _to_wire_contact(contact: Contact, side: str, *, fallback_email: str) -> dict[str, str]:
    """Convert the contact. An e-mail address that is too short or too long is replaced by `fallback_email`.

    Raises:
        InvalidData: the address is too long for a label.
    """
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
        "company": fit_text(contact.company, 28) or fit_text(full_name, 28, fallback=NO_COMPANY),
        "first_name": fit_text(contact.first_name, 14, fallback=NO_NAME),
        "last_name": fit_text(contact.last_name, 14, fallback=NO_LAST_NAME),
        "email": contact.email if MIN_EMAIL <= len(contact.email) <= MAX_EMAIL else fallback_email,
        "phone": fit_phone(contact.phone),
        "suburb": fit_text(contact.suburb, 30, fallback=NO_SUBURB),
        "cross_street": cross_street if len(cross_street) >= MIN_TEXT else NO_CROSS_STREET,
        "reference": door.reference or NO_REFERENCE,
    }


def _validate(message: type[Message], values: Mapping[str, Any]) -> Message:
    try:
        return message.model_validate(values)
    except ValidationError as error:
        raise _to_invalid_data(error) from None


def _to_invalid_data(error: ValidationError) -> InvalidData:
    fields = {
        ".".join(to_camel(str(part)) for part in problem["loc"]): problem["msg"]
        for problem in error.errors(include_input=False, include_url=False, include_context=False)
    }
    return InvalidData(f"The carrier cannot take this shipment: {', '.join(fields)}", fields=fields)


def fit_text(text: str, max_length: int, min_length: int = 2, fallback: str = "") -> str:
    """Return the text on one line, cut to `max_length` characters.

    Return `fallback` instead if the result is shorter than `min_length`.
    """
    fitted = _cut(to_one_line(text), max_length)
    return fitted if len(fitted) >= min_length else fallback


def fit_address(text: str, max_length: int) -> str:
    """Return the address in at most `max_length` characters.

    A longer address is first abbreviated as is usual in Colombia, and then cut between words.
    """
    address = to_one_line(text)
    return address if len(address) <= max_length else _cut(abbreviate(address), max_length)


def fit_reference(text: str, max_length: int) -> str:
    """Return the final `max_length` characters of the shop's reference, because only its end is unique."""
    return to_one_line(text)[-max_length:].strip()


def fit_phone(text: str) -> str:
    """Return the digits of a Colombian phone number without the country code."""
    digits = re.sub(r"\D", "", text)
    has_prefix = digits.startswith(_COUNTRY_CODE) and len(digits) == len(_COUNTRY_CODE) + PHONE_DIGITS
    return digits.removeprefix(_COUNTRY_CODE) if has_prefix else digits


def _cut(text: str, max_length: int) -> str:
    """Return the first `max_length` characters. Cut at a whole word if at least half of the characters remain."""
    if len(text) <= max_length:
        return text
    whole_words = text[: max_length + 1].rpartition(" ")[0]
    shortened = whole_words if len(whole_words) * 2 >= max_length else text[:max_length]
    return shortened.rstrip(" ,;.-#")
