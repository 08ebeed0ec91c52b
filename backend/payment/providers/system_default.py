"""`pp_system_default`: the commerce platform's manual provider. It calls no service; staff handle the money."""

from collections.abc import Mapping
from decimal import Decimal

from backend.core.config.modules import SYSTEM_PAYMENT
from backend.payment.providers.base import (
    InitiationResult,
    Notification,
    PaymentProvider,
    PaymentRequest,
    ProviderReport,
    ProviderState,
    StartedPayment,
    Verdict,
)


class SystemDefault(PaymentProvider):
    """A provider that authorizes every payment. Staff capture, cancel and refund by hand."""

    id = SYSTEM_PAYMENT
    leaves_shop = False
    asks_payer = False

    async def initiate(self, request: PaymentRequest) -> InitiationResult:  # noqa: ARG002 (the interface's)
        """Start a payment that is authorized when the cart is completed."""
        return InitiationResult(state=ProviderState.PENDING)

    async def status(self, session: StartedPayment) -> ProviderReport:
        """Return a report with the state AUTHORIZED, because no external service decides."""
        return _report(session, ProviderState.AUTHORIZED)

    async def capture(self, session: StartedPayment) -> ProviderReport:
        """Return a report with the state CAPTURED: staff confirm that they have the money."""
        return _report(session, ProviderState.CAPTURED)

    async def cancel(self, session: StartedPayment) -> ProviderReport:
        """Return a report with the state CANCELED: no money was taken."""
        return _report(session, ProviderState.CANCELED)

    def read_notification(
        self,
        raw: bytes,  # noqa: ARG002 (the interface's)
        headers: Mapping[str, str],  # noqa: ARG002
        query: Mapping[str, str],  # noqa: ARG002
    ) -> Notification:
        """Return a malformed notification, because this provider has no external service that sends notifications."""
        return Notification(verdict=Verdict.MALFORMED)


def _report(session: StartedPayment, state: ProviderState) -> ProviderReport:
    return ProviderReport(
        state=state, amount=Decimal(session.amount), currency=session.currency, invoice=session.invoice
    )
