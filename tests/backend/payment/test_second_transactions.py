"""Second transactions: a final notification with another number of our invoice than the session's.

| the first session | the look-up of the second number | what follows |
|---|---|---|
| any | fails, lags or is under review, and later reports approved | checked again; the approval counts |
| any | fails or lags for two days | attention after eight checks; checked with growing gaps; then it stays open |
| any | the same, and then reports the end | the attention is closed |
| any | the same, and a staff member has resolved it | no second attention |
| any | refused, as in the notification | checked once |
| any | refused, and the notification reports approved | checked again; the approval counts |
| captured by the second number | approved, and the notification reports reversed | checked again; attention |
| open | another invoice's, and ours lags | checked again; ours counts |
| rejected | another invoice's | checked once |
| any | fails, and the number is another payment's | no attention |
| any | the notification is not final | checked once |
| captured | the notification has no number | the first transaction is checked |
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import select, update

from backend import subscriptions  # noqa: F401 - so that attention is raised
from backend.attention.models import Attention
from backend.cart.access import create_empty_cart
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import OutsideFailure
from backend.jobs import Worker
from backend.jobs.models import Job
from backend.payment.checks import MAX_CHECK_INTERVAL
from backend.payment.models import PaymentNotification, PaymentSession
from backend.payment.notifications import (
    MAX_LAGGING_CHECKS,
    MAX_SECOND_CHECKS,
    NOTIFICATION_JOB,
    store_notification,
)
from backend.payment.providers.base import (
    Notification,
    ProviderReport,
    ProviderState,
    StartedPayment,
    Verdict,
)
from backend.payment.service import PaymentService
from backend.payment.sessions import open_session, upsert_collection
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.backend.payment.test_notifications import AMOUNT, PAST
from tests.store_defaults import set_up_defaults

S = ProviderState
FIRST, SECOND = "101", "999"


@dataclass
class NumberedBank(ScriptedBank):
    """A bank with a report for each number in `reports`. The lookup of any other number fails."""

    reports: dict[str, ProviderReport] = field(default_factory=dict)
    asked_numbers: list[str | None] = field(default_factory=list)

    async def status(self, session: StartedPayment) -> ProviderReport:
        self.asked_numbers.append(session.reference)
        if session.reference not in self.reports:
            raise OutsideFailure("the gateway is down")
        return self.reports[session.reference]


@dataclass
class Desk:
    """The inbox of notifications, and a payment whose first transaction is at the bank."""

    payments: PaymentService
    bank: NumberedBank
    invoice: str

    @property
    def database(self) -> Database:
        return self.payments.database

    async def open_payment(self, **columns: Any) -> str:
        """Open another payment session with these columns. Return its invoice."""
        return await open_payment(self.database, **columns)

    async def set_session(self, **columns: Any) -> None:
        async with self.database.transaction() as session:
            ours = update(PaymentSession).where(PaymentSession.invoice == self.invoice)
            await session.execute(ours.values(**columns))

    def report(self, number: str, state: ProviderState, *, invoice: str | None = None) -> None:
        """Set the bank's report about this number. With `invoice`, it reports another payment's invoice."""
        if invoice is not None:
            self.bank.reports[number] = ProviderReport(state=S.UNKNOWN, invoice=invoice)
            return
        self.bank.reports[number] = ProviderReport(
            state=state, amount=Decimal(AMOUNT), currency="COP", invoice=self.invoice, reference=number
        )

    async def notify(
        self, state: ProviderState = S.CAPTURED, number: str | None = SECOND, *, is_final: bool = True
    ) -> None:
        """Store a notification of our invoice, and run the due jobs."""
        notification = Notification(
            verdict=Verdict.GENUINE,
            dedupe_key=f"{number} {state}",
            invoice=self.invoice,
            reference=number,
            state=state,
            is_final=is_final,
        )
        await store_notification(self.database, self.bank.id, notification, "")
        await self.work()

    async def work(self) -> None:
        async with self.database.transaction() as session:
            await session.execute(update(Job).where(Job.kind == NOTIFICATION_JOB).values(run_at=PAST))
        await Worker(self.database, [self.payments]).run_due(NOTIFICATION_JOB)

    async def get_next_delay_s(self) -> float | None:
        """Return the seconds until the notification job runs again, or None if it is done."""
        async with self.database.read() as session:
            waiting = (
                (await session.execute(select(Job.delay_s).where(Job.kind == NOTIFICATION_JOB)))
                .scalars()
                .all()
            )
            handled = (await session.execute(select(PaymentNotification.handled_at))).scalars().all()
        assert len(waiting) == handled.count(None)
        return waiting[0] if waiting else None

    async def sessions(self) -> dict[str, str]:
        """Return the states of all sessions by invoice. The key of the first session is empty."""
        async with self.database.read() as session:
            found = await session.execute(select(PaymentSession.invoice, PaymentSession.state))
            return {invoice.removeprefix(self.invoice): state for invoice, state in found}

    async def attention(self) -> list[tuple[str, bool]]:
        """Return (kind, True if open) of each attention, sorted."""
        async with self.database.read() as session:
            rows = (await session.execute(select(Attention))).scalars()
            return sorted((row.kind, row.resolved_at is None) for row in rows)


async def open_payment(database: Database, **columns: Any) -> str:
    async with database.transaction() as session:
        collection = await upsert_collection(session, None, await create_empty_cart(session), AMOUNT)
        payment = await open_session(session, collection, "gateway_pse", {})
        for name, value in columns.items():
            setattr(payment, name, value)
    return payment.invoice


@pytest.fixture
async def desk(database: Database, settings: Settings) -> AsyncIterator[Desk]:
    await set_up_defaults(database, settings)
    bank = NumberedBank()
    payments = PaymentService(database, {bank.id: bank})
    desk = Desk(payments, bank, await open_payment(database, state="pending_authorization", reference=FIRST))
    desk.report(FIRST, S.PENDING)
    yield desk
    await payments.stop()


async def set_first_state(desk: Desk, first: str) -> None:
    """Bring the desk's first session into this state, and let the bank report the same state."""
    if first != "pending_authorization":
        await desk.set_session(state=first, captured_amount=AMOUNT if first == "captured" else None)
        desk.report(FIRST, S(first))


