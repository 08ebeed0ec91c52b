"""Ways in which staff receive money themselves. It is recorded with `pp_system_default`, and no service is called."""

from enum import StrEnum

from backend.core.errors import InvalidData
from backend.core.texts import _

MAX_REFERENCE_LENGTH = 60


class ManualMethod(StrEnum):
    """A way in which staff receive money, or give it back."""

    CASH = "cash"
    TRANSFER = "transfer"
    NEQUI = "nequi"
    TERMINAL = "terminal"
    """The bank's card terminal at the counter."""


METHOD_NAMES = {
    ManualMethod.CASH: _("Efectivo"),
    ManualMethod.TRANSFER: _("Transferencia"),
    ManualMethod.NEQUI: _("Nequi"),
    ManualMethod.TERMINAL: _("Datáfono"),
}


EXCHANGE_CREDIT = "exchange"
"""Method of a refund that pays the new order of an exchange: no money leaves the shop."""


def check_reference(reference: str, *, is_needed: bool) -> None:
    """Check the number of a bank transfer or of a card terminal's receipt.

    Raises:
        InvalidData: the number is needed but missing, or longer than `MAX_REFERENCE_LENGTH`.
    """
    if is_needed and not reference:
        raise InvalidData("No reference", fields={"reference": _("Escribe el número del comprobante.")})
    if len(reference) > MAX_REFERENCE_LENGTH:
        text = _("Usa máximo {count} caracteres.").format(count=MAX_REFERENCE_LENGTH)
        raise InvalidData("The reference is too long", fields={"reference": text})
