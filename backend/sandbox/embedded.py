"""The sandbox inside the shop: gateway with bank, carrier and invoice provider, where no credentials name real ones.

The shop's clients reach them through httpx, as they reach the real ones; only the transport differs. A shopper's
browser reaches the bank's page, and the carrier's labels, under `/sandbox` of the shop's own address.
"""

import httpx
from starlette.types import ASGIApp

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.web.http_client import trusted
from backend.core.web.response_limits import LimitedClient
from backend.payment.providers.pse.client import SANDBOX_PATH as GATEWAY_PATH
from backend.sandbox.carrier.app import PUBLIC_PATH as CARRIER_PATH
from backend.sandbox.carrier.app import sandbox_carrier
from backend.sandbox.gateway import sandbox_gateway
from backend.sandbox.invoicing import sandbox_invoicing


class Sandbox:
    """What of the sandbox the settings ask for; with real credentials there is none of it, and nothing is mounted.

    `carrier` is the embedded carrier itself, None when the real one is to be called: for tests. So is `invoicing`.
    """

    def __init__(self, settings: Settings, database: Database) -> None:
        self._http = LimitedClient(verify=trusted())  # carries notifications, over a socket as from outside
        self._gateway = (
            sandbox_gateway(settings, database, self._http) if settings.uses_sandbox_gateway else None
        )
        self.carrier = sandbox_carrier(settings, database) if settings.uses_sandbox_carrier else None
        self.invoicing = sandbox_invoicing(database) if settings.uses_sandbox_invoices else None

    @property
    def gateway_transport(self) -> httpx.AsyncBaseTransport | None:
        """The way to the embedded gateway; None when the real one is to be called."""
        return httpx.ASGITransport(self._gateway.app) if self._gateway else None

    @property
    def carrier_transport(self) -> httpx.AsyncBaseTransport | None:
        """The way to the embedded carrier; None when the real one is to be called."""
        return httpx.ASGITransport(self.carrier.app) if self.carrier else None

    @property
    def invoices_transport(self) -> httpx.AsyncBaseTransport | None:
        """The way to the embedded invoice provider; None when a real one is to be called, or none."""
        return httpx.ASGITransport(self.invoicing.app) if self.invoicing else None

    def mounts(self) -> dict[str, ASGIApp]:
        """The apps that the shop's own server shows, by path."""
        mounts: dict[str, ASGIApp] = {}
        if self._gateway is not None:
            mounts[GATEWAY_PATH] = self._gateway.app
        if self.carrier is not None:
            mounts[CARRIER_PATH] = self.carrier.app
        return mounts

    async def start(self) -> None:
        """Start to deliver the gateway's notifications."""
        if self._gateway is not None:
            await self._gateway.start()

    async def stop(self) -> None:
        """Stop that; what is not delivered is delivered after the next start."""
        if self._gateway is not None:
            await self._gateway.stop()
        await self._http.aclose()
