"""A mail server that is slow, says odd things or nothing: no mail is sent again that it may have."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from sqlalchemy import select, update

from backend.app import Shop
from backend.attention.models import Attention
from backend.core.config.settings import Settings
from backend.core.db.database import database_now, db_now
from backend.core.errors import OutsideFailure
from backend.customers.models import Customer
from backend.edge.health.readiness import OK, Readiness
from backend.jobs import Worker, enqueue
from backend.jobs.models import Job
from backend.mail import smtp
from backend.mail.mailer import LATER, Mailer
from backend.mail.models import SEND, Mail, MailKind
from backend.mail.resend import resend_of_order
from backend.mail.transports import Lasts, MailInDoubt, MailRefused, SmtpTransport
from tests.backend.mail.mail_server import MailServer
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import bought


@pytest.fixture
async def mail_server() -> AsyncIterator[MailServer]:
    async with MailServer.open() as server:
        yield server


@pytest.fixture
def worker(shop: Shop, mail_server: MailServer) -> Worker:
    settings = mail_server.of(shop.settings)
    return Worker(shop.database, [Mailer(shop.database, settings, SmtpTransport(settings))])


@pytest.fixture
async def order(store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
    """One with a mail to be sent."""
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_defaults, "trompo", stock=5, price=40_000)
    return await bought(store, variant, 2)


@pytest.fixture
def a_mail() -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "shop@example.com", "ana@example.com", "Hola"
    mail.set_content("one line\n.and one that begins with a dot\n")
    return mail


async def hurry(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now()))


async def job_and_pause(shop: Shop) -> tuple[Job, timedelta]:
    """The mail's job, and for how long it waits."""
    async with shop.database.read() as session:
        job = (await session.execute(select(Job).where(Job.kind == SEND))).scalar_one()
        return job, job.run_at - await database_now(session)


async def given_up(shop: Shop) -> list[str]:
    async with shop.database.read() as session:
        return list((await session.execute(select(Attention.message))).scalars())


async def is_sent(shop: Shop) -> bool:
    async with shop.database.read() as session:
        return (await session.execute(select(Mail.sent_at))).scalar_one() is not None


def test_a_server_has_ten_minutes_to_take_a_mail_and_the_job_waits_for_it() -> None:
    """RFC 5321, 4.5.3.2.6."""
    assert smtp.ACCEPT_TIMEOUT_S == 600
    assert Mailer.send.__job_kind__.timeout.total_seconds() > smtp.TALK_TIMEOUT_S + smtp.ACCEPT_TIMEOUT_S  # type: ignore[attr-defined]


async def test_a_mail_is_sent_as_it_was_written(
    settings: Settings, mail_server: MailServer, a_mail: EmailMessage
) -> None:
    await SmtpTransport(mail_server.of(settings)).send(a_mail)
    (sent,) = mail_server.mails
    assert b"\r\none line\r\n..and one that begins with a dot\r\n.\r\n" in sent
    assert mail_server.said[1:] == [
        "MAIL FROM:<shop@example.com>",
        "RCPT TO:<ana@example.com>",
        "DATA",
        "QUIT",
    ]


async def test_a_mail_that_is_taken_late_is_sent_once(
    shop: Shop, order: dict[str, str], worker: Worker, mail_server: MailServer
) -> None:
    mail_server.holds["DOT"] = asyncio.Event()
    sending = asyncio.create_task(worker.run_due())
    await mail_server.reached["DOT"].acquire()
    mail_server.holds["DOT"].set()
    assert await sending == 1
    assert await is_sent(shop)
    assert len(mail_server.mails) == 1


@pytest.mark.parametrize("goodbye", [b"", b"500 what?", b"421 I am gone"])
async def test_a_mail_that_was_taken_is_sent_whatever_is_said_to_the_goodbye(
    shop: Shop, order: dict[str, str], worker: Worker, mail_server: MailServer, goodbye: bytes
) -> None:
    mail_server.answers["QUIT"] = goodbye
    assert await worker.run_due() == 1
    assert await is_sent(shop)


