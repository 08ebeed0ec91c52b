"""The payment room of a running shop: its providers, its banks, and the work that goes on behind it."""

import logging

from backend.database import Database
from backend.modules import GATEWAY_PSE
from backend.payment.inquiry import Providers, ask_on_return, reconcile
from backend.payment.notifications import Inbox
from backend.payment.providers.base import Choice, PaymentProvider
from backend.rounds import Rounds

log = logging.getLogger(__name__)

RECONCILE_EVERY = 30.0


class PaymentDesk:
    """What the rest of the shop asks of the payment room. `start` begins its background work, `stop` ends it."""

    def __init__(self, database: Database, providers: Providers) -> None:
        self.database = database
        self.providers = providers
        self.inbox = Inbox(database, providers)
        self._reconciler = Rounds("payment reconciler", self.reconcile, RECONCILE_EVERY)

    def provider(self, provider_id: str) -> PaymentProvider | None:
        """The provider with this id, if the shop runs with it."""
        return self.providers.get(provider_id)

    async def banks(self) -> list[Choice]:
        """The banks a shopper may choose for PSE, by name; none when the shop runs without it.

        Raises:
            OutsideFailure: the gateway fails and there was never a good list.
        """
        provider = self.providers.get(GATEWAY_PSE)
        return await provider.choices("bank") if provider is not None else []

    async def ask_on_return(self, session_id: str) -> None:
        """The shopper is back from the bank: see how the payment stands."""
        await ask_on_return(self.database, self.providers, session_id)

    async def reconcile(self, *, everything: bool = False) -> int:
        """Ask about every payment that is due (or, with `everything`, that is open)."""
        return await reconcile(self.database, self.providers, everything=everything)

    def start(self) -> None:
        """Begin to ask about payments of which no notification comes."""
        self._reconciler.start()

    async def stop(self) -> None:
        """End the background work; what is half done is taken up again at the next start."""
        await self.inbox.stop()
        await self._reconciler.stop()
        for provider in self.providers.values():
            await provider.close()
