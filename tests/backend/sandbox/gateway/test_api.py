from base64 import b64encode
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.payment.providers.pse.requests import GatewayCredentials, encrypt, encrypt_body, to_sdk_fields
from backend.sandbox.gateway import FaultKind, Operation, SandboxGateway
from backend.sandbox.gateway.api import TOKEN_LIFETIME, is_valid_token, issue_token
from tests.gateway_kit import PUBLIC_BASE, GatewayPractice, bank_payment, open_practice

LOGIN, CREATE = "/v1/auth/login", "/restpagos/pagos/debitos.json"
MOMENT = datetime(2026, 1, 31, 12, tzinfo=UTC)

README_SAMPLE = {
    "bank": "1022", "invoice": "1472050778", "description": "pay test", "value": "10000", "tax": "0", "tax_base": "0",
    "currency": "COP", "type_person": "0", "doc_type": "CC", "doc_number": "10358519", "name": "testing",
    "last_name": "PAYCO", "email": "no-responder@payco.co", "country": "CO", "cell_phone": "3010000001",
    "ip": "190.000.000.000", "url_response": "https://ejemplo.com/respuesta.html",
    "url_confirmation": "https://ejemplo.com/confirmacion", "metodoconfirmacion": "GET",
    "extra1": "", "extra2": "", "extra3": "", "extra4": "", "extra5": "", "extra6": "",
}  # fmt: skip
"""The example of the official SDK's documentation."""


class RawClient:
    """An HTTP client of the gateway, independent of the shop's own gateway client."""

    def __init__(self, practice: GatewayPractice) -> None:
        self.keys: GatewayCredentials = practice.client.credentials
        self.http = httpx.AsyncClient(transport=practice.sandbox.transport(), base_url="http://gateway.test")
        self.public_key = self.keys.public_key.get_secret_value()
        self.private_key = self.keys.private_key.get_secret_value()

    async def token(self) -> str:
        answer = await self.http.post(
            LOGIN, json={"public_key": self.public_key, "private_key": self.private_key}
        )
        return str(answer.json()["bearer_token"])

    async def call(self, method: str, path: str, **kwargs: Any) -> httpx.Response:
        return await self.http.request(
            method, path, headers={"Authorization": f"Bearer {await self.token()}"}, **kwargs
        )

    def body(self, **fields: str) -> dict[str, Any]:
        return encrypt_body({**README_SAMPLE, **fields}, self.keys, test_mode=True)

    async def create(self, body: Any) -> dict[str, Any]:
        answer = await self.call("POST", CREATE, json=body)
        assert answer.status_code == 200
        result: dict[str, Any] = answer.json()
        return result


@pytest.fixture
async def practice(sqlite_url: str, settings: Settings) -> AsyncIterator[GatewayPractice]:
    """Yield a sandbox gateway on SQLite only: these tests check its responses, not its storage."""
    database = Database(sqlite_url)
    async with open_practice(database, settings) as parts:
        yield parts
    await database.close()


@pytest.fixture
def raw(practice: GatewayPractice) -> RawClient:
    return RawClient(practice)


async def test_documented_example_of_a_payment_is_accepted(raw: RawClient) -> None:
    answer = await raw.create(raw.body())
    assert (answer["success"], answer["last_action"]) == (True, "get bank url")
    data = answer["data"]
    assert (data["factura"], data["valor"], data["estado"], data["cod_respuesta"]) == (
        "1472050778",
        "10000",
        "Pendiente",
        3,
    )
    assert data["transactionID"] == data["autorizacion"]
    assert data["ticketId"] == data["recibo"]
    assert isinstance(data["ref_payco"], int)
    assert data["extras_epayco"] == {"extra5": "P44"}
    assert data["urlbanco"].startswith(f"{PUBLIC_BASE}/bank/")


@pytest.mark.parametrize(
    "keys", [{}, {"public_key": "x", "private_key": "y"}, {"public_key": 1, "private_key": None}, []]
)
async def test_wrong_keys_are_refused(raw: RawClient, keys: Any) -> None:
    assert (await raw.http.post(LOGIN, json=keys)).status_code == 401
    assert (await raw.http.post(LOGIN, content=b"{")).status_code == 401


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/restpagos/pse/bancos.json"),
        ("POST", CREATE),
        ("GET", "/restpagos/pse/transactioninfomation.json"),
        ("GET", "/restpagos/transaction/response.json"),
        ("POST", "/transaction/detail"),
    ],
)
async def test_lookup_with_the_token_of_the_other_gateway_service_is_refused(
    raw: RawClient, method: str, path: str
) -> None:
    assert (await raw.http.request(method, path)).status_code == 401
    other = "restpagos" if path == "/transaction/detail" else "apify"
    headers = {"Authorization": f"Bearer {issue_token(raw.private_key, other, datetime.now(UTC))}"}
    assert (await raw.http.request(method, path, headers=headers)).status_code == 401