@pytest.mark.parametrize("silence", ["too long", "hangs up", "nonsense"])
async def test_a_mail_that_may_have_been_taken_is_tried_once_more_hours_later(
    *,
    shop: Shop,
    order: dict[str, str],
    worker: Worker,
    mail_server: MailServer,
    monkeypatch: pytest.MonkeyPatch,
    silence: str,
) -> None:
    if silence == "too long":
        monkeypatch.setattr(smtp, "ACCEPT_TIMEOUT_S", 0.01)
        mail_server.holds["DOT"] = asyncio.Event()
    mail_server.answers["DOT"] = b"?" if silence == "nonsense" else b""

    assert await worker.run_due() == 1
    job, pause = await job_and_pause(shop)
    assert (job.failures, job.failed_at) == (1, None)
    assert pause > LATER - timedelta(minutes=5)
    assert await given_up(shop) == []
    await hurry(shop)
    assert await worker.run_due() == 1

    assert await given_up(shop) == [
        "The job mail.send was given up: the mail server did not say that it took the mail: it may have left"
    ]
    first, second = (message_from_bytes(mail) for mail in mail_server.mails)
    assert first["Message-ID"] == second["Message-ID"]
    assert not await is_sent(shop)


@pytest.mark.parametrize(("answer", "tries"), [(b"", 2), (b"550 spam", 3)])
async def test_outages_are_no_tries_of_a_mail_that_may_have_left_or_is_refused(
    *,
    shop: Shop,
    order: dict[str, str],
    worker: Worker,
    mail_server: MailServer,
    answer: bytes,
    tries: int,
) -> None:
    mail_server.answers["GREETING"] = b"421 out of order"
    for _time in range(5):
        assert await worker.run_due() == 1
        await hurry(shop)
    mail_server.answers |= {"GREETING": b"220 mail.test", "DOT": answer}
    for _time in range(tries):
        assert await given_up(shop) == []
        assert await worker.run_due() == 1
        await hurry(shop)
    assert len(await given_up(shop)) == 1
    assert len(mail_server.mails) == tries


async def test_a_link_for_a_password_that_may_have_left_is_not_sent_again(
    shop: Shop, worker: Worker, mail_server: MailServer
) -> None:
    mail_server.answers["DOT"] = b""
    await ask_link(shop)
    assert await worker.run_due() == 1
    assert await is_sent(shop)
    assert len(mail_server.mails) == 1


async def test_each_link_for_a_password_is_a_mail_of_its_own(
    shop: Shop, worker: Worker, mail_server: MailServer
) -> None:
    """A mailbox may show one mail of those with the same Message-ID, and only the last link may be good."""
    mail_server.answers["DOT"] = b"451 later"
    await ask_link(shop)
    for _time in range(2):
        await hurry(shop)
        assert await worker.run_due() == 1
    first, second = (message_from_bytes(mail) for mail in mail_server.mails)
    assert first["Message-ID"] != second["Message-ID"]


async def test_a_mail_that_is_sent_once_more_on_purpose_is_another_mail(
    shop: Shop, order: dict[str, str], worker: Worker, mail_server: MailServer
) -> None:
    assert await worker.run_due() == 1
    (resent,) = await resend_of_order(shop.database, order["id"], again=True)
    assert resent.is_sent_again
    assert await worker.run_due() == 1
    first, second = (message_from_bytes(mail) for mail in mail_server.mails)
    assert first["Message-ID"] != second["Message-ID"]


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        ("RCPT", b"550 5.1.1 no such user"),
        ("MAIL", b"553 not from here"),
        ("DATA", b"554 no"),
        ("DOT", b"550 spam"),
    ],
)
async def test_a_mail_that_is_refused_for_good_is_tried_three_times(
    *, shop: Shop, order: dict[str, str], worker: Worker, mail_server: MailServer, step: str, answer: bytes
) -> None:
    mail_server.answers[step] = answer
    for _time in range(2):
        assert await worker.run_due() == 1
        job, pause = await job_and_pause(shop)
        assert job.failed_at is None
        assert pause > LATER - timedelta(minutes=5)
        await hurry(shop)
    assert await worker.run_due() == 1
    await hurry(shop)
    assert await worker.run_due() == 0
    (told,) = await given_up(shop)
    assert answer.decode() in told


