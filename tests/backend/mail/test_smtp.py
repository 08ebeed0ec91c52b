"""Slow, silent and faulty mail servers: a mail that the server may have is not sent again."""

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
from backend.mail.mailer import RETRY_DELAY, Mailer
from backend.mail.models import SEND, Mail, MailKind
from backend.mail.resend import resend_order_mails
from backend.mail.transports import MailInDoubt, MailRefused, RefusalDuration, SmtpTransport
from tests.backend.mail.mail_server import MailServer
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase


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
    """Return an order with a mail that is due."""
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)
    return await complete_purchase(store, variant, 2)


@pytest.fixture
def sample_mail() -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "shop@example.com", "ana@example.com", "Hola"
    mail.set_content("one line\n.and one that begins with a dot\n")
    return mail


async def make_jobs_due(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now()))


async def read_job_and_pause(shop: Shop) -> tuple[Job, timedelta]:
    """Return the mail's job, and the time until its next run."""
    async with shop.database.read() as session:
        job = (await session.execute(select(Job).where(Job.kind == SEND))).scalar_one()
        return job, job.run_at - await database_now(session)


async def list_given_up(shop: Shop) -> list[str]:
    async with shop.database.read() as session:
        return list((await session.execute(select(Attention.message))).scalars())


async def is_sent(shop: Shop) -> bool:
    async with shop.database.read() as session:
        return (await session.execute(select(Mail.sent_at))).scalar_one() is not None


def test_mail_job_gives_the_server_ten_minutes_to_accept_a_mail() -> None:
    """Check the timeout after the final dot that RFC 5321 asks for (4.5.3.2.6)."""
    assert smtp.ACCEPT_TIMEOUT_S == 600
    assert Mailer.send.__job_kind__.timeout.total_seconds() > smtp.TALK_TIMEOUT_S + smtp.ACCEPT_TIMEOUT_S  # type: ignore[attr-defined]


async def test_mail_is_sent_over_smtp_unchanged(
    settings: Settings, mail_server: MailServer, sample_mail: EmailMessage
) -> None:
    await SmtpTransport(mail_server.of(settings)).send(sample_mail)
    (sent,) = mail_server.mails
    assert b"\r\none line\r\n..and one that begins with a dot\r\n.\r\n" in sent
    assert mail_server.said[1:] == [
        "MAIL FROM:<shop@example.com>",
        "RCPT TO:<ana@example.com>",
        "DATA",
        "QUIT",
    ]


