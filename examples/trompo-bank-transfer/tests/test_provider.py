"""The provider passes the contract that every payment provider of Trompo must pass."""

import pytest
from trompo_bank_transfer import BankTransfer

from backend.core.config.settings import Settings
from backend.core.money import Cop
from backend.payment.providers.base import SHOWN, PaymentRequest, parse_instructions
from backend.payment.providers.contract import PaymentProviderContract, ProviderHarness


class TransferHarness(ProviderHarness):
    """Harness with which the contract tests control the provider. It calls no service, so no failure is simulated."""

    failures = frozenset()
    states = frozenset()
    decides = False
    has_notifications = False
    has_test_payments = False

    def __init__(self) -> None:
        self.provider = BankTransfer(Settings())
        self.requested: list[str] = []

    async def build_request(self, invoice: str, amount: Cop) -> PaymentRequest:
        self.requested.append(invoice)
        return PaymentRequest(
            session_id=f"session-{invoice}",
            invoice=invoice,
            amount=amount,
            tax=0,
            description="Trompo de madera",
            return_url="https://shop.example/order/1",
            notification_url="https://shop.example/hooks/payment/bank_transfer",
            ip="190.1.2.3",
        )

    async def count_payments(self, invoice: str) -> int:
        return self.requested.count(invoice)


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANK_TRANSFER_ACCOUNT", "Banco de Bogotá, ahorros 000-111222-33")


class TestBankTransfer(PaymentProviderContract):
    @pytest.fixture
    def harness(self) -> TransferHarness:
        return TransferHarness()


async def test_customer_sees_account_and_reference() -> None:
    harness = TransferHarness()
    started = await harness.provider.initiate(await harness.build_request("TR-7", 38_000))
    account = "Banco de Bogotá, ahorros 000-111222-33"
    assert started.data[SHOWN] == {"account": account, "transfer_reference": "TR-7"}
    instructions = parse_instructions(started.data)
    assert instructions is not None
    assert instructions.facts == (("Cuenta", account), ("Referencia", "TR-7"))
