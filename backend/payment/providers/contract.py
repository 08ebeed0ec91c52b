"""Tests that every payment provider must pass. They are part of the program, so that other packages can use them.

In a package with a provider, with pytest and pytest-asyncio (`asyncio_mode = "auto"`):

    class TestMyBank(PaymentProviderContract):
        @pytest.fixture
        async def harness(self) -> AsyncIterator[ProviderHarness]:
            yield MyBankHarness()

`MyBankHarness` connects the provider to a test double of its service: see `ProviderHarness`. Tests about something
that the provider does not do, such as notifications, are skipped.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from typing import NoReturn

import pytest

from backend.core.errors import (
    InvalidData,
    NotImplementedByProvider,
    OutcomeUnknown,
    OutsideFailure,
    PaymentFailed,
)
from backend.core.money import Cop
from backend.payment.providers.base import (
    InitiationResult,
    Notification,
    PaymentProvider,
    PaymentRequest,
    ProviderState,
    StartedPayment,
    Verdict,
    parse_instructions,
)

FINAL = (ProviderState.CAPTURED, ProviderState.REJECTED, ProviderState.CANCELED, ProviderState.EXPIRED)
WAITING = (ProviderState.PENDING, ProviderState.PENDING_AUTHORIZATION, ProviderState.AUTHORIZED)


class Failure(StrEnum):
    """A fault of the provider's service."""

    REFUSAL = "refusal"
    """It refuses the next payment."""
    LOST_ANSWER = "lost_answer"
    """It starts the next payment, and the connection breaks before the answer."""
    OUTAGE = "outage"
    """It answers nothing until `recover` is called."""


@dataclass(frozen=True)
class RawNotification:
    """A notification as it arrives over HTTP. The names of `headers` are in lower case."""

    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)


class ProviderHarness(ABC):
    """A provider and a test double of its service, which the tests control.

    Attributes:
        failures: the faults that the test double can produce.
        states: the final states that its service knows.
        decides: False if staff decide about the money, so that the service never reports CAPTURED by itself.
        has_notifications: True if its service sends notifications.
        has_test_payments: True if its service marks payments that move no money.
    """

    provider: PaymentProvider
    failures: frozenset[Failure] = frozenset(Failure)
    states: frozenset[ProviderState] = frozenset(FINAL)
    decides: bool = True
    has_notifications: bool = True
    has_test_payments: bool = True

    @abstractmethod
    async def build_request(self, invoice: str, amount: Cop) -> PaymentRequest:
        """Return a valid request with this invoice and amount. Its session id is `session-` and the invoice."""

    @abstractmethod
    async def count_payments(self, invoice: str) -> int:
        """Return the number of payments that the test double of the service has started for this `invoice`."""

    async def decide(self, started: StartedPayment, state: ProviderState, amount: Cop) -> None:
        """End the payment at the service in this state, with this amount."""
        self._lacks("decide")

    async def build_notification(self, started: StartedPayment) -> RawNotification:
        """Return the notification that the service sends about the payment's current state."""
        self._lacks("build_notification")

    async def forge_notification(self, started: StartedPayment) -> RawNotification:
        """Return the notification of `build_notification`, but with the signature of an attacker without the secret."""
        self._lacks("forge_notification")

    def fail(self, failure: Failure) -> None:
        """Make the test double of the service fail in this way."""
        self._lacks("fail")

    def recover(self) -> None:
        """Make the service answer again after `Failure.OUTAGE`."""
        self._lacks("recover")

    async def mark_as_test(self, started: StartedPayment) -> None:
        """Mark the payment at the service as a test, although the provider is configured for real money."""
        self._lacks("mark_as_test")

    def _lacks(self, method: str) -> NoReturn:
        raise NotImplementedError(f"{type(self).__name__} does not implement {method}")


