"""Who receives an order and where: what a shopper types at the checkout, checked field by field.

The rules of the fields are in the wire facts (checkout; carrier 2.3). Messages are for a shopper, in the store's
language. The payer's own rules (document by person type, bank) are the provider's (`PaymentProvider.check_payer`).
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
    invalid,
    paragraphs,
    read_form,
    require_length,
)
from backend.legal.consents import missing_ticks
from backend.orders.gifts import LONGEST_MESSAGE
from backend.orders.parties import payer_answers
from backend.payment.providers.base import CheckedPayer, PaymentProvider
from backend.shipping.municipalities import Municipality, municipality

log = logging.getLogger(__name__)

NO_TOWN = _("Elige tu municipio de la lista.")
MAX_REFERENCE = 25


def _municipality_code(code: str) -> str:
    if municipality(code) is None:
        raise invalid(NO_TOWN)
    return code


def _length(least: int, most: int, missing: str) -> AfterValidator:
    return AfterValidator(partial(require_length, least=least, most=most, missing=missing))


def _reference(text: str) -> str:
    return require_length(text, 0, MAX_REFERENCE, "") if text else ""


def _gift_message(text: str) -> str:
    return require_length(text, 0, LONGEST_MESSAGE, "") if text else ""


class Destination(BaseModel):
    """Who receives the order, where, and with which words. Lengths of the address are those that the carrier takes."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    email: Email = ""
    first_name: FirstName = ""
    last_name: LastName = ""
    phone: Phone = ""
    dane_code: Annotated[Line, AfterValidator(_municipality_code)] = ""
    """The code of the municipality."""
    address: Annotated[Line, _length(8, 50, _("Escribe la dirección de entrega."))] = ""
    suburb: Annotated[Line, _length(2, 30, _("Escribe el barrio."))] = ""
    reference: Annotated[Line, AfterValidator(_reference)] = ""
    """What helps to find the door; may be empty."""
    gift_message: Annotated[str, BeforeValidator(paragraphs), AfterValidator(_gift_message)] = ""
    """What is printed for the box of a gift; may be empty."""

    def as_address(self) -> JsonObject:
        """The address as the platform has it; what it has no field for is in `metadata`."""
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
    """The municipality with this code.

    Raises:
        InvalidData: there is none.
    """
    town = municipality(code)
    if town is None:
        raise InvalidData(NO_TOWN, fields={"dane_code": NO_TOWN})
    return town


def read_destination(typed: Mapping[str, Any]) -> tuple[Destination | None, dict[str, str]]:
    """The destination (None when something is wrong), and the message of each field that is wrong."""
    try:
        return read_form(Destination, typed), {}
    except InvalidData as error:
        return None, error.fields


async def check_typed(
    provider: PaymentProvider, typed: Mapping[str, Any], ip: str, billing_address: JsonObject | None = None
) -> tuple[Destination, CheckedPayer]:
    """Check the typed form and return destination and payer; a provider that asks no payer gets an empty one.

    The payer is who `billing_address` names, else the recipient. `ip` is the payer's.

    Raises:
        InvalidData: `fields` has the problems of all fields together.
        OutsideFailure: see `PaymentProvider.check_payer`.
    """
    destination, problems = read_destination(typed)
    problems.update(missing_ticks(typed))
    payer = CheckedPayer()
    try:
        if provider.asks_payer:
            payer = await provider.check_payer({**_payer_of(typed, destination, billing_address), "ip": ip})
    except InvalidData as error:
        problems = {**_on_the_form(error.fields), **problems}
        raise InvalidData(error.message, fields=problems) from None
    if destination is None or problems:
        raise InvalidData(CHECK_FIELDS, fields=problems)
    return destination, payer


async def problems_of(provider: PaymentProvider, typed: Mapping[str, Any], ip: str) -> dict[str, str]:
    """Return what is wrong with what was typed so far: a message for the shopper by field."""
    try:
        await check_typed(provider, typed, ip)
    except InvalidData as error:
        return error.fields
    except OutsideFailure as error:
        log.warning("only the destination can be checked: %s", error.message)
        return {**read_destination(typed)[1], **missing_ticks(typed)}
    return {}


def _payer_of(
    typed: Mapping[str, Any], destination: Destination | None, billing_address: JsonObject | None
) -> JsonObject:
    """Return the payer's answers: the document and the bank as typed, the rest from the addresses."""
    if destination is None:
        town = municipality(str(typed.get("dane_code", "")))
        return {**typed, "city": town.name if town else "", "department": town.department if town else ""}
    address, doc_type = destination.as_address(), str(typed.get("doc_type", ""))
    return {**typed, **payer_answers(billing_address, address, destination.email, doc_type)}


def _on_the_form(problems: Mapping[str, str]) -> dict[str, str]:
    """The problems of fields that are on the form. City and department are not: they follow from the municipality."""
    return {name: message for name, message in problems.items() if name not in ("city", "department")}
