"""Registry of the payment providers by id: those of this program, and those outside it that the settings name."""

from collections.abc import Callable, Mapping
from functools import partial

import httpx

from backend.core.config.external_providers import create_providers
from backend.core.config.modules import GATEWAY_PSE, SYSTEM_PAYMENT
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.payment.providers.base import PaymentProvider
from backend.payment.providers.pse.provider import create_gateway_pse
from backend.payment.providers.system_default import SystemDefault


def build_providers(
    places: Mapping[str, str],
    settings: Settings,
    database: Database,
    gateway_transport: httpx.AsyncBaseTransport | None = None,
) -> dict[str, PaymentProvider]:
    """Create the payment providers, by id.

    `places` has the class of each provider by its id: see `backend.core.config.modules.registered_providers`.
    `gateway_transport` connects to the embedded PSE gateway, if the shop uses it.

    Raises:
        CannotStart: a provider outside this program cannot be created.
    """
    factories: dict[str, Callable[[], PaymentProvider]] = {
        SYSTEM_PAYMENT: SystemDefault,
        GATEWAY_PSE: partial(create_gateway_pse, settings, database, gateway_transport),
    }
    return create_providers(PaymentProvider, places, factories, settings)
