"""Which class answers to which provider id: the one list of the payment providers there are."""

from collections.abc import Callable, Iterable
from functools import partial

import httpx

from backend.core.config.modules import GATEWAY_PSE, SYSTEM_PAYMENT
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.payment.providers.base import PaymentProvider
from backend.payment.providers.pse.provider import gateway_pse
from backend.payment.providers.system_default import SystemDefault


def payment_providers(
    ids: Iterable[str],
    settings: Settings,
    database: Database,
    gateway_transport: httpx.AsyncBaseTransport | None = None,
) -> dict[str, PaymentProvider]:
    """The providers with these ids, by id. `gateway_transport` leads to the embedded PSE gateway, where that is used.

    Raises:
        KeyError: there is no such provider (`backend.core.config.modules.registered` refuses it before).
    """
    make: dict[str, Callable[[], PaymentProvider]] = {
        SYSTEM_PAYMENT: SystemDefault,
        GATEWAY_PSE: partial(gateway_pse, settings, database, gateway_transport),
    }
    return {provider_id: make[provider_id]() for provider_id in ids}
