import asyncio
from datetime import timedelta

import httpx
import pytest

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.payment.providers.pse.client import gateway_credentials
from backend.payment.providers.pse.reports import GatewayState, is_genuine, read_report
from backend.sandbox.gateway import Kind, Operation, SandboxGateway, notifier, sandbox_gateway
from backend.sandbox.gateway.notifier import ANSWER_WITHIN, MAX_ATTEMPTS, pause_after
from tests.gateway_kit import PUBLIC_BASE, Practice, let_pass, open_practice, payment


async def decide(practice: Practice, decision: str = "approve", **changes: object) -> str:
    created = await practice.client.create_bank_payment(payment(**changes))
    await practice.choose(created.redirect_url, decision)
    return created.reference or ""


def genuine(settings: Settings, fields: dict[str, str]) -> bool:
    keys = gateway_credentials(settings)
    return is_genuine(fields, keys.cust_id, keys.p_key.get_secret_value())


@pytest.mark.parametrize("method", ["POST", "GET"])
async def test_the_merchant_is_told_as_it_asked(practice: Practice, settings: Settings, method: str) -> None:
    reference = await decide(practice, method_confirmation=method)
    assert await practice.sandbox.notifier.deliver_due() == 1
    used, fields = practice.merchant.received[0]
    assert used == method
    assert genuine(settings, fields)
    report = read_report(fields)
    assert (report.state, report.reference, report.invoice) == (GatewayState.ACCEPTED, reference, "TR-1")
    assert fields["x_franchise"] == "PSE"
    assert fields["x_extra1"] == "payses_1"
    assert fields["x_customer_lastname"] == "Peña Núñez"
    assert fields["x_test_request"] == "TRUE"
    assert await practice.sandbox.notifier.deliver_due() == 0


async def test_a_query_of_the_merchants_own_is_kept(practice: Practice) -> None:
    await decide(practice, method_confirmation="GET", url_confirmation="http://merchant.test/hook?shop=7")
    await practice.sandbox.notifier.deliver_due()
    assert practice.merchant.received[0][1]["shop"] == "7"


async def test_it_is_told_until_it_answers_with_200(practice: Practice) -> None:
    practice.merchant.answers = [500, 302, 204]
    await decide(practice)
    for attempt in range(1, 5):
        assert await practice.sandbox.notifier.deliver_due() == 1
        assert len(practice.merchant.received) == attempt
    assert await practice.sandbox.notifier.deliver_due() == 0
    assert len({str(fields) for _, fields in practice.merchant.received}) == 1


async def test_it_gives_up_at_last(practice: Practice) -> None:
    practice.merchant.answers = [500] * MAX_ATTEMPTS
    await decide(practice)
    for _ in range(MAX_ATTEMPTS):
        assert await practice.sandbox.notifier.deliver_due() == 1
    assert await practice.sandbox.notifier.deliver_due() == 0


def test_it_waits_longer_each_time() -> None:
    pauses = [pause_after(attempt).total_seconds() for attempt in range(1, MAX_ATTEMPTS)]
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900]


async def test_while_it_runs_it_tells_at_once(practice: Practice) -> None:
    await practice.sandbox.start()
    await practice.sandbox.start()  # a second start changes nothing
    await asyncio.sleep(0)
    reference = await decide(practice)
    (told,) = await practice.merchant.told()
    assert told["x_ref_payco"] == reference


async def test_while_it_runs_it_tells_again_what_was_refused(practice: Practice) -> None:
    practice.merchant.answers = [500, 500]
    await practice.sandbox.start()
    await decide(practice)
    assert len(await practice.merchant.told(3)) == 3


async def test_it_goes_on_after_a_restart(practice: Practice, database: Database, settings: Settings) -> None:
    reference = await decide(practice)
    async with open_practice(database, settings) as restarted:
        await restarted.sandbox.start()
        (told,) = await restarted.merchant.told()
    assert told["x_ref_payco"] == reference
    assert practice.merchant.received == []


async def test_what_was_cut_off_is_told_later(practice: Practice, database: Database) -> None:
    await decide(practice)
    assert len(await practice.sandbox.notifier._claim()) == 1  # claimed, and then the process dies
    assert await practice.sandbox.notifier.deliver_due() == 0
    await let_pass(database, timedelta(seconds=ANSWER_WITHIN + 1))
    assert await practice.sandbox.notifier.deliver_due() == 1


