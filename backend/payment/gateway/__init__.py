"""The PSE gateway on the wire (wire: gateway). Nothing outside this package knows how the gateway words things."""

from backend.payment.gateway.client import GatewayClient
from backend.payment.gateway.errors import GatewayUnavailable, KeysRefused, PaymentRefused, RedirectUrlMissing
from backend.payment.gateway.factory import gateway_client, gateway_credentials
from backend.payment.gateway.http import Patience
from backend.payment.gateway.refusals import RefusalReason
from backend.payment.gateway.states import GatewayState
from backend.payment.gateway.types import (
    Bank,
    BankPayment,
    BankPaymentCreated,
    GatewayBases,
    GatewayCredentials,
    GatewayReport,
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
    "GatewayUnavailable",
    "KeysRefused",
    "Patience",
    "PaymentRefused",
    "RedirectUrlMissing",
    "RefusalReason",
    "gateway_client",
    "gateway_credentials",
]
