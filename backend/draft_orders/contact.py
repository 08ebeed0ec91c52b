"""The customer of a sale at the counter. All fields are optional, but a document needs the name of its owner."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationInfo, field_validator, model_validator

from backend.core.db.tables import JsonObject
from backend.core.texts import _
from backend.core.web.contact import (
    Line,
    OptionalPhone,
    field_error,
    read_form,
    require_company_name,
    require_email,
    require_person_name,
)
from backend.orders.parties import NIT
from backend.payment.providers.pse.payer import COMPANY, PERSON, parse_document

OptionalEmail = Annotated[Line, AfterValidator(lambda text: require_email(text) if text else "")]
FIELDS = ("first_name", "last_name", "email", "phone", "doc_type", "doc_number")


class SaleContact(BaseModel):
    """The name, contact data and identity document of a customer at the counter. Create it with `parse_contact`."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    doc_type: Line = ""
    doc_number: Line = ""
    first_name: Line = ""
    """With a NIT, the name of the company."""
    last_name: Line = ""
    email: OptionalEmail = ""
    phone: OptionalPhone = ""

    @field_validator("doc_number")
    @classmethod
    def _doc_number(cls, text: str, info: ValidationInfo) -> str:
        return parse_document(str(info.data.get("doc_type", "")), text) if text else ""

    @field_validator("first_name")
    @classmethod
    def _first_name(cls, text: str, info: ValidationInfo) -> str:
        missing = _("Escribe el nombre que va en la factura.")
        if not text and info.data.get("doc_number"):
            raise field_error(missing)
        if not text:
            return ""
        is_company = info.data.get("doc_type") == NIT
        return require_company_name(text, missing) if is_company else require_person_name(text, missing)

    @field_validator("last_name")
    @classmethod
    def _last_name(cls, text: str) -> str:
        return require_person_name(text, "") if text else ""

    @model_validator(mode="after")
    def _drop_type(self) -> Self:
        return self if self.doc_number else self.model_copy(update={"doc_type": ""})

    def to_address(self) -> JsonObject:
        """Return the name and the telephone number in the platform's format of an address; empty without them."""
        name = "company" if self.doc_type == NIT else "first_name"
        parts = {name: self.first_name, "last_name": self.last_name, "phone": self.phone}
        address = {part: text for part, text in parts.items() if text}
        return {**address, "country_code": "co"} if address else {}

    def to_payer(self) -> JsonObject:
        """Return the payer for the invoice. Without an identity document it is empty (the final consumer)."""
        if not self.doc_number:
            return {}
        return {
            "person_type": COMPANY if self.doc_type == NIT else PERSON,
            "doc_type": self.doc_type,
            "doc_number": self.doc_number,
            "email": self.email,
        }


def parse_contact(typed: Mapping[str, Any]) -> SaleContact:
    """Parse the form about the customer of a sale at the counter.

    Raises:
        InvalidData: `fields` has a message for each invalid field.
    """
    return read_form(SaleContact, {name: typed.get(name, "") for name in FIELDS})