async def test_lookup_requires_the_public_key(raw: RawClient) -> None:
    for path in ("pse/bancos.json", "pse/transactioninfomation.json", "transaction/response.json"):
        answer = await raw.call("GET", f"/restpagos/{path}", params={"public_key": "another"})
        assert answer.json()["status"] is False


async def test_newer_gateway_service_has_a_separate_login(raw: RawClient) -> None:
    keys = f"{raw.public_key}:{raw.private_key}".encode()
    answer = await raw.http.post("/login", headers={"Authorization": f"Basic {b64encode(keys).decode()}"})
    assert is_valid_token(answer.json()["token"], raw.private_key, "apify", datetime.now(UTC))
    assert (await raw.http.post("/login", headers={"Authorization": "Basic eDp5"})).status_code == 401


@pytest.mark.parametrize(
    "change",
    [
        {"public_key": "another"},
        {"i": "MDAwMDAwMDAwMDAwMDAwMA=="},  # the encryption of the other SDKs
        {"lenguaje": "php"},
        {"p": ""},
        {"valor": "10000"},  # not encrypted
        {"valor": 10000},
        {"banco": "x7+ghdqNgH03jYG/y1lwig=="},  # encrypted like the other SDKs
        {"test": encrypt("FALSE", "00112233445566778899aabbccddeeff")},  # contradicts `enpruebas`
        {"enpruebas": None},
        {"extras_epayco": ["P44"]},
    ],
)
async def test_wrongly_encrypted_body_is_answered_with_an_error_without_data(
    raw: RawClient, change: dict[str, Any]
) -> None:
    answer = await raw.create({**raw.body(), **change})
    assert answer["last_action"] == "Ingresar pago debito Pse"
    assert "data" not in answer


@pytest.mark.parametrize("body", [[], "text", None, 7])
async def test_body_that_is_not_an_object_is_answered_with_an_error(raw: RawClient, body: Any) -> None:
    assert (await raw.create(body))["last_action"] == "Ingresar pago debito Pse"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        *(({name: ""}, "E001") for name in (
            "bank", "invoice", "description", "value", "currency", "type_person", "doc_type", "doc_number", "name",
            "last_name", "email", "country", "cell_phone", "ip", "url_response", "url_confirmation",
        )),
        ({"currency": "USD"}, "E001"),
        ({"value": "10.000,00"}, "E001"),
        ({"value": "-10000"}, "E001"),
        ({"description": "x" * 81}, "E001"),
        ({"description": 'a "b"'}, "E001"),
        ({"cell_phone": "+573010000001"}, "E001"),
        ({"url_response": "javascript:alert(1)"}, "E001"),
        ({"url_confirmation": "http://["}, "E001"),
        ({"type_person": "1"}, "E002"),
        ({"doc_type": "NIT"}, "E002"),
        ({"doc_number": "1"}, "E003"),
        ({"tax": "1900", "tax_base": "10000"}, "E004"),
        ({"tax": "x"}, "E004"),
        ({"value": "1599"}, "E014"),
    ],
)  # fmt: skip
async def test_invalid_field_is_refused_with_its_code(
    raw: RawClient, fields: dict[str, str], code: str
) -> None:
    answer = await raw.create(raw.body(**fields))
    assert answer["success"] is False
    assert answer["last_action"] == "validation transaction"
    assert answer["data"]["totalerrores"] == 1
    assert answer["data"]["errores"][0]["codError"] == code


async def test_amounts_may_have_two_decimals(raw: RawClient) -> None:
    answer = await raw.create(raw.body(value="11900.00", tax="1900.00", tax_base="10000"))
    assert answer["data"]["valor"] == "11900.00"


