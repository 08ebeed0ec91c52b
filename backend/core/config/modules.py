"""The providers that the shop runs with, declared in blocks as on the platform.

The platform registers each service with its built-in provider. A block declared for a service *replaces* the
earlier one instead of adding to it, so a block that adds a custom provider must also list the built-in ones that
stay (spec: What the service does 7). A setting, such as PAYMENT_PROVIDERS, is the last block of its service.

A block names a provider by its id. A provider outside this program is `id=package.module:Class`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from backend.core.config.problems import ProblemKind, create_problem, settings_error, value_error

FULFILLMENT, PAYMENT, INVOICES = "fulfillment", "payment", "invoices"

MANUAL, CARRIER, OWN_DELIVERY = "manual_manual", "carrier_standard", "own_delivery"
SYSTEM_PAYMENT, GATEWAY_PSE = "pp_system_default", "gateway_pse"
INVOICE_FILE, INVOICE_UBL = "file", "ubl"

_ENTRY = re.compile(r"(?P<id>[a-z][a-z0-9_]{1,39})(=(?P<target>[A-Za-z_][\w.]*:[A-Za-z_]\w*))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class ModuleBlock:
    """A declaration of the providers of one service. Each provider is `id`, or `id=package.module:Class`."""

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

SETTING_NAMES = {
    FULFILLMENT: "FULFILLMENT_PROVIDERS",
    PAYMENT: "PAYMENT_PROVIDERS",
    INVOICES: "INVOICE_PROVIDERS",
}
"""The setting that declares the providers of a service."""


def list_blocks(listed: Mapping[str, str]) -> tuple[ModuleBlock, ...]:
    """Return all declarations of providers: `BUILT_IN`, then `DECLARED`, then those of the settings.

    `listed` has the text of each service's setting. An empty text declares nothing.
    """
    own = (ModuleBlock(service, tuple(split_providers(text))) for service, text in listed.items())
    return (*BUILT_IN, *DECLARED, *(block for block in own if block.providers))


def registered_providers(blocks: Iterable[ModuleBlock]) -> dict[str, dict[str, str]]:
    """Return, for each service, the class of each provider by its id, as `package.module:Class`.

    A provider of this program has an empty text instead of a class. If several blocks declare the same service, the
    last block counts.

    Raises:
        SettingsError: a block names a service or a provider that the program does not have.
    """
    final = {block.service: block for block in blocks}
    return {service: _providers_of(block) for service, block in final.items()}


def split_providers(text: str) -> list[str]:
    """Split the text of a setting into its providers, separated by commas.

    Raises:
        ValueError: one is neither `id` nor `id=package.module:Class`, or an id is used twice.
    """
    entries = [entry.strip() for entry in text.split(",") if entry.strip()]
    ids = []
    for entry in entries:
        found = _ENTRY.fullmatch(entry)
        if found is None:
            raise value_error(ProblemKind.NOT_PROVIDER, part=repr(entry))
        ids.append(found["id"])
    if len(set(ids)) < len(ids):
        repeated = next(one for one in ids if ids.count(one) > 1)
        raise value_error(ProblemKind.REPEATED_PROVIDER, provider=repeated)
    return entries


def list_external_ids(text: str) -> list[str]:
    """Return the ids of the providers in a setting that are outside this program. Malformed entries are skipped."""
    found = (_ENTRY.fullmatch(entry.strip()) for entry in text.split(","))
    return [match["id"] for match in found if match is not None and match["target"]]


def _providers_of(block: ModuleBlock) -> dict[str, str]:
    available = AVAILABLE_PROVIDERS.get(block.service, frozenset())
    places = {}
    for provider in block.providers:
        provider_id, _sign, place = provider.partition("=")
        places[provider_id] = place
    if unknown := [
        provider_id for provider_id, place in places.items() if not place and provider_id not in available
    ]:
        names, known = ", ".join(unknown), ", ".join(sorted(available)) or "none"
        setting = SETTING_NAMES.get(block.service, block.service)
        values = {
            "service": repr(block.service), "providers": names, "available": known, "setting": setting,
        }  # fmt: skip
        raise settings_error(create_problem(ProblemKind.UNKNOWN_PROVIDER, **values))
    if taken := [provider_id for provider_id, place in places.items() if place and provider_id in available]:
        raise settings_error(create_problem(ProblemKind.TAKEN_PROVIDER, providers=", ".join(taken)))
    return places