FIRST_STATES = pytest.mark.parametrize(
    ("first", "sessions", "attention"),
    [
        ("pending_authorization", {"": "captured"}, "paid_without_order"),  # the cart is empty
        ("rejected", {"": "rejected", f"/{SECOND}": "captured"}, "paid_without_order"),
        ("captured", {"": "captured", f"/{SECOND}": "held"}, "paid_twice"),
    ],
)


@FIRST_STATES
@pytest.mark.parametrize("missing", [None, S.UNKNOWN, S.PENDING, S.PENDING_AUTHORIZATION, S.HELD])
async def test_second_transaction_is_checked_until_its_approval_is_reported(
    desk: Desk, first: str, sessions: dict[str, str], attention: str, missing: ProviderState | None
) -> None:
    await set_first_state(desk, first)
    if missing is S.UNKNOWN:
        desk.bank.reports[SECOND] = ProviderReport(state=S.UNKNOWN)
    elif missing is not None:
        desk.report(SECOND, missing)

    await desk.notify()

    assert (await desk.get_next_delay_s(), await desk.sessions(), await desk.attention()) == (
        20,
        {"": first},
        [],
    )
    desk.report(SECOND, S.CAPTURED)
    await desk.work()
    assert (await desk.get_next_delay_s(), await desk.sessions()) == (None, sessions)
    assert await desk.attention() == [(attention, True)]


@FIRST_STATES
async def test_second_transaction_still_undecided_after_quick_checks_raises_attention(
    desk: Desk, first: str, sessions: dict[str, str], attention: str
) -> None:
    await set_first_state(desk, first)
    await desk.notify()
    for _ in range(MAX_LAGGING_CHECKS - 2):
        await desk.work()
    assert (await desk.attention(), await desk.get_next_delay_s()) == ([], 20)

    await desk.work()

    assert (await desk.attention(), await desk.get_next_delay_s()) == ([("payment_unresolved", True)], 40)
    async with desk.database.read() as session:
        row = (await session.execute(select(Attention))).scalar_one()
        payment = (await session.execute(select(PaymentSession))).scalar_one()
    assert (row.subject_id, row.payment_session_id) == (f"{desk.invoice}/{SECOND}", payment.id)
    assert (row.amount, row.data) == (AMOUNT, {"state": first, "reference": SECOND})
    assert f"outcome of its transaction {SECOND}" in row.message
    desk.report(SECOND, S.CAPTURED)
    await desk.work()
    assert (await desk.get_next_delay_s(), await desk.sessions()) == (None, sessions)
    assert await desk.attention() == sorted([("payment_unresolved", False), (attention, True)])


async def test_undecided_second_transaction_is_checked_for_two_days(desk: Desk) -> None:
    await desk.notify()
    gaps = [await desk.get_next_delay_s()]
    while gaps[-1] is not None:
        await desk.work()
        gaps.append(await desk.get_next_delay_s())
    assert len(gaps) == MAX_SECOND_CHECKS
    waits = [gap for gap in gaps if gap is not None]
    assert waits == sorted(waits)
    assert waits[-1] == MAX_CHECK_INTERVAL.total_seconds()
    assert 44 < sum(waits) / 3600 < 50
    assert desk.bank.asked_numbers.count(SECOND) == MAX_SECOND_CHECKS
    assert await desk.attention() == [("payment_unresolved", True)]


@pytest.mark.parametrize("resolution", ["honor", "refunded", "dismissed"])
async def test_second_transaction_resolved_by_staff_raises_no_second_attention(
    desk: Desk, resolution: str
) -> None:
    await desk.notify()
    for _ in range(MAX_LAGGING_CHECKS):
        await desk.work()
    async with desk.database.transaction() as session:
        settled = {"resolved_at": PAST, "resolved_by": "staff_1", "resolution": resolution}
        await session.execute(update(Attention).values(settled))

    await desk.work()

    assert await desk.attention() == [("payment_unresolved", False)]


