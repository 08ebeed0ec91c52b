"""Notifications against a final state.

| the session | the notification says | the look-up says | what follows |
|---|---|---|---|
| captured | reversed | reversed | attention at once |
| captured | reversed | accepted, and later reversed | it is asked again; attention then |
| captured | reversed | accepted for good | asked a bounded number of times, then nothing |
| captured | accepted, by another message | accepted | asked once |
| rejected | accepted | rejected, and later accepted | it is asked again; attention then |
| rejected | canceled | rejected | asked once |
"""

from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select, update

from backend import subscriptions  # noqa: F401 - so that attention is raised
from backend.attention.models import Attention
from backend.cart.access import new_cart
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.jobs import Worker
from backend.jobs.models import Job
from backend.payment.models import PaymentNotification, PaymentSession
from backend.payment.notifications import HANDLE, MOST_CHECKS
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
    """A webhook, a bank that does what the test says, and one payment."""

    def __init__(
        self, gateway: httpx.AsyncClient, payments: PaymentService, bank: ScriptedBank, invoice: str
    ) -> None:
        self.database, self.gateway, self.payments = payments.database, gateway, payments
        self.bank, self.invoice = bank, invoice
        self.worker = Worker(self.database, [payments])

    async def tell(self, code: str) -> None:
        """The gateway notifies, and what is due is done once."""
        changes = {"x_cod_transaction_state": code, "x_response": WORDS[code]}
        await self.gateway.post(HOOK, data=notification(self.invoice, changes))
        await self.payments.inbox.stop()
        await self.worker.run_due(HANDLE)

    async def ask_again(self) -> int:
        """The time of what waits has come. Returns how many jobs ran."""
        async with self.database.transaction() as session:
            await session.execute(update(Job).values(run_at=PAST))
        return await self.worker.run_due(HANDLE)

    def says(self, state: ProviderState) -> None:
        self.bank.states[self.invoice] = state

    async def kinds(self) -> list[str]:
        async with self.database.read() as session:
            return list((await session.execute(select(Attention.kind))).scalars())

    async def unhandled(self) -> int:
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
            collection = await upsert_collection(session, None, await new_cart(session), AMOUNT)
            payment = await open_session(session, collection, "gateway_pse", {})
            payment.state, payment.reference, payment.captured_amount = "captured", "101767532", AMOUNT
        yield Desk(client, payments, bank, payment.invoice)


async def reject(desk: Desk) -> None:
    async with desk.database.transaction() as session:
        await session.execute(update(PaymentSession).values(state="rejected", captured_amount=None))


async def test_a_reversal_after_capture_opens_attention(desk: Desk) -> None:
    desk.says(S.CANCELED)
    await desk.tell("6")
    assert (await desk.kinds(), await desk.unhandled()) == (["payment_contradicted"], 0)
    async with desk.database.read() as session:
        assert (await session.execute(select(PaymentSession.state))).scalar_one() == "captured"


async def test_a_lookup_that_lags_behind_a_reversal_is_asked_again(desk: Desk) -> None:
    desk.says(S.CAPTURED)
    await desk.tell("6")
    assert (await desk.kinds(), await desk.unhandled()) == ([], 1)
    desk.says(S.CANCELED)
    assert await desk.ask_again() == 1
    assert (await desk.kinds(), await desk.unhandled()) == (["payment_contradicted"], 0)
    assert await desk.ask_again() == 0


async def test_a_reversal_that_the_lookup_never_knows_is_asked_about_for_a_bounded_time(desk: Desk) -> None:
    desk.says(S.CAPTURED)
    await desk.tell("6")
    for _ in range(MOST_CHECKS + 3):
        await desk.ask_again()
    assert (desk.bank.asked, await desk.kinds(), await desk.unhandled()) == (MOST_CHECKS, [], 0)


async def test_an_approval_that_is_told_again_is_asked_about_once(desk: Desk) -> None:
    desk.says(S.CAPTURED)
    await desk.tell("1")
    assert (desk.bank.asked, await desk.kinds(), await desk.unhandled()) == (1, [], 0)


async def test_a_lookup_that_lags_behind_a_late_approval_is_asked_again(desk: Desk) -> None:
    await reject(desk)
    desk.says(S.REJECTED)
    await desk.tell("1")
    assert (await desk.kinds(), await desk.unhandled()) == ([], 1)
    desk.says(S.CAPTURED)
    assert await desk.ask_again() == 1
    assert (await desk.kinds(), await desk.unhandled()) == (["approved_late"], 0)


async def test_another_end_without_money_is_asked_about_once(desk: Desk) -> None:
    await reject(desk)
    desk.says(S.REJECTED)
    await desk.tell("11")
    assert (desk.bank.asked, await desk.kinds(), await desk.unhandled()) == (1, [], 0)
