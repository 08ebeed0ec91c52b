"""Who pays by PSE: the shopper's answers, checked field by field, in a shopper's words (wire: checkout).

Document types and their lengths are the gateway's own table; a company pays with its NIT, a person with anything else.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError
from stdnum.co import nit

from backend.errors import InvalidData
from backend.payment.providers.base import Choice

PERSON, COMPANY = "0", "1"
PLACEHOLDER_BANK = "0"

_EMAIL = re.compile(
    r"[^@\s\"|]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}"
)
_LONGEST_EMAIL = 80


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
        DocumentType("CC", "Cédula de ciudadanía", r"\d{5,15}", "La cédula debe tener entre 5 y 15 dígitos."),
        DocumentType(
            "CE",
            "Cédula de extranjería",
            r"\d{4,8}",
            "La cédula de extranjería debe tener entre 4 y 8 dígitos.",
        ),
        DocumentType(
            "TI",
            "Tarjeta de identidad",
            r"\d{4,20}",
            "La tarjeta de identidad debe tener entre 4 y 20 dígitos.",
        ),
        DocumentType(
            "PPN", "Pasaporte", r"[A-Z0-9]{4,12}", "El pasaporte debe tener entre 4 y 12 letras o números."
        ),
        DocumentType(
            "PPT", "Permiso por protección temporal", r"\d{7,15}", "El PPT debe tener entre 7 y 15 dígitos."
        ),
        DocumentType(
            "PEP", "Permiso especial de permanencia", r"\d{7,15}", "El PEP debe tener entre 7 y 15 dígitos."
        ),
        DocumentType("NIT", "NIT", r"\d{7,10}", "El NIT debe tener entre 7 y 10 dígitos."),
        DocumentType(
            "DNI",
            "Documento nacional de identidad",
            r"[A-Z0-9]{1,20}",
            "El DNI debe tener máximo 20 letras o números.",
        ),
        DocumentType(
            "SSN",
            "Número de seguridad social",
            r"\d{9}",
            "El número de seguridad social debe tener 9 dígitos.",
        ),
        DocumentType(
            "LIC",
            "Licencia de conducción",
            r"[A-Z0-9]{1,20}",
            "La licencia debe tener máximo 20 letras o números.",
        ),
        DocumentType("RFC", "RFC", r"[A-Z0-9]{12,13}", "El RFC debe tener 12 o 13 letras o números."),
    )
}
"""Every document the gateway takes, by code, the usual ones first."""


def document_types(person_type: str) -> list[DocumentType]:
    """What this person or company may choose from."""
    return [kind for kind in DOCUMENT_TYPES.values() if (kind.code == "NIT") == (person_type == COMPANY)]


FIXED_CHOICES = {
    "person_type": (Choice(PERSON, "Persona"), Choice(COMPANY, "Empresa")),
    "doc_type": tuple(Choice(kind.code, kind.label) for kind in DOCUMENT_TYPES.values()),
}
"""What a field offers that does not depend on the gateway."""


def _tidy(value: Any) -> str:
    """One line, without what the bank network chokes on: control characters, `|` and `"`. A number is text too."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    text = value if isinstance(value, str) else ""
    return " ".join("".join(c if c.isprintable() and c not in '|"' else " " for c in text).split())


Text = Annotated[str, BeforeValidator(_tidy)]


