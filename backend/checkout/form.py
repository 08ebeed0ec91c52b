"""The checkout form: contact, company, recipient, destination and gift message, checked field by field.

The sources of the rules are documented (wire: checkout; carrier 2.3). Messages are for the shopper, in the store's
language. The payment provider checks the payer's fields, such as the document and the bank
(`PaymentProvider.check_payer`).
"""

import logging
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationInfo, field_validator

from backend.cart.models import Cart
from backend.core.config.modules import GATEWAY_PSE, SYSTEM_PAYMENT
from backend.core.db.tables import JsonObject
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InvalidData, OutsideFailure
from backend.core.observability.logs import hide_in_log
from backend.core.texts import _
from backend.core.web.contact import (
    Email,
    FirstName,
    LastName,
    Line,
    Phone,
    field_error,
    read_form,
    require_company_name,
    require_length,
    require_person_name,
    require_phone,
    to_one_line,
    to_paragraphs,
)
from backend.legal.consents import TICKED, missing_ticks
from backend.orders.gifts import GIFT_MESSAGE, GIFT_RECIPIENT, MAX_MESSAGE_LENGTH, RECIPIENT_FIELDS
from backend.orders.parties import build_payer_fields
from backend.payment.providers.base import CheckedPayer, PaymentProvider
from backend.payment.providers.pse.payer import COMPANY, parse_payer_document
from backend.shipping.municipalities import Municipality, find_municipality_by_code

log = logging.getLogger(__name__)

NO_TOWN = _("Elige tu municipio de la lista.")
NO_RECIPIENT = _("Escribe quién lo recibe o un mensaje, o quita la marca de regalo.")
MAX_ADDRESS_LENGTH = 50
MAX_REFERENCE_LENGTH = 25
COMPANY_NAME = "company_name"
"""Field of the name of the company that buys."""
PERSON_TYPE = "person_type"
"""Field of the kind of payer: a person or a company."""
DOCUMENT_FIELDS = (PERSON_TYPE, COMPANY_NAME, "doc_type", "doc_number")
"""Fields of the person or company that pays. The form has them if the provider asks for the payer's document."""
PAYMENT_PROVIDER = "payment_provider"
"""Field with the id of the chosen payment provider; PSE if it is empty."""
CHOOSE_PAYMENT = _("Elige cómo quieres pagar.")
PARTY_FIELDS = (GIFT_RECIPIENT, *RECIPIENT_FIELDS, COMPANY_NAME, PERSON_TYPE)
"""Form fields that decide who is the payer, the recipient and the company of a purchase."""


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
    """The contact, payer, recipient and address of an order, and its gift message.

    Create it with `parse_destination`. Address lengths are limited to what the carrier accepts. Without the
    recipient's fields, the contact is the recipient.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    email: Email = ""
    first_name: FirstName = ""
    last_name: LastName = ""
    phone: Phone = ""
    company_name: Line = ""
    """The company that buys; empty for a person."""
    recipient_first_name: Line = ""
    recipient_last_name: Line = ""
    recipient_phone: Line = ""
    dane_code: Annotated[Line, AfterValidator(_validate_municipality)] = ""
    """The code of the municipality."""
    address: Annotated[
        Line, _length_validator(8, MAX_ADDRESS_LENGTH, _("Escribe la dirección de entrega."))
    ] = ""
    suburb: Annotated[Line, _length_validator(2, 30, _("Escribe el barrio."))] = ""
    reference: Annotated[Line, AfterValidator(_validate_reference)] = ""
    """Directions to the door; may be empty."""
    gift_message: Annotated[str, BeforeValidator(to_paragraphs), AfterValidator(_validate_gift_message)] = ""
    """Message printed for a gift; may be empty."""

    @field_validator("company_name")
    @classmethod
    def _company_name(cls, text: str, info: ValidationInfo) -> str:
        is_company = (info.context or {}).get("is_company")
        return require_company_name(text, _("Escribe la razón social.")) if is_company else ""

    @field_validator("recipient_first_name", "recipient_last_name")
    @classmethod
    def _recipient_name(cls, text: str, info: ValidationInfo) -> str:
        is_first = info.field_name == "recipient_first_name"
        missing = _("Escribe el nombre de quien recibe.") if is_first else _("Escribe su apellido.")
        return require_person_name(text, missing) if (info.context or {}).get("has_recipient") else ""

    @field_validator("recipient_phone")
    @classmethod
    def _recipient_phone(cls, text: str, info: ValidationInfo) -> str:
        if not (info.context or {}).get("has_recipient"):
            return ""
        return require_phone(text, missing=_("Escribe su celular: ahí llama la transportadora."))

    @property
    def has_recipient(self) -> bool:
        """Return True if another person than the contact receives the order."""
        return bool(self.recipient_first_name)

    def to_address(self) -> JsonObject:
        """Return the address in the platform's format. Fields that the platform lacks are in `metadata`."""
        town = require_town(self.dane_code)
        return {
            "first_name": self.recipient_first_name or self.first_name,
            "last_name": self.recipient_last_name or self.last_name,
            "phone": self.recipient_phone or self.phone,
            "address_1": self.address,
            "address_2": self.reference,
            "city": town.name,
            "province": town.department,
            "country_code": "co",
            "metadata": {"dane_code": town.code, "suburb": self.suburb},
        }

    def to_billing_address(self) -> JsonObject | None:
        """Return the payer's address in the platform's format; None if payer and recipient are the same person.

        A payer who is not the recipient was not asked for their street, so it is missing.
        """
        if not self.has_recipient and not self.company_name:
            return None
        contact: JsonObject = {
            "first_name": self.first_name,
            "last_name": self.last_name,
            "phone": self.phone,
            "country_code": "co",
        }
        address = contact if self.has_recipient else self.to_address()
        return {**address, "company": self.company_name} if self.company_name else address


