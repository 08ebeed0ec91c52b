"""The checkout form: recipient, destination and gift message, checked field by field.

The sources of the rules are documented (wire: checkout; carrier 2.3). Messages are for the shopper, in the store's
language. The payment provider checks the payer's fields, such as the document and the bank
(`PaymentProvider.check_payer`).
"""

import logging
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from backend.core.db.tables import JsonObject
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InvalidData, OutsideFailure
from backend.core.texts import _
from backend.core.web.contact import (
    Email,
    FirstName,
    LastName,
    Line,
    Phone,
    field_error,
    read_form,
    require_length,
    to_paragraphs,
)
from backend.legal.consents import missing_ticks
from backend.orders.gifts import MAX_MESSAGE_LENGTH
from backend.orders.parties import build_payer_fields
from backend.payment.providers.base import CheckedPayer, PaymentProvider
from backend.shipping.municipalities import Municipality, find_municipality_by_code

log = logging.getLogger(__name__)

NO_TOWN = _("Elige tu municipio de la lista.")
MAX_REFERENCE_LENGTH = 25


def _validate_municipality(code: str) -> str:
    if find_municipality_by_code(code) is None:
        raise field_error(NO_TOWN)
    return code


def _length_validator(least: int, most: int, missing: str) -> AfterValidator:
    return AfterValidator(partial(require_length, min_length=least, max_length=most, missing=missing))


def _validate_reference(text: str) -> str:
    return require_length(text, 0, MAX_REFERENCE_LENGTH, "") if text else ""


def _validate_gift_message(text: str) -> str:
    return require_length(text, 0, MAX_MESSAGE_LENGTH, "") if text else ""


class Destination(BaseModel):
    """The recipient of an order, the address, and the gift message.

    Address lengths are limited to what the carrier accepts.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    email: Email = ""
    first_name: FirstName = ""
    last_name: LastName = ""
    phone: Phone = ""
    dane_code: Annotated[Line, AfterValidator(_validate_municipality)] = ""
    """The code of the municipality."""
    address: Annotated[Line, _length_validator(8, 50, _("Escribe la dirección de entrega."))] = ""
    suburb: Annotated[Line, _length_validator(2, 30, _("Escribe el barrio."))] = ""
    reference: Annotated[Line, AfterValidator(_validate_reference)] = ""
    """Directions to the door; may be empty."""
    gift_message: Annotated[str, BeforeValidator(to_paragraphs), AfterValidator(_validate_gift_message)] = ""
    """Message printed for a gift; may be empty."""

    def to_address(self) -> JsonObject:
        """Return the address in the platform's format. Fields that the platform lacks are in `metadata`."""
        town = require_town(self.dane_code)
        return {
            "first_name": self.first_name,
            "last_name": self.last_name,
            "phone": self.phone,
            "address_1": self.address,
            "address_2": self.reference,
            "city": town.name,
            "province": town.department,
            "country_code": "co",
            "metadata": {"dane_code": town.code, "suburb": self.suburb},
        }


def require_town(code: str) -> Municipality:
    """Return the municipality with this code.

    Raises:
        InvalidData: there is none.
    """
    town = find_municipality_by_code(code)
    if town is None:
        raise InvalidData(NO_TOWN, fields={"dane_code": NO_TOWN})
    return town


def parse_destination(typed: Mapping[str, Any]) -> tuple[Destination | None, dict[str, str]]:
    """Return the destination (None if a field is invalid), and a message for each invalid field."""
    try:
        return read_form(Destination, typed), {}
    except InvalidData as error:
        return None, error.fields


async def check_typed(
    provider: PaymentProvider, typed: Mapping[str, Any], ip: str, billing_address: JsonObject | None = None
) -> tuple[Destination, CheckedPayer]:
    """Check the form, and return the destination and the payer. The payer is empty if the provider requires none.

    The payer is the person in `billing_address`; without it, the recipient. `ip` is the payer's IP address.

    Raises:
        InvalidData: `fields` has the problems of all fields together.
        OutsideFailure: see `PaymentProvider.check_payer`.
    """
    destination, problems = parse_destination(typed)
    problems.update(missing_ticks(typed))
    payer = CheckedPayer()
    try:
        if provider.asks_payer:
            payer = await provider.check_payer(
                {**_collect_payer_answers(typed, destination, billing_address), "ip": ip}
            )
    except InvalidData as error:
        problems = {**_drop_hidden_fields(error.fields), **problems}
        raise InvalidData(error.message, fields=problems) from None
    if destination is None or problems:
        raise InvalidData(CHECK_FIELDS, fields=problems)
    return destination, payer


async def find_problems(provider: PaymentProvider, typed: Mapping[str, Any], ip: str) -> dict[str, str]:
    """Return the problems of the form's current values: a message for the shopper by field."""
    try:
        await check_typed(provider, typed, ip)
    except InvalidData as error:
        return error.fields
    except OutsideFailure as error:
        log.warning("only the destination can be checked: %s", error.message)
        return {**parse_destination(typed)[1], **missing_ticks(typed)}
    return {}


def _collect_payer_answers(
    typed: Mapping[str, Any], destination: Destination | None, billing_address: JsonObject | None
) -> JsonObject:
    """Return the payer's answers: the document and the bank from the form, the other values from the addresses."""
    if destination is None:
        town = find_municipality_by_code(str(typed.get("dane_code", "")))
        return {**typed, "city": town.name if town else "", "department": town.department if town else ""}
    address, doc_type = destination.to_address(), str(typed.get("doc_type", ""))
    return {**typed, **build_payer_fields(billing_address, address, destination.email, doc_type)}


def _drop_hidden_fields(problems: Mapping[str, str]) -> dict[str, str]:
    """Return the problems without those of the fields city and department, which the form does not show.

    Both follow from the municipality.
    """
    return {name: message for name, message in problems.items() if name not in ("city", "department")}
