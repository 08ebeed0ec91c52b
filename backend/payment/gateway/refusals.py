"""Why the gateway would not start a payment, and what the shopper reads (wire: gateway 1.6; checkout)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class RefusalReason(StrEnum):
    """Why a payment was not started."""

    LIMIT = "limit"
    BELOW_MINIMUM = "below_minimum"
    BANK_UNAVAILABLE = "bank_unavailable"
    INVALID_DATA = "invalid_data"
    OTHER = "other"

    @property
    def shopper_text(self) -> str:
        """What the shopper reads, in Spanish."""
        return _TEXTS[self]


_TEXTS = {
    RefusalReason.LIMIT: (
        "El monto de la transacción excede los límites establecidos en PSE para la empresa, "
        "por favor comuníquese con nosotros."
    ),
    RefusalReason.BELOW_MINIMUM: "El monto de la compra no alcanza el mínimo permitido para pagar por PSE.",
    RefusalReason.BANK_UNAVAILABLE: (
        "La entidad financiera no puede ser contactada para iniciar la transacción, "
        "por favor seleccione otra o intente más tarde."
    ),
    RefusalReason.INVALID_DATA: (
        "No se pudo crear la transacción con los datos ingresados, por favor revíselos e intente de nuevo."
    ),
    RefusalReason.OTHER: (
        "No se pudo crear la transacción, por favor intente más tarde o comuníquese con la empresa."
    ),
}

# the bank network's codes begin with FAIL_; the gateway's own with E and three digits
_REASONS = (
    (RefusalReason.LIMIT, re.compile(r"FAIL_EXCEEDEDLIMIT")),
    (RefusalReason.BELOW_MINIMUM, re.compile(r"\bE014\b|monto m[ií]nimo", re.IGNORECASE)),
    (
        RefusalReason.BANK_UNAVAILABLE,
        re.compile(r"FAIL_(BANKUNRE\w*|BANKNOTEXISTS\w*|TIMEOUT|NOTCONFIRMEDBYBANK|NOHOST|NOTALLOWEDBYTIME)"),
    ),
    (RefusalReason.INVALID_DATA, re.compile(r"FAIL_(INVALID\w*|DISABLEDUSEREMAIL|DESCRIPTIONNOTFOUND)")),
)


@dataclass(frozen=True)
class Refusal:
    """A refusal as the gateway worded it."""

    reason: RefusalReason
    text: str
    codes: tuple[str, ...]


def read_refusal(answer: Mapping[str, Any]) -> Refusal:
    """The refusal that an answer with `success: false` stands for."""
    said = " ".join(_texts(answer))
    reason = next((reason for reason, pattern in _REASONS if pattern.search(said)), None)
    if reason is None:
        reason = RefusalReason.INVALID_DATA if _is_validation(answer) else RefusalReason.OTHER
    codes = tuple(dict.fromkeys(re.findall(r"FAIL_[A-Z]+|\b[A-Z]\d{3}\b", said)))
    text = (
        answer.get("text_response")
        or answer.get("textResponse")
        or answer.get("message")
        or "no reason given"
    )
    return Refusal(reason, str(text), codes)


def _is_validation(answer: Mapping[str, Any]) -> bool:
    data = answer.get("data")
    has_errors = isinstance(data, Mapping) and bool(data.get("errores") or data.get("errors"))
    return has_errors or "validation" in str(answer.get("last_action") or answer.get("lastAction") or "")


def _texts(value: Any) -> Iterator[str]:
    """Every text anywhere in the answer."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
