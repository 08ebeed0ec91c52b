"""The payment room of a running shop: its providers, its banks, and the work that goes on behind it."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from backend.clock import now
from backend.database import Database
from backend.payment.inquiry import Providers, ask_on_return, reconcile
from backend.payment.notifications import handle_due, receive
from backend.payment.providers.base import PaymentProvider
from backend.payment.providers.pse import Bank, GatewayClient, GatewayCredentials
from backend.payment.providers.pse.banks import offered_banks
from backend.rounds import Rounds

log = logging.getLogger(__name__)

ANSWER_WITHIN = 0.8
"""Seconds that storing a notification may take before the gateway gets its 200 all the same."""
RECONCILE_EVERY = 30.0
INBOX_EVERY = 5.0


class PaymentDesk:
    """What the rest of the shop asks of the payment room. `start` begins its background work, `stop` ends it."""

    def __init__(
        self,
        database: Database,
        providers: Providers,
        gateway: GatewayClient,
        credentials: GatewayCredentials,
    ) -> None:
        self.database = database
        self.providers = providers
        self._gateway = gateway
        self._credentials = credentials
        self._inbox = Rounds("payment inbox", self.handle_mail, INBOX_EVERY)
        self._reconciler = Rounds("payment reconciler", self.reconcile, RECONCILE_EVERY)
        self._storing: set[asyncio.Task[None]] = set()

    def provider(self, provider_id: str) -> PaymentProvider | None:
        """The provider with this id, if the shop runs with it."""
        return self.providers.get(provider_id)

    async def banks(self) -> list[Bank]:
        """The banks a shopper may choose, by name; never code 0 (spec: Storefront view rules 3).

        Raises:
            BankListUnavailable: the gateway fails and there was never a good list.
        """
        return await offered_banks(self.database, self._gateway, now=now())

    async def take_notification(self, provider_id: str, fields: Mapping[str, Any], raw: bytes) -> None:
        """Store a notification; return in time whatever happens. Storing goes on behind a late answer."""
        storing = asyncio.create_task(self._store(provider_id, fields, raw), name="store notification")
        self._storing.add(storing)
        storing.add_done_callback(self._storing.discard)
        await asyncio.wait([storing], timeout=ANSWER_WITHIN)

    async def _store(self, provider_id: str, fields: Mapping[str, Any], raw: bytes) -> None:
        try:
            if await receive(self.database, provider_id, fields, self._credentials, raw):
                self._inbox.call()
        except Exception:
            # the gateway sends again, and the reconciler asks by itself: nothing is lost, but someone must know
            log.exception("a notification could not be stored")

    async def ask_on_return(self, session_id: str) -> None:
        """The shopper is back from the bank: see how the payment stands."""
        await ask_on_return(self.database, self.providers, session_id)

    async def handle_mail(self) -> int:
        """Act on what waits in the inbox now."""
        return await handle_due(self.database, self.providers)

    async def reconcile(self, *, everything: bool = False) -> int:
        """Ask about every payment that is due (or, with `everything`, that is open)."""
        return await reconcile(self.database, self.providers, everything=everything)

    def start(self) -> None:
        """Begin to act on notifications as they come, and to ask about those that never came."""
        self._inbox.start()
        self._reconciler.start()

    async def stop(self) -> None:
        """End the background work; what is half done is taken up again at the next start."""
        await self._inbox.stop()
        await self._reconciler.stop()
        await asyncio.gather(*self._storing, return_exceptions=True)
        await self._gateway.aclose()