@pytest.mark.parametrize("first", ["pending_authorization", "rejected", "captured"])
async def test_refused_second_transaction_is_checked_once(desk: Desk, first: str) -> None:
    await set_first_state(desk, first)
    desk.report(SECOND, S.REJECTED)
    await desk.notify(S.REJECTED)
    assert (await desk.get_next_delay_s(), await desk.sessions(), await desk.attention()) == (
        None,
        {"": first},
        [],
    )
    assert desk.bank.asked_numbers == [SECOND]


@FIRST_STATES
async def test_lookup_that_contradicts_an_approval_of_a_second_transaction_is_repeated(
    desk: Desk, first: str, sessions: dict[str, str], attention: str
) -> None:
    await set_first_state(desk, first)
    desk.report(SECOND, S.REJECTED)
    await desk.notify(S.CAPTURED)
    assert await desk.get_next_delay_s() == 20
    desk.report(SECOND, S.CAPTURED)
    await desk.work()
    assert (await desk.get_next_delay_s(), await desk.sessions()) == (None, sessions)
    assert await desk.attention() == [(attention, True)]


async def test_lookup_that_keeps_contradicting_an_approval_is_repeated_a_limited_time(desk: Desk) -> None:
    desk.report(SECOND, S.REJECTED)
    await desk.notify(S.CAPTURED)
    for _ in range(MAX_LAGGING_CHECKS + 3):
        await desk.work()
    assert (await desk.get_next_delay_s(), await desk.attention()) == (None, [])
    assert desk.bank.asked_numbers == [SECOND] * MAX_LAGGING_CHECKS


async def test_lookup_that_does_not_yet_report_a_second_reversal_is_repeated(
    desk: Desk,
) -> None:
    await set_first_state(desk, "rejected")
    desk.report(SECOND, S.CAPTURED)
    await desk.notify(S.CAPTURED)
    await desk.notify(S.CANCELED)
    assert await desk.get_next_delay_s() == 20
    desk.report(SECOND, S.CANCELED)
    await desk.work()
    assert await desk.get_next_delay_s() is None
    assert await desk.sessions() == {"": "rejected", f"/{SECOND}": "captured"}
    assert ("payment_contradicted", True) in await desk.attention()


async def test_checks_continue_after_a_notification_with_the_number_of_another_invoice(desk: Desk) -> None:
    """Check a notification whose number belongs to another payment, while the gateway still reports ours as pending."""
    desk.report(SECOND, S.UNKNOWN, invoice="TR-another")
    await desk.notify()
    assert (await desk.get_next_delay_s(), await desk.sessions()) == (20, {"": "pending_authorization"})
    desk.report(FIRST, S.CAPTURED)
    await desk.work()
    assert (await desk.get_next_delay_s(), await desk.sessions()) == (None, {"": "captured"})


async def test_notification_with_the_number_of_another_invoice_raises_no_attention(desk: Desk) -> None:
    desk.report(SECOND, S.UNKNOWN, invoice="TR-another")
    await desk.notify()
    for _ in range(MAX_LAGGING_CHECKS + 3):
        await desk.work()
    assert (await desk.get_next_delay_s(), await desk.attention()) == (None, [])
    assert desk.bank.asked_numbers.count(SECOND) == MAX_LAGGING_CHECKS


async def test_notified_number_of_another_invoice_is_looked_up_once_after_the_payment_ended(
    desk: Desk,
) -> None:
    await set_first_state(desk, "rejected")
    desk.report(SECOND, S.UNKNOWN, invoice="TR-another")
    await desk.notify()
    assert (await desk.get_next_delay_s(), desk.bank.asked_numbers) == (None, [SECOND])


async def test_notification_with_the_number_of_another_payment_raises_no_attention(desk: Desk) -> None:
    """Check that no attention is raised, because the other payment's own checks look this number up."""
    await desk.open_payment(state="pending_authorization", reference=SECOND)
    await desk.notify()
    for _ in range(MAX_LAGGING_CHECKS - 1):
        assert await desk.get_next_delay_s() == 20
        await desk.work()
    assert (await desk.get_next_delay_s(), await desk.attention()) == (None, [])


async def test_notification_without_a_final_state_causes_no_repeated_lookup(desk: Desk) -> None:
    await desk.notify(S.PENDING, is_final=False)
    assert (await desk.get_next_delay_s(), desk.bank.asked_numbers) == (None, [SECOND, FIRST])


async def test_notification_without_a_number_causes_a_check_of_the_known_transaction(desk: Desk) -> None:
    await set_first_state(desk, "captured")
    await desk.notify(number=None)
    assert (await desk.get_next_delay_s(), desk.bank.asked_numbers) == (None, [FIRST])
    assert (await desk.sessions(), await desk.attention()) == ({"": "captured"}, [])
