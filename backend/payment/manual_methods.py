"""Ways in which staff receive money themselves. It is recorded with `pp_system_default`, and no service is called."""

from enum import StrEnum

from backend.core.texts import _


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
