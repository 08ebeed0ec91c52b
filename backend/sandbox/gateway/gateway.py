"""The embedded gateway and bank: the class `SandboxGateway`, and the function that creates the shop's gateway."""

from collections.abc import Callable
from datetime import timedelta

import httpx
from starlette.applications import Starlette

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.outage import DatabaseUnavailable
from backend.payment.providers.pse.client import SANDBOX_PATH, get_gateway_credentials
from backend.payment.providers.pse.requests import GatewayCredentials
from backend.sandbox.gateway.api import GatewayApi
from backend.sandbox.gateway.bank_page import BankPage
from backend.sandbox.gateway.faults import Faults, control_routes
from backend.sandbox.gateway.ledger import Ledger
from backend.sandbox.gateway.notifier import AllowedAddresses, Notifier, allow_all_addresses, pause_after
from backend.sandbox.outage import respond_unavailable


class SandboxGateway:
    """A simulation of the payment gateway, with the real wire format, and of a bank's page.

    Attributes:
        app: the ASGI application. It may be mounted anywhere; its public address is `public_base`.
        faults: the planned faults.
        notifier: delivers the notifications while it runs; tests can call `deliver_due` instead.
    """

    def __init__(
        self,
        database: Database,
        http: httpx.AsyncClient,
        keys: GatewayCredentials,
        public_base: str,
        *,
        merchant: str = "Comercio de pruebas",
        may_reach: Callable[[str], bool] = allow_all_addresses,
        control: bool = False,
        pause: Callable[[int], timedelta] = pause_after,
    ) -> None:
        self.faults = Faults()
        self.public_base = public_base.rstrip("/")
        ledger = Ledger(database, self.faults)
        self.notifier = Notifier(database, ledger, http, keys, may_reach=may_reach, pause=pause)
        api = GatewayApi(ledger, keys, self.public_base)
        bank = BankPage(ledger, self.public_base, merchant, on_decision=self.notifier.wake)
        routes = [*api.routes(self.faults), *bank.routes()]
        self.app = Starlette(
            routes=[*routes, *control_routes(self.faults)] if control else routes,
            exception_handlers={DatabaseUnavailable: respond_unavailable},
        )

    async def start(self) -> None:
        """Start to send notifications. Stored ones are sent first."""
        self.notifier.start()

    async def stop(self) -> None:
        """Stop sending notifications. Undelivered ones stay stored for the next start."""
        await self.notifier.stop()

    def transport(self) -> httpx.ASGITransport:
        """Return a transport for `create_gateway_client` that needs no socket."""
        return httpx.ASGITransport(app=self.app)


def create_sandbox_gateway(
    settings: Settings,
    database: Database,
    http: httpx.AsyncClient,
    *,
    public_base: str | None = None,
    control: bool = False,
) -> SandboxGateway:
    """Create the shop's embedded gateway. `http` is the client that sends its notifications, to this shop only.

    `public_base` is the gateway's address for browsers; the default is a path of the shop's own address. `control`
    adds the routes at `/_control/faults`.
    """
    return SandboxGateway(
        database,
        http,
        get_gateway_credentials(settings),
        public_base or f"{settings.base_url}{SANDBOX_PATH}",
        merchant=settings.store_name,
        may_reach=AllowedAddresses(settings.base_url),
        control=control,
    )
