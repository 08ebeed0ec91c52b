"""The embedded gateway and bank: `SandboxGateway` and the one that a shop runs with."""

from collections.abc import Callable
from datetime import timedelta

import httpx
from starlette.applications import Starlette

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.outage import DatabaseUnavailable
from backend.payment.providers.pse.client import SANDBOX_PATH, gateway_credentials
from backend.payment.providers.pse.requests import GatewayCredentials
from backend.sandbox.gateway.api import GatewayApi
from backend.sandbox.gateway.bank_page import BankPage
from backend.sandbox.gateway.faults import Faults, control_routes
from backend.sandbox.gateway.ledger import Ledger
from backend.sandbox.gateway.notifier import Notifier, Reach, anywhere, pause_after
from backend.sandbox.outage import unavailable


class SandboxGateway:
    """A gateway that speaks the real wire, and the bank behind it.

    Attributes:
        app: the ASGI application. Mount it anywhere; it answers below `public_base`.
        faults: what is to go wrong.
        notifier: delivers the notifications while it runs; `deliver_due` delivers by hand.
    """

    def __init__(
        self,
        database: Database,
        http: httpx.AsyncClient,
        keys: GatewayCredentials,
        public_base: str,
        *,
        merchant: str = "Comercio de pruebas",
        may_reach: Callable[[str], bool] = anywhere,
        control: bool = False,
        pause: Callable[[int], timedelta] = pause_after,
    ) -> None:
        self.faults = Faults()
        self.public_base = public_base.rstrip("/")
        ledger = Ledger(database, self.faults)
        self.notifier = Notifier(database, ledger, http, keys, may_reach=may_reach, pause=pause)
        api = GatewayApi(ledger, keys, self.public_base)
        bank = BankPage(ledger, self.public_base, merchant, decided=self.notifier.wake)
        routes = [*api.routes(self.faults), *bank.routes()]
        self.app = Starlette(
            routes=[*routes, *control_routes(self.faults)] if control else routes,
            exception_handlers={DatabaseUnavailable: unavailable},
        )

    async def start(self) -> None:
        """Begin to notify, from where the last run left off."""
        self.notifier.start()

    async def stop(self) -> None:
        """Stop notifying. What is not delivered is kept for the next start."""
        await self.notifier.stop()

    def transport(self) -> httpx.ASGITransport:
        """What carries a `gateway_client`'s calls here without a socket."""
        return httpx.ASGITransport(app=self.app)


def sandbox_gateway(
    settings: Settings,
    database: Database,
    http: httpx.AsyncClient,
    *,
    public_base: str | None = None,
    control: bool = False,
) -> SandboxGateway:
    """The shop's embedded gateway. `http` carries its notifications; it calls nobody but this shop.

    `public_base` is where browsers reach it: below the shop's own address unless told otherwise. `control` mounts
    `/_control/faults`.
    """
    return SandboxGateway(
        database,
        http,
        gateway_credentials(settings),
        public_base or f"{settings.base_url}{SANDBOX_PATH}",
        merchant=settings.store_name,
        may_reach=Reach(settings.base_url),
        control=control,
    )
