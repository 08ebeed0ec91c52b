"""A second payment provider fits the port: its own body, signature and states, from the button to the refund.

It speaks nested JSON, signs the whole body with an HMAC in a header, and gives money back. Nothing of the shop is
changed for it: it is handed to `Shop`, as one in `backend/payment/providers` would be listed in `registry.py`.
"""

import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.channels.models import Region
from backend.core.config.settings import Settings
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData, OutsideFailure
from backend.core.money import Cop
from backend.payment.models import PaymentNotification, PaymentSession
from backend.payment.providers.base import (
    CheckedPayer,
    InitiationResult,
    Notification,
    PaymentProvider,
    PaymentRequest,
    ProviderReport,
    ProviderState,
    StartedPayment,
    Verdict,
)
from tests.store_defaults import Defaults, add_product
from tests.store_steps import create_cart_with_shipping, get, post, read_ok

HOOK = "/hooks/payment/tiny_pay"
SECRET = b"a secret that both know"
PRICE = 40_000


@dataclass
class TinyBank:
    """The provider's server: a JSON service whose fields and states differ from those of the gateway."""

    payments: dict[str, JsonObject] = field(default_factory=dict)
    given_back: dict[str, list[int]] = field(default_factory=dict)
    is_down: bool = False

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if self.is_down:
            return httpx.Response(503)
        match request.method, request.url.path.strip("/").split("/"):
            case "POST", ["payments"]:
                asked = json.loads(request.content)
                number = f"tp_{len(self.payments) + 1}"
                self.payments[number] = {"number": number, "stage": "open", **asked}
                return httpx.Response(201, json=self.payments[number])
            case "GET", ["payments", number]:
                return httpx.Response(200, json=self.payments[number])
            case "POST", ["payments", number, "refunds"]:
                self.given_back.setdefault(number, []).append(json.loads(request.content)["units"])
                return httpx.Response(200, json={})
        return httpx.Response(404)

    def build_webhook_request(self, number: str, secret: bytes = SECRET) -> dict[str, Any]:
        """Return the webhook request that the bank sends when a payment changes."""
        payment = self.payments[number]
        event = {"event": {"kind": "changed", "payment": {**payment, "order": {"ref": payment["ref"]}}}}
        body = json.dumps(event).encode()
        signature = hmac.new(secret, body, hashlib.sha512).hexdigest()
        return {"content": body, "headers": {"X-Tiny-Signature": f"v1={signature}"}}


