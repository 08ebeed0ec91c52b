"""The daily summary: once a day at the chosen hour, with the figures of Hoy and Informes and what waits."""

import asyncio
from datetime import UTC, date, datetime, timedelta

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.core.db.database import db_now
from backend.jobs import JobRun
from backend.office_settings import NO_SUMMARY, save_settings
from backend.orders.models import Order
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.pqrs.models import Pqrs
from backend.staff.models import Staff
from backend.staff.rights import COMMAND_LINE, Role
from backend.staff_notices.choices import Channel, save_choices
from backend.staff_notices.daily_summary import DailySummary, find_due_day
from backend.staff_notices.models import StaffNotice
from tests.amounts import cop
from tests.backend.mail.conftest import text_of
from tests.backend.orders.paying import place_order_at_bank, report_payment
from tests.backend.staff_notices.conftest import Office, ask_pqrs
from tests.store_defaults import Defaults, add_product

RUN = JobRun(1, "staff_notices.summary", "", {}, 1)
READERS = ["accountant", "owner", "shop"]
"""Roles with the right to see reports."""


async def choose_hour(shop: Shop, hour: int) -> None:
    """Save the hour of the summary, and change the staff as if they were created two days ago."""
    async with shop.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, {"daily_summary_hour": str(hour)})
        await session.execute(update(Staff).values(created_at=db_now(-timedelta(days=2))))


async def list_days(shop: Shop) -> list[str]:
    async with shop.database.read() as session:
        rows = select(StaffNotice.subject_id).where(StaffNotice.kind == "daily_summary")
        return list((await session.execute(rows)).scalars())


@pytest.mark.parametrize(
    ("moment", "hour", "day"),
    [
        (datetime(2026, 11, 28, 11, 59, tzinfo=UTC), 7, None),  # 6:59 in Colombia
        (datetime(2026, 11, 28, 12, 0, tzinfo=UTC), 7, date(2026, 11, 27)),
        (datetime(2026, 11, 29, 4, 59, tzinfo=UTC), 7, date(2026, 11, 27)),  # 23:59 of the 28th
        (datetime(2026, 11, 29, 1, 0, tzinfo=UTC), 20, date(2026, 11, 28)),  # 20:00 of the 28th
        (datetime(2026, 11, 29, 0, 59, tzinfo=UTC), 20, None),
        (datetime(2026, 11, 29, 0, 59, tzinfo=UTC), NO_SUMMARY, None),
    ],
)
def test_daily_summary_is_due_after_its_hour_in_colombia(
    moment: datetime, hour: int, day: date | None
) -> None:
    assert find_due_day(moment, hour) == day


async def test_two_replicas_record_one_summary_a_day(shop: Shop, office: Office) -> None:
    await choose_hour(shop, 0)
    await asyncio.gather(*(DailySummary(shop.database).record_due(RUN) for _number in range(3)))
    await DailySummary(shop.database).record_due(RUN)
    assert len(await list_days(shop)) == 1


async def test_summary_that_is_turned_off_is_not_recorded(shop: Shop, office: Office) -> None:
    await choose_hour(shop, NO_SUMMARY)
    await DailySummary(shop.database).record_due(RUN)
    assert await list_days(shop) == []


async def test_day_before_the_shop_had_staff_has_no_summary(shop: Shop, office: Office) -> None:
    await choose_hour(shop, 0)
    async with shop.database.transaction() as session:
        await session.execute(update(Staff).values(created_at=db_now()))
    await DailySummary(shop.database).record_due(RUN)
    assert await list_days(shop) == []


async def test_daily_summary_contains_orders_and_money_of_the_day_and_open_tasks(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient, office: Office
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", stock=4, price=40_000)
    _order, payment = await place_order_at_bank(shop, store, variant)
    await report_payment(shop, payment, ProviderState.CAPTURED)
    await ask_pqrs(shop)
    async with shop.database.transaction() as session:
        yesterday = db_now(-timedelta(days=1))
        await session.execute(update(Order).values(paid_at=yesterday))
        await session.execute(update(PaymentSession).values(captured_at=yesterday))
    await choose_hour(shop, 0)
    await DailySummary(shop.database).record_due(RUN)
    await office.send()
    mails = [mail for mail in office.inbox.mails if str(mail["Subject"]).startswith("Resumen del ")]
    assert sorted(str(mail["To"]).partition("@")[0] for mail in mails) == READERS
    assert str(mails[0]["Subject"]).endswith(cop(": 1 pedido, $ 80.000"))
    text = text_of(mails[0])
    for line in (
        "Pedidos pagados: 1.",
        cop("Dinero que entró: $ 80.000."),
        "Por empacar: 1.",
        "PQRS por responder: 1. La más urgente: quedan ",
        "Pocas unidades: Trompo (quedan 2).",
    ):
        assert line in text
    assert "devuelto" not in text


async def test_summary_says_that_a_legal_deadline_has_passed(shop: Shop, office: Office) -> None:
    await ask_pqrs(shop)
    async with shop.database.transaction() as session:
        await session.execute(update(Pqrs).values(due_at=db_now(-timedelta(days=3))))
    await choose_hour(shop, 0)
    await DailySummary(shop.database).record_due(RUN)
    await office.send()
    mails = [mail for mail in office.inbox.mails if str(mail["Subject"]).startswith("Resumen del ")]
    assert "PQRS por responder: 1. La más urgente: pasó hace " in text_of(mails[0])


async def test_summary_of_a_quiet_day_says_that_nothing_waits(shop: Shop, office: Office) -> None:
    await choose_hour(shop, 0)
    await DailySummary(shop.database).record_due(RUN)
    await office.send()
    assert [role for role, _subject in office.notices()] == READERS
    text = text_of(office.inbox.mails[0])
    assert cop("Pedidos pagados: 0.\n\nDinero que entró: $ 0.\n\nNada espera.") in text


async def test_member_who_disabled_the_daily_summary_gets_no_mail(shop: Shop, office: Office) -> None:
    async with shop.database.transaction() as session:
        await save_choices(
            session, office.actor(Role.ACCOUNTANT), office.ids[Role.ACCOUNTANT], {Channel.MAIL: []}
        )
    await choose_hour(shop, 0)
    await DailySummary(shop.database).record_due(RUN)
    await office.send()
    assert [role for role, _subject in office.notices()] == ["owner", "shop"]
