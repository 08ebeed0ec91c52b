"""No key shows anywhere: not in a repr, not in a log at its most talkative, not in an error and its causes."""

import logging
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from backend.core.errors import ShopError
from backend.core.web.http_client import ServiceUnavailable
from backend.payment.providers.pse.client import GatewayClient
from backend.payment.providers.pse.requests import GatewayBases, GatewayCredentials
from backend.sandbox.gateway import Kind, Operation
from tests.gateway_kit import Practice, hasty, payment, served


def client_at(url: str, practice: Practice) -> GatewayClient:
    """A client over a real socket."""
    return hasty(GatewayClient(practice.client.credentials, GatewayBases.under(url), test_mode=True))


def secrets_of(credentials: GatewayCredentials) -> list[str]:
    keys = (credentials.public_key, credentials.private_key, credentials.p_key)
    return [key.get_secret_value() for key in keys]


def assert_tells_nothing(text: str, client: GatewayClient) -> None:
    for secret in secrets_of(client.credentials):
        assert secret not in text
    for token in (client._channel.restpagos._token, client._channel.apify._token):
        assert token is None or token.text not in text


async def test_nothing_of_a_key_is_in_the_log(practice: Practice, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with served(practice.sandbox.app) as url, client_at(url, practice) as client:
        await client.get_banks()
        created = await client.create_bank_payment(payment())
        await client.transaction(created.ticket_id or "")
        await client.transaction_by_reference(created.reference or "")
        await client.references_of("TR-1")
    assert "HTTP Request: GET" in caplog.text
    assert "bancos.json" in caplog.text
    assert "send_request_headers" in caplog.text
    assert_tells_nothing(caplog.text, client)


def test_nothing_of_a_key_is_in_a_repr(practice: Practice) -> None:
    for thing in (
        practice.client,
        practice.client.credentials,
        practice.client._channel,
        vars(practice.client),
    ):
        assert_tells_nothing(repr(thing), practice.client)


@pytest.mark.parametrize("operation", [Operation.LOGIN, Operation.BANKS, Operation.CREATE])
@pytest.mark.parametrize(
    "kind",
    [
        Kind.BAD_GATEWAY,
        Kind.MALFORMED,
        Kind.ERROR_ENVELOPE,
        Kind.UNAUTHORIZED,
        Kind.DROP_RESPONSE,
        Kind.REFUSAL,
    ],
)
async def test_nothing_of_a_key_is_in_an_error(practice: Practice, operation: Operation, kind: Kind) -> None:
    calls: dict[Operation, Callable[[], Awaitable[Any]]] = {
        Operation.LOGIN: practice.client.get_banks,
        Operation.BANKS: practice.client.get_banks,
        Operation.CREATE: lambda: practice.client.create_bank_payment(payment()),
    }
    practice.sandbox.faults.add(operation, kind, times=None)
    with pytest.raises(ShopError) as caught:
        await calls[operation]()
    error = caught.value
    told = "".join(traceback.format_exception(error, chain=True))
    assert_tells_nothing(f"{error!r} {error} {vars(error)} {told}", practice.client)


async def test_nothing_of_a_key_is_in_an_error_of_the_connection(
    practice: Practice, unused_tcp_port: int
) -> None:
    async with client_at(f"http://127.0.0.1:{unused_tcp_port}", practice) as client:
        with pytest.raises(ServiceUnavailable) as caught:
            await client.get_banks()
    assert_tells_nothing("".join(traceback.format_exception(caught.value)), client)
