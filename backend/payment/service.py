"""What the rest of the shop asks of payments, and the jobs of payments."""

from datetime import timedelta

from backend.core.config.modules import GATEWAY_PSE
from backend.core.db.database import Database
from backend.jobs import JobRun, RunAgain, job
from backend.payment.checks import check, check_all, check_on_return
from backend.payment.notifications import HANDLE, Inbox, handle_notification
from backend.payment.providers.base import Choice, PaymentProvider, Providers
from backend.payment.transitions import CHECK


class PaymentService:
    """The payment providers of a running shop, and the inbox of their notifications. The worker does its jobs."""

    def __init__(self, database: Database, providers: Providers) -> None:
        self.database = database
        self.providers = providers
        self.inbox = Inbox(database, providers)

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

    async def check_on_return(self, session_id: str) -> None:
        """The shopper is back from the bank: see how the payment stands."""
        await check_on_return(self.database, self.providers, session_id)

    @job(CHECK, timeout=timedelta(seconds=40), at_once=4, give_up_after=timedelta(days=3))
    async def check(self, run: JobRun) -> RunAgain | None:
        """Ask how a payment stands, and again later while its provider has not said how it ended."""
        gap = await check(self.database, self.providers, run.payload["session_id"])
        return RunAgain(gap) if gap is not None else None

    @job(HANDLE, timeout=timedelta(seconds=60), at_once=4, give_up_after=timedelta(days=3))
    async def handle_notification(self, run: JobRun) -> RunAgain | None:
        """Ask the provider of the payment that a stored notification names."""
        gap = await handle_notification(self.database, self.providers, str(run.key), run.attempt)
        return RunAgain(gap) if gap is not None else None

    async def check_all(self) -> int:
        """Ask about every payment of the last 48 hours whose provider has not said how it ended."""
        return await check_all(self.database, self.providers)

    async def stop(self) -> None:
        """End what is under way; what is half done is taken up again at the next start."""
        await self.inbox.stop()
        for provider in self.providers.values():
            await provider.close()
