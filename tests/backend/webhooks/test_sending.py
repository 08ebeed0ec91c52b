"""Events reach other programs at least once, signed, and without effect on each other.

| what happens | outcome |
|---|---|
| the transaction is rolled back | nothing is sent |
| the program fails | the same call is repeated, then given up; staff can try again |
| the process ends during a call | the same call is repeated |
| two workers | one call |
| the endpoint is deleted, or its secret rotated, during a call | no error; the next call has the new secret |
| a program does not answer | others are called without a delay |
| a program fails for days | it is switched off, with an attention row |
| the host of the URL becomes private, or redirects | it is not called |
"""

import asyncio
import socket
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, update
from standardwebhooks import Webhook, WebhookVerificationError

from backend.app import Shop
from backend.attention import AttentionKind
from backend.attention.descriptions import describe_facts
from backend.attention.models import Attention
from backend.core.db.database import database_now, db_now
from backend.core.errors import NotAllowed, NotFound, TooManyRequests
from backend.jobs import Worker
from backend.jobs.models import Job
from backend.staff.rights import COMMAND_LINE
from backend.webhooks import sending
from backend.webhooks.models import DeliveryState, WebhookEndpoint, WebhookEvent
from backend.webhooks.recording import SEND_JOB, note_event
from backend.webhooks.sending import RETRY_PAUSES, WebhookSender
from backend.webhooks.service import (
    EndpointChange,
    change_endpoint,
    delete_endpoint,
    retry_delivery,
    rotate_secret,
)
from tests.backend.webhooks.conftest import (
    SIGNING_KEY,
    Call,
    Program,
    add_endpoint,
    create_worker,
    make_due,
    place_order,
    read_deliveries,
    read_endpoint,
)

LIMIT_S = 20


def verify(secret: str, call: Call) -> Any:
    """Verify the call with the library that programs use, and return its content."""
    return Webhook(secret).verify(call.content, dict(call.headers))


async def wait_for_call(program: Program) -> None:
    async with asyncio.timeout(LIMIT_S):
        await program.called.wait()
    program.called.clear()


async def has_job(shop: Shop) -> bool:
    async with shop.database.read() as session:
        return (await session.execute(select(Job.id).where(Job.kind == SEND_JOB))).first() is not None


async def test_event_is_sent_once_and_signed(shop: Shop, worker: Worker, program: Program) -> None:
    endpoint_id, secret = await add_endpoint(shop, program.url)
    program.status, program.answer = 200, b"gracias"
    await place_order(shop, "order_7")
    assert await worker.run_due() == 1
    (call,) = program.calls
    (delivery,) = await read_deliveries(shop)
    assert verify(secret, call) == {
        "id": delivery.event_id,
        "event": "order.placed",
        "created_at": call.body["created_at"],
        "data": {"id": "order_7"},
    }
    assert call.id == delivery.event_id
    assert call.headers["content-type"] == "application/json"
    assert (delivery.endpoint_id, delivery.state, delivery.status) == (endpoint_id, "delivered", 200)
    assert (delivery.attempts, delivery.answer, delivery.next_try_at) == (1, "gracias", None)
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(call.content + b" ", dict(call.headers))
    await make_due(shop)
    assert await worker.run_due() == 0
    assert not await has_job(shop)


async def test_event_of_a_rolled_back_transaction_is_not_sent(
    shop: Shop, worker: Worker, program: Program
) -> None:
    await add_endpoint(shop, program.url)

    async def fail() -> None:
        async with shop.database.transaction() as session:
            note_event(session, WebhookEvent.ORDER_PLACED, "order_1")
            await session.execute(select(Job))
            raise InterruptedError

    with pytest.raises(InterruptedError):
        await fail()
    assert await worker.run_due() == 0
    assert await read_deliveries(shop) == []


async def test_event_of_a_rolled_back_savepoint_is_not_sent(
    shop: Shop, worker: Worker, program: Program
) -> None:
    await add_endpoint(shop, program.url)
    async with shop.database.transaction() as session:
        note_event(session, WebhookEvent.ORDER_PLACED, "before")
        savepoint = await session.begin_nested()
        note_event(session, WebhookEvent.ORDER_PLACED, "inside")
        await savepoint.rollback()
        note_event(session, WebhookEvent.ORDER_PLACED, "after")
    await worker.run_due()
    assert sorted(call.body["data"]["id"] for call in program.calls) == ["after", "before"]