@pytest.mark.parametrize("step", ["MAIL", "DOT"])
async def test_a_quota_is_waited_for(
    shop: Shop, order: dict[str, str], worker: Worker, mail_server: MailServer, step: str
) -> None:
    mail_server.answers[step] = b"550 5.4.5 Daily user sending quota exceeded"
    for _time in range(5):
        assert await worker.run_due() == 1
        job, pause = await job_and_pause(shop)
        assert job.failed_at is None
        assert pause > LATER - timedelta(minutes=5)
        await hurry(shop)


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        ("RCPT", b"450 greylisted"),
        ("DOT", b"451 later"),
        ("DOT", b"421 closing"),
        ("GREETING", b"554 not you"),
    ],
)
async def test_what_a_server_refuses_for_now_is_tried_again_soon(
    *, shop: Shop, order: dict[str, str], worker: Worker, mail_server: MailServer, step: str, answer: bytes
) -> None:
    mail_server.answers[step] = answer
    for _time in range(3):
        assert await worker.run_due() == 1
        job, pause = await job_and_pause(shop)
        assert job.failed_at is None
        assert pause < timedelta(minutes=1)
        await hurry(shop)


@pytest.mark.parametrize("step", ["GREETING", "MAIL", "DATA"])
async def test_a_server_that_takes_too_long_before_it_has_the_mail_never_gets_it(
    settings: Settings,
    mail_server: MailServer,
    a_mail: EmailMessage,
    step: str,
) -> None:
    client = smtp.SmtpClient(mail_server.of(settings))
    mail_server.holds[step] = asyncio.Event()
    sending = asyncio.create_task(client.deliver(a_mail))
    await mail_server.reached[step].acquire()
    client._limit.reschedule(0)
    with pytest.raises(TimeoutError):
        await sending
    assert not client.may_have_mail
    mail_server.holds[step].set()
    await mail_server.left.acquire()
    assert mail_server.mails == []


@pytest.mark.parametrize(("step", "raised"), [("MAIL", OutsideFailure), ("DOT", MailInDoubt)])
async def test_an_endless_answer_is_not_read_to_its_end(
    settings: Settings,
    mail_server: MailServer,
    a_mail: EmailMessage,
    step: str,
    raised: type[OutsideFailure],
) -> None:
    mail_server.answers[step] = b"2" * 100_000
    with pytest.raises(raised) as failure:
        await SmtpTransport(mail_server.of(settings)).send(a_mail)
    assert type(failure.value) is raised


@pytest.mark.parametrize(
    "address", ["ana@example.com> NOTIFY=NEVER <x@example.com", "<ana@example.com> SIZE=1"]
)
async def test_an_address_adds_nothing_to_its_command(
    settings: Settings, mail_server: MailServer, a_mail: EmailMessage, address: str
) -> None:
    a_mail.replace_header("To", address)
    await SmtpTransport(mail_server.of(settings)).send(a_mail)
    assert [line for line in mail_server.said if "RCPT" in line] == ["RCPT TO:<ana@example.com>"]


async def test_a_mail_without_an_address_is_refused_for_good(
    settings: Settings, mail_server: MailServer, a_mail: EmailMessage
) -> None:
    del a_mail["To"]
    with pytest.raises(MailRefused) as refusal:
        await SmtpTransport(mail_server.of(settings)).send(a_mail)
    assert refusal.value.lasts is Lasts.FOR_GOOD


@pytest.mark.parametrize(("step", "raised"), [("DATA", asyncio.CancelledError), ("DOT", MailInDoubt)])
async def test_who_is_stopped_hangs_up(
    *,
    settings: Settings,
    mail_server: MailServer,
    a_mail: EmailMessage,
    step: str,
    raised: type[BaseException],
) -> None:
    """A process that ends does not wait for ten minutes, and knows whether the server may have the mail."""
    mail_server.holds[step] = asyncio.Event()
    sending = asyncio.create_task(SmtpTransport(mail_server.of(settings)).send(a_mail))
    await mail_server.reached[step].acquire()
    sending.cancel()
    with pytest.raises(raised):
        await sending
    mail_server.holds[step].set()
    await mail_server.left.acquire()
    assert "QUIT" not in mail_server.said


async def test_a_mail_that_takes_longer_than_its_job_may_is_in_doubt(
    settings: Settings, mail_server: MailServer, a_mail: EmailMessage
) -> None:
    mail_server.holds["DOT"] = asyncio.Event()
    limit = asyncio.timeout(None)

    async def send() -> None:
        async with limit:
            await SmtpTransport(mail_server.of(settings)).send(a_mail)

    sending = asyncio.create_task(send())
    await mail_server.reached["DOT"].acquire()
    limit.reschedule(0)
    with pytest.raises(MailInDoubt):
        await sending
    assert limit.expired()
    assert sending.cancelling() == 0


