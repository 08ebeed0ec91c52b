"""`PaymentService`: the payment operations that other packages call, and the jobs of payments."""

from datetime import timedelta

from backend.core.config.modules import GATEWAY_PSE
from backend.core.db.database import Database
from backend.jobs import JobRun, RunAgain, job
from backend.payment.checks import check, check_all, check_on_return
from backend.payment.notifications import NOTIFICATION_JOB, Inbox, handle_notification
from backend.payment.providers.base import Choice, PaymentProvider, Providers
from backend.payment.transitions import CHECK_JOB


class PaymentService:
    """The payment providers of a running shop, and the inbox of their notifications. The worker runs its jobs."""

    def __init__(self, database: Database, providers: Providers) -> None:
        self.database = database
        self.providers = providers
        self.inbox = Inbox(database, providers)

    def find_provider(self, provider_id: str) -> PaymentProvider | None:
        """Return the provider with this id; None if the shop does not use it."""
        return self.providers.get(provider_id)

    def list_methods(self) -> list[PaymentProvider]:
        """Return the providers that the checkout page can offer, in the configured order."""
        return [provider for provider in self.providers.values() if provider.shopper_name]

    async def list_banks(self) -> list[Choice]:
        """Return the banks that a shopper may choose for PSE, by name; an empty list if the shop does not use PSE.

        Raises:
            OutsideFailure: the gateway fails and no earlier list is stored.
        """
        provider = self.providers.get(GATEWAY_PSE)
        return await provider.list_choices("bank") if provider is not None else []

    async def check_on_return(self, session_id: str) -> None:
        """Check the payment of a shopper who came back from the bank."""
        await check_on_return(self.database, self.providers, session_id)

    @job(CHECK_JOB, timeout=timedelta(seconds=40), concurrency=4, give_up_after=timedelta(days=3))
    async def check(self, run: JobRun) -> RunAgain | None:
        """Check a payment, and schedule the next check while its provider has not reported a final state."""
        gap = await check(self.database, self.providers, run.payload["session_id"])
        return RunAgain(gap) if gap is not None else None

    @job(NOTIFICATION_JOB, timeout=timedelta(seconds=60), concurrency=4, give_up_after=timedelta(days=3))
    async def handle_notification(self, run: JobRun) -> RunAgain | None:
        """Handle a stored notification: check the payment that it names."""
        gap = await handle_notification(self.database, self.providers, str(run.key), run.attempt)
        return RunAgain(gap) if gap is not None else None

    async def check_all(self) -> int:
        """Check every undecided payment, and return their number. See `backend.payment.checks.check_all`."""
        return await check_all(self.database, self.providers)

    async def stop(self) -> None:
        """Finish storing notifications and close the providers. Unfinished work continues after the next start."""
        await self.inbox.stop()
        for provider in self.providers.values():
            await provider.close()
