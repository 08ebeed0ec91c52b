"""The payer of a PSE payment: check the shopper's answers field by field, with messages in Spanish (wire: checkout).

Document types and their lengths come from the gateway's table. A company pays with a NIT, a person with any other
type.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationInfo, field_validator

from backend.core.texts import _
from backend.core.web.contact import (
    field_error,
    read_form,
    require_company_name,
    require_email,
    require_length,
    require_person_name,
    require_phone,
)
from backend.core.web.identity_documents import normalize_document, parse_nit, remove_series, split_document

PERSON, COMPANY = "0", "1"
PLACEHOLDER_BANK = "0"
MAX_EMAIL_LENGTH = 80


@dataclass(frozen=True)
class DocumentType:
    """A kind of identity document that the gateway accepts.

    `shape` is the pattern of its number; `rule` explains it to the shopper.
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
"""Every document type that the gateway accepts, by code, common ones first."""


_LETTERED_TYPES = ("CE", "PPT")
"""Types whose documents print letters before the number, such as `E123456`. The gateway takes only the digits."""


def _read_document_number(text: str, kind: DocumentType) -> str:
    """Return the number of an identity document, without the text around it (see `split_document`).

    Raises:
        PydanticCustomError: the text names another type than the chosen `kind`, or the number is invalid.
    """
    is_numeric = kind.shape.startswith(r"\d")
    written = split_document(text, is_numeric=is_numeric)
    if written.types and kind.code not in written.types:
        raise field_error(_explain_other_type(DOCUMENT_TYPES[written.types[0]], kind))
    if kind.code == "NIT":
        number = parse_nit(written.number)
    else:
        number = remove_series(written.number) if kind.code in _LETTERED_TYPES else written.number
        number = normalize_document(number)
    if not re.fullmatch(kind.shape, number, re.ASCII):
        raise field_error(kind.rule)
    return number


def parse_document(doc_type: str, text: str) -> str:
    """Return the number of an identity document of this type.

    Raises:
        PydanticCustomError: the type is unknown, or the number is invalid.
    """
    kind = DOCUMENT_TYPES.get(doc_type)
    if kind is None:
        raise field_error(_("Elige el tipo de documento."))
    return _read_document_number(text, kind)


def _explain_other_type(typed: DocumentType, chosen: DocumentType) -> str:
    """Return the message for a number that begins with the name of a type that was not chosen."""
    if typed.code == "NIT":
        return _("Escribiste un NIT. Para pagar como empresa, marca «Compra una empresa».")
    if chosen.code == "NIT":
        return _("Escribiste {typed}, pero aquí va el NIT de la empresa.").format(typed=typed.label)
    return _("Escribiste {typed}, pero elegiste {chosen}. Cambia el tipo de documento.").format(
        typed=typed.label, chosen=chosen.label
    )


def list_document_types(person_type: str) -> list[DocumentType]:
    """Return the document types that this person or company may choose."""
    return [kind for kind in DOCUMENT_TYPES.values() if (kind.code == "NIT") == (person_type == COMPANY)]


def to_bank_line(value: Any) -> str:
    """Return the text as one line without characters that the bank network rejects: control characters, `|` and `"`.

    An integer is converted to text; any other value gives an empty text.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    text = value if isinstance(value, str) else ""
    return " ".join("".join(c if c.isprintable() and c not in '|"' else " " for c in text).split())


Text = Annotated[str, BeforeValidator(to_bank_line)]


def _check_person_type(code: str) -> str:
    if code not in (PERSON, COMPANY):
        raise field_error(_("Elige si pagas como persona o como empresa."))
    return code


def _check_doc_type(code: str, info: ValidationInfo) -> str:
    code = code.upper()
    if code not in DOCUMENT_TYPES:
        raise field_error(_("Elige el tipo de documento."))
    person_type = info.data.get("person_type")
    if person_type == COMPANY and code != "NIT":
        raise field_error(_("Una empresa paga con su NIT."))
    if person_type == PERSON and code == "NIT":
        raise field_error(_("El NIT es para empresas. Elige otro tipo de documento."))
    return code


def _check_doc_number(text: str, info: ValidationInfo) -> str:
    if not text:
        raise field_error(_("Escribe el número de documento."))
    kind = DOCUMENT_TYPES.get(info.data.get("doc_type", ""))
    if kind is None:
        return text  # the type is already reported as wrong
    return _read_document_number(text, kind)


PersonType = Annotated[Text, AfterValidator(_check_person_type)]
DocType = Annotated[Text, AfterValidator(_check_doc_type)]
DocNumber = Annotated[Text, AfterValidator(_check_doc_number)]


class PayerDocument(BaseModel):
    """The identity document of the person or company that pays. Create it with `parse_payer_document`."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    person_type: PersonType = ""
    doc_type: DocType = ""
    doc_number: DocNumber = ""


class Payer(BaseModel):
    """The payer's data as sent to the gateway.

    Create it with `parse_payer`, which checks the bank against the offered ones.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    bank: Text = ""
    person_type: PersonType = ""
    doc_type: DocType = ""
    doc_number: DocNumber = ""
    first_name: Text = ""
    last_name: Text = ""
    email: Annotated[Text, AfterValidator(lambda text: require_email(text, MAX_EMAIL_LENGTH))] = ""
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
            raise field_error(_("Elige tu banco."))
        if offered is not None and code not in offered:
            raise field_error(_("Ese banco no está disponible. Elige otro de la lista."))
        return code

    @field_validator("first_name")
    @classmethod
    def _first_name(cls, text: str, info: ValidationInfo) -> str:
        return _require_name(text, info, _("Escribe tu nombre."))

    @field_validator("last_name")
    @classmethod
    def _last_name(cls, text: str, info: ValidationInfo) -> str:
        return _require_name(text, info, _("Escribe tu apellido."))

    @field_validator("ip")
    @classmethod
    def _ip(cls, text: str) -> str:
        try:
            address = ip_address(text)
        except ValueError:
            raise field_error(
                _("No pudimos identificar tu conexión. Recarga la página e intenta de nuevo.")
            ) from None
        plain = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        return str(plain or address)


def parse_payer_document(answers: Mapping[str, Any]) -> PayerDocument:
    """Return the identity document in these answers.

    Raises:
        InvalidData: see `parse_payer`.
    """
    return read_form(PayerDocument, answers)


def parse_payer(answers: Mapping[str, Any], *, banks: Collection[str]) -> Payer:
    """Validate the answers of the payer's form. `banks` are the codes of the offered banks.

    Raises:
        InvalidData: `fields` has the first message of each wrong field, in the shop's language.
    """
    return read_form(Payer, answers, {"banks": banks})


def _require_name(text: str, info: ValidationInfo, missing: str) -> str:
    """Check the name of a person or company.

    A company's name may have digits and signs, such as `3M & Hijos S.A.S.`.
    """
    if info.data.get("person_type") == COMPANY:
        return require_company_name(text, missing)
    return require_person_name(text, missing)
