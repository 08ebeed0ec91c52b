"""The provider `bank_transfer`.

The payment is authorized when the cart is completed. The customer sends the money with the shown reference, and a
staff member captures the payment in the order once it has arrived.
"""

from collections.abc import Mapping
from decimal import Decimal

from backend.core.config.settings import Settings, SourcedSettings
from backend.payment.providers.base import (
    SHOWN,
    InitiationResult,
    Notification,
    PaymentProvider,
    PaymentRequest,
    ProviderReport,
    ProviderState,
    StartedPayment,
    Verdict,
)


class BankTransferSettings(SourcedSettings):
    """Settings of the provider: from the environment, a file that NAME_FILE names, or `.env`, as the shop's own."""

    bank_transfer_account: str
    """The account that customers see, such as `Bancolombia, ahorros 123-456789-00, Juguetes S.A.S.`"""


class BankTransfer(PaymentProvider):
    """A provider whose money staff confirm."""

    id = "bank_transfer"
    leaves_shop = False
    asks_payer = False

    def __init__(self, settings: Settings) -> None:
        """Read the provider's own settings. The shop passes its settings, which this provider does not need.

        Raises:
            ValidationError: BANK_TRANSFER_ACCOUNT is missing; the shop then does not start.
        """
        del settings
        self.account = BankTransferSettings().bank_transfer_account  # type: ignore[call-arg]  # read from the sources

    async def initiate(self, request: PaymentRequest) -> InitiationResult:
        """Return what the customer needs for the transfer. No service is called."""
        return InitiationResult(
            state=ProviderState.PENDING,
            reference=request.invoice,
            data={SHOWN: {"account": self.account, "transfer_reference": request.invoice}},
        )

    async def status(self, session: StartedPayment) -> ProviderReport:
        """Return AUTHORIZED: only staff know if the money has arrived."""
        return _report(session, ProviderState.AUTHORIZED)

    async def capture(self, session: StartedPayment) -> ProviderReport:
        """Return CAPTURED: a staff member has confirmed the money."""
        return _report(session, ProviderState.CAPTURED)

    async def cancel(self, session: StartedPayment) -> ProviderReport:
        """Return CANCELED: the money did not arrive."""
        return _report(session, ProviderState.CANCELED)

    def read_notification(
        self, raw: bytes, headers: Mapping[str, str], query: Mapping[str, str]
    ) -> Notification:
        """Return MALFORMED: no service sends notifications."""
        del raw, headers, query
        return Notification(verdict=Verdict.MALFORMED)


def _report(session: StartedPayment, state: ProviderState) -> ProviderReport:
    return ProviderReport(
        state=state,
        amount=Decimal(session.amount),
        currency=session.currency,
        invoice=session.invoice,
        reference=session.reference,
    )