def require_town(code: str) -> Municipality:
    """Return the municipality with this code.

    Raises:
        InvalidData: no municipality has this code.
    """
    town = find_municipality_by_code(code)
    if town is None:
        raise InvalidData(NO_TOWN, fields={"dane_code": NO_TOWN})
    return town


def parse_destination(typed: Mapping[str, Any]) -> tuple[Destination | None, dict[str, str]]:
    """Return the destination (None if a field is invalid), and a message for each invalid field.

    If the gift checkbox is not ticked, the recipient's fields and the gift message are ignored. If the gift has a
    message but no recipient, the contact receives the order.
    """
    if not typed.get(GIFT_RECIPIENT, TICKED):  # unticked again: the fields are hidden
        typed = {name: text for name, text in typed.items() if name not in (*RECIPIENT_FIELDS, GIFT_MESSAGE)}
    has_recipient = any(to_one_line(typed.get(name)) for name in RECIPIENT_FIELDS)
    context = {"has_recipient": has_recipient, "is_company": typed.get(PERSON_TYPE) == COMPANY}
    problems: dict[str, str] = {}
    if (
        typed.get(GIFT_RECIPIENT) == TICKED
        and not has_recipient
        and not to_paragraphs(typed.get(GIFT_MESSAGE))
    ):
        problems[RECIPIENT_FIELDS[0]] = NO_RECIPIENT
    try:
        destination = read_form(Destination, typed, context)
    except InvalidData as error:
        return None, {**error.fields, **problems}
    return (None if problems else destination), problems


def find_sent_billing_address(cart: Cart) -> JsonObject | None:
    """Return the billing address that an API client set for the cart; None if the checkout form says who pays."""
    return None if any(name in cart.draft for name in PARTY_FIELDS) else cart.billing_address


async def check_typed(
    provider: PaymentProvider, typed: Mapping[str, Any], ip: str, billing_address: JsonObject | None = None
) -> tuple[Destination, CheckedPayer]:
    """Check the form, and return the destination and the payer, which is empty if the provider requires none.

    If the form names a company, the payer is the company. If it names another recipient, the payer is the
    contact. Otherwise the payer is the person in `billing_address`, which an API client has set; if that is
    missing too, the payer is the recipient. `ip` is the payer's IP address.

    Raises:
        InvalidData: `fields` has the problems of all fields together.
        OutsideFailure: see `PaymentProvider.check_payer`.
    """
    hide_in_log(typed)
    typed = _drop_other_methods(provider, typed)
    destination, problems = parse_destination(typed)
    problems.update(missing_ticks(typed))
    answers: JsonObject = {}
    try:
        if provider.asks_payer:
            payer = await provider.check_payer(
                {**_collect_payer_answers(typed, destination, billing_address), "ip": ip}
            )
            answers |= payer.answers
        if provider.asks_document:
            answers |= parse_payer_document(typed).model_dump()
    except InvalidData as error:
        problems = {**_drop_hidden_fields(error.fields), **problems}
        raise InvalidData(error.message, fields=problems) from None
    if destination is None or problems:
        raise InvalidData(CHECK_FIELDS, fields=problems)
    return destination, CheckedPayer(answers)


def _drop_other_methods(provider: PaymentProvider, typed: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the form without the payer's document, if the page does not ask for a document for this provider.

    The shopper may have typed a document for PSE before choosing another provider.
    """
    if provider.id in (GATEWAY_PSE, SYSTEM_PAYMENT) or provider.asks_document:
        return typed
    return {name: value for name, value in typed.items() if name not in DOCUMENT_FIELDS}


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
    billing = destination.to_billing_address() or billing_address
    return {**typed, **build_payer_fields(billing, address, destination.email, doc_type)}


def _drop_hidden_fields(problems: Mapping[str, str]) -> dict[str, str]:
    """Return the problems without those of the fields city and department, which the form does not show.

    Both follow from the municipality.
    """
    return {name: message for name, message in problems.items() if name not in ("city", "department")}
