"""The running shop: what is open while it runs, put together on one page.

Whoever starts the shop (the storefront's server, a test, a command) makes one `Shop`, starts it, and names it with
`set_current_shop`; page loaders and state handlers, which Reflex calls without arguments of ours, ask `current_shop`.
"""

from collections.abc import Callable, Iterable
from typing import Protocol

import httpx

from backend import modules, subscriptions  # noqa: F401 - subscriptions: those who listen to events
from backend.attention import AttentionKind
from backend.attention.resolving import AttentionDesk
from backend.catalog.version import Versions
from backend.checkout.expiry import ReservationExpiry
from backend.checkout.resolving import money_resolvers
from backend.checkout.service import Checkout
from backend.customers.google import Google
from backend.database import Database
from backend.jobs import Worker
from backend.loop_lag import LoopLag
from backend.mail.carriers import mail_carrier
from backend.mail.mailer import Mailer
from backend.orders.following import Follower
from backend.orders.settling import ExpensiveLabel, LabelInDoubt
from backend.outbox.publisher import OutboxPublisher
from backend.payment.desk import PaymentDesk
from backend.payment.providers.base import PaymentProvider
from backend.payment.providers.registry import payment_providers
from backend.sandbox.embedded import Sandbox
from backend.settings import Settings
from backend.shipping.carrier.client import CarrierClient, carrier_client
from backend.shipping.carrier.provider import CarrierStandard
from backend.shipping.providers.base import FulfillmentProvider
from backend.shipping.providers.manual_manual import ManualManual
from backend.tls import trusted


class Companion(Protocol):
    """What somebody else runs beside the shop."""

    async def start(self) -> None:
        """Start it with the shop."""
        ...

    async def stop(self) -> None:
        """End it with the shop."""
        ...


class Shop:
    """The settings, the database, the rooms and the background work of one process. Nothing runs before `start`.

    `also_paid_by` are payment providers beside those that `backend.modules` declares.
    """

    def __init__(self, settings: Settings, *, also_paid_by: Iterable[PaymentProvider] = ()) -> None:
        self.settings = settings
        self.companions: list[Companion] = []
        self.database = Database.from_settings(settings)
        self.versions = Versions(self.database)
        self.loop_lag = LoopLag()
        self.sandbox = Sandbox(settings, self.database)
        self._carrier = carrier_client(settings, self.sandbox.carrier_transport)
        registered = modules.registered()
        self.carriers = _carriers(registered[modules.FULFILLMENT], self._carrier)
        declared = payment_providers(
            registered[modules.PAYMENT], settings, self.database, self.sandbox.gateway_transport
        )
        self.payments = PaymentDesk(
            self.database, {**declared, **{provider.id: provider for provider in also_paid_by}}
        )
        self.parcels = Follower(self.database, self.carriers)
        self.checkout = Checkout(settings, self.database, self.payments, self.carriers, self.parcels)
        self.attention = AttentionDesk(
            self.database,
            {
                **money_resolvers(),
                AttentionKind.LABEL_IN_DOUBT: LabelInDoubt(self.database, settings, self.carriers),
                AttentionKind.LABEL_TOO_EXPENSIVE: ExpensiveLabel(self.database, settings, self.carriers),
            },
        )
        self.google = Google(settings)
        self.mailer = Mailer(self.database, settings, mail_carrier(settings))
        self.outbox = OutboxPublisher(
            self.database,
            httpx.AsyncClient(verify=trusted()),
            settings.storefront_url or settings.base_url,
            settings.revalidation_secret,
        )
        self.expiry = ReservationExpiry(self.database, self.payments)
        self.worker = Worker(
            self.database,
            [self.payments, self.expiry, self.mailer, self.outbox, self.parcels],
        )

    async def start(self) -> None:
        """Start the background work on the running event loop."""
        self.loop_lag.start()
        await self.sandbox.start()
        self.worker.start()
        for companion in self.companions:
            await companion.start()

    async def stop(self) -> None:
        """End the background work and give every connection back."""
        for companion in self.companions:
            await companion.stop()
        await self.worker.stop()
        await self.outbox.close()
        await self.parcels.stop()
        await self.payments.stop()
        await self.sandbox.stop()
        for carrier in self.carriers.values():
            await carrier.close()
        await self._carrier.close()
        await self.loop_lag.stop()
        await self.versions.close()
        await self.database.close()


def _carriers(ids: tuple[str, ...], client: CarrierClient) -> dict[str, FulfillmentProvider]:
    make: dict[str, Callable[[], FulfillmentProvider]] = {
        modules.MANUAL: ManualManual,
        modules.CARRIER: lambda: CarrierStandard(client),
    }
    return {provider_id: make[provider_id]() for provider_id in ids}


_current: Shop | None = None


def current_shop() -> Shop:
    """The shop of this process.

    Raises:
        RuntimeError: none was set; the program was put together wrongly.
    """
    if _current is None:
        raise RuntimeError("no shop is running in this process")
    return _current


def set_current_shop(shop: Shop | None) -> None:
    """Name the shop that `current_shop` gives; None when it has stopped."""
    global _current  # one process serves one shop
    _current = shop
