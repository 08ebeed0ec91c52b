"""PQRS: every request has a number and a deadline, is answered once, and is visible only to its sender."""

import asyncio
from datetime import UTC, date, datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

from backend.app import Shop
from backend.attention.models import Attention
from backend.core.business_days import add_business_days, due_date_after
from backend.core.errors import Conflict, Forbidden, InvalidData, NotFound
from backend.jobs import JobRun
from backend.jobs.models import Job
from backend.mail.messages import compose_message
from backend.mail.models import Mail
from backend.pqrs.models import Pqrs
from backend.pqrs.service import (
    MAX_TEXT_LENGTH,
    PQRS_LINK,
    REMINDER,
    PqrsReminders,
    answer_pqrs,
    send_pqrs,
)
from backend.rate_limit.limiter import Client
from backend.staff.rights import COMMAND_LINE, Actor, Role

TYPED = {
    "kind": "reclamo",
    "name": "Ana Gómez",
    "email": "Ana@Example.com",
    "order_number": "1024",
    "text": "El trompo llegó\r\nsin cuerda.\x00",
}
CLIENT = Client("190.24.1.1")


async def send_request(shop: Shop, **other: Any) -> Pqrs:
    return await send_pqrs(shop.database, {**TYPED, **other}, client=CLIENT)


async def list_mail_kinds(shop: Shop) -> list[str]:
    async with shop.database.read() as session:
        return sorted((await session.execute(select(Mail.kind))).scalars())


@pytest.mark.parametrize(
    ("day", "count", "due"),
    [
        (date(2026, 11, 23), 1, date(2026, 11, 24)),
        (date(2026, 11, 27), 1, date(2026, 11, 30)),  # over a weekend
        (date(2026, 12, 23), 3, date(2026, 12, 29)),  # Christmas, on a Friday
        (date(2026, 12, 31), 1, date(2027, 1, 4)),  # New Year, on a Friday
        (date(2026, 3, 20), 1, date(2026, 3, 24)),  # St. Joseph's day, moved to Monday the 23rd
        (date(2026, 11, 21), 5, date(2026, 11, 27)),  # from a Saturday on
    ],
)
def test_business_days_of_a_deadline_exclude_weekends_and_holidays(day: date, count: int, due: date) -> None:
    assert add_business_days(day, count) == due


def test_pqrs_deadline_is_counted_in_colombian_days() -> None:
    """Ask at 23:00 in Colombia, when it is the next day in UTC; the final day ends at midnight in Colombia."""
    moment = datetime(2026, 11, 24, 4, 0, tzinfo=UTC)
    assert due_date_after(moment, 1) == datetime(2026, 11, 25, 5, 0, tzinfo=UTC)


async def test_pqrs_request_gets_a_number_a_deadline_and_a_mail(shop: Shop) -> None:
    first, second = await send_request(shop), await send_request(shop, kind="queja")
    assert (second.number or 0) > (first.number or 0) > 0
    assert (first.email, first.text) == ("ana@example.com", "El trompo llegó\nsin cuerda.")
    assert first.due_at == due_date_after(first.asked_at, 15)
    assert await list_mail_kinds(shop) == ["pqrs_received"] * 2
    async with shop.database.read() as session:
        (run_at,) = (
            await session.execute(select(Job.run_at).where(Job.kind == REMINDER, Job.key == first.id))
        ).scalars()
    assert abs(run_at - (first.due_at - timedelta(days=5))) < timedelta(minutes=1)


@pytest.mark.parametrize(
    ("kind", "days"), [("peticion", 10), ("queja", 15), ("reclamo", 15), ("sugerencia", 15)]
)
async def test_petition_has_an_earlier_deadline_than_a_complaint(shop: Shop, kind: str, days: int) -> None:
    """Check that a petition, such as a question about personal data, has 10 days, and all other kinds have 15."""
    row = await send_request(shop, kind=kind)
    assert row.due_at == due_date_after(row.asked_at, days)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "grito"),
        ("kind", None),
        ("name", ""),
        ("email", "ana@"),
        ("text", "corto"),
        ("text", "x" * (MAX_TEXT_LENGTH + 1)),
        ("order_number", "9" * 31),
    ],
)
async def test_problems_of_the_pqrs_form_are_reported_by_field(shop: Shop, field: str, value: Any) -> None:
    with pytest.raises(InvalidData) as refused:
        await send_request(shop, **{field: value})
    assert list(refused.value.fields) == [field]
    assert await list_mail_kinds(shop) == []