async def test_event_of_a_savepoint_is_sent_once(shop: Shop, worker: Worker, program: Program) -> None:
    await add_endpoint(shop, program.url)
    async with shop.database.transaction() as session:
        async with session.begin_nested():
            note_event(session, WebhookEvent.ORDER_PLACED, "order_1")
        note_event(session, WebhookEvent.ORDER_PLACED, "order_1")
    await worker.run_due()
    assert program.events == ["order.placed"]


async def test_webhook_endpoint_receives_only_its_chosen_events(
    shop: Shop, worker: Worker, program: Program, other_program: Program
) -> None:
    await add_endpoint(shop, program.url, WebhookEvent.PRODUCT_CREATED)
    other_id, _secret = await add_endpoint(shop, other_program.url, WebhookEvent.ORDER_PLACED)
    await place_order(shop)
    await worker.run_due()
    assert (program.events, other_program.events) == ([], ["order.placed"])
    async with shop.database.transaction() as session:
        await change_endpoint(session, COMMAND_LINE, other_id, EndpointChange(is_active=False))
    await place_order(shop, "order_2")
    await worker.run_due()
    assert other_program.events == ["order.placed"]
    assert len(await read_deliveries(shop)) == 1


async def test_event_has_the_same_id_at_every_receiving_program(
    shop: Shop, worker: Worker, program: Program, other_program: Program
) -> None:
    await add_endpoint(shop, program.url)
    await add_endpoint(shop, other_program.url)
    await place_order(shop)
    await worker.run_due()
    assert program.calls[0].content == other_program.calls[0].content
    assert (
        program.calls[0].headers["webhook-signature"] != other_program.calls[0].headers["webhook-signature"]
    )


async def test_failed_call_is_repeated_unchanged(shop: Shop, worker: Worker, program: Program) -> None:
    endpoint_id, _secret = await add_endpoint(shop, program.url)
    program.status, program.answer = 500, b"error de clave"
    await place_order(shop)
    await worker.run_due()
    assert await worker.run_due() == 0, "it was tried again without a pause"
    (failed,) = await read_deliveries(shop)
    assert (failed.state, failed.status, failed.answer, failed.attempts) == (
        "waiting",
        500,
        "error de clave",
        1,
    )
    assert failed.tried_at is not None
    assert failed.next_try_at == failed.tried_at + RETRY_PAUSES[0]
    assert (await read_endpoint(shop, endpoint_id)).failures == 1
    await make_due(shop)
    program.status, program.answer = 200, b""
    await worker.run_due()
    first, second = program.calls
    assert (first.id, first.content) == (second.id, second.content)
    (delivered,) = await read_deliveries(shop)
    assert (delivered.state, delivered.attempts) == ("delivered", 2)
    endpoint = await read_endpoint(shop, endpoint_id)
    assert (endpoint.failures, endpoint.failing_since, endpoint.paused_until) == (0, None, None)


async def test_call_that_always_fails_is_not_repeated_until_staff_try_again(
    shop: Shop, worker: Worker, program: Program
) -> None:
    endpoint_id, _secret = await add_endpoint(shop, program.url)
    program.status = 500
    await place_order(shop)
    for _attempt in range(len(RETRY_PAUSES) + 1):
        await make_due(shop)
        await worker.run_due()
    (failed,) = await read_deliveries(shop)
    assert (failed.state, failed.attempts, failed.next_try_at) == ("failed", len(RETRY_PAUSES) + 1, None)
    assert not await has_job(shop)
    async with shop.database.transaction() as session:
        await retry_delivery(session, COMMAND_LINE, endpoint_id, failed.id)
    program.status = 200
    await worker.run_due()
    (delivered,) = await read_deliveries(shop)
    assert delivered.state == "delivered"
    assert {call.id for call in program.calls} == {failed.event_id}
    with pytest.raises(NotAllowed):
        async with shop.database.transaction() as session:
            await retry_delivery(session, COMMAND_LINE, endpoint_id, failed.id)


async def test_failing_webhook_is_retried_with_only_one_of_its_waiting_events(
    shop: Shop, worker: Worker, program: Program
) -> None:
    await add_endpoint(shop, program.url)
    program.status = 503
    await place_order(shop, "order_1")
    await worker.run_due()
    for number in range(2, 5):
        await place_order(shop, f"order_{number}")
        await worker.run_due()
    assert len(program.calls) == 1, "new events do not end the pause"
    await make_due(shop)
    await worker.run_due()
    assert len(program.calls) == 2
    await make_due(shop)
    program.status = 200
    await worker.run_due()
    assert [one.state for one in await read_deliveries(shop)] == [DeliveryState.DELIVERED] * 4


