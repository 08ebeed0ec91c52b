"""Notices to staff: each event is mailed once to each member who may act on it, and a busy day is bundled."""

import asyncio
from datetime import timedelta

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.core.db.database import db_now
from backend.core.events import publish
from backend.jobs import JobRun, Worker
from backend.orders.models import Order
from backend.payment.providers.base import ProviderState
from backend.pqrs.service import PqrsReceived, answer_pqrs
from backend.staff.rights import COMMAND_LINE, Role
from backend.staff.service import change_staff
from backend.staff_notices.batches import PAUSE, NoticeBatches
from backend.staff_notices.models import StaffNotice
from backend.staff_notices.recording import SEND_BATCH, WINDOW
from tests.amounts import cop
from tests.backend.mail.conftest import text_of
from tests.backend.orders.paying import list_sessions, place_order_at_bank, report_payment
from tests.backend.staff_notices.conftest import Office, ask_pqrs, create_worker, make_due
from tests.store_defaults import Defaults, add_product

CAN_ANSWER = ["owner", "shop"]
"""Roles with the right to answer PQRS requests."""


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=50, price=40_000)


async def buy(shop: Shop, store: httpx.AsyncClient, variant_id: str) -> str:
    order_id, _payment = await place_order_at_bank(shop, store, variant_id)
    newest = (await list_sessions(shop, order_id))[-1]
    await report_payment(shop, newest.id, ProviderState.CAPTURED)
    return order_id


async def list_unsent(shop: Shop) -> list[StaffNotice]:
    async with shop.database.read() as session:
        query = select(StaffNotice).where(StaffNotice.batch_id.is_(None))
        return list((await session.execute(query)).scalars())


async def test_paid_order_is_mailed_to_everyone_who_packs(
    shop: Shop, store: httpx.AsyncClient, trompo: str, office: Office
) -> None:
    order_id = await buy(shop, store, trompo)
    async with shop.database.transaction() as session:
        sent_home = {"first_name": "Eva", "address_1": "Calle 1 # 2-3", "phone": "3001234567", "city": "Cali"}
        await session.execute(update(Order).values(shipping_option_id=None, shipping_address=sent_home))
    await office.send()
    found = office.notices()
    assert [role for role, _subject in found] == ["owner", "shop", "stockroom"]
    assert {subject.partition(" pagado: ")[2] for _role, subject in found} == {cop("$ 80.000")}
    (mail,) = [mail for mail in office.inbox.mails if mail["To"] == "owner@trompo.example"]
    text = text_of(mail)
    assert cop("$ 80.000 · Cali · 2 × Trompo") in text
    assert f"{shop.settings.base_url}/oficina/empacar?pedido={order_id}" in text
    for personal in ("Eva", "Ana", "Gómez", "Calle", "3001234567", "@example"):
        assert personal not in text
    await office.send()
    assert office.notices() == found


async def test_events_within_a_minute_are_sent_in_one_mail(shop: Shop, office: Office) -> None:
    for number in range(3):
        await ask_pqrs(shop, number=number)
    await office.worker.run_due()
    assert office.notices() == []
    await office.send()
    assert office.notices() == [(role, "Llegaron 3 PQRS") for role in CAN_ANSWER]


async def test_next_mail_of_a_kind_waits_for_the_pause(shop: Shop, office: Office) -> None:
    await ask_pqrs(shop)
    await office.send()
    for number in (1, 2):
        await ask_pqrs(shop, number=number)
    await office.send()
    assert (len(office.notices()), len(await list_unsent(shop))) == (2, 2)
    async with shop.database.transaction() as session:
        await session.execute(update(StaffNotice).values(batched_at=db_now(-PAUSE)))
    await office.send()
    assert office.notices() == [
        (role, subject) for role in CAN_ANSWER for subject in ("Llegaron 2 PQRS", "Llegó una PQRS")
    ]


async def test_two_replicas_send_one_mail(shop: Shop, office: Office) -> None:
    for number in range(4):
        await ask_pqrs(shop, number=number)
    await make_due(shop.database)
    replicas = [create_worker(shop, office.inbox) for _number in range(2)]
    await asyncio.gather(*(replica.run_due() for replica in replicas))
    await office.send()
    assert office.notices() == [(role, "Llegaron 4 PQRS") for role in CAN_ANSWER]


async def test_job_that_runs_again_after_a_restart_sends_nothing_twice(shop: Shop, office: Office) -> None:
    await ask_pqrs(shop)
    (notice,) = await list_unsent(shop)
    run = JobRun(1, SEND_BATCH, notice.id, {}, 1)
    for _number in range(2):  # the process died after the batch was stored, before its job was deleted
        assert await NoticeBatches(shop.database).send_batch(run) is None
    await office.send()
    assert office.notices() == [(role, "Llegó una PQRS") for role in CAN_ANSWER]


@pytest.mark.parametrize("change", ["disabled", "demoted"])
async def test_member_without_the_right_any_more_gets_no_mail(
    shop: Shop, office: Office, change: str
) -> None:
    await ask_pqrs(shop)
    await make_due(shop.database)
    await Worker(shop.database, [NoticeBatches(shop.database)]).run_due()  # the mails are enqueued
    role = Role.ACCOUNTANT if change == "demoted" else None
    async with shop.database.transaction() as session:
        await change_staff(
            session, COMMAND_LINE, office.ids[Role.SHOP], role=role, is_disabled=change == "disabled" or None
        )
    await create_worker(shop, office.inbox).run_due()
    assert office.notices() == [("owner", "Llegó una PQRS")]


async def test_pqrs_request_answered_before_the_mail_is_not_mailed(shop: Shop, office: Office) -> None:
    answered = await ask_pqrs(shop)
    async with shop.database.transaction() as session:
        await answer_pqrs(session, COMMAND_LINE, answered, "Ya contestamos.")
    await office.send()
    assert office.notices() == []


async def test_cancelled_order_is_left_out_of_the_mail(
    shop: Shop, store: httpx.AsyncClient, trompo: str, office: Office
) -> None:
    canceled, _other = await buy(shop, store, trompo), await buy(shop, store, trompo)
    async with shop.database.transaction() as session:
        await session.execute(update(Order).where(Order.id == canceled).values(status="canceled"))
    await office.send()
    subjects = {subject for role, subject in office.notices() if role == "stockroom"}
    assert len(subjects) == 1
    assert cop(" pagado: $ 80.000") in subjects.pop()


async def test_notices_of_a_rolled_back_event_are_not_stored(shop: Shop, office: Office) -> None:
    """Roll back the transaction that publishes the event."""

    async def fail() -> None:
        async with shop.database.transaction() as session:
            await publish(session, PqrsReceived("pqrs_1"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert await list_unsent(shop) == []


def test_pause_between_notice_mails_is_longer_than_their_batch_window() -> None:
    assert timedelta() < WINDOW < PAUSE