async def test_two_processes_tell_it_once(practice: Practice, database: Database, settings: Settings) -> None:
    for number in range(6):
        await decide(practice, invoice=f"TR-{number}")
    async with open_practice(database, settings) as other:
        counts = await asyncio.gather(
            practice.sandbox.notifier.deliver_due(), other.sandbox.notifier.deliver_due()
        )
        told = [fields["x_id_invoice"] for _, fields in practice.merchant.received + other.merchant.received]
    assert sum(counts) == 6
    assert sorted(told) == [f"TR-{number}" for number in range(6)]


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (Kind.TWICE, ["Aceptada", "Aceptada"]),
        (Kind.NEVER, []),
        (Kind.LATE, ["Aceptada"]),
    ],
)
async def test_notifications_go_wrong_on_demand(practice: Practice, kind: Kind, told: list[str]) -> None:
    practice.sandbox.faults.add(Operation.NOTIFICATION, kind)
    await decide(practice)
    await practice.sandbox.notifier.deliver_due()
    assert sorted(fields["x_response"] for _, fields in practice.merchant.received) == told


async def test_out_of_order_is_the_outcome_and_then_that_it_is_pending(
    practice: Practice, database: Database
) -> None:
    practice.sandbox.faults.add(Operation.NOTIFICATION, Kind.OUT_OF_ORDER, seconds=5)
    await decide(practice)
    assert await practice.sandbox.notifier.deliver_due() == 1
    await let_pass(database, timedelta(seconds=6))
    assert await practice.sandbox.notifier.deliver_due() == 1
    assert [fields["x_response"] for _, fields in practice.merchant.received] == ["Aceptada", "Pendiente"]


async def test_late_is_late(practice: Practice, database: Database) -> None:
    practice.sandbox.faults.add(Operation.NOTIFICATION, Kind.LATE, seconds=60)
    await decide(practice)
    assert await practice.sandbox.notifier.deliver_due() == 0
    await let_pass(database, timedelta(seconds=61))
    assert await practice.sandbox.notifier.deliver_due() == 1


async def test_a_forged_one_has_a_signature_that_does_not_hold(
    practice: Practice, settings: Settings
) -> None:
    practice.sandbox.faults.add(Operation.NOTIFICATION, Kind.FORGED)
    await decide(practice)
    await practice.sandbox.notifier.deliver_due()
    _, fields = practice.merchant.received[0]
    assert len(fields["x_signature"]) == 64
    assert not genuine(settings, fields)


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
async def test_the_shops_own_gateway_calls_the_shop_and_nobody_else(  # noqa: PLR0917
    practice: Practice, database: Database, settings: Settings, shop: str, hook: str, reached: bool
) -> None:
    await decide(practice, url_confirmation=hook)
    http = httpx.AsyncClient(transport=httpx.ASGITransport(practice.merchant))
    public = settings.model_copy(update={"public_url": shop})
    embedded: SandboxGateway = sandbox_gateway(public, database, http)
    assert embedded.public_base == f"{shop}/sandbox/gateway"
    assert await embedded.notifier.deliver_due() == int(reached)
    assert await embedded.notifier.deliver_due() == 0
    await http.aclose()
    assert len(practice.merchant.received) == int(reached)


async def test_a_trouble_with_the_queue_does_not_end_the_notifier(
    practice: Practice, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(notifier, "POLL_EVERY", 0)
    sweep, troubles = practice.sandbox.notifier._ledger.abandon_overdue, iter([True])

    async def sweep_with_trouble() -> int:
        if next(troubles, False):
            raise OSError("the disk is away")
        return await sweep()

    monkeypatch.setattr(practice.sandbox.notifier._ledger, "abandon_overdue", sweep_with_trouble)
    await decide(practice)
    await practice.sandbox.start()
    assert await practice.merchant.told()
    assert "held up" in caplog.text


async def test_the_bank_page_is_below_the_base_that_was_given(
    database: Database, settings: Settings, practice: Practice
) -> None:
    created = await practice.client.create_bank_payment(payment())
    assert created.redirect_url.startswith(f"{PUBLIC_BASE}/bank/")
