"""`pp_system_default`: the platform's built-in manual provider. Nothing leaves the shop; staff see to the money."""

from collections.abc import Mapping
from decimal import Decimal

from backend.core.config.modules import SYSTEM_PAYMENT
from backend.payment.providers.base import (
    Initiated,
    Notification,
    PaymentProvider,
    PaymentRequest,
    ProviderReport,
    ProviderState,
    StartedPayment,
    Verdict,
)


class SystemDefault(PaymentProvider):
    """Authorizes whatever it is asked to; capturing, canceling and refunding are for staff to do."""

    id = SYSTEM_PAYMENT
    leaves_shop = False
    asks_payer = False

    async def initiate(self, request: PaymentRequest) -> Initiated:  # noqa: ARG002 (the interface's)
        """Start a payment that is authorized when the cart is completed."""
        return Initiated(state=ProviderState.PENDING)

    async def status(self, session: StartedPayment) -> ProviderReport:
        """Always authorized: there is nobody outside to ask."""
        return _report(session, ProviderState.AUTHORIZED)

    async def capture(self, session: StartedPayment) -> ProviderReport:
        """Captured: staff have the money."""
        return _report(session, ProviderState.CAPTURED)

    async def cancel(self, session: StartedPayment) -> ProviderReport:
        """Canceled: nothing was taken."""
        return _report(session, ProviderState.CANCELED)

    def read_notification(
        self,
        raw: bytes,  # noqa: ARG002 (the interface's)
        headers: Mapping[str, str],  # noqa: ARG002
        query: Mapping[str, str],  # noqa: ARG002
    ) -> Notification:
        """Nobody outside has anything to tell: whatever comes is malformed."""
        return Notification(verdict=Verdict.MALFORMED)


def _report(session: StartedPayment, state: ProviderState) -> ProviderReport:
    return ProviderReport(
        state=state, amount=Decimal(session.amount), currency=session.currency, invoice=session.invoice
    )