async def test_call_interrupted_by_the_end_of_the_process_is_repeated_with_the_same_id(
    shop: Shop, program: Program
) -> None:
    await add_endpoint(shop, program.url)
    await place_order(shop)
    program.may_answer.clear()
    worker = create_worker(shop)
    worker.start()
    await wait_for_call(program)
    await worker.stop()
    program.may_answer.set()
    assert await create_worker(shop).run_due() == 1
    first, second = program.calls
    assert first.id == second.id
    (delivery,) = await read_deliveries(shop)
    assert (delivery.state, delivery.attempts) == ("delivered", 1)


async def test_job_of_a_killed_process_is_repeated_when_its_claim_expires(
    shop: Shop, program: Program
) -> None:
    await add_endpoint(shop, program.url)
    await place_order(shop)
    program.may_answer.clear()
    killed = create_worker(shop)
    running = asyncio.create_task(killed.run_due())
    await wait_for_call(program)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    program.may_answer.set()
    assert await create_worker(shop).run_due() == 0, "the claim is still valid"
    async with shop.database.transaction() as session:
        await session.execute(update(Job).where(Job.kind == SEND_JOB).values(run_at=db_now()))
    assert await create_worker(shop).run_due() == 1
    assert len({call.id for call in program.calls}) == 1
    assert [one.state for one in await read_deliveries(shop)] == ["delivered"]


async def test_two_workers_send_an_event_once(shop: Shop, program: Program) -> None:
    await add_endpoint(shop, program.url)
    for number in range(5):
        await place_order(shop, f"order_{number}")
    await asyncio.gather(*(create_worker(shop).run_due() for _worker in range(3)))
    assert sorted(call.body["data"]["id"] for call in program.calls) == [f"order_{n}" for n in range(5)]


async def test_late_result_of_another_worker_does_not_undo_a_success(shop: Shop, program: Program) -> None:
    """Pause a worker in its call until its claim has expired and another worker has delivered the event."""
    await add_endpoint(shop, program.url)
    await place_order(shop)
    may_answer_late = program.may_answer
    may_answer_late.clear()
    paused = asyncio.create_task(create_worker(shop).run_due())
    await wait_for_call(program)
    async with shop.database.transaction() as session:
        await session.execute(update(Job).where(Job.kind == SEND_JOB).values(run_at=db_now()))
    program.may_answer, program.status = asyncio.Event(), 200
    program.may_answer.set()
    await create_worker(shop).run_due()
    program.status = 500
    may_answer_late.set()
    await paused
    (delivery,) = await read_deliveries(shop)
    assert (delivery.state, delivery.status, delivery.attempts) == ("delivered", 200, 1)
    assert [call.id for call in program.calls] == [delivery.event_id] * 2


async def test_endpoint_can_be_deleted_during_a_call(shop: Shop, program: Program) -> None:
    endpoint_id, _secret = await add_endpoint(shop, program.url)
    await place_order(shop)
    program.may_answer.clear()
    running = asyncio.create_task(create_worker(shop).run_due())
    await wait_for_call(program)
    async with shop.database.transaction() as session:
        await delete_endpoint(session, COMMAND_LINE, endpoint_id)
    program.may_answer.set()
    assert await running == 1
    assert await read_deliveries(shop) == []
    assert not await has_job(shop)


async def test_delivery_recorded_while_its_endpoint_was_deleted_is_removed(
    shop: Shop, worker: Worker, program: Program
) -> None:
    endpoint_id, _secret = await add_endpoint(shop, program.url)
    await place_order(shop)
    async with shop.database.transaction() as session:
        await session.delete(await session.get_one(WebhookEndpoint, endpoint_id))
    assert await worker.run_due() == 1
    assert await read_deliveries(shop) == []
    assert program.calls == []


