"""Which providers the shop runs with, declared in blocks as on the platform.

The platform registers each service with its built-in provider. A block declared for a service *replaces* the earlier
one and does not add to it, so a block that adds a custom provider also lists the built-in ones that must stay (spec:
What the service does 7).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from backend.core.errors import CannotStart

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

KNOWN = {
    FULFILLMENT: frozenset({MANUAL, CARRIER}),
    PAYMENT: frozenset({SYSTEM_PAYMENT, GATEWAY_PSE}),
    INVOICES: frozenset({INVOICE_FILE, INVOICE_UBL}),
}
"""The providers of each service that the program has."""


def registered(blocks: Iterable[ModuleBlock] = (*BUILT_IN, *DECLARED)) -> dict[str, tuple[str, ...]]:
    """Return the providers of each service: those of the last block declared for it.

    Raises:
        CannotStart: a block names a service or a provider that the program does not have.
    """
    declared = {block.service: block.providers for block in blocks}
    for service, providers in declared.items():
        known = KNOWN.get(service, frozenset())
        if unknown := [provider for provider in providers if provider not in known]:
            raise CannotStart(
                f"Trompo cannot start: the module block of {service!r} names {', '.join(unknown)}, which does not exist"
                f" (there are: {', '.join(sorted(known)) or 'none'})"
            )
    return declared