async def test_a_stop_leaves_a_mail_that_may_have_been_taken_for_hours_later(
    shop: Shop, order: dict[str, str], worker: Worker, mail_server: MailServer
) -> None:
    mail_server.holds["DOT"] = asyncio.Event()
    worker.start()
    await mail_server.reached["DOT"].acquire()
    await worker.stop()

    job, pause = await job_and_pause(shop)
    assert (job.claim, job.failures, job.failed_at) == (None, 1, None)
    assert pause > LATER - timedelta(minutes=5)


async def test_a_stop_leaves_a_mail_that_the_server_has_not_got_to_others_at_once(
    shop: Shop, order: dict[str, str], worker: Worker, mail_server: MailServer
) -> None:
    mail_server.holds["DATA"] = asyncio.Event()
    worker.start()
    await mail_server.reached["DATA"].acquire()
    await worker.stop()
    mail_server.holds["DATA"].set()

    job, pause = await job_and_pause(shop)
    assert (job.claim, job.failures) == (None, 0)
    assert pause <= timedelta()
    assert await worker.run_due() == 1
    assert len(mail_server.mails) == 1


async def test_a_stop_sends_no_link_for_a_password_again_that_may_have_left(
    shop: Shop, worker: Worker, mail_server: MailServer
) -> None:
    mail_server.holds["DOT"] = asyncio.Event()
    await ask_link(shop)
    worker.start()
    await mail_server.reached["DOT"].acquire()
    await worker.stop()

    assert await is_sent(shop)
    assert await worker.run_due() == 0


async def test_mails_that_hang_leave_the_other_threads_alone(
    settings: Settings, shop: Shop, mail_server: MailServer, a_mail: EmailMessage
) -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(max_workers=5))
    mail_server.holds["GREETING"] = asyncio.Event()
    transport = SmtpTransport(mail_server.of(settings))
    sending = [asyncio.create_task(transport.send(a_mail)) for _mail in range(5)]
    for _mail in range(4):
        await mail_server.reached["GREETING"].acquire()
    assert (await Readiness.of(shop.settings, shop.database).look())["disk"] == OK
    for task in sending:
        task.cancel()
    await asyncio.gather(*sending, return_exceptions=True)


async def ask_link(shop: Shop) -> None:
    """Have a link for a new password mailed."""
    async with shop.database.transaction() as session:
        session.add(Customer(email="ana@example.com"))
        session.add(mail := Mail(kind=MailKind.PASSWORD_RESET, about="ana@example.com"))
        await session.flush()
        await enqueue(session, SEND, key=mail.id)


def own_certificate(folder: Path) -> ssl.SSLContext:
    """What a server speaks TLS with whose certificate nobody has signed."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "mail.test")])
    begin = datetime(2020, 1, 1, tzinfo=UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + timedelta(days=36_500))
        .sign(key, hashes.SHA256())
    )
    file = folder / "mail.pem"
    unlocked = serialization.NoEncryption()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, unlocked)
    file.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file)
    return context


@pytest.mark.parametrize("is_local", [True, False])
async def test_a_mail_goes_only_to_a_server_that_is_known(
    *,
    settings: Settings,
    a_mail: EmailMessage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_local: bool,
) -> None:
    """A certificate that nobody has signed is enough for a server on this machine alone."""
    async with MailServer.open() as server:
        server.answers["EHLO"] = b"250-mail.test\r\n250 STARTTLS"
        server.answers["STAR"] = b"220 go on"
        server.tls = own_certificate(tmp_path)
        transport = SmtpTransport(server.of(settings).model_copy(update={"smtp_starttls": True}))
        if is_local:
            await transport.send(a_mail)
        else:
            monkeypatch.setattr(smtp, "is_local", lambda _host: False)
            with pytest.raises(OutsideFailure, match="SSLCertVerificationError"):
                await transport.send(a_mail)
        assert len(server.mails) == is_local


@pytest.mark.parametrize(
    ("host", "is_local"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("::1", True),
        ("smtp.example.com", False),
        ("10.0.0.5", False),
    ],
)
def test_which_mail_server_is_on_this_machine(host: str, *, is_local: bool) -> None:
    assert smtp.is_local(host) == is_local
