"""Payments at the practice gateway, its webhook at the shop, and look-ups with answers that a test may change."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
from fastapi import FastAPI
from sqlalchemy import select, update

from backend import subscriptions  # noqa: F401 - so that attention is raised
from backend.attention.models import Attention
from backend.cart.access import create_empty_cart
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.jobs import Worker
from backend.payment.models import PaymentSession
from backend.payment.notifications import NOTIFICATION_JOB
from backend.payment.providers.pse.client import create_gateway_client
from backend.payment.providers.pse.provider import GatewayPse
from backend.payment.routes import router
from backend.payment.service import PaymentService
from backend.payment.sessions import open_session, upsert_collection
from tests.backend.payment.test_notifications import HOOK, notification
from tests.gateway_kit import GatewayPractice, bank_payment, open_practice, set_retry_policy
from tests.store_defaults import set_up_defaults

AMOUNT = 89_900
_AMOUNT = re.compile(rb'"(x_amount|x_amount_ok|x_amount_country|valor|amount)": ?("[^"]*"|[^",}]+)')


@dataclass
class ChangedAnswers(httpx.AsyncBaseTransport):
    """A transport to the gateway that replaces each amount in its answers by `amount`, a JSON literal."""

    inner: httpx.AsyncBaseTransport
    amount: bytes = b""
    changed: int = field(default=0, init=False)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self.inner.handle_async_request(request)
        content = await answer.aread()
        if self.amount:
            content, count = _AMOUNT.subn(rb'"\1":' + self.amount, content)
            self.changed += count
        headers = {name: value for name, value in answer.headers.items() if name != "content-length"}
        return httpx.Response(answer.status_code, headers=headers, content=content)


@dataclass
class LookupDesk:
    """The shop's payments, the gateway, and the webhook that the gateway calls."""

    database: Database
    payments: PaymentService
    practice: GatewayPractice
    answers: ChangedAnswers
    webhook: httpx.AsyncClient

    async def start(self, *, is_answered: bool = True) -> PaymentSession:
        """Start a payment that the bank approves, but that still waits at the bank in the shop's database.

        If not `is_answered`, the shop did not get the gateway's answer to the start.
        """
        async with self.database.transaction() as session:
            collection = await upsert_collection(session, None, await create_empty_cart(session), AMOUNT)
            started = await open_session(session, collection, "gateway_pse", {})
            started.state = "pending_authorization" if is_answered else "unknown"
        asked = bank_payment(invoice=started.invoice, extra1=started.id, value=AMOUNT, tax=0, tax_base=AMOUNT)
        created = await self.practice.client.create_bank_payment(asked)
        if is_answered:
            started.reference, started.ticket_id = created.reference, created.ticket_id
            async with self.database.transaction() as session:
                row = update(PaymentSession).where(PaymentSession.id == started.id)
                await session.execute(row.values(reference=created.reference, ticket_id=created.ticket_id))
        await self.practice.choose(created.redirect_url, "approve")
        assert created.reference is not None
        started.reference = created.reference
        return started

    async def notify(self, invoice: str, reference: str, session_id: str = "") -> None:
        """Send a genuine notification of an approval."""
        changes = {"x_extra1": session_id} if session_id else {}
        answer = await self.webhook.post(HOOK, data=notification(invoice, changes, reference=reference))
        assert answer.status_code == 200
        await self.payments.inbox.stop()

    async def work(self) -> None:
        """Handle every stored notification once."""
        await Worker(self.database, [self.payments]).run_due(NOTIFICATION_JOB)

    async def stored(self, started: PaymentSession) -> PaymentSession:
        """Return the stored session."""
        async with self.database.read() as session:
            return await session.get_one(PaymentSession, started.id)

    async def attention(self) -> list[tuple[str, str | None]]:
        """Return the kind and the payment session of every attention."""
        async with self.database.read() as session:
            rows = await session.execute(select(Attention.kind, Attention.payment_session_id))
            return [(kind, session_id) for kind, session_id in rows]


@asynccontextmanager
async def open_desk(database: Database, settings: Settings) -> AsyncIterator[LookupDesk]:
    """Open the desk on this database."""
    await set_up_defaults(database, settings)
    async with open_practice(database, settings) as practice:
        answers = ChangedAnswers(practice.sandbox.transport())
        async with set_retry_policy(create_gateway_client(settings, answers)) as client:
            payments = PaymentService(database, {"gateway_pse": GatewayPse(client, database)})
            app = FastAPI()
            app.include_router(router)
            app.state.payments = payments
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://shop") as webhook:
                yield LookupDesk(database, payments, practice, answers, webhook)
