"""Build the payment providers by their ids. This is the only list of the providers that exist."""

from collections.abc import Callable, Iterable
from functools import partial

import httpx

from backend.core.config.modules import GATEWAY_PSE, SYSTEM_PAYMENT
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.payment.providers.base import PaymentProvider
from backend.payment.providers.pse.provider import create_gateway_pse
from backend.payment.providers.system_default import SystemDefault


def build_providers(
    ids: Iterable[str],
    settings: Settings,
    database: Database,
    gateway_transport: httpx.AsyncBaseTransport | None = None,
) -> dict[str, PaymentProvider]:
    """Return the payment providers with these ids, by id.

    `gateway_transport` connects to the embedded PSE gateway, if the shop uses it.

    Raises:
        KeyError: there is no such provider. `backend.core.config.modules.registered_providers` checks the ids
            earlier.
    """
    factories: dict[str, Callable[[], PaymentProvider]] = {
        SYSTEM_PAYMENT: SystemDefault,
        GATEWAY_PSE: partial(create_gateway_pse, settings, database, gateway_transport),
    }
    return {provider_id: factories[provider_id]() for provider_id in ids}
