"""Effects of a provider's report on a payment session: its new state, and the values that are stored with it."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from sqlalchemy import select

from backend import subscriptions  # noqa: F401 - so that attention is raised
from backend.attention.models import Attention
from backend.core.db.database import Database
from backend.core.observability import tracing_export
from backend.core.observability.tracing import start_tracing, stop_tracing
from backend.jobs.models import Job
from backend.payment.checks import check_session
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderReport, ProviderState
from backend.payment.states import SessionState
from backend.payment.transitions import CHECK_JOB, CloseReason, apply_report, close, lock_session
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.backend.payment.conftest import AMOUNT, StartSession


async def _read_session(database: Database, payment: PaymentSession) -> PaymentSession:
    async with database.read() as session:
        return await session.get_one(PaymentSession, payment.id)


@pytest.mark.parametrize(
    ("reported", "state"),
    [
        (ProviderState.PENDING, SessionState.PENDING_AUTHORIZATION),
        (ProviderState.UNKNOWN, SessionState.PENDING_AUTHORIZATION),
        (ProviderState.AUTHORIZED, SessionState.AUTHORIZED),
        (ProviderState.REJECTED, SessionState.REJECTED),
        (ProviderState.CANCELED, SessionState.CANCELED),
        (ProviderState.EXPIRED, SessionState.EXPIRED),
        (ProviderState.HELD, SessionState.HELD),
    ],
)
async def test_applied_report_returns_the_state_of_the_session(
    sqlite: Database, start_session: StartSession, reported: ProviderState, state: SessionState
) -> None:
    payment = await start_session()
    assert await apply_report(sqlite, payment.id, ProviderReport(state=reported)) is state
    assert (await _read_session(sqlite, payment)).state == state


@pytest.mark.parametrize(
    ("amount", "pesos", "exact"),
    [("89900", 89_900, {}), ("89900.00", 89_900, {}), ("89899.50", 89_899, {"exact_amount": "89899.50"})],
)
async def test_exact_approved_amount_is_stored_only_if_it_has_cents(
    sqlite: Database, start_session: StartSession, amount: str, pesos: int, exact: dict[str, str]
) -> None:
    payment = await start_session()
    report = ProviderReport(state=ProviderState.CAPTURED, amount=Decimal(amount), currency="COP")
    await apply_report(sqlite, payment.id, report)
    stored = await _read_session(sqlite, payment)
    assert stored.captured_amount == pesos
    assert {name: value for name, value in stored.data.items() if name == "exact_amount"} == exact


async def test_report_updates_only_the_payment_details_that_it_contains(
    sqlite: Database, start_session: StartSession
) -> None:
    payment = await start_session(data={"bank_name": "BANCOLOMBIA", "reason": "Iniciada"})
    report = ProviderReport(
        state=ProviderState.PENDING,
        text="Pendiente",
        code="3",
        occurred_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    await apply_report(sqlite, payment.id, report)
    assert (await _read_session(sqlite, payment)).data == {
        "bank_name": "BANCOLOMBIA",
        "reason": "Pendiente",
        "code": "3",
        "occurred_at": "2026-01-01T00:00:00+00:00",
    }


async def test_closed_session_is_checked_again_after_three_minutes(
    sqlite: Database, start_session: StartSession
) -> None:
    payment = await start_session()
    async with sqlite.transaction() as session:
        locked, cart = await lock_session(session, payment.id)
        await close(session, locked, cart, CloseReason.REPLACED)
    async with sqlite.read() as session:
        checks = await session.execute(select(Job.key, Job.delay_s).where(Job.kind == CHECK_JOB))
        assert [tuple(row) for row in checks] == [(payment.id, 3 * 60)]


@pytest.mark.parametrize(
    ("report", "missing"),
    [
        ({"state": ProviderState.CANCELED}, AMOUNT),
        ({"amount": Decimal(AMOUNT - 1)}, 1),
        ({"amount": Decimal(AMOUNT) + Decimal("0.50")}, None),
        ({"amount": Decimal(AMOUNT + 1)}, None),
        ({"amount": Decimal(AMOUNT), "currency": "USD"}, None),
    ],
)
async def test_contradicted_capture_raises_attention_with_the_missing_pesos(
    sqlite: Database, start_session: StartSession, report: dict[str, Any], missing: int | None
) -> None:
    payment = await start_session(state="captured", captured_amount=AMOUNT)
    reported = {"state": ProviderState.CAPTURED, "currency": "COP", **report}
    assert await apply_report(sqlite, payment.id, ProviderReport(**reported)) is SessionState.CAPTURED
    async with sqlite.read() as session:
        rows = await session.execute(
            select(Attention.kind, Attention.amount).where(Attention.resolved_at.is_(None))
        )
        assert [tuple(row) for row in rows] == [("payment_contradicted", missing)]


@pytest.fixture
async def exporter(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[InMemorySpanExporter]:
    """Collect the spans in memory. They are complete when tracing has stopped."""
    exporter = InMemorySpanExporter()
    monkeypatch.setattr(tracing_export, "create_exporter", lambda _endpoint: exporter)
    start_tracing("")
    yield exporter
    await stop_tracing()


async def test_trace_of_a_payment_check_contains_the_applied_report(
    sqlite: Database,
    scripted_bank: ScriptedBank,
    start_session: StartSession,
    exporter: InMemorySpanExporter,
) -> None:
    await check_session(sqlite, {scripted_bank.id: scripted_bank}, await start_session())
    await stop_tracing()
    spans = {one.name: one for one in exporter.get_finished_spans()}
    assert spans["apply_report"].parent == spans["check_session"].context
