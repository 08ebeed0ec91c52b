"""The providers of this program pass the contract of payment providers, and so does one in a package of its own."""

from collections.abc import AsyncIterator
from dataclasses import replace
from urllib.parse import urlencode

import pytest
from sqlalchemy import Select, func, select
from sqlmodel import col

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.money import Cop
from backend.migrations.sandbox_tables import SandboxTransaction
from backend.payment.providers.base import (
    PaymentRequest,
    ProviderState,
    StartedPayment,
)
from backend.payment.providers.contract import (
    Failure,
    PaymentProviderContract,
    ProviderHarness,
    RawNotification,
)
from backend.payment.providers.pse.provider import GatewayPse
from backend.payment.providers.pse.reports import PROVIDER_STATES
from backend.payment.providers.system_default import SystemDefault
from backend.sandbox.gateway import FaultKind, Operation
from backend.sandbox.gateway.responses import notification_fields
from tests.gateway_kit import HOOK, MARIA, RETURN, GatewayPractice, open_practice


def build_request(invoice: str, amount: Cop) -> PaymentRequest:
    return PaymentRequest(
        session_id=f"session-{invoice}",
        invoice=invoice,
        amount=amount,
        tax=0,
        description="Trompo de madera",
        return_url=RETURN,
        notification_url=HOOK,
        ip="190.1.2.3",
    )


class PseHarness(ProviderHarness):
    """The PSE provider and the embedded gateway."""

    def __init__(self, practice: GatewayPractice, database: Database) -> None:
        self.practice = practice
        self.database = database
        self.provider = self.pse = GatewayPse(practice.client, database)

    async def build_request(self, invoice: str, amount: Cop) -> PaymentRequest:
        return replace(build_request(invoice, amount), payer=await self.pse.check_payer(MARIA))

    async def count_payments(self, invoice: str) -> int:
        query = select(func.count()).where(col(SandboxTransaction.invoice) == invoice)
        async with self.database.read() as session:
            return (await session.execute(query)).scalar_one()

    async def decide(self, started: StartedPayment, state: ProviderState, amount: Cop) -> None:
        code = next(code for code, known in PROVIDER_STATES.items() if known is state)
        await self._change(started, int(code), valor=str(amount))

    async def build_notification(self, started: StartedPayment) -> RawNotification:
        return await self._build(started, forged=False)

    async def forge_notification(self, started: StartedPayment) -> RawNotification:
        return await self._build(started, forged=True)

    def fail(self, failure: Failure) -> None:
        match failure:
            case Failure.REFUSAL:
                self.practice.sandbox.faults.add(Operation.CREATE, FaultKind.REFUSAL)
            case Failure.LOST_ANSWER:
                self.practice.sandbox.faults.add(Operation.CREATE, FaultKind.DROP_RESPONSE)
            case Failure.OUTAGE:
                self.practice.sandbox.faults.add(Operation.ANY, FaultKind.BAD_GATEWAY, times=None)

    def recover(self) -> None:
        self.practice.sandbox.faults.clear()

    async def mark_as_test(self, started: StartedPayment) -> None:
        await self._change(started, enpruebas="TRUE")
        self.practice.client.test_mode = False

    async def _build(self, started: StartedPayment, *, forged: bool) -> RawNotification:
        async with self.database.read() as session:
            transaction = (await session.execute(_transaction(started))).scalar_one()
        keys = self.practice.client.credentials
        fields = notification_fields(transaction, transaction.state, keys, forged=forged)
        return RawNotification(urlencode(fields).encode())

    async def _change(self, started: StartedPayment, state: int | None = None, **fields: str) -> None:
        async with self.database.transaction() as session:
            transaction = (await session.execute(_transaction(started))).scalar_one()
            transaction.fields = {**transaction.fields, **fields}
            transaction.state = transaction.state if state is None else state


def _transaction(started: StartedPayment) -> Select[SandboxTransaction]:
    return select(SandboxTransaction).where(col(SandboxTransaction.invoice) == started.invoice)


class TestGatewayPse(PaymentProviderContract):
    @pytest.fixture
    async def harness(self, sqlite_url: str, settings: Settings) -> AsyncIterator[PseHarness]:
        database = Database(sqlite_url)
        async with open_practice(database, settings) as practice:
            yield PseHarness(practice, database)
        await database.close()


class ManualHarness(ProviderHarness):
    """The platform's manual provider. It has no service, so nothing can fail."""

    failures = frozenset()
    states = frozenset()
    decides = False
    has_notifications = False
    has_test_payments = False

    def __init__(self) -> None:
        self.provider = SystemDefault()
        self.requested: list[str] = []

    async def build_request(self, invoice: str, amount: Cop) -> PaymentRequest:
        self.requested.append(invoice)
        return build_request(invoice, amount)

    async def count_payments(self, invoice: str) -> int:
        return self.requested.count(invoice)


class TestSystemDefault(PaymentProviderContract):
    @pytest.fixture
    def harness(self) -> ManualHarness:
        return ManualHarness()
