"""Reminders are off by default, and never sent twice: by two workers, after a restart, or if unconfirmed.

| fault | outcome |
|---|---|
| the owner has never saved the setting | none, and nothing is stored |
| another worker requests the same reminder at the same time | one e-mail |
| two workers send it at the same time | one e-mail |
| the process is killed before the request is committed | the next run requests it |
| the process is killed after the e-mail was sent, before that is stored | one e-mail |
| the mail server has it, but does not confirm it | one e-mail |
| the mail server cannot be reached | it is sent later |
"""

import asyncio
from email.message import EmailMessage

import pytest
from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart_reminders import reminders
from backend.cart_reminders.models import CartReminder
from backend.core.db.database import db_now
from backend.jobs import JobRun, Worker
from backend.mail.mailer import Mailer
from backend.mail.models import SEND, Mail, MailKind
from backend.mail.transports import MailInDoubt
from backend.office_settings.models import StoredSetting
from tests.backend.cart_reminders.reminder_kit import SUBJECT, AbandonedCart
from tests.backend.mail.conftest import Inbox
from tests.backend.rivals import run_against_rival


class Killed(BaseException):
    """The simulated end of the process."""


class FaultyServer(Inbox):
    """A mail server that accepts each e-mail and then raises a fault, which ends the connection or the process."""

    def __init__(self, fault: BaseException) -> None:
        super().__init__()
        self.fault = fault

    async def send(self, mail: EmailMessage) -> None:
        """Receive the mail, and raise the fault."""
        await super().send(mail)
        raise self.fault


async def read_mail_id(it: AbandonedCart) -> str:
    async with it.shop.database.read() as session:
        query = select(Mail.id).where(Mail.kind == MailKind.CART_REMINDER)
        return (await session.execute(query)).scalar_one()


async def count_reminders(it: AbandonedCart) -> int:
    async with it.shop.database.read() as session:
        return int((await session.execute(select(func.count()).select_from(CartReminder))).scalar_one())


async def send_once(it: AbandonedCart, server: Inbox) -> None:
    """Run the job of the reminder's e-mail, as a new process."""
    mailer = Mailer(it.shop.database, it.shop.settings, server)
    await mailer.send(JobRun(1, SEND, await read_mail_id(it), {}, 1))


async def test_reminders_are_off_until_the_owner_turns_them_on(abandoned: AbandonedCart) -> None:
    await abandoned.change(lambda session, _it: session.execute(delete(StoredSetting)))
    await abandoned.request()
    assert (await count_reminders(abandoned), await abandoned.send()) == (0, [])


async def test_only_one_of_two_concurrent_workers_stores_a_cart_reminder(abandoned: AbandonedCart) -> None:
    async def rival(session: AsyncSession) -> None:
        reminder = CartReminder(
            cart_id=abandoned.cart_id,
            customer_id=abandoned.customer_id,
            requested_at=(await session.execute(select(db_now()))).scalar_one(),
        )
        session.add(reminder)

    await run_against_rival(abandoned.shop.database, rival, abandoned.request)
    assert (await count_reminders(abandoned), await abandoned.count_requests()) == (1, 0)


async def test_two_workers_send_one_mail(abandoned: AbandonedCart) -> None:
    await abandoned.request()
    database, settings = abandoned.shop.database, abandoned.shop.settings
    workers = [Worker(database, [Mailer(database, settings, abandoned.inbox)]) for _replica in range(3)]
    await asyncio.gather(*(worker.run_due() for worker in workers))
    assert abandoned.inbox.subjects() == [SUBJECT]


async def test_reminder_that_a_killed_process_did_not_store_is_stored_and_sent_later(
    abandoned: AbandonedCart, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def kill(_session: AsyncSession, _event: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(reminders, "publish", kill)
        with pytest.raises(Killed):
            await abandoned.request()
    assert await count_reminders(abandoned) == 0
    await abandoned.request()
    assert await abandoned.send() == ["ana@example.com"]


async def test_reminder_is_not_sent_again_if_the_process_is_killed_after_sending(
    abandoned: AbandonedCart,
) -> None:
    await abandoned.request()
    server = FaultyServer(Killed())
    with pytest.raises(Killed):
        await send_once(abandoned, server)
    await send_once(abandoned, server)
    assert server.subjects() == [SUBJECT]
    assert await abandoned.send() == []


async def test_reminder_that_the_mail_server_did_not_confirm_is_not_sent_again(
    abandoned: AbandonedCart,
) -> None:
    await abandoned.request()
    server = FaultyServer(MailInDoubt("no answer"))
    for _attempt in range(2):
        await send_once(abandoned, server)
    assert server.subjects() == [SUBJECT]
    assert await abandoned.send() == []


async def test_mail_that_could_not_be_sent_is_sent_later(abandoned: AbandonedCart) -> None:
    await abandoned.request()
    abandoned.inbox.is_broken = True
    with pytest.raises(ConnectionRefusedError):
        await send_once(abandoned, abandoned.inbox)
    abandoned.inbox.is_broken = False
    await send_once(abandoned, abandoned.inbox)
    assert abandoned.inbox.subjects() == [SUBJECT]
