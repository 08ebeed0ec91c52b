"""Payments that wait for a decision: each address gets one mail."""

from sqlalchemy import select

from backend.app import Shop
from backend.attention import AttentionKind, raise_attention
from backend.attention.models import Attention
from backend.core.db.database import database_now
from backend.jobs import Worker
from backend.mail.mailer import Mailer
from backend.staff.rights import Role
from backend.staff_notices.batches import NoticeBatches
from backend.staff_notices.choices import Channel, save_choices
from tests.amounts import cop
from tests.backend.mail.conftest import Inbox, text_of
from tests.backend.staff_notices.conftest import Office, make_due

TITLE = "Pagaron dos veces la misma compra"


async def pay_twice(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        await raise_attention(
            session, AttentionKind.PAID_TWICE, subject_id="payses_1", amount=80_000, message="Paid twice"
        )


async def test_notice_of_a_payment_is_mailed_only_to_members_who_may_decide_it(
    shop: Shop, office: Office
) -> None:
    await pay_twice(shop)
    await office.send()
    assert sorted((str(mail["To"]), str(mail["Subject"])) for mail in office.inbox.mails) == [
        ("owner@trompo.example", TITLE),
        ("shop@trompo.example", TITLE),
    ]
    assert cop(f"{TITLE} · $ 80.000 · antes del ") in text_of(office.inbox.mails[0])


async def test_alert_about_a_payment_is_mailed_to_the_shop_if_no_member_wants_the_notice(
    shop: Shop, office: Office
) -> None:
    async with shop.database.transaction() as session:
        for role in (Role.OWNER, Role.SHOP):
            await save_choices(session, office.actor(Role.OWNER), office.ids[role], {Channel.MAIL: []})
    await pay_twice(shop)
    await office.send()
    assert [(str(mail["To"]), str(mail["Subject"])) for mail in office.inbox.mails] == [
        (shop.settings.store_email, f"Por resolver: {TITLE}")
    ]


async def test_staff_member_with_the_alert_email_gets_the_alert_and_no_second_mail(
    shop: Shop, office: Office
) -> None:
    settings = shop.settings.model_copy(update={"alert_email": "Owner@trompo.example"})
    inbox = Inbox()
    mailer = Mailer(shop.database, settings, inbox)
    await pay_twice(shop)
    await make_due(shop.database)
    await Worker(shop.database, [NoticeBatches(shop.database), mailer]).run_due()
    assert sorted((str(mail["To"]).lower(), str(mail["Subject"])) for mail in inbox.mails) == [
        ("owner@trompo.example", f"Por resolver: {TITLE}"),
        ("shop@trompo.example", TITLE),
    ]


async def test_payment_decided_before_the_mail_is_not_mailed(shop: Shop, office: Office) -> None:
    await pay_twice(shop)
    async with shop.database.transaction() as session:
        row = (await session.execute(select(Attention))).scalar_one()
        row.resolved_at = await database_now(session)
    await office.send()
    assert office.inbox.mails == []
