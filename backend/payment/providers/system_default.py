"""`pp_system_default`: the platform's built-in manual provider. Nothing leaves the shop; staff see to the money."""

from decimal import Decimal

from backend.money import Cop
from backend.payment.providers.base import (
    Initiated,
    PaymentRequest,
    ProviderReport,
    ProviderState,
    SessionFacts,
)

SYSTEM_DEFAULT_ID = "pp_system_default"


class SystemDefault:
    """Authorizes at once whatever it is asked to; capturing, canceling and refunding are for staff to do."""

    id = SYSTEM_DEFAULT_ID

    async def initiate(self, request: PaymentRequest) -> Initiated:  # noqa: ARG002 (the interface's)
        """Start a payment that waits for `authorize`."""
        return Initiated(state=ProviderState.PENDING)

    async def authorize(self, session: SessionFacts) -> ProviderReport:
        """Authorize the whole amount, at once."""
        return _report(session, ProviderState.AUTHORIZED)

    async def capture(self, session: SessionFacts) -> ProviderReport:
        """Captured: staff have the money."""
        return _report(session, ProviderState.CAPTURED)

    async def cancel(self, session: SessionFacts) -> ProviderReport:
        """Canceled: nothing was taken."""
        return _report(session, ProviderState.CANCELED)

    async def status(self, session: SessionFacts) -> ProviderReport:
        """Always authorized: there is nobody outside to ask."""
        return _report(session, ProviderState.AUTHORIZED)

    async def refund(self, session: SessionFacts, amount: Cop) -> None:
        """Nothing to do outside: staff hand the money back."""


def _report(session: SessionFacts, state: ProviderState) -> ProviderReport:
    return ProviderReport(
        state=state, amount=Decimal(session.amount), currency=session.currency, invoice=session.invoice
    )
