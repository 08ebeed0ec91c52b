"""Compare our requests with the bytes that the official Node SDK 1.4.4 sent for the same input; test encryption."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from backend.payment.providers.pse.client import GatewayClient
from backend.payment.providers.pse.requests import (
    INITIALISATION,
    BankPayment,
    GatewayBases,
    GatewayCredentials,
    decrypt,
    encode_key,
    encrypt,
    encrypt_body,
    to_sdk_fields,
)

RECORDED = Path(__file__).parent / "recorded" / "official-sdk-node-1.4.4.jsonl"
CREDENTIALS = GatewayCredentials(
    public_key=SecretStr("PUBKEYTEST"),
    private_key=SecretStr("00112233445566778899aabbccddeeff"),
    cust_id="99999",
    p_key=SecretStr("0123456789abcdef0123456789abcdef01234567"),
)
TOKEN = "JWT.TEST.TOKEN"
PAYMENT = BankPayment(
    bank="1022",
    invoice="ORD-1",
    description="pay test",
    value=10000,
    tax=0,
    tax_base=0,
    type_person="0",
    doc_type="CC",
    doc_number="10358519",
    name="testing",
    last_name="ñandú",
    email="a@b.co",
    department="Antioquia",
    city="Medellín",
    phone="3010000001",
    cell_phone="3010000001",
    address="Cr 4",
    ip="190.0.0.1",
    url_response="https://s/r",
    url_confirmation="https://s/c",
    extra1="x1",
)


def recorded(path: str, nth: int = 0) -> dict[str, Any]:
    calls: list[dict[str, Any]] = [json.loads(line) for line in RECORDED.read_text().splitlines()]
    return [call for call in calls if call["path"].partition("?")[0].endswith(path)][nth]


class Recorder:
    """A transport that stores every request, and returns a fixed successful response."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if request.url.path.endswith("/login"):
            return httpx.Response(200, json={"bearer_token": TOKEN})
        if request.method == "POST":
            return httpx.Response(200, json={"success": True, "data": {"urlbanco": "https://bank.example/1"}})
        return httpx.Response(200, json={"success": True, "data": []})


def client(recorder: Recorder) -> GatewayClient:
    # the recording's own addresses: the SDK was pointed to one host with a path for the second
    bases = GatewayBases(api="http://recorded.test", secure="http://recorded.test/SECURE")
    return GatewayClient(CREDENTIALS, bases, test_mode=True, transport=httpx.MockTransport(recorder))


def assert_same_headers(sent: httpx.Request, theirs: dict[str, Any]) -> None:
    """Check that our request has the SDK's headers, except `Accept`, which differs between HTTP libraries."""
    for name in set(theirs["headers"]) - {"Accept"}:
        assert sent.headers[name] == theirs["headers"][name], name


async def test_login_and_payment_requests_equal_those_of_the_sdk_byte_by_byte() -> None:
    recorder = Recorder()
    async with client(recorder) as gateway:
        await gateway.create_bank_payment(PAYMENT)
    login, create = recorder.requests
    for sent, theirs in ((login, recorded("/auth/login")), (create, recorded("/debitos.json"))):
        assert (sent.method, sent.url.path) == (theirs["method"], theirs["path"])
        assert sent.content.decode() == theirs["body"]
        assert_same_headers(sent, theirs)


async def test_lookups_call_the_same_urls_as_the_official_sdk() -> None:
    recorder = Recorder()
    async with client(recorder) as gateway:
        await gateway.get_banks()
        await gateway.get_transaction("TICKET1")
        await gateway.get_transaction_by_reference("101")
    login, banks, by_ticket, by_reference = recorder.requests
    assert login.url.path == "/v1/auth/login"
    for sent, path in (
        (banks, "/pse/bancos.json"),
        (by_ticket, "/pse/transactioninfomation.json"),
        (by_reference, "/transaction/response.json"),
    ):
        theirs = recorded(path)
        assert sent.method == theirs["method"] == "GET"
        assert sent.url.path == theirs["path"].partition("?")[0]
        assert set(sent.url.params) == set(httpx.URL("http://x" + theirs["path"]).params)
        assert sent.url.params["public_key"] == "PUBKEYTEST"
        assert_same_headers(sent, theirs)
        assert sent.content == b""


def test_encrypted_body_with_other_fields_matches_the_sdk() -> None:
    theirs = recorded("/debitos.json", nth=1)
    body = encrypt_body({"bank": "", "ip": "1.1.1.1"}, CREDENTIALS, test_mode=True)
    assert json.dumps(body, separators=(",", ":")) == theirs["body"]


def test_payment_session_id_is_sent_only_if_there_is_one() -> None:
    given, without = to_sdk_fields(PAYMENT), to_sdk_fields(replace(PAYMENT, extra1=""))
    assert "extra1" not in without
    assert given == {**without, "extra1": "x1"}


KEY = "00112233445566778899aabbccddeeff"


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("1022", "IqLdwtf6ECc+B7MQqNTSlA=="),
        ("TRUE", "Ovwuvjw1ToZFZP/KFjR8KQ=="),
        ("0", "EiGB/Hl8Alw9nizHEVzbAQ=="),
        ("P44", "jXB+eJ7EZV/lc3DyZpnAjw=="),
        ("", "AGV+oUBlWkR4J0dwXUIvrQ=="),
    ],
)
def test_encryption_matches_the_published_values(text: str, hidden: str) -> None:
    assert encrypt(text, KEY) == hidden
    assert decrypt(hidden, KEY) == text


def test_encryption_key_and_initialisation_are_encoded_like_the_sdk() -> None:
    assert encode_key(KEY) == "ABEiM0RVZneImaq7zN3u/w=="
    assert INITIALISATION == "AAAAAAAAAAA="


@given(text=st.text(), key=st.binary(min_size=16, max_size=16))
def test_decrypt_restores_the_text_that_was_encrypted(text: str, key: bytes) -> None:
    assert decrypt(encrypt(text, key.hex()), key.hex()) == text


@pytest.mark.parametrize(
    "hidden", ["no base64!", "", "AAAA", "JqLdwtf6ECc+B7MQqNTSlA==", "x7+ghdqNgH03jYG/y1lwig=="]
)
def test_invalid_ciphertext_is_refused(hidden: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (the message is the library's)
        decrypt(hidden, KEY)
