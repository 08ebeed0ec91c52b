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
    PaymentInstructions,
    PaymentProvider,
    PaymentRequest,
    ProviderReport,
    ProviderState,
    StartedPayment,
    Verdict,
)


class BankTransferSettings(SourcedSettings):
    """Settings of the provider. Like the shop's, they are in the environment, in `.env`, or in a file (NAME_FILE)."""

    bank_transfer_account: str
    """The account that customers see, such as `Bancolombia, ahorros 123-456789-00, Juguetes S.A.S.`"""


class BankTransfer(PaymentProvider):
    """A payment provider for bank transfers: staff confirm that the money has arrived."""

    id = "bank_transfer"
    leaves_shop = False
    asks_payer = False
    asks_document = True
    shopper_name = "Transferencia bancaria"
    shopper_note = (
        "Guardamos tu pedido y te damos la cuenta y la referencia. Lo preparamos cuando llegue tu pago."
    )

    def __init__(self, settings: Settings) -> None:
        """Read the provider's own settings. The shop passes its settings, which this provider does not need.

        Raises:
            ValidationError: BANK_TRANSFER_ACCOUNT is missing; the shop then does not start.
        """
        del settings
        self.account = BankTransferSettings().bank_transfer_account  # type: ignore[call-arg]  # read from the sources

    async def initiate(self, request: PaymentRequest) -> InitiationResult:
        """Return the instructions for the transfer: account and reference. No service is called."""
        reference = request.invoice[-8:]  # random, and short enough to be typed
        instructions = PaymentInstructions(
            self.shopper_name,
            "Transfiere el valor exacto y escribe la referencia en la descripción.",
            (("Cuenta", self.account), ("Referencia", reference)),
        )
        shown = {"account": self.account, "transfer_reference": reference}
        return InitiationResult(
            state=ProviderState.PENDING,
            reference=reference,
            data={SHOWN: shown, **instructions.to_data()},
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
