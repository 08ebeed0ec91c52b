"""Who pays by PSE: the shopper's answers, checked field by field, in a shopper's words (wire: checkout).

Document types and their lengths are the gateway's own table; a company pays with its NIT, a person with anything else.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationInfo, field_validator

from backend.core.texts import _
from backend.core.web.contact import (
    document_number,
    invalid,
    nit_number,
    read_form,
    require_company_name,
    require_email,
    require_length,
    require_person_name,
    require_phone,
)

PERSON, COMPANY = "0", "1"
PLACEHOLDER_BANK = "0"
LONGEST_EMAIL = 80


@dataclass(frozen=True)
class DocumentType:
    """A kind of identity document, as the gateway takes it.

    `shape` is what its number must match; `rule` says so to a shopper.
    """

    code: str
    label: str
    shape: str
    rule: str


DOCUMENT_TYPES = {
    kind.code: kind
    for kind in (
        DocumentType(
            "CC", _("Cédula de ciudadanía"), r"\d{5,15}", _("La cédula debe tener entre 5 y 15 dígitos.")
        ),
        DocumentType(
            "CE",
            _("Cédula de extranjería"),
            r"\d{4,8}",
            _("La cédula de extranjería debe tener entre 4 y 8 dígitos."),
        ),
        DocumentType(
            "TI",
            _("Tarjeta de identidad"),
            r"\d{4,20}",
            _("La tarjeta de identidad debe tener entre 4 y 20 dígitos."),
        ),
        DocumentType(
            "PPN",
            _("Pasaporte"),
            r"[A-Z0-9]{4,12}",
            _("El pasaporte debe tener entre 4 y 12 letras o números."),
        ),
        DocumentType(
            "PPT",
            _("Permiso por protección temporal"),
            r"\d{7,15}",
            _("El PPT debe tener entre 7 y 15 dígitos."),
        ),
        DocumentType(
            "PEP",
            _("Permiso especial de permanencia"),
            r"\d{7,15}",
            _("El PEP debe tener entre 7 y 15 dígitos."),
        ),
        DocumentType("NIT", "NIT", r"\d{7,10}", _("El NIT debe tener entre 7 y 10 dígitos.")),
        DocumentType(
            "DNI",
            _("Documento nacional de identidad"),
            r"[A-Z0-9]{1,20}",
            _("El DNI debe tener máximo 20 letras o números."),
        ),
        DocumentType(
            "SSN",
            _("Número de seguridad social"),
            r"\d{9}",
            _("El número de seguridad social debe tener 9 dígitos."),
        ),
        DocumentType(
            "LIC",
            _("Licencia de conducción"),
            r"[A-Z0-9]{1,20}",
            _("La licencia debe tener máximo 20 letras o números."),
        ),
        DocumentType("RFC", "RFC", r"[A-Z0-9]{12,13}", _("El RFC debe tener 12 o 13 letras o números.")),
    )
}
"""Every document that the gateway takes, by code, the usual ones first."""


def document_types(person_type: str) -> list[DocumentType]:
    """What this person or company may choose from."""
    return [kind for kind in DOCUMENT_TYPES.values() if (kind.code == "NIT") == (person_type == COMPANY)]


def bank_line(value: Any) -> str:
    """One line without what the bank network does not take: control characters, `|` and `"`. A number is text too."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    text = value if isinstance(value, str) else ""
    return " ".join("".join(c if c.isprintable() and c not in '|"' else " " for c in text).split())


Text = Annotated[str, BeforeValidator(bank_line)]


class Payer(BaseModel):
    """Who pays, as the gateway is told. Validate with `read_payer`, which knows the banks on offer."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    bank: Text = ""
    person_type: Text = ""
    doc_type: Text = ""
    doc_number: Text = ""
    first_name: Text = ""
    last_name: Text = ""
    email: Annotated[Text, AfterValidator(lambda text: require_email(text, LONGEST_EMAIL))] = ""
    phone: Annotated[Text, AfterValidator(lambda text: require_phone(text, "0123456789"))] = ""
    address: Annotated[
        Text, AfterValidator(lambda text: require_length(text, 2, 100, _("Escribe tu dirección.")))
    ] = ""
    city: Annotated[
        Text, AfterValidator(lambda text: require_length(text, 2, 50, _("Escribe tu ciudad.")))
    ] = ""
    department: Annotated[
        Text, AfterValidator(lambda text: require_length(text, 2, 50, _("Escribe tu departamento.")))
    ] = ""
    ip: Text = ""

    @field_validator("bank")
    @classmethod
    def _bank(cls, code: str, info: ValidationInfo) -> str:
        offered: Collection[str] | None = (info.context or {}).get("banks")
        if code in ("", PLACEHOLDER_BANK):
            raise invalid(_("Elige tu banco."))
        if offered is not None and code not in offered:
            raise invalid(_("Ese banco no está disponible. Elige otro de la lista."))
        return code

    @field_validator("person_type")
    @classmethod
    def _person_type(cls, code: str) -> str:
        if code not in (PERSON, COMPANY):
            raise invalid(_("Elige si pagas como persona o como empresa."))
        return code

    @field_validator("doc_type")
    @classmethod
    def _doc_type(cls, code: str, info: ValidationInfo) -> str:
        code = code.upper()
        if code not in DOCUMENT_TYPES:
            raise invalid(_("Elige el tipo de documento."))
        person_type = info.data.get("person_type")
        if person_type == COMPANY and code != "NIT":
            raise invalid(_("Una empresa paga con su NIT."))
        if person_type == PERSON and code == "NIT":
            raise invalid(_("El NIT es para empresas. Elige otro tipo de documento."))
        return code

    @field_validator("doc_number")
    @classmethod
    def _doc_number(cls, text: str, info: ValidationInfo) -> str:
        if not text:
            raise invalid(_("Escribe el número de documento."))
        kind = DOCUMENT_TYPES.get(info.data.get("doc_type", ""))
        if kind is None:
            return text  # the type is wrong already
        number = nit_number(text) if kind.code == "NIT" else document_number(text)
        if not re.fullmatch(kind.shape, number, re.ASCII):
            raise invalid(kind.rule)
        return number

    @field_validator("first_name")
    @classmethod
    def _first_name(cls, text: str, info: ValidationInfo) -> str:
        return _name(text, info, _("Escribe tu nombre."))

    @field_validator("last_name")
    @classmethod
    def _last_name(cls, text: str, info: ValidationInfo) -> str:
        return _name(text, info, _("Escribe tu apellido."))

    @field_validator("ip")
    @classmethod
    def _ip(cls, text: str) -> str:
        try:
            address = ip_address(text)
        except ValueError:
            raise invalid(
                _("No pudimos identificar tu conexión. Recarga la página e intenta de nuevo.")
            ) from None
        plain = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        return str(plain or address)


def read_payer(answers: Mapping[str, Any], *, banks: Collection[str]) -> Payer:
    """The payer of these answers. `banks` are the codes on offer.

    Raises:
        InvalidData: `fields` holds the first message of each wrong field, in the shop's language.
    """
    return read_form(Payer, answers, {"banks": banks})


def _name(text: str, info: ValidationInfo, missing: str) -> str:
    """A company's name may have digits and signs, such as `3M & Hijos S.A.S.`."""
    if info.data.get("person_type") == COMPANY:
        return require_company_name(text, missing)
    return require_person_name(text, missing)
