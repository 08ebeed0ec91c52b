"""Resending mails by hand."""

import asyncio
from datetime import timedelta
from email.message import EmailMessage
from typing import NoReturn

import httpx
import pytest
from aiosmtplib import (
    SMTPDataError,
    SMTPException,
    SMTPRecipientRefused,
    SMTPRecipientsRefused,
    SMTPServerDisconnected,
)
from sqlalchemy import select, update

from backend.app import Shop
from backend.attention.models import Attention
from backend.core.db.database import db_now
from backend.core.errors import NotFound, OutsideFailure
from backend.jobs import Worker, enqueue
from backend.jobs.models import Job
from backend.mail.models import SEND, Mail, MailKind
from backend.mail.resend import resend_given_up_mails, resend_mail, resend_order_mails
from backend.mail.smtp import SmtpClient
from backend.mail.transports import SmtpTransport
from tests.backend.mail.conftest import Inbox
from tests.ports import find_free_port
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase


@pytest.fixture
async def order(store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)
    return await complete_purchase(store, variant, 2)


async def give_up(shop: Shop, worker: Worker, inbox: Inbox) -> str:
    """Let the order's mail fail for four days, until its job is given up. Return the mail's id."""
    inbox.is_broken = True
    await worker.run_due()
    async with shop.database.transaction() as session:
        await session.execute(update(Job).values(failing_since=db_now(-timedelta(days=4)), run_at=db_now()))
    await worker.run_due()
    inbox.is_broken = False
    async with shop.database.read() as session:
        return (await session.execute(select(Mail.id))).scalar_one()


async def test_given_up_mails_are_sent_once_and_their_attention_is_closed(
    shop: Shop, order: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    mail_id = await give_up(shop, worker, inbox)
    first, second = await resend_given_up_mails(shop.database), await resend_given_up_mails(shop.database)
    assert [(one.mail_id, one.is_sent_again) for one in first] == [(mail_id, True)]
    assert second == []
    assert not (await resend_mail(shop.database, mail_id)).is_sent_again
    await worker.run_due()
    assert len(inbox.mails) == 1
    assert await resend_given_up_mails(shop.database) == []
    async with shop.database.read() as session:
        row = (await session.execute(select(Attention))).scalar_one()
    assert (row.resolved_by, row.resolution) == ("shop", "dismissed")


async def test_two_concurrent_resends_send_one_mail(
    shop: Shop, order: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    mail_id = await give_up(shop, worker, inbox)
    await asyncio.gather(*(resend_given_up_mails(shop.database) for _ in range(4)))
    await worker.run_due()
    assert len(inbox.mails) == 1
    once_more = await asyncio.gather(*(resend_mail(shop.database, mail_id, again=True) for _ in range(4)))
    assert sum(one.is_sent_again for one in once_more) == 1
    await worker.run_due()
    assert len(inbox.mails) == 2


async def test_sent_mail_is_resent_only_with_the_again_option(
    shop: Shop, order: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    await worker.run_due()
    (kept,) = await resend_order_mails(shop.database, order["id"])
    assert not kept.is_sent_again
    assert "--again" in kept.outcome
    await worker.run_due()
    assert len(inbox.mails) == 1
    (again,) = await resend_order_mails(shop.database, str(order["display_id"]), again=True)
    assert again.is_sent_again
    (waiting,) = await resend_order_mails(shop.database, str(order["display_id"]), again=True)
    assert not waiting.is_sent_again
    await worker.run_due()
    assert len(inbox.mails) == 2
    assert "ana@example.com" not in f"{kept} {again} {waiting}"


async def test_failing_mail_is_retried_immediately(
    shop: Shop, order: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    inbox.is_broken = True
    await worker.run_due()
    async with shop.database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now(timedelta(minutes=5))))
    inbox.is_broken = False
    assert await worker.run_due() == 0
    assert [(await resend_order_mails(shop.database, order["id"]))[0].is_sent_again for _ in range(2)] == [
        True,
        False,
    ]
    await worker.run_due()
    assert len(inbox.mails) == 1


async def test_mail_whose_job_was_dismissed_can_be_resent(
    shop: Shop, order: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    mail_id = await give_up(shop, worker, inbox)
    async with shop.database.transaction() as session:
        await session.delete((await session.execute(select(Job).where(Job.kind == SEND))).scalar_one())
    assert (await resend_mail(shop.database, mail_id)).is_sent_again
    await worker.run_due()
    assert len(inbox.mails) == 1


async def test_sent_password_link_is_not_resent(shop: Shop, worker: Worker) -> None:
    async with shop.database.transaction() as session:
        session.add(mail := Mail(kind=MailKind.PASSWORD_RESET, about="ana@example.com"))
        await session.flush()
        await enqueue(session, SEND, key=mail.id)
    await worker.run_due()
    kept = await resend_mail(shop.database, mail.id, again=True)
    assert not kept.is_sent_again
    assert "ana@example.com" not in str(kept)


@pytest.mark.parametrize("order_name", ["order_none", "999", "3000000000", "9" * 40, "²", ""])
async def test_resending_mails_of_an_unknown_order_raises_not_found(shop: Shop, order_name: str) -> None:
    with pytest.raises(NotFound):
        await resend_order_mails(shop.database, order_name)
    with pytest.raises(NotFound):
        await resend_mail(shop.database, order_name)


USER_UNKNOWN = SMTPRecipientRefused(550, "<Ana@example.com>: no such user", "ana@example.com")


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (SMTPRecipientsRefused([USER_UNKNOWN]), "SMTPRecipientRefused"),
        (SMTPDataError(554, "ana@example.com is over quota"), "SMTPDataError"),
        (SMTPException("ana@example.com: not supported"), "SMTPException"),
        (SMTPServerDisconnected("ana@example.com: gone"), "SMTPServerDisconnected"),
        (ValueError("'ana@example.com' contains characters"), "SMTP"),
    ],
)
async def test_error_of_a_refused_mail_contains_no_email_address(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, error: Exception, name: str
) -> None:
    async def refuse(*arguments: object) -> NoReturn:
        raise error

    monkeypatch.setattr(SmtpClient, "deliver", refuse)
    mail = EmailMessage()
    mail["To"] = "ana@example.com"
    with pytest.raises(OutsideFailure) as raised:
        await SmtpTransport(shop.settings).send(mail)
    assert "ana@" not in str(raised.value).casefold()
    assert name in str(raised.value)
    assert raised.value.__cause__ is None


async def test_refused_connection_to_the_mail_server_raises_outside_failure(shop: Shop) -> None:
    """Check for the error that a job logs in one line, without a traceback."""
    mail = EmailMessage()
    mail["To"] = "ana@example.com"
    nobody = shop.settings.model_copy(update={"smtp_host": "127.0.0.1", "smtp_port": find_free_port()})
    with pytest.raises(OutsideFailure, match=r"does not answer \(ConnectionRefusedError\)"):
        await SmtpTransport(nobody).send(mail)
