import asyncio
from datetime import timedelta

import httpx
import pytest

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.payment.providers.pse.client import get_gateway_credentials
from backend.payment.providers.pse.reports import GatewayState, is_genuine, parse_report
from backend.sandbox.gateway import FaultKind, Operation, SandboxGateway, create_sandbox_gateway, notifier
from backend.sandbox.gateway.ledger import Ledger
from backend.sandbox.gateway.notifier import ANSWER_TIMEOUT_S, MAX_ATTEMPTS, pause_after
from tests.gateway_kit import (
    PUBLIC_BASE,
    GatewayPractice,
    Merchant,
    age_transactions,
    bank_payment,
    open_practice,
)


async def decide(practice: GatewayPractice, decision: str = "approve", **changes: object) -> str:
    created = await practice.client.create_bank_payment(bank_payment(**changes))
    await practice.choose(created.redirect_url, decision)
    return created.reference or ""


def has_valid_signature(settings: Settings, fields: dict[str, str]) -> bool:
    keys = get_gateway_credentials(settings)
    return is_genuine(fields, keys.cust_id, keys.p_key.get_secret_value())


@pytest.mark.parametrize("method", ["POST", "GET"])
async def test_notification_uses_the_requested_method(
    practice: GatewayPractice, settings: Settings, method: str
) -> None:
    reference = await decide(practice, method_confirmation=method)
    assert await practice.sandbox.notifier.deliver_due() == 1
    used, fields = practice.merchant.received[0]
    assert used == method
    assert has_valid_signature(settings, fields)
    report = parse_report(fields)
    assert (report.state, report.reference, report.invoice) == (GatewayState.ACCEPTED, reference, "TR-1")
    assert fields["x_franchise"] == "PSE"
    assert fields["x_extra1"] == "payses_1"
    assert fields["x_customer_lastname"] == "Peña Núñez"
    assert fields["x_test_request"] == "TRUE"
    assert await practice.sandbox.notifier.deliver_due() == 0


async def test_notification_keeps_the_query_of_the_merchants_url(practice: GatewayPractice) -> None:
    await decide(practice, method_confirmation="GET", url_confirmation="http://merchant.test/hook?shop=7")
    await practice.sandbox.notifier.deliver_due()
    assert practice.merchant.received[0][1]["shop"] == "7"


async def test_notification_is_repeated_until_a_200(practice: GatewayPractice) -> None:
    practice.merchant.answers = [500, 302, 204]
    await decide(practice)
    for attempt in range(1, 5):
        assert await practice.sandbox.notifier.deliver_due() == 1
        assert len(practice.merchant.received) == attempt
    assert await practice.sandbox.notifier.deliver_due() == 0
    assert len({str(fields) for _, fields in practice.merchant.received}) == 1


async def test_notifier_gives_up_after_the_maximum_of_attempts(practice: GatewayPractice) -> None:
    practice.merchant.answers = [500] * MAX_ATTEMPTS
    await decide(practice)
    for _ in range(MAX_ATTEMPTS):
        assert await practice.sandbox.notifier.deliver_due() == 1
    assert await practice.sandbox.notifier.deliver_due() == 0


def test_pause_between_notification_attempts_grows() -> None:
    pauses = [pause_after(attempt).total_seconds() for attempt in range(1, MAX_ATTEMPTS)]
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900]


async def test_running_notifier_delivers_immediately(practice: GatewayPractice) -> None:
    await practice.sandbox.start()
    await practice.sandbox.start()  # a second start changes nothing
    await asyncio.sleep(0)
    reference = await decide(practice)
    (notified,) = await practice.merchant.wait_for_notifications()
    assert notified["x_ref_payco"] == reference


async def test_running_notifier_repeats_refused_notifications(practice: GatewayPractice) -> None:
    practice.merchant.answers = [500, 500]
    await practice.sandbox.start()
    await decide(practice)
    assert len(await practice.merchant.wait_for_notifications(3)) == 3


async def test_notifier_continues_after_a_restart(
    practice: GatewayPractice, database: Database, settings: Settings
) -> None:
    reference = await decide(practice)
    async with open_practice(database, settings) as restarted:
        await restarted.sandbox.start()
        (notified,) = await restarted.merchant.wait_for_notifications()
    assert notified["x_ref_payco"] == reference
    assert practice.merchant.received == []


class Killed(BaseException):
    """An exception that simulates the end of the process."""


