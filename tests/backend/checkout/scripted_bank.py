"""A payment provider with a bank that follows the test's script; other tests use the sandbox."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from backend.core.config.modules import GATEWAY_PSE
from backend.core.config.settings import Settings
from backend.core.errors import OutsideFailure
from backend.core.money import Cop
from backend.payment.providers.base import (
    InitiationResult,
    Notification,
    PaymentProvider,
    PaymentRequest,
    ProviderReport,
    ProviderState,
    StartedPayment,
)
from backend.payment.providers.pse.client import get_gateway_credentials
from backend.payment.providers.pse.reports import read_notification


@dataclass
class ScriptedBank(PaymentProvider):
    """A bank that starts every payment and reports `states` by invoice, pending by default.

    `on_call` is a function that runs inside a call.
    """

    id = GATEWAY_PSE
    shopper_name = "PSE"

    states: dict[str, ProviderState] = field(default_factory=dict)
    amounts: dict[str, Decimal] = field(default_factory=dict)
    asked: int = 0
    started: list[PaymentRequest] = field(default_factory=list)
    refusal: BaseException | None = None
    is_down: bool = False
    on_call: Callable[[], Awaitable[None]] | None = None

    async def initiate(self, request: PaymentRequest) -> InitiationResult:
        self.started.append(request)
        if self.on_call is not None:
            await self.on_call()
        if self.refusal is not None:
            raise self.refusal
        return InitiationResult(
            state=ProviderState.PENDING_AUTHORIZATION,
            redirect_url=f"https://bank.example/{request.invoice}",
            reference=f"ref-{request.invoice}",
            transaction_id=f"cus-{request.invoice}",
            ticket_id=f"ticket-{request.invoice}",
        )

    async def status(self, session: StartedPayment) -> ProviderReport:
        self.asked += 1
        if self.on_call is not None:
            await self.on_call()
        if self.is_down:
            raise OutsideFailure("the gateway is down")
        return self.report(session.invoice, session.amount)

    def report(self, invoice: str, amount: Cop) -> ProviderReport:
        return ProviderReport(
            state=self.states.get(invoice, ProviderState.PENDING),
            amount=self.amounts.get(invoice, Decimal(amount)),
            currency="COP",
            invoice=invoice,
            reference=f"ref-{invoice}",
        )

    def read_notification(
        self, raw: bytes, headers: Mapping[str, str], query: Mapping[str, str]
    ) -> Notification:
        """Parse a notification in the format of the embedded gateway."""
        return read_notification(raw, query, get_gateway_credentials(Settings()))
