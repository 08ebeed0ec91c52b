"""Notifications against a final state.

| the session | the notification reports | the look-up reports | result |
|---|---|---|---|
| captured | reversed | reversed | attention at once |
| captured | reversed | accepted, and later reversed | checked again; then attention |
| captured | reversed | always accepted | checked a limited number of times, then nothing |
| captured | accepted, by another message | accepted | checked once |
| rejected | accepted | rejected, and later accepted | checked again; then attention |
| rejected | canceled | rejected | checked once |
"""

from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select, update

from backend import subscriptions  # noqa: F401 - so that attention is raised
from backend.attention.models import Attention
from backend.cart.access import create_empty_cart
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.jobs import Worker
from backend.jobs.models import Job
from backend.payment.models import PaymentNotification, PaymentSession
from backend.payment.notifications import MAX_LAGGING_CHECKS, NOTIFICATION_JOB
from backend.payment.providers.base import ProviderState
from backend.payment.routes import router
from backend.payment.service import PaymentService
from backend.payment.sessions import open_session, upsert_collection
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.backend.payment.test_notifications import AMOUNT, HOOK, PAST, notification
from tests.store_defaults import set_up_defaults

WORDS = {"1": "Aceptada", "2": "Rechazada", "6": "Reversada", "11": "Cancelada"}
S = ProviderState


class Desk:
    """A webhook, a bank that follows the test's script, and one payment."""

    def __init__(
        self, gateway: httpx.AsyncClient, payments: PaymentService, bank: ScriptedBank, invoice: str
    ) -> None:
        self.database, self.gateway, self.payments = payments.database, gateway, payments
        self.bank, self.invoice = bank, invoice
        self.worker = Worker(self.database, [payments])

    async def notify(self, code: str) -> None:
        """Send a notification of the gateway, and run the due jobs once."""
        changes = {"x_cod_transaction_state": code, "x_response": WORDS[code]}
        await self.gateway.post(HOOK, data=notification(self.invoice, changes))
        await self.payments.inbox.stop()
        await self.worker.run_due(NOTIFICATION_JOB)

    async def run_due_jobs(self) -> int:
        """Make all jobs due, and run the notification jobs. Return the number of run jobs."""
        async with self.database.transaction() as session:
            await session.execute(update(Job).values(run_at=PAST))
        return await self.worker.run_due(NOTIFICATION_JOB)

    def set_bank_state(self, state: ProviderState) -> None:
        self.bank.states[self.invoice] = state

    async def list_attention_kinds(self) -> list[str]:
        async with self.database.read() as session:
            return list((await session.execute(select(Attention.kind))).scalars())

    async def count_unhandled(self) -> int:
        async with self.database.read() as session:
            waiting = PaymentNotification.handled_at.is_(None)
            return len((await session.execute(select(PaymentNotification.id).where(waiting))).all())


@pytest.fixture
async def desk(database: Database, settings: Settings) -> AsyncIterator[Desk]:
    await set_up_defaults(database, settings)
    bank = ScriptedBank()
    payments = PaymentService(database, {bank.id: bank})
    app = FastAPI()
    app.include_router(router)
    app.state.payments = payments
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop") as client:
        async with database.transaction() as session:
            collection = await upsert_collection(session, None, await create_empty_cart(session), AMOUNT)
            payment = await open_session(session, collection, "gateway_pse", {})
            payment.state, payment.reference, payment.captured_amount = "captured", "101767532", AMOUNT
        yield Desk(client, payments, bank, payment.invoice)


async def reject(desk: Desk) -> None:
    async with desk.database.transaction() as session:
        await session.execute(update(PaymentSession).values(state="rejected", captured_amount=None))


async def test_notification_of_a_reversal_after_capture_raises_attention(desk: Desk) -> None:
    desk.set_bank_state(S.CANCELED)
    await desk.notify("6")
    assert (await desk.list_attention_kinds(), await desk.count_unhandled()) == (["payment_contradicted"], 0)
    async with desk.database.read() as session:
        assert (await session.execute(select(PaymentSession.state))).scalar_one() == "captured"


async def test_lookup_that_does_not_yet_report_a_reversal_is_repeated(desk: Desk) -> None:
    desk.set_bank_state(S.CAPTURED)
    await desk.notify("6")
    assert (await desk.list_attention_kinds(), await desk.count_unhandled()) == ([], 1)
    desk.set_bank_state(S.CANCELED)
    assert await desk.run_due_jobs() == 1
    assert (await desk.list_attention_kinds(), await desk.count_unhandled()) == (["payment_contradicted"], 0)
    assert await desk.run_due_jobs() == 0


async def test_reversal_that_no_lookup_reports_is_checked_a_limited_number_of_times(desk: Desk) -> None:
    desk.set_bank_state(S.CAPTURED)
    await desk.notify("6")
    for _ in range(MAX_LAGGING_CHECKS + 3):
        await desk.run_due_jobs()
    assert (desk.bank.asked, await desk.list_attention_kinds(), await desk.count_unhandled()) == (
        MAX_LAGGING_CHECKS,
        [],
        0,
    )


async def test_repeated_notification_of_an_approval_causes_one_lookup(desk: Desk) -> None:
    desk.set_bank_state(S.CAPTURED)
    await desk.notify("1")
    assert (desk.bank.asked, await desk.list_attention_kinds(), await desk.count_unhandled()) == (1, [], 0)


async def test_lookup_that_does_not_yet_report_a_late_approval_is_repeated(desk: Desk) -> None:
    await reject(desk)
    desk.set_bank_state(S.REJECTED)
    await desk.notify("1")
    assert (await desk.list_attention_kinds(), await desk.count_unhandled()) == ([], 1)
    desk.set_bank_state(S.CAPTURED)
    assert await desk.run_due_jobs() == 1
    assert (await desk.list_attention_kinds(), await desk.count_unhandled()) == (["approved_late"], 0)


async def test_notification_of_another_final_state_without_money_causes_one_lookup(desk: Desk) -> None:
    await reject(desk)
    desk.set_bank_state(S.REJECTED)
    await desk.notify("11")
    assert (desk.bank.asked, await desk.list_attention_kinds(), await desk.count_unhandled()) == (1, [], 0)
