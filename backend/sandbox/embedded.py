"""The sandbox inside the shop: gateway with bank, carrier and invoice provider, used without real credentials.

The shop's clients call the sandbox through httpx, like the real providers; only the transport differs. A customer's
browser reaches the bank's page and the carrier's labels under the path `/sandbox` of the shop's own address.
"""

import httpx
from starlette.types import ASGIApp

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.web.http_client import get_ssl_context
from backend.core.web.response_limits import LimitedClient
from backend.payment.providers.pse.client import SANDBOX_PATH as GATEWAY_PATH
from backend.sandbox.carrier.app import PUBLIC_PATH as CARRIER_PATH
from backend.sandbox.carrier.app import create_sandbox_carrier
from backend.sandbox.gateway import create_sandbox_gateway
from backend.sandbox.invoicing import create_sandbox_invoicing


class Sandbox:
    """The embedded providers that the settings require. A provider with real credentials is not embedded.

    `gateway`, `carrier` and `invoicing` are for tests; None if the real provider is used.
    """

    def __init__(self, settings: Settings, database: Database) -> None:
        self._http = LimitedClient(
            verify=get_ssl_context()
        )  # sends notifications over a real connection, like an external gateway
        self.gateway = (
            create_sandbox_gateway(settings, database, self._http) if settings.uses_sandbox_gateway else None
        )
        self.carrier = create_sandbox_carrier(settings, database) if settings.uses_sandbox_carrier else None
        self.invoicing = create_sandbox_invoicing(database) if settings.uses_sandbox_invoices else None

    @property
    def gateway_transport(self) -> httpx.AsyncBaseTransport | None:
        """Return the transport to the embedded gateway; None if the real gateway is used."""
        return httpx.ASGITransport(self.gateway.app) if self.gateway else None

    @property
    def carrier_transport(self) -> httpx.AsyncBaseTransport | None:
        """Return the transport to the embedded carrier; None if the real carrier is used."""
        return httpx.ASGITransport(self.carrier.app) if self.carrier else None

    @property
    def invoices_transport(self) -> httpx.AsyncBaseTransport | None:
        """Return the transport to the embedded invoice provider; None if a real provider or no provider is used."""
        return httpx.ASGITransport(self.invoicing.app) if self.invoicing else None

    def mounts(self) -> dict[str, ASGIApp]:
        """Return the apps to mount in the shop's server, by path."""
        mounts: dict[str, ASGIApp] = {}
        if self.gateway is not None:
            mounts[GATEWAY_PATH] = self.gateway.app
        if self.carrier is not None:
            mounts[CARRIER_PATH] = self.carrier.app
        return mounts

    async def start(self) -> None:
        """Start to deliver the gateway's notifications."""
        if self.gateway is not None:
            await self.gateway.start()

    async def stop(self) -> None:
        """Stop the delivery. Undelivered notifications are delivered after the next start."""
        if self.gateway is not None:
            await self.gateway.stop()
        await self._http.aclose()