class PaymentProviderContract:
    """The tests of the contract. A subclass has a fixture `harness`, which returns a new `ProviderHarness`."""

    async def test_started_payment_waits_and_tells_where_to_pay(self, harness: ProviderHarness) -> None:
        started = await _start(harness)
        if harness.provider.leaves_shop:
            assert started.state is ProviderState.PENDING_AUTHORIZATION
            assert started.redirect_url is not None
            assert started.redirect_url.startswith(("https://", "http://"))
        else:
            assert started.state is ProviderState.PENDING
            assert started.redirect_url is None

    async def test_checkout_page_can_show_the_provider(self, harness: ProviderHarness) -> None:
        provider = harness.provider
        _require(bool(provider.shopper_name))
        assert all(one.name.startswith(f"{provider.id}_") and one.label for one in provider.payer_fields)
        instructions = parse_instructions((await _start(harness)).data)
        # without the page of a bank, only the instructions say how to pay
        assert provider.leaves_shop or instructions is not None
        if instructions is not None:
            assert instructions.method
            assert instructions.text

    async def test_two_payments_have_different_numbers(self, harness: ProviderHarness) -> None:
        one, other = await _start(harness, "A-1"), await _start(harness, "A-2")
        if one.reference is not None:
            assert one.reference != other.reference
        assert (one.redirect_url is None) or one.redirect_url != other.redirect_url

    async def test_look_up_of_a_waiting_payment_reports_no_end(self, harness: ProviderHarness) -> None:
        started = await _start(harness)
        report = await harness.provider.status(_started_payment(started))
        assert report.state in WAITING
        assert report.invoice in (None, "A-1")

    async def test_look_up_reports_each_end_with_amount_and_currency(self, harness: ProviderHarness) -> None:
        _require(harness.decides)
        for number, state in enumerate(sorted(harness.states)):
            invoice = f"A-{number}"
            started = _started_payment(await _start(harness, invoice), invoice)
            await harness.decide(started, state, started.amount)
            report = await harness.provider.status(started)
            assert report.state is state
            assert report.invoice == invoice
            if state is ProviderState.CAPTURED:
                assert (report.amount, report.currency) == (Decimal(started.amount), "COP")

    async def test_another_amount_is_reported_and_not_hidden(self, harness: ProviderHarness) -> None:
        _require(harness.decides)
        started = _started_payment(await _start(harness))
        await harness.decide(started, ProviderState.CAPTURED, started.amount - 1)
        assert (await harness.provider.status(started)).amount == Decimal(started.amount - 1)

    async def test_repeated_look_ups_report_the_same(self, harness: ProviderHarness) -> None:
        started = _started_payment(await _start(harness))
        if harness.decides:
            await harness.decide(started, ProviderState.CAPTURED, started.amount)
        first = await harness.provider.status(started)
        assert await harness.provider.status(started) == first

    async def test_capture_and_cancel_report_the_payment(self, harness: ProviderHarness) -> None:
        started = _started_payment(await _start(harness))
        if harness.decides:
            await harness.decide(started, ProviderState.CAPTURED, started.amount)
        captured = await harness.provider.capture(started)
        assert captured.state is ProviderState.CAPTURED
        assert captured.amount == Decimal(started.amount)
        if harness.decides:  # captured money is not lost by a later cancellation
            assert (await harness.provider.cancel(started)).state is ProviderState.CAPTURED

    async def test_look_up_of_an_unknown_payment_is_not_a_refusal(self, harness: ProviderHarness) -> None:
        _require(harness.decides)
        stranger = StartedPayment(session_id="session-Z-9", invoice="Z-9", amount=5_000)
        assert (await harness.provider.status(stranger)).state is ProviderState.UNKNOWN

    async def test_payment_in_another_currency_is_not_started(self, harness: ProviderHarness) -> None:
        _require(harness.provider.leaves_shop)
        request = await harness.build_request("A-1", 38_000)
        with pytest.raises(InvalidData):
            await harness.provider.initiate(replace(request, currency="USD"))
        assert await harness.count_payments("A-1") == 0

    async def test_refusal_is_a_failed_payment(self, harness: ProviderHarness) -> None:
        _require(Failure.REFUSAL in harness.failures)
        harness.fail(Failure.REFUSAL)
        with pytest.raises(PaymentFailed):
            await _start(harness)

    async def test_lost_answer_is_an_unknown_outcome_and_is_found_later(
        self, harness: ProviderHarness
    ) -> None:
        _require(Failure.LOST_ANSWER in harness.failures)
        harness.fail(Failure.LOST_ANSWER)
        with pytest.raises(OutcomeUnknown):
            await _start(harness)
        assert await harness.count_payments("A-1") == 1  # never started a second time
        known = StartedPayment(session_id="session-A-1", invoice="A-1", amount=38_000)
        assert (await harness.provider.status(known)).state in WAITING

    async def test_outage_starts_nothing_and_is_no_refusal(self, harness: ProviderHarness) -> None:
        _require(Failure.OUTAGE in harness.failures)
        started = _started_payment(await _start(harness))
        harness.fail(Failure.OUTAGE)
        with pytest.raises((OutsideFailure, OutcomeUnknown)):
            await _start(harness, "A-2")
        with pytest.raises(OutsideFailure):
            await harness.provider.status(started)
        harness.recover()
        assert await harness.count_payments("A-2") == 0
        assert (await harness.provider.status(started)).state in WAITING

    async def test_notification_is_genuine_and_names_its_payment(self, harness: ProviderHarness) -> None:
        _require(harness.has_notifications)
        started = _started_payment(await _start(harness))
        await harness.decide(started, ProviderState.CAPTURED, started.amount)
        notification = _read(harness, await harness.build_notification(started))
        assert notification.verdict is Verdict.GENUINE
        assert started.invoice == notification.invoice or started.session_id == notification.session_id

    async def test_repeated_notification_has_the_same_key(self, harness: ProviderHarness) -> None:
        _require(harness.has_notifications)
        started = _started_payment(await _start(harness))
        await harness.decide(started, ProviderState.CAPTURED, started.amount)
        first = _read(harness, await harness.build_notification(started))
        second = _read(harness, await harness.build_notification(started))
        assert first.dedupe_key == second.dedupe_key

    async def test_contradicting_notification_has_another_key(self, harness: ProviderHarness) -> None:
        _require(harness.has_notifications and ProviderState.REJECTED in harness.states)
        started = _started_payment(await _start(harness))
        await harness.decide(started, ProviderState.REJECTED, started.amount)
        first = _read(harness, await harness.build_notification(started))
        await harness.decide(started, ProviderState.CAPTURED, started.amount)
        second = _read(harness, await harness.build_notification(started))
        assert not first.dedupe_key or first.dedupe_key != second.dedupe_key

    async def test_forged_notification_is_not_genuine(self, harness: ProviderHarness) -> None:
        _require(harness.has_notifications)
        started = _started_payment(await _start(harness))
        assert _read(harness, await harness.forge_notification(started)).verdict is Verdict.FORGED

    async def test_unreadable_notifications_are_not_genuine(self, harness: ProviderHarness) -> None:
        for body in (b"", b"{", b"[]", b"null", b"\xff\xfe\x00", b"a=1&a=2", b"{" * 10_000):
            assert _read(harness, RawNotification(body)).verdict is not Verdict.GENUINE

    async def test_test_payment_is_not_real_money(self, harness: ProviderHarness) -> None:
        _require(harness.has_test_payments)
        started = _started_payment(await _start(harness))
        await harness.decide(started, ProviderState.CAPTURED, started.amount)
        await harness.mark_as_test(started)
        assert (await harness.provider.status(started)).state is ProviderState.UNKNOWN

    async def test_refund_is_done_or_refused(self, harness: ProviderHarness) -> None:
        started = _started_payment(await _start(harness))
        if harness.decides:
            await harness.decide(started, ProviderState.CAPTURED, started.amount)
        if harness.provider.can_refund:
            await harness.provider.refund(started, started.amount)
        else:
            with pytest.raises(NotImplementedByProvider):
                await harness.provider.refund(started, started.amount)


def _require(is_possible: bool) -> None:
    if not is_possible:
        pytest.skip("the provider does not do this")


async def _start(harness: ProviderHarness, invoice: str = "A-1", amount: Cop = 38_000) -> InitiationResult:
    return await harness.provider.initiate(await harness.build_request(invoice, amount))


def _started_payment(started: InitiationResult, invoice: str = "A-1", amount: Cop = 38_000) -> StartedPayment:
    return StartedPayment(
        session_id=f"session-{invoice}",
        invoice=invoice,
        amount=amount,
        reference=started.reference,
        transaction_id=started.transaction_id,
        ticket_id=started.ticket_id,
    )


def _read(harness: ProviderHarness, raw: RawNotification) -> Notification:
    return harness.provider.read_notification(raw.body, raw.headers, raw.query)