class TinyPay(PaymentProvider):
    """A provider that implements every method, with `TinyBank` as its server."""

    id = "tiny_pay"
    can_refund = True

    states: ClassVar = {
        "open": ProviderState.PENDING,
        "settled": ProviderState.CAPTURED,
        "declined": ProviderState.REJECTED,
        "dropped": ProviderState.CANCELED,
    }

    def __init__(self, bank: TinyBank) -> None:
        self._http = httpx.AsyncClient(transport=httpx.MockTransport(bank), base_url="https://tiny.example")

    async def check_payer(self, answers: Mapping[str, Any]) -> CheckedPayer:
        wallet = str(answers.get("wallet", ""))
        if len(wallet) != 10:
            raise InvalidData("Revisa los datos marcados.", fields={"wallet": "Escribe tu celular."})
        return CheckedPayer({"wallet": wallet})

    async def initiate(self, request: PaymentRequest) -> InitiationResult:
        total = {"units": request.amount, "money": "cop"}
        asked = {"ref": request.invoice, "total": total, **request.payer.answers}
        made = await self._ask("POST", "/payments", asked)
        return InitiationResult(
            state=ProviderState.PENDING_AUTHORIZATION,
            redirect_url=f"https://tiny.example/pay/{made['number']}",
            reference=made["number"],
        )

    async def status(self, session: StartedPayment) -> ProviderReport:
        if session.reference is None:
            return ProviderReport(state=ProviderState.UNKNOWN)
        found = await self._ask("GET", f"/payments/{session.reference}")
        return ProviderReport(
            state=self.states.get(found["stage"], ProviderState.UNKNOWN),
            amount=Decimal(found["total"]["units"]),
            currency=found["total"]["money"].upper(),
            invoice=found["ref"],
            reference=found["number"],
            code=found["stage"],
        )

    def read_notification(
        self, raw: bytes, headers: Mapping[str, str], query: Mapping[str, str]
    ) -> Notification:
        try:
            payment = json.loads(raw)["event"]["payment"]
        except (ValueError, LookupError, TypeError):
            return Notification(verdict=Verdict.MALFORMED)
        signature = hmac.new(SECRET, raw, hashlib.sha512).hexdigest()
        genuine = hmac.compare_digest(headers.get("x-tiny-signature", ""), f"v1={signature}")
        return Notification(
            verdict=Verdict.GENUINE if genuine else Verdict.FORGED,
            dedupe_key=f"{payment['number']}:{payment['stage']}",
            invoice=payment["order"]["ref"],
            reference=payment["number"],
            is_final=payment["stage"] != "open",
            fields={"number": payment["number"], "stage": payment["stage"]},
        )

    async def refund(self, session: StartedPayment, amount: Cop) -> None:
        await self._ask("POST", f"/payments/{session.reference}/refunds", {"units": amount})

    async def close(self) -> None:
        await self._http.aclose()

    async def _ask(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self._http.request(method, path, json=body)
        if not answer.is_success:
            raise OutsideFailure(f"Tiny pay answered with HTTP {answer.status_code}")
        return answer.json()


@pytest.fixture
def bank() -> TinyBank:
    return TinyBank()


@pytest.fixture
async def shop(database_url: str, tmp_path: Path, bank: TinyBank) -> AsyncIterator[Shop]:
    settings = Settings(data_dir=tmp_path / "data", database_url=database_url)
    shop = Shop(settings, extra_payment_providers=[TinyPay(bank)])
    yield shop
    await shop.stop()


@pytest.fixture
async def variant(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        await session.execute(update(Region).values(payment_providers=["gateway_pse", "tiny_pay"]))
        return await add_product(session, shop_defaults, "trompo", stock=3, price=PRICE)


async def _place_order(store: httpx.AsyncClient, variant: str) -> tuple[dict[str, Any], str]:
    """Return an order whose payment waits at the second provider, and the provider's number of the payment."""
    cart_id = await create_cart_with_shipping(store, variant)
    owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    started = await post(
        store,
        f"/store/payment-collections/{owed['id']}/payment-sessions",
        {"provider_id": "tiny_pay", "data": {"wallet": "3001234567"}},
    )
    (session,) = started["payment_collection"]["payment_sessions"]
    assert session["status"] == "pending_authorization"
    order = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    return order, session["data"]["redirect_url"].rsplit("/", 1)[1]


async def _payment_status(store: httpx.AsyncClient, order: dict[str, Any]) -> str:
    shown = await get(store, f"/store/orders/{order['id']}", token=order["access_token"])
    return str(shown["order"]["payment_status"])


async def _notify(anyone: httpx.AsyncClient, shop: Shop, **letter: Any) -> None:
    answer = await anyone.post(HOOK, **letter)
    assert (answer.status_code, answer.text) == (200, "OK")
    await shop.payments.inbox.stop()
    await shop.worker.run_due("payment.notification")


async def test_notification_pays_the_order_and_the_payment_can_be_refunded(  # noqa: PLR0917 (fixtures)
    store: httpx.AsyncClient,
    anyone: httpx.AsyncClient,
    admin: httpx.AsyncClient,
    shop: Shop,
    bank: TinyBank,
    variant: str,
) -> None:
    order, number = await _place_order(store, variant)
    await _notify(anyone, shop, **bank.build_webhook_request(number))
    assert await _payment_status(store, order) == "awaiting"
    bank.payments[number]["stage"] = "settled"
    await _notify(anyone, shop, **bank.build_webhook_request(number))
    assert await _payment_status(store, order) == "captured"

    (payment,) = (await get(admin, "/admin/payments"))["payments"]
    assert (payment["provider_id"], payment["amount"]) == ("tiny_pay", order["total"])
    refund = f"/admin/payments/{payment['id']}/refund"
    await read_ok(await admin.post(refund, json={"amount": 1_000}))
    too_much = await admin.post(refund, json={"amount": order["total"]})
    assert too_much.status_code == 400
    bank.is_down = True
    assert (await admin.post(refund)).status_code == 502
    bank.is_down = False
    await read_ok(await admin.post(refund))
    assert bank.given_back == {number: [1_000, order["total"] - 1_000]}
    assert (await admin.post(refund)).status_code == 400


@pytest.mark.parametrize(("stage", "status"), [("declined", "canceled"), ("dropped", "canceled")])
async def test_declined_or_dropped_payment_is_shown_as_canceled(  # noqa: PLR0917 (fixtures)
    store: httpx.AsyncClient,
    anyone: httpx.AsyncClient,
    shop: Shop,
    bank: TinyBank,
    variant: str,
    stage: str,
    status: str,
) -> None:
    order, number = await _place_order(store, variant)
    bank.payments[number]["stage"] = stage
    await _notify(anyone, shop, **bank.build_webhook_request(number))
    assert await _payment_status(store, order) == status


async def test_unsigned_notification_has_no_effect(
    store: httpx.AsyncClient, anyone: httpx.AsyncClient, shop: Shop, bank: TinyBank, variant: str
) -> None:
    order, number = await _place_order(store, variant)
    bank.payments[number]["stage"] = "settled"
    await _notify(anyone, shop, **bank.build_webhook_request(number, secret=b"a guess"))
    await _notify(anyone, shop, content=b"{")
    # a genuine notification of another provider has no effect at this address
    assert (
        await anyone.post("/hooks/payment/gateway_pse", **bank.build_webhook_request(number))
    ).status_code == 200
    await shop.payments.inbox.stop()
    assert await shop.worker.run_due("payment.notification") == 0
    assert await _payment_status(store, order) == "awaiting"
    async with shop.database.read() as session:
        verdicts = (await session.execute(select(PaymentNotification.verdict))).scalars()
    assert sorted(verdicts) == ["forged", "malformed", "malformed"]


async def test_missing_answer_of_the_payer_is_reported(
    store: httpx.AsyncClient, shop: Shop, bank: TinyBank, variant: str
) -> None:
    cart_id = await create_cart_with_shipping(store, variant)
    owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    path = f"/store/payment-collections/{owed['id']}/payment-sessions"
    (asking,) = (await post(store, path, {"provider_id": "tiny_pay"}))["payment_collection"][
        "payment_sessions"
    ]
    assert asking["status"] == "requires_more"
    assert [answer["message"] for answer in asking["data"]["missing"]] != []
    refused = await store.post(path, json={"provider_id": "tiny_pay", "data": {"nosuch": "answer"}})
    assert refused.status_code == 400
    assert bank.payments == {}
    async with shop.database.read() as session:
        states = (await session.execute(select(PaymentSession.state))).scalars().all()
    assert "initiating" not in states
