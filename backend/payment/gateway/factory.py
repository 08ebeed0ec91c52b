"""The gateway client that the settings call for."""

import httpx
from pydantic import SecretStr

from backend.payment.gateway.client import GatewayClient
from backend.payment.gateway.types import GatewayBases, GatewayCredentials
from backend.settings import (
    SANDBOX_CUST_ID,
    SANDBOX_P_KEY,
    SANDBOX_PRIVATE_KEY,
    SANDBOX_PUBLIC_KEY,
    GatewayEnv,
    Settings,
)
from backend.tls import trusted

SANDBOX_PATH = "/sandbox/gateway"
"""Where the embedded gateway is mounted in the shop's own application."""


def gateway_client(settings: Settings, transport: httpx.AsyncBaseTransport | None = None) -> GatewayClient:
    """A client for the gateway in force: the embedded one, or the real one in test or production mode.

    `transport` carries the calls in place of a socket; what it leads to answers at the root. GATEWAY_URL replaces
    all of the gateway's official addresses.
    """
    if settings.uses_sandbox_gateway:
        mounted = f"{settings.base_url}{SANDBOX_PATH}"
        bases = GatewayBases.under(mounted if transport is None else "http://gateway.sandbox")
    else:
        bases = GatewayBases.under(settings.gateway_url) if settings.gateway_url else GatewayBases()
    return GatewayClient(
        httpx.AsyncClient(transport=transport, verify=trusted()),
        gateway_credentials(settings),
        bases,
        test_mode=settings.gateway_env is not GatewayEnv.PRODUCTION,
    )


def gateway_credentials(settings: Settings) -> GatewayCredentials:
    """The keys in force: the settings', or the embedded gateway's own."""
    if settings.uses_sandbox_gateway:
        return GatewayCredentials(
            public_key=SecretStr(SANDBOX_PUBLIC_KEY),
            private_key=SecretStr(SANDBOX_PRIVATE_KEY),
            cust_id=SANDBOX_CUST_ID,
            p_key=SecretStr(SANDBOX_P_KEY),
        )
    return GatewayCredentials(
        public_key=SecretStr(settings.public_key),
        private_key=settings.private_key,
        cust_id=settings.p_cust_id_cliente,
        p_key=settings.p_key,
    )
