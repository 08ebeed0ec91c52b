"""Units as they are typed, and why they cannot leave."""

from backend.inventory.movements import MOST_UNITS
from backend.office.stock_changes import ReservedForOrders
from backend.texts import _


def typed_units(text: str) -> int | None:
    """The number of units that was typed; None for anything else."""
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(MOST_UNITS))
    return int(text) if is_number and int(text) <= MOST_UNITS else None


def reserved_text(error: ReservedForOrders) -> str:
    """For whom the units are reserved."""
    if not error.orders:
        return _("Hay {n} apartadas para compradores que están pagando.").format(n=error.reserved)
    return _("Hay {n} apartadas para los pedidos {orders}.").format(
        n=error.reserved, orders=", ".join(map(str, error.orders))
    )
