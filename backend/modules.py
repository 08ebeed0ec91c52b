"""Which providers the shop runs with, declared in blocks as on the platform.

The platform registers each service with its built-in provider. A block declared for a service *replaces* the earlier
one and does not add to it, so a block that adds a custom provider also lists the built-in ones that must stay (spec:
What the service does 7).
"""

from collections.abc import Iterable
from dataclasses import dataclass

FULFILLMENT, PAYMENT, INVOICES = "fulfillment", "payment", "invoices"

MANUAL, CARRIER = "manual_manual", "carrier_standard"
SYSTEM_PAYMENT, GATEWAY_PSE = "pp_system_default", "gateway_pse"
INVOICE_FILE, INVOICE_UBL = "file", "ubl"


@dataclass(frozen=True, slots=True)
class ModuleBlock:
    """A declaration: this service runs with these providers."""

    service: str
    providers: tuple[str, ...]


BUILT_IN = (ModuleBlock(FULFILLMENT, (MANUAL,)), ModuleBlock(PAYMENT, (SYSTEM_PAYMENT,)))

DECLARED = (
    ModuleBlock(FULFILLMENT, (MANUAL, CARRIER)),
    ModuleBlock(PAYMENT, (SYSTEM_PAYMENT, GATEWAY_PSE)),
    ModuleBlock(INVOICES, (INVOICE_FILE, INVOICE_UBL)),
)


def registered(blocks: Iterable[ModuleBlock] = (*BUILT_IN, *DECLARED)) -> dict[str, tuple[str, ...]]:
    """The providers of each service: those of the last block declared for it."""
    return {block.service: block.providers for block in blocks}