async def test_public_lookup_masks_the_payer_and_finds_only_references_of_the_browser(
    raw: RawClient, practice: GatewayPractice
) -> None:
    created = await practice.client.create_bank_payment(bank_payment())
    back = await practice.choose(created.redirect_url, "approve")
    reference = httpx.URL(back.headers["location"]).params["ref_payco"]
    found = (await raw.http.get(f"/validation/v1/reference/{reference}")).json()["data"]
    assert (found["x_ref_payco"], found["x_amount"]) == (int(created.reference or ""), 119_000)
    assert found["x_customer_email"] == "ma****"
    for other in (created.reference, "f" * 24):
        answer = await raw.http.get(f"/validation/v1/reference/{other}")
        assert (answer.status_code, answer.json()["status"]) == (200, False)


async def test_too_long_reference_is_not_found(raw: RawClient) -> None:
    for reference in ("9" * 30, "1' OR 1=1", "１"):
        answer = await raw.call(
            "GET",
            "/restpagos/transaction/response.json",
            params={"ref_payco": reference, "public_key": raw.public_key},
        )
        assert answer.json()["status"] is False


@given(st.data())
def test_changed_token_is_refused(data: st.DataObject) -> None:
    token = issue_token("secret", "restpagos", MOMENT)
    assert is_valid_token(token, "secret", "restpagos", MOMENT)
    at = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.characters(exclude_categories=["Cs"]).filter(lambda c: c != token[at]))
    assert not is_valid_token(token[:at] + other + token[at + 1 :], "secret", "restpagos", MOMENT)


@pytest.mark.parametrize("token", ["", "a", "a.b", "a.b.c", "..."])
def test_text_that_is_not_a_token_is_refused(token: str) -> None:
    assert not is_valid_token(token, "secret", "restpagos", MOMENT)


def test_gateway_token_expires() -> None:
    token = issue_token("secret", "restpagos", MOMENT)
    assert is_valid_token(token, "secret", "restpagos", MOMENT + TOKEN_LIFETIME - timedelta(seconds=1))
    assert not is_valid_token(token, "secret", "restpagos", MOMENT + TOKEN_LIFETIME)
    assert not is_valid_token(token, "another", "restpagos", MOMENT)


async def test_gateway_faults_can_be_planned_over_http(raw: RawClient, practice: GatewayPractice) -> None:
    path = "/_control/faults"
    body = {"operation": "banks", "kind": "slow", "times": 2, "seconds": 0.5}
    answer = await raw.http.post(path, json=body)
    assert answer.status_code == 201
    assert answer.json()["faults"] == practice.sandbox.faults.describe_faults()
    assert practice.sandbox.faults.take(Operation.BANKS) is not None
    assert (await raw.http.get(path)).json()["faults"][0]["times"] == 1
    assert (await raw.http.delete(path)).json() == {"faults": []}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"operation": "banks"},
        {"operation": "banks", "kind": "rain"},
        {"operation": "banks", "kind": "slow", "x": 1},
    ],
)
async def test_unknown_fault_is_refused(
    raw: RawClient, practice: GatewayPractice, body: dict[str, Any]
) -> None:
    assert (await raw.http.post("/_control/faults", json=body)).status_code == 400
    assert practice.sandbox.faults.describe_faults() == []


async def test_fault_routes_exist_only_if_enabled(practice: GatewayPractice, database: Database) -> None:
    plain = SandboxGateway(database, httpx.AsyncClient(), practice.client.credentials, PUBLIC_BASE)
    async with httpx.AsyncClient(transport=plain.transport(), base_url="http://gateway.test") as http:
        assert (
            await http.post("/_control/faults", json={"operation": "any", "kind": "hang"})
        ).status_code == 404


def test_planned_gateway_fault_happens_the_given_number_of_times(practice: GatewayPractice) -> None:
    faults = practice.sandbox.faults
    faults.add(Operation.BANKS, FaultKind.SLOW, times=2)
    faults.add(Operation.ANY, FaultKind.BAD_GATEWAY, times=None)
    kinds = [fault.kind for _ in range(4) if (fault := faults.take(Operation.BANKS))]
    assert kinds == [FaultKind.SLOW, FaultKind.SLOW, FaultKind.BAD_GATEWAY, FaultKind.BAD_GATEWAY]
    assert faults.take(Operation.NOTIFICATION) is None


async def test_sandbox_gateway_reads_the_fields_that_the_shops_client_sends(
    raw: RawClient, settings: Settings
) -> None:
    body = encrypt_body(to_sdk_fields(bank_payment()), raw.keys, test_mode=True)
    answer = await raw.create(body)
    assert answer["data"]["descripcion"] == "Trompo de madera x 2"
    assert (answer["data"]["iva"], answer["data"]["baseiva"]) == ("19000", "100000")