async def test_interrupted_notification_is_delivered_later(
    practice: GatewayPractice, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await decide(practice)

    async def kill(*_arguments: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Merchant, "__call__", kill)
        with pytest.RaisesGroup(Killed):
            await practice.sandbox.notifier.deliver_due()
    assert await practice.sandbox.notifier.deliver_due() == 0
    await age_transactions(database, timedelta(seconds=ANSWER_TIMEOUT_S + 1))
    assert await practice.sandbox.notifier.deliver_due() == 1


async def test_two_processes_deliver_a_notification_once(
    practice: GatewayPractice, database: Database, settings: Settings
) -> None:
    for number in range(6):
        await decide(practice, invoice=f"TR-{number}")
    async with open_practice(database, settings) as other:
        counts = await asyncio.gather(
            practice.sandbox.notifier.deliver_due(), other.sandbox.notifier.deliver_due()
        )
        notified = [
            fields["x_id_invoice"] for _, fields in practice.merchant.received + other.merchant.received
        ]
    assert sum(counts) == 6
    assert sorted(notified) == [f"TR-{number}" for number in range(6)]


@pytest.mark.parametrize(
    ("kind", "notified"),
    [
        (FaultKind.TWICE, ["Aceptada", "Aceptada"]),
        (FaultKind.NEVER, []),
        (FaultKind.LATE, ["Aceptada"]),
    ],
)
async def test_planned_fault_has_the_expected_effect_on_a_notification(
    practice: GatewayPractice, kind: FaultKind, notified: list[str]
) -> None:
    practice.sandbox.faults.add(Operation.NOTIFICATION, kind)
    await decide(practice)
    await practice.sandbox.notifier.deliver_due()
    assert sorted(fields["x_response"] for _, fields in practice.merchant.received) == notified


async def test_out_of_order_fault_sends_the_outcome_before_the_pending_state(
    practice: GatewayPractice, database: Database
) -> None:
    practice.sandbox.faults.add(Operation.NOTIFICATION, FaultKind.OUT_OF_ORDER, seconds=5)
    await decide(practice)
    assert await practice.sandbox.notifier.deliver_due() == 1
    await age_transactions(database, timedelta(seconds=6))
    assert await practice.sandbox.notifier.deliver_due() == 1
    assert [fields["x_response"] for _, fields in practice.merchant.received] == ["Aceptada", "Pendiente"]


async def test_planned_late_notification_is_delivered_only_after_its_delay(
    practice: GatewayPractice, database: Database
) -> None:
    practice.sandbox.faults.add(Operation.NOTIFICATION, FaultKind.LATE, seconds=60)
    await decide(practice)
    assert await practice.sandbox.notifier.deliver_due() == 0
    await age_transactions(database, timedelta(seconds=61))
    assert await practice.sandbox.notifier.deliver_due() == 1


async def test_notification_planned_as_forged_has_a_wrong_signature(
    practice: GatewayPractice, settings: Settings
) -> None:
    practice.sandbox.faults.add(Operation.NOTIFICATION, FaultKind.FORGED)
    await decide(practice)
    await practice.sandbox.notifier.deliver_due()
    _, fields = practice.merchant.received[0]
    assert len(fields["x_signature"]) == 64
    assert not has_valid_signature(settings, fields)


@pytest.mark.parametrize(
    ("shop", "hook", "reached"),
    [
        ("http://localhost:3000", "http://localhost:3000/hooks/payment/gateway_pse", True),
        ("http://localhost:3000", "http://127.0.0.1:4567/hook", True),
        ("http://localhost:3000", "http://10.0.0.1/hook", False),
        ("https://demo.example", "https://demo.example/hooks/payment/gateway_pse", True),
        ("https://demo.example", "https://demo.example:443/hook", True),
        ("https://demo.example", "https://demo.example:8443/hook", False),
        ("https://demo.example", "http://127.0.0.1:5432/", False),
        ("https://demo.example", "http://169.254.169.254/latest/meta-data", False),
    ],
)
async def test_embedded_gateway_sends_notifications_only_to_the_shops_own_url(  # noqa: PLR0917
    practice: GatewayPractice, database: Database, settings: Settings, shop: str, hook: str, reached: bool
) -> None:
    await decide(practice, url_confirmation=hook)
    http = httpx.AsyncClient(transport=httpx.ASGITransport(practice.merchant))
    public = settings.model_copy(update={"public_url": shop})
    embedded: SandboxGateway = create_sandbox_gateway(public, database, http)
    assert embedded.public_base == f"{shop}/sandbox/gateway"
    assert await embedded.notifier.deliver_due() == int(reached)
    assert await embedded.notifier.deliver_due() == 0
    await http.aclose()
    assert len(practice.merchant.received) == int(reached)


async def test_queue_error_does_not_stop_the_notifier(
    practice: GatewayPractice, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(notifier, "POLL_INTERVAL_S", 0)
    sweep, troubles = Ledger.abandon_overdue, iter([True])

    async def sweep_with_trouble(ledger: Ledger) -> int:
        if next(troubles, False):
            raise OSError("the disk is unavailable")
        return await sweep(ledger)

    monkeypatch.setattr(Ledger, "abandon_overdue", sweep_with_trouble)
    await decide(practice)
    await practice.sandbox.start()
    assert await practice.merchant.wait_for_notifications()
    assert "could not send notifications" in caplog.text


async def test_url_of_the_bank_page_begins_with_the_public_base_url(
    database: Database, settings: Settings, practice: GatewayPractice
) -> None:
    created = await practice.client.create_bank_payment(bank_payment())
    assert created.redirect_url.startswith(f"{PUBLIC_BASE}/bank/")
