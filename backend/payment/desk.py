"""The payment room of a running shop: its providers, its banks, and the work that goes on behind it."""

import asyncio
import logging
from collections.abc import Mapping

from backend.database import Database
from backend.modules import GATEWAY_PSE
from backend.payment.inquiry import Providers, ask_on_return, reconcile
from backend.payment.notifications import digest_of, handle_due, read, receive
from backend.payment.providers.base import Choice, PaymentProvider
from backend.rounds import Rounds

log = logging.getLogger(__name__)

ANSWER_WITHIN = 0.8
"""Seconds that storing a notification may take before the gateway gets its 200 all the same."""
RECONCILE_EVERY = 30.0
INBOX_EVERY = 5.0


class PaymentDesk:
    """What the rest of the shop asks of the payment room. `start` begins its background work, `stop` ends it."""

    def __init__(self, database: Database, providers: Providers) -> None:
        self.database = database
        self.providers = providers
        self._inbox = Rounds("payment inbox", self.handle_mail, INBOX_EVERY)
        self._reconciler = Rounds("payment reconciler", self.reconcile, RECONCILE_EVERY)
        self._storing: set[asyncio.Task[None]] = set()

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

    async def take_notification(
        self, provider_id: str, raw: bytes, headers: Mapping[str, str], query: Mapping[str, str]
    ) -> None:
        """Store a notification; return in time whatever happens. Storing goes on behind a late answer."""
        storing = asyncio.create_task(
            self._store(provider_id, raw, headers, query), name="store notification"
        )
        self._storing.add(storing)
        storing.add_done_callback(self._storing.discard)
        await asyncio.wait([storing], timeout=ANSWER_WITHIN)

    async def _store(
        self, provider_id: str, raw: bytes, headers: Mapping[str, str], query: Mapping[str, str]
    ) -> None:
        try:
            letter = read(self.providers.get(provider_id), raw, headers, query)
            if await receive(self.database, provider_id, letter, digest_of(raw, query)):
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
        for provider in self.providers.values():
            await provider.close()
