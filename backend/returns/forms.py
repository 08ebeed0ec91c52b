"""What is typed when a return is asked for, and how it is checked."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.core.web.contact import (
    Line,
    document_number,
    invalid,
    paragraphs,
    require_length,
    require_person_name,
)
from backend.orders.models import OrderLine
from backend.returns.models import ReturnKind

LONGEST_REASON = 2000
ACCOUNT_TYPES = {
    "savings": _("Ahorros"),
    "checking": _("Corriente"),
    "deposit": _("Nequi, Daviplata u otro depósito"),
}
ACCOUNT = ("bank", "account_type", "account_number", "holder", "document")
"""The fields of a bank account."""
UNITS = "units-"
"""What the name of a line's field begins with; the line's id follows."""
MOST_DIGITS = 20


def _kind(value: Any) -> str:
    if value not in tuple(ReturnKind):
        raise invalid(_("Elige qué es."))
    return str(value)


def _type(value: Any) -> str:
    if value not in ACCOUNT_TYPES:
        raise invalid(_("Elige el tipo de cuenta."))
    return str(value)


def _number(text: str) -> str:
    digits = "".join(text.split()).replace("-", "")
    if not digits.isascii() or not digits.isdecimal() or not 5 <= len(digits) <= MOST_DIGITS:
        raise invalid(_("Escribe el número de la cuenta, solo con números."))
    return digits


def _document(text: str) -> str:
    number = document_number(text)
    if not number.isascii() or not number.isalnum() or not 5 <= len(number) <= MOST_DIGITS:
        raise invalid(_("Escribe el número del documento de quien tiene la cuenta."))
    return number


class AccountForm(BaseModel):
    """The bank account that the money goes to."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    bank: Annotated[
        Line, AfterValidator(lambda text: require_length(text, 2, 60, _("Escribe el banco.")))
    ] = ""
    account_type: Annotated[str, BeforeValidator(_type)] = ""
    account_number: Annotated[Line, AfterValidator(_number)] = ""
    holder: Annotated[
        Line, AfterValidator(lambda text: require_person_name(text, _("Escribe de quién es la cuenta.")))
    ] = ""
    document: Annotated[Line, AfterValidator(_document)] = ""


class ReturnForm(BaseModel):
    """What is asked for, and why."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    kind: Annotated[ReturnKind, BeforeValidator(_kind)]
    reason: Annotated[
        str,
        BeforeValidator(paragraphs),
        AfterValidator(lambda text: require_length(text, 3, LONGEST_REASON, "") if text else ""),
    ] = ""


def has_account(typed: Mapping[str, Any]) -> bool:
    """Whether anything of a bank account was typed."""
    return any(str(typed.get(name) or "").strip() for name in ACCOUNT)


def units_in(typed: Mapping[str, Any], lines: Sequence[OrderLine]) -> dict[str, int]:
    """The units of each line that were asked for, by the line's id; none of 0.

    Raises:
        InvalidData: something is no number, or more than was sold; `fields` names the line's field.
    """
    units, problems = {}, {}
    for line in lines:
        name = f"{UNITS}{line.id}"
        text = str(typed.get(name) or "0").strip()
        count = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else -1
        if not 0 <= count <= line.quantity:
            problems[name] = _("Escribe un número de 0 a {most}.").format(most=line.quantity)
        elif count:
            units[line.id] = count
    if problems:
        raise InvalidData(_("Revisa las unidades."), fields=problems)
    return units
