"""The providers that the shop runs with, declared in blocks as on the platform.

The platform registers each service with its built-in provider. A block declared for a service *replaces* the
earlier one instead of adding to it, so a block that adds a custom provider must also list the built-in ones that
stay (spec: What the service does 7).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from backend.core.errors import CannotStart

FULFILLMENT, PAYMENT, INVOICES = "fulfillment", "payment", "invoices"

MANUAL, CARRIER, OWN_DELIVERY = "manual_manual", "carrier_standard", "own_delivery"
SYSTEM_PAYMENT, GATEWAY_PSE = "pp_system_default", "gateway_pse"
INVOICE_FILE, INVOICE_UBL = "file", "ubl"


@dataclass(frozen=True, slots=True)
class ModuleBlock:
    """A declaration of the providers of one service."""

    service: str
    providers: tuple[str, ...]


BUILT_IN = (ModuleBlock(FULFILLMENT, (MANUAL,)), ModuleBlock(PAYMENT, (SYSTEM_PAYMENT,)))

DECLARED = (
    ModuleBlock(FULFILLMENT, (MANUAL, CARRIER, OWN_DELIVERY)),
    ModuleBlock(PAYMENT, (SYSTEM_PAYMENT, GATEWAY_PSE)),
    ModuleBlock(INVOICES, (INVOICE_FILE, INVOICE_UBL)),
)

AVAILABLE_PROVIDERS = {
    FULFILLMENT: frozenset({MANUAL, CARRIER, OWN_DELIVERY}),
    PAYMENT: frozenset({SYSTEM_PAYMENT, GATEWAY_PSE}),
    INVOICES: frozenset({INVOICE_FILE, INVOICE_UBL}),
}
"""The providers that the program implements, by service."""


def registered_providers(
    blocks: Iterable[ModuleBlock] = (*BUILT_IN, *DECLARED),
) -> dict[str, tuple[str, ...]]:
    """Return the providers of each service. If several blocks declare the same service, the final block counts.

    Raises:
        CannotStart: a block names a service or a provider that the program does not have.
    """
    declared = {block.service: block.providers for block in blocks}
    for service, providers in declared.items():
        available = AVAILABLE_PROVIDERS.get(service, frozenset())
        if unknown := [provider for provider in providers if provider not in available]:
            raise CannotStart(
                f"Trompo cannot start: the module block of {service!r} names {', '.join(unknown)}, which does not exist"
                f" (there are: {', '.join(sorted(available)) or 'none'})"
            )
    return declared
