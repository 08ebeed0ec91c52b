"""The PSE gateway on the wire (wire: gateway). Nothing outside this package knows how the gateway words things."""

from backend.payment.providers.pse.answers import (
    KeysRefused,
    PaymentRefused,
    RedirectUrlMissing,
    RefusalReason,
)
from backend.payment.providers.pse.client import GatewayClient, gateway_client, gateway_credentials
from backend.payment.providers.pse.reports import GatewayReport, GatewayState
from backend.payment.providers.pse.wire import (
    Bank,
    BankPayment,
    BankPaymentCreated,
    GatewayBases,
    GatewayCredentials,
)

__all__ = [
    "Bank",
    "BankPayment",
    "BankPaymentCreated",
    "GatewayBases",
    "GatewayClient",
    "GatewayCredentials",
    "GatewayReport",
    "GatewayState",
    "KeysRefused",
    "PaymentRefused",
    "RedirectUrlMissing",
    "RefusalReason",
    "gateway_client",
    "gateway_credentials",
]