class Payer(BaseModel):
    """Who pays, as the gateway is told. Validate with `read_payer`, which knows the banks on offer."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    bank: Text = ""
    person_type: Text = ""
    doc_type: Text = ""
    doc_number: Text = ""
    first_name: Text = ""
    last_name: Text = ""
    email: Text = ""
    phone: Text = ""
    address: Text = ""
    city: Text = ""
    department: Text = ""
    ip: Text = ""

    @field_validator("bank")
    @classmethod
    def _bank(cls, code: str, info: ValidationInfo) -> str:
        offered: Collection[str] | None = (info.context or {}).get("banks")
        if code in ("", PLACEHOLDER_BANK):
            raise _problem("Elige tu banco.")
        if offered is not None and code not in offered:
            raise _problem("Ese banco no está disponible. Elige otro de la lista.")
        return code

    @field_validator("person_type")
    @classmethod
    def _person_type(cls, code: str) -> str:
        if code not in (PERSON, COMPANY):
            raise _problem("Elige si pagas como persona o como empresa.")
        return code

    @field_validator("doc_type")
    @classmethod
    def _doc_type(cls, code: str, info: ValidationInfo) -> str:
        code = code.upper()
        if code not in DOCUMENT_TYPES:
            raise _problem("Elige el tipo de documento.")
        person_type = info.data.get("person_type")
        if person_type == COMPANY and code != "NIT":
            raise _problem("Una empresa paga con su NIT.")
        if person_type == PERSON and code == "NIT":
            raise _problem("El NIT es para empresas. Elige otro tipo de documento.")
        return code

    @field_validator("doc_number")
    @classmethod
    def _doc_number(cls, text: str, info: ValidationInfo) -> str:
        if not text:
            raise _problem("Escribe el número de documento.")
        kind = DOCUMENT_TYPES.get(info.data.get("doc_type", ""))
        if kind is None:
            return text  # the type is at fault already
        if kind.code == "NIT":
            text = _without_check_digit(text)
        number = re.sub(r"[\s.,-]", "", text).upper()
        if not re.fullmatch(kind.shape, number, re.ASCII):
            raise _problem(kind.rule)
        return number

    @field_validator("first_name")
    @classmethod
    def _first_name(cls, text: str, info: ValidationInfo) -> str:
        return _name(text, info, "Escribe tu nombre.")

    @field_validator("last_name")
    @classmethod
    def _last_name(cls, text: str, info: ValidationInfo) -> str:
        return _name(text, info, "Escribe tu apellido.")

    @field_validator("email")
    @classmethod
    def _email(cls, text: str) -> str:
        if not text:
            raise _problem("Escribe tu correo electrónico.")
        if len(text) > _LONGEST_EMAIL:
            raise _problem(f"Usa un correo de máximo {_LONGEST_EMAIL} caracteres.")
        if not _EMAIL.fullmatch(text):
            raise _problem("Revisa el correo: debe verse como nombre@dominio.com.")
        return text

    @field_validator("phone")
    @classmethod
    def _phone(cls, text: str) -> str:
        if not text:
            raise _problem("Escribe tu celular.")
        digits = re.sub(r"[\s().-]", "", text)
        digits = digits.removeprefix("+57") if digits.startswith("+") else digits
        if len(digits) == 12:
            digits = digits.removeprefix("57")
        if not re.fullmatch(r"[0-9]{10}", digits):
            raise _problem("El celular debe tener 10 dígitos, como 300 123 4567.")
        return digits

    @field_validator("address")
    @classmethod
    def _address(cls, text: str) -> str:
        return _between(text, 2, 100, "Escribe tu dirección.")

    @field_validator("city")
    @classmethod
    def _city(cls, text: str) -> str:
        return _between(text, 2, 50, "Escribe tu ciudad.")

    @field_validator("department")
    @classmethod
    def _department(cls, text: str) -> str:
        return _between(text, 2, 50, "Escribe tu departamento.")

    @field_validator("ip")
    @classmethod
    def _ip(cls, text: str) -> str:
        try:
            address = ip_address(text)
        except ValueError:
            raise _problem(
                "No pudimos identificar tu conexión. Recarga la página e intenta de nuevo."
            ) from None
        plain = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        return str(plain or address)


def read_payer(answers: Mapping[str, Any], *, banks: Collection[str]) -> Payer:
    """The payer of these answers. `banks` are the codes on offer.

    Raises:
        InvalidData: `fields` holds the first message of each field at fault, in Spanish.
    """
    try:
        return Payer.model_validate(dict(answers), context={"banks": banks})
    except ValidationError as error:
        fields: dict[str, str] = {}
        for problem in error.errors(include_url=False, include_input=False):
            fields.setdefault(str(problem["loc"][0]), problem["msg"])
        raise InvalidData("Revisa los datos marcados.", fields=fields) from None


def _problem(message: str) -> PydanticCustomError:
    return PydanticCustomError("shopper", message)


def _without_check_digit(text: str) -> str:
    """A NIT as the gateway takes it: without the digit after its hyphen, which must be right where it is written."""
    written = re.fullmatch(r"(.*?)\s*-\s*(\d)", text)
    if written is None:
        return text
    number = re.sub(r"[\s.,-]", "", written[1])
    if number.isdecimal() and number.isascii() and nit.calc_check_digit(number) != written[2]:
        raise _problem("Revisa el NIT: su dígito de verificación no corresponde.")
    return number


def _name(text: str, info: ValidationInfo, missing: str) -> str:
    name = _between(text, 2, 50, missing)
    of_a_company = info.data.get("person_type") == COMPANY  # names such as "3M & Hijos S.A.S."
    if not of_a_company and not all(c.isalpha() or c in " '’.-" for c in name):
        raise _problem("Usa solo letras.")
    return name


def _between(text: str, least: int, most: int, missing: str) -> str:
    if not text:
        raise _problem(missing)
    if len(text) < least:
        raise _problem(f"Escribe al menos {least} caracteres.")
    if len(text) > most:
        raise _problem(f"Usa máximo {most} caracteres.")
    return text
