"""No key is visible anywhere: not in a repr, not in a log at debug level, not in an error and its causes."""

import logging
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from backend.core.errors import ShopError
from backend.core.web.http_client import ServiceUnavailable
from backend.payment.providers.pse.client import GatewayClient
from backend.payment.providers.pse.login import GatewaySession
from backend.payment.providers.pse.requests import GatewayBases, GatewayCredentials
from backend.sandbox.gateway import FaultKind, Operation
from tests.gateway_kit import GatewayPractice, bank_payment, serve_app, set_retry_policy


def client_at(url: str, practice: GatewayPractice) -> GatewayClient:
    """Return a gateway client with the sandbox's keys, whose requests go to `url` over a real socket."""
    return set_retry_policy(
        GatewayClient(practice.client.credentials, GatewayBases.at_url(url), test_mode=True)
    )


def list_secrets(credentials: GatewayCredentials) -> list[str]:
    keys = (credentials.public_key, credentials.private_key, credentials.p_key)
    return [key.get_secret_value() for key in keys]


def assert_no_secret(text: str, client: GatewayClient) -> None:
    for secret in list_secrets(client.credentials):
        assert secret not in text


@pytest.fixture
def tokens(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return a set that collects the tokens of all logins."""
    found: set[str] = set()
    get_token = GatewaySession.get_token

    async def collect(session: GatewaySession) -> str:
        token = await get_token(session)
        found.add(token)
        return token

    monkeypatch.setattr(GatewaySession, "get_token", collect)
    return found


async def test_debug_log_of_gateway_calls_contains_no_key(
    practice: GatewayPractice, caplog: pytest.LogCaptureFixture, tokens: set[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    async with serve_app(practice.sandbox.app) as url, client_at(url, practice) as client:
        await client.get_banks()
        created = await client.create_bank_payment(bank_payment())
        await client.get_transaction(created.ticket_id or "")
        await client.get_transaction_by_reference(created.reference or "")
        await client.list_references("TR-1")
    assert "HTTP Request: GET" in caplog.text
    assert "bancos.json" in caplog.text
    assert "send_request_headers" in caplog.text
    assert_no_secret(caplog.text, client)
    assert len(tokens) == 2
    assert not [token for token in tokens if token in caplog.text]


def test_repr_of_gateway_objects_contains_no_key(practice: GatewayPractice) -> None:
    for thing in (practice.client, practice.client.credentials, vars(practice.client)):
        assert_no_secret(repr(thing), practice.client)


@pytest.mark.parametrize("operation", [Operation.LOGIN, Operation.BANKS, Operation.CREATE])
@pytest.mark.parametrize(
    "kind",
    [
        FaultKind.BAD_GATEWAY,
        FaultKind.MALFORMED,
        FaultKind.ERROR_ENVELOPE,
        FaultKind.UNAUTHORIZED,
        FaultKind.DROP_RESPONSE,
        FaultKind.REFUSAL,
    ],
)
async def test_error_of_a_gateway_call_contains_no_key(
    practice: GatewayPractice, operation: Operation, kind: FaultKind, tokens: set[str]
) -> None:
    calls: dict[Operation, Callable[[], Awaitable[Any]]] = {
        Operation.LOGIN: practice.client.get_banks,
        Operation.BANKS: practice.client.get_banks,
        Operation.CREATE: lambda: practice.client.create_bank_payment(bank_payment()),
    }
    practice.sandbox.faults.add(operation, kind, times=None)
    with pytest.raises(ShopError) as caught:
        await calls[operation]()
    error = caught.value
    told = "".join(traceback.format_exception(error, chain=True))
    text = f"{error!r} {error} {vars(error)} {told}"
    assert_no_secret(text, practice.client)
    assert not [token for token in tokens if token in text]


async def test_connection_error_contains_no_key(practice: GatewayPractice, unused_tcp_port: int) -> None:
    async with client_at(f"http://127.0.0.1:{unused_tcp_port}", practice) as client:
        with pytest.raises(ServiceUnavailable) as caught:
            await client.get_banks()
    assert_no_secret("".join(traceback.format_exception(caught.value)), client)