async def test_pqrs_request_can_be_answered_only_once(shop: Shop) -> None:
    row = await send_request(shop)

    async def answer(text: str) -> Pqrs:
        async with shop.database.transaction() as session:
            return await answer_pqrs(session, COMMAND_LINE, row.id, text)

    with pytest.raises(InvalidData):
        await answer(" \n ")
    done = await asyncio.gather(*(answer(f"Respuesta {n}") for n in range(3)), return_exceptions=True)
    assert sorted(type(one).__name__ for one in done) == ["Conflict", "Conflict", "Pqrs"]
    with pytest.raises(Conflict):
        await answer("Otra")
    assert await list_mail_kinds(shop) == ["pqrs_answered", "pqrs_received"]
    async with shop.database.transaction() as session:
        with pytest.raises(NotFound):
            await answer_pqrs(session, COMMAND_LINE, "pqrs_none", "Hola")
        for role in (Role.STOCKROOM, Role.ACCOUNTANT):
            with pytest.raises(Forbidden):
                await answer_pqrs(session, Actor("x", role), row.id, "Hola")


async def test_staff_are_reminded_of_an_unanswered_pqrs_request(shop: Shop) -> None:
    reminders, (late, done) = (
        PqrsReminders(shop.database),
        (await send_request(shop), await send_request(shop)),
    )
    async with shop.database.transaction() as session:
        await answer_pqrs(session, COMMAND_LINE, done.id, "Ya va otro en camino.")
    for key in (late.id, late.id, done.id, "pqrs_none"):
        await reminders.remind(JobRun(1, REMINDER, key, {}, 1))
    open_rows = select(Attention.subject_id).where(Attention.resolved_at.is_(None))
    async with shop.database.read() as session:
        assert list((await session.execute(open_rows)).scalars()) == [late.id]
    async with shop.database.transaction() as session:
        await answer_pqrs(session, COMMAND_LINE, late.id, "Ya va otro en camino.")
    async with shop.database.read() as session:
        assert list((await session.execute(open_rows)).scalars()) == []


async def test_pqrs_form_redirects_to_the_page_of_the_request(shop: Shop, anyone: httpx.AsyncClient) -> None:
    own = {"origin": "http://shop.test"}
    answer = await anyone.post("/api/pqrs", json=TYPED, headers=own)
    assert answer.status_code == 200
    async with shop.database.read() as session:
        pqrs_id = (await session.execute(select(Pqrs.id))).scalar_one()
    assert (
        answer.json()["next"]
        == f"/pqrs/{pqrs_id}?token={PQRS_LINK.token(shop.settings.signing_key, pqrs_id)}"
    )
    wrong = await anyone.post("/api/pqrs", json={**TYPED, "email": "x"}, headers=own)
    assert (wrong.status_code, list(wrong.json()["fields"])) == (400, ["email"])
    plain = await anyone.post("/api/pqrs/form", data=TYPED, headers=own)
    assert (plain.status_code, plain.headers["location"].startswith("/pqrs/pqrs_")) == (303, True)
    bad = await anyone.post("/api/pqrs/form", data={**TYPED, "kind": ""}, headers=own)
    assert bad.headers["location"] == "/pqrs?said=check"
    stranger = await anyone.post("/api/pqrs", json=TYPED, headers={"origin": "https://evil.example"})
    assert stranger.status_code in (401, 403)
    limited = [await anyone.post("/api/pqrs", json=TYPED, headers=own) for _try in range(4)]
    assert limited[-1].status_code == 429
    async with shop.database.read() as session:
        assert (await session.execute(select(func.count()).select_from(Pqrs))).scalar_one() == 3


async def test_acknowledgement_mail_does_not_contain_typed_text(shop: Shop) -> None:
    """Check that the mail omits the typed text, because a sender can type the address of anyone."""
    row = await send_request(shop, name="Gana dinero", text="Entra a evil.example ya mismo")
    async with shop.database.read() as session:
        mail = (await session.execute(select(Mail))).scalar_one()
        message = await compose_message(session, shop.settings, mail)
    assert message is not None
    assert message.to == row.email
    assert not [word for word in ("evil", "Gana") if word in str(message.values)]