async def test_calls_have_both_signatures_for_a_day_after_a_rotation(
    shop: Shop, worker: Worker, program: Program
) -> None:
    endpoint_id, former = await add_endpoint(shop, program.url)
    async with shop.database.transaction() as session:
        _endpoint, new = await rotate_secret(session, COMMAND_LINE, SIGNING_KEY, endpoint_id)
    assert new != former
    await place_order(shop)
    await worker.run_due()
    verify(former, program.calls[0])
    verify(new, program.calls[0])
    async with shop.database.transaction() as session:
        await session.execute(
            update(WebhookEndpoint).values(former_secret_until=db_now(-timedelta(minutes=1)))
        )
    await place_order(shop, "order_2")
    await worker.run_due()
    verify(new, program.calls[1])
    with pytest.raises(WebhookVerificationError):
        verify(former, program.calls[1])


async def test_secret_rotated_during_a_call_signs_the_next_one(shop: Shop, program: Program) -> None:
    endpoint_id, former = await add_endpoint(shop, program.url)
    await place_order(shop)
    program.status = 500
    program.may_answer.clear()
    running = asyncio.create_task(create_worker(shop).run_due())
    await wait_for_call(program)
    async with shop.database.transaction() as session:
        _endpoint, new = await rotate_secret(session, COMMAND_LINE, SIGNING_KEY, endpoint_id)
    program.may_answer.set()
    await running
    await make_due(shop)
    await create_worker(shop).run_due()
    verify(former, program.calls[0])
    verify(new, program.calls[1])
    assert program.calls[0].id == program.calls[1].id


async def test_program_that_does_not_answer_delays_no_other(
    shop: Shop, worker: Worker, program: Program, other_program: Program
) -> None:
    await add_endpoint(shop, program.url)
    await add_endpoint(shop, other_program.url)
    program.may_answer.clear()
    worker.start()
    for number in range(3):
        await place_order(shop, f"order_{number}")
        await wait_for_call(other_program)
    assert len(other_program.calls) == 3
    assert len(program.calls) >= 1


async def test_webhook_that_fails_for_days_is_switched_off_and_raises_attention(
    shop: Shop, worker: Worker, program: Program
) -> None:
    endpoint_id, _secret = await add_endpoint(shop, program.url)
    program.status = 500
    await place_order(shop)
    for _attempt in range(sending.MIN_FAILURES - 1):
        await make_due(shop)
        await worker.run_due()
    async with shop.database.transaction() as session:
        await session.execute(update(WebhookEndpoint).values(failing_since=db_now(-sending.GIVE_UP_AFTER)))
    assert (await read_endpoint(shop, endpoint_id)).is_active
    await make_due(shop)
    await worker.run_due()
    endpoint = await read_endpoint(shop, endpoint_id)
    assert (endpoint.is_active, endpoint.is_given_up) == (False, True)
    async with shop.database.read() as session:
        row = (await session.execute(select(Attention))).scalar_one()
        moment = await database_now(session)
    assert (row.kind, row.subject_id) == (AttentionKind.WEBHOOK_OFF, endpoint_id)
    assert row.due_at is not None
    assert timedelta(days=1) < row.due_at - moment <= timedelta(days=2)
    assert "127.0.0.1" in row.message
    assert "/trompo" not in row.message
    assert describe_facts(row) == "127.0.0.1: respondió 500"

    await place_order(shop, "order_2")
    assert await worker.run_due() == 0
    program.status = 200
    async with shop.database.transaction() as session:
        await change_endpoint(session, COMMAND_LINE, endpoint_id, EndpointChange(is_active=True))
    await make_due(shop)
    await worker.run_due()
    assert [one.state for one in await read_deliveries(shop)] == ["delivered"]
    async with shop.database.read() as session:
        assert (await session.execute(select(Attention.resolution))).scalar_one() == "dismissed"


async def test_failing_program_with_too_many_waiting_events_is_switched_off(
    shop: Shop, worker: Worker, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "MAX_WAITING", 2)
    endpoint_id, _secret = await add_endpoint(shop, program.url)
    program.status = 500
    for number in range(3):
        await place_order(shop, f"order_{number}")
    for _attempt in range(sending.MIN_FAILURES):
        await make_due(shop)
        await worker.run_due()
    assert not (await read_endpoint(shop, endpoint_id)).is_active


async def test_url_whose_host_becomes_private_is_not_called(
    shop: Shop, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(program.url.split(":")[2].partition("/")[0])
    await add_endpoint(shop, f"https://erp.example:{port}/trompo")
    private = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **_more: private)
    await place_order(shop)
    await Worker(shop.database, [WebhookSender(shop.database, SIGNING_KEY)]).run_due()
    (delivery,) = await read_deliveries(shop)
    assert (delivery.state, delivery.status) == ("waiting", None)
    assert "not a public internet address" in delivery.answer
    assert program.calls == []