async def test_mail_that_is_accepted_late_is_sent_once(
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
async def test_accepted_mail_counts_as_sent_whatever_the_answer_to_quit(
    shop: Shop, order: dict[str, str], worker: Worker, mail_server: MailServer, goodbye: bytes
) -> None:
    mail_server.answers["QUIT"] = goodbye
    assert await worker.run_due() == 1
    assert await is_sent(shop)


@pytest.mark.parametrize("silence", ["too long", "hangs up", "nonsense"])
async def test_mail_in_doubt_is_retried_once_hours_later(
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
    job, pause = await read_job_and_pause(shop)
    assert (job.failures, job.failed_at) == (1, None)
    assert pause > RETRY_DELAY - timedelta(minutes=5)
    assert await list_given_up(shop) == []
    await make_jobs_due(shop)
    assert await worker.run_due() == 1

    assert await list_given_up(shop) == [
        "The job mail.send was given up: the mail server did not confirm the mail: it may have been sent"
    ]
    first, second = (message_from_bytes(mail) for mail in mail_server.mails)
    assert first["Message-ID"] == second["Message-ID"]
    assert not await is_sent(shop)


@pytest.mark.parametrize(("answer", "tries"), [(b"", 2), (b"550 spam", 3)])
async def test_outages_do_not_count_as_attempts_for_mails_in_doubt_or_refused_mails(
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
        await make_jobs_due(shop)
    mail_server.answers |= {"GREETING": b"220 mail.test", "DOT": answer}
    for _time in range(tries):
        assert await list_given_up(shop) == []
        assert await worker.run_due() == 1
        await make_jobs_due(shop)
    assert len(await list_given_up(shop)) == 1
    assert len(mail_server.mails) == tries


async def test_password_link_in_doubt_is_not_resent(
    shop: Shop, worker: Worker, mail_server: MailServer
) -> None:
    mail_server.answers["DOT"] = b""
    await request_reset_link(shop)
    assert await worker.run_due() == 1
    assert await is_sent(shop)
    assert len(mail_server.mails) == 1


async def test_each_password_link_has_its_own_message_id(
    shop: Shop, worker: Worker, mail_server: MailServer
) -> None:
    """Mailboxes may hide mails with an equal Message-ID, and only the newest link is valid."""
    mail_server.answers["DOT"] = b"451 later"
    await request_reset_link(shop)
    for _time in range(2):
        await make_jobs_due(shop)
        assert await worker.run_due() == 1
    first, second = (message_from_bytes(mail) for mail in mail_server.mails)
    assert first["Message-ID"] != second["Message-ID"]


async def test_mail_resent_on_purpose_has_a_new_message_id(
    shop: Shop, order: dict[str, str], worker: Worker, mail_server: MailServer
) -> None:
    assert await worker.run_due() == 1
    (resent,) = await resend_order_mails(shop.database, order["id"], again=True)
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
async def test_permanently_refused_mail_is_tried_three_times(
    *, shop: Shop, order: dict[str, str], worker: Worker, mail_server: MailServer, step: str, answer: bytes
) -> None:
    mail_server.answers[step] = answer
    for _time in range(2):
        assert await worker.run_due() == 1
        job, pause = await read_job_and_pause(shop)
        assert job.failed_at is None
        assert pause > RETRY_DELAY - timedelta(minutes=5)
        await make_jobs_due(shop)
    assert await worker.run_due() == 1
    await make_jobs_due(shop)
    assert await worker.run_due() == 0
    (told,) = await list_given_up(shop)
    assert answer.decode() in told


@pytest.mark.parametrize("step", ["MAIL", "DOT"])
async def test_mail_refused_for_an_exceeded_quota_waits_and_is_not_given_up(
    shop: Shop, order: dict[str, str], worker: Worker, mail_server: MailServer, step: str
) -> None:
    mail_server.answers[step] = b"550 5.4.5 Daily user sending quota exceeded"
    for _time in range(5):
        assert await worker.run_due() == 1
        job, pause = await read_job_and_pause(shop)
        assert job.failed_at is None
        assert pause > RETRY_DELAY - timedelta(minutes=5)
        await make_jobs_due(shop)


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        ("RCPT", b"450 greylisted"),
        ("DOT", b"451 later"),
        ("DOT", b"421 closing"),
        ("GREETING", b"554 not you"),
    ],
)
async def test_temporarily_refused_mail_is_retried_soon(
    *, shop: Shop, order: dict[str, str], worker: Worker, mail_server: MailServer, step: str, answer: bytes
) -> None:
    mail_server.answers[step] = answer
    for _time in range(3):
        assert await worker.run_due() == 1
        job, pause = await read_job_and_pause(shop)
        assert job.failed_at is None
        assert pause < timedelta(minutes=1)
        await make_jobs_due(shop)


@pytest.mark.parametrize("step", ["GREETING", "MAIL", "DATA"])
async def test_mail_is_not_sent_to_a_server_that_answers_too_slowly(
    settings: Settings,
    mail_server: MailServer,
    sample_mail: EmailMessage,
    step: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(smtp, "REPLY_TIMEOUT_S", 2 * smtp.TALK_TIMEOUT_S)
    client = smtp.SmtpClient(mail_server.of(settings))
    mail_server.holds[step] = asyncio.Event()
    sending = asyncio.create_task(client.deliver(sample_mail))
    await mail_server.reached[step].acquire()
    loop, time, passed_s = asyncio.get_running_loop(), asyncio.get_running_loop().time, 0.0
    monkeypatch.setattr(loop, "time", lambda: time() + passed_s)
    while not sending.done():  # the client may set its timeout after the server has accepted the connection
        passed_s += smtp.TALK_TIMEOUT_S
        await asyncio.sleep(0)
    with pytest.raises(TimeoutError):
        await sending
    assert not client.may_have_mail
    mail_server.holds[step].set()
    await mail_server.left.acquire()
    assert mail_server.mails == []


@pytest.mark.parametrize(("step", "raised"), [("MAIL", OutsideFailure), ("DOT", MailInDoubt)])
async def test_endless_answer_of_the_mail_server_raises_an_error(
    settings: Settings,
    mail_server: MailServer,
    sample_mail: EmailMessage,
    step: str,
    raised: type[OutsideFailure],
) -> None:
    mail_server.answers[step] = b"2" * 100_000
    with pytest.raises(raised) as failure:
        await SmtpTransport(mail_server.of(settings)).send(sample_mail)
    assert type(failure.value) is raised


@pytest.mark.parametrize(
    "address", ["ana@example.com> NOTIFY=NEVER <x@example.com", "<ana@example.com> SIZE=1"]
)
async def test_email_address_cannot_add_smtp_parameters(
    settings: Settings, mail_server: MailServer, sample_mail: EmailMessage, address: str
) -> None:
    sample_mail.replace_header("To", address)
    await SmtpTransport(mail_server.of(settings)).send(sample_mail)
    assert [line for line in mail_server.said if "RCPT" in line] == ["RCPT TO:<ana@example.com>"]


async def test_mail_without_a_recipient_address_is_refused_permanently(
    settings: Settings, mail_server: MailServer, sample_mail: EmailMessage
) -> None:
    del sample_mail["To"]
    with pytest.raises(MailRefused) as refusal:
        await SmtpTransport(mail_server.of(settings)).send(sample_mail)
    assert refusal.value.duration is RefusalDuration.PERMANENT


@pytest.mark.parametrize(("step", "raised"), [("DATA", asyncio.CancelledError), ("DOT", MailInDoubt)])
async def test_cancelled_client_closes_the_connection(
    *,
    settings: Settings,
    mail_server: MailServer,
    sample_mail: EmailMessage,
    step: str,
    raised: type[BaseException],
) -> None:
    """Cancel the sending: it ends at once, with `MailInDoubt` if the server may have accepted the mail."""
    mail_server.holds[step] = asyncio.Event()
    sending = asyncio.create_task(SmtpTransport(mail_server.of(settings)).send(sample_mail))
    await mail_server.reached[step].acquire()
    sending.cancel()
    with pytest.raises(raised):
        await sending
    mail_server.holds[step].set()
    await mail_server.left.acquire()
    assert "QUIT" not in mail_server.said


async def test_mail_that_is_interrupted_by_the_job_timeout_is_in_doubt(
    settings: Settings, mail_server: MailServer, sample_mail: EmailMessage
) -> None:
    mail_server.holds["DOT"] = asyncio.Event()
    limit = asyncio.timeout(None)

    async def send() -> None:
        async with limit:
            await SmtpTransport(mail_server.of(settings)).send(sample_mail)

    sending = asyncio.create_task(send())
    await mail_server.reached["DOT"].acquire()
    limit.reschedule(0)
    with pytest.raises(MailInDoubt):
        await sending
    assert limit.expired()
    assert sending.cancelling() == 0


async def test_stopping_the_worker_postpones_a_mail_in_doubt_for_hours(
    shop: Shop, order: dict[str, str], worker: Worker, mail_server: MailServer
) -> None:
    mail_server.holds["DOT"] = asyncio.Event()
    worker.start()
    await mail_server.reached["DOT"].acquire()
    await worker.stop()

    job, pause = await read_job_and_pause(shop)
    assert (job.claim, job.failures, job.failed_at) == (None, 1, None)
    assert pause > RETRY_DELAY - timedelta(minutes=5)


async def test_stopping_the_worker_frees_an_unsent_mail_immediately(
    shop: Shop, order: dict[str, str], worker: Worker, mail_server: MailServer
) -> None:
    mail_server.holds["DATA"] = asyncio.Event()
    worker.start()
    await mail_server.reached["DATA"].acquire()
    await worker.stop()
    mail_server.holds["DATA"].set()

    job, pause = await read_job_and_pause(shop)
    assert (job.claim, job.failures) == (None, 0)
    assert pause <= timedelta()
    assert await worker.run_due() == 1
    assert len(mail_server.mails) == 1


async def test_password_link_in_doubt_is_not_resent_after_the_worker_stopped(
    shop: Shop, worker: Worker, mail_server: MailServer
) -> None:
    mail_server.holds["DOT"] = asyncio.Event()
    await request_reset_link(shop)
    worker.start()
    await mail_server.reached["DOT"].acquire()
    await worker.stop()

    assert await is_sent(shop)
    assert await worker.run_due() == 0


async def test_hanging_mails_do_not_block_other_threads(
    settings: Settings, shop: Shop, mail_server: MailServer, sample_mail: EmailMessage
) -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(max_workers=5))
    mail_server.holds["GREETING"] = asyncio.Event()
    transport = SmtpTransport(mail_server.of(settings))
    sending = [asyncio.create_task(transport.send(sample_mail)) for _mail in range(5)]
    for _mail in range(4):
        await mail_server.reached["GREETING"].acquire()
    assert (await Readiness.for_shop(shop.settings, shop.database).run_checks())["disk"] == OK
    for task in sending:
        task.cancel()
    await asyncio.gather(*sending, return_exceptions=True)


async def request_reset_link(shop: Shop) -> None:
    """Request a mail with a link for a new password."""
    async with shop.database.transaction() as session:
        session.add(Customer(email="ana@example.com"))
        session.add(mail := Mail(kind=MailKind.PASSWORD_RESET, about="ana@example.com"))
        await session.flush()
        await enqueue(session, SEND, key=mail.id)


def create_self_signed_context(folder: Path) -> ssl.SSLContext:
    """Return a TLS context with a self-signed certificate."""
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
async def test_mail_is_sent_only_to_a_server_with_a_valid_certificate(
    *,
    settings: Settings,
    sample_mail: EmailMessage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_local: bool,
) -> None:
    """Only a server on this machine may have a self-signed certificate."""
    async with MailServer.open() as server:
        server.answers["EHLO"] = b"250-mail.test\r\n250 STARTTLS"
        server.answers["STAR"] = b"220 go on"
        server.tls = create_self_signed_context(tmp_path)
        transport = SmtpTransport(server.of(settings).model_copy(update={"smtp_starttls": True}))
        if is_local:
            await transport.send(sample_mail)
        else:
            monkeypatch.setattr(smtp, "is_local_host", lambda _host: False)
            with pytest.raises(OutsideFailure, match="SSLCertVerificationError"):
                await transport.send(sample_mail)
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
def test_is_local_host_recognises_names_of_this_machine(host: str, *, is_local: bool) -> None:
    assert smtp.is_local_host(host) == is_local
