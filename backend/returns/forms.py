"""Forms of a return request, and their validation."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.core.web.contact import (
    Line,
    field_error,
    require_length,
    require_person_name,
    to_paragraphs,
)
from backend.core.web.identity_documents import normalize_document, split_document
from backend.orders.models import OrderLine
from backend.returns.models import ReturnKind

MAX_REASON_LENGTH = 2000
ACCOUNT_TYPES = {
    "savings": _("Ahorros"),
    "checking": _("Corriente"),
    "deposit": _("Nequi, Daviplata u otro depósito"),
}
ACCOUNT_FIELDS = ("bank", "account_type", "account_number", "holder", "document")
"""The fields of a bank account."""
UNITS_PREFIX = "units-"
"""Prefix of the name of a line's field; the line's id follows."""
MAX_DIGITS = 20


def _parse_kind(value: Any) -> str:
    if value not in tuple(ReturnKind):
        raise field_error(_("Elige qué es."))
    return str(value)


def _parse_account_type(value: Any) -> str:
    if value not in ACCOUNT_TYPES:
        raise field_error(_("Elige el tipo de cuenta."))
    return str(value)


def _parse_account_number(text: str) -> str:
    digits = "".join(text.split()).replace("-", "")
    if not digits.isascii() or not digits.isdecimal() or not 5 <= len(digits) <= MAX_DIGITS:
        raise field_error(_("Escribe el número de la cuenta, solo con números."))
    return digits


def _parse_document(text: str) -> str:
    """Return the number of the typed identity document, after its type if the text names one: `CE 412345`."""
    written = split_document(text, is_numeric=False)
    number = normalize_document(written.number)
    if not number.isascii() or not number.isalnum() or not 5 <= len(number) <= MAX_DIGITS:
        raise field_error(_("Escribe el número del documento de quien tiene la cuenta."))
    return f"{written.types[0]} {number}" if len(written.types) == 1 else number


class AccountForm(BaseModel):
    """The form with the bank account for the refund of a return."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    bank: Annotated[
        Line, AfterValidator(lambda text: require_length(text, 2, 60, _("Escribe el banco.")))
    ] = ""
    account_type: Annotated[str, BeforeValidator(_parse_account_type)] = ""
    account_number: Annotated[Line, AfterValidator(_parse_account_number)] = ""
    holder: Annotated[
        Line, AfterValidator(lambda text: require_person_name(text, _("Escribe de quién es la cuenta.")))
    ] = ""
    document: Annotated[Line, AfterValidator(_parse_document)] = ""


class ReturnForm(BaseModel):
    """The form with the kind of a return, and its reason."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    kind: Annotated[ReturnKind, BeforeValidator(_parse_kind)]
    reason: Annotated[
        str,
        BeforeValidator(to_paragraphs),
        AfterValidator(lambda text: require_length(text, 3, MAX_REASON_LENGTH, "") if text else ""),
    ] = ""


def has_account(typed: Mapping[str, Any]) -> bool:
    """Return True if a field of the bank account is filled."""
    return any(str(typed.get(name) or "").strip() for name in ACCOUNT_FIELDS)


def parse_units(typed: Mapping[str, Any], lines: Sequence[OrderLine]) -> dict[str, int]:
    """Return the requested units by line id; lines with 0 are left out.

    Raises:
        InvalidData: a value is not a number, or is more than the units sold; `fields` has the line's field.
    """
    units, problems = {}, {}
    for line in lines:
        name = f"{UNITS_PREFIX}{line.id}"
        text = str(typed.get(name) or "0").strip()
        count = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else -1
        if not 0 <= count <= line.quantity:
            problems[name] = _("Escribe un número de 0 a {most}.").format(most=line.quantity)
        elif count:
            units[line.id] = count
    if problems:
        raise InvalidData(_("Revisa las unidades."), fields=problems)
    return units