async def test_redirect_is_a_failure_and_not_followed(
    shop: Shop, worker: Worker, program: Program, other_program: Program
) -> None:
    await add_endpoint(shop, program.url)
    program.status, program.more_headers = 302, f"location: {other_program.url}\r\n"
    await place_order(shop)
    await worker.run_due()
    (delivery,) = await read_deliveries(shop)
    assert (delivery.state, delivery.status) == ("waiting", 302)
    assert other_program.calls == []


async def test_stored_answer_is_short_and_without_secrets(
    shop: Shop, worker: Worker, program: Program
) -> None:
    _endpoint_id, secret = await add_endpoint(shop, program.url)
    program.status = 400
    token = "Zm9vYmFyMTIzNDU2Nzg5MEFCQ0RFRkdISUpLTE1O"
    program.answer = (
        f"<b>no</b>\r\n\x1b[1m {secret} ana@example.com token={token} ".encode() + b"x y " * 100_000
    )
    await place_order(shop)
    await worker.run_due()
    (delivery,) = await read_deliveries(shop)
    assert delivery.answer.startswith("<b>no</b> \\x1b[1m [hidden] token=[hidden] x y x y")
    assert len(delivery.answer) < sending.MAX_ANSWER_LENGTH + 30
    for hidden in (secret, token, "ana@"):
        assert hidden not in delivery.answer


async def test_program_that_cannot_be_reached_or_is_too_slow_is_tried_again(
    shop: Shop, worker: Worker, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    await add_endpoint(shop, program.url)
    monkeypatch.setattr(sending, "CALL_TIMEOUT_S", 0.05)
    program.may_answer.clear()
    await place_order(shop)
    await worker.run_due()
    (delivery,) = await read_deliveries(shop)
    assert (delivery.state, delivery.status) == ("waiting", None)
    assert delivery.answer.startswith("no answer (")


async def test_webhook_secret_encrypted_with_another_signing_key_is_reported(
    shop: Shop, program: Program
) -> None:
    await add_endpoint(shop, program.url)
    await place_order(shop)
    await create_worker(shop, "another signing key").run_due()
    (delivery,) = await read_deliveries(shop)
    assert (delivery.state, delivery.answer) == ("waiting", sending.NO_SECRET)
    assert program.calls == []


class TestPing:
    async def test_ping_is_sent_immediately_and_its_result_stored(self, shop: Shop, program: Program) -> None:
        endpoint_id, secret = await add_endpoint(shop, program.url)
        sender = WebhookSender(shop.database, SIGNING_KEY, allow_private=True)
        delivery = await sender.send_test(COMMAND_LINE, endpoint_id)
        assert verify(secret, program.calls[0])["event"] == "ping"
        assert (delivery.state, delivery.status) == ("delivered", 204)
        program.status = 500
        failed = await sender.send_test(COMMAND_LINE, endpoint_id)
        assert (failed.state, failed.next_try_at) == ("failed", None)
        assert [one.event for one in await read_deliveries(shop)] == ["ping", "ping"]
        assert not await has_job(shop)

    async def test_pings_are_limited(
        self, shop: Shop, program: Program, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        endpoint_id, _secret = await add_endpoint(shop, program.url)
        sender = WebhookSender(shop.database, SIGNING_KEY, allow_private=True)
        for _ping in range(sending.TEST_LIMIT.per_pair):
            await sender.send_test(COMMAND_LINE, endpoint_id)
        with pytest.raises(TooManyRequests):
            await sender.send_test(COMMAND_LINE, endpoint_id)
        assert len(program.calls) == sending.TEST_LIMIT.per_pair

    async def test_endpoint_deleted_during_a_ping_is_not_found(self, shop: Shop, program: Program) -> None:
        endpoint_id, _secret = await add_endpoint(shop, program.url)
        program.may_answer.clear()
        sender = WebhookSender(shop.database, SIGNING_KEY, allow_private=True)
        running = asyncio.create_task(sender.send_test(COMMAND_LINE, endpoint_id))
        await wait_for_call(program)
        async with shop.database.transaction() as session:
            await delete_endpoint(session, COMMAND_LINE, endpoint_id)
        program.may_answer.set()
        with pytest.raises(NotFound):
            await running
        assert await read_deliveries(shop) == []
