"""Mails: noted with what they tell of, written when they are sent, sent once."""

import asyncio
import re
import stat
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.attention.models import Attention
from backend.catalog.models import Variant
from backend.core.clock import now
from backend.core.db.database import db_now
from backend.core.events import publish
from backend.core.web.passwords import hash_of
from backend.customers.auth.password_reset import ask_reset
from backend.customers.models import Customer, Login, ResetLink
from backend.edge.auth.devices import Visitor
from backend.jobs import Worker, enqueue
from backend.jobs.models import Job
from backend.mail.mailer import Mailer
from backend.mail.models import SEND, Mail
from backend.mail.transports import FolderTransport, SmtpTransport, transport_of
from backend.orders.events import FulfillmentShipped, OrderLost, OrderPaid, OrderUnconfirmed
from backend.orders.models import Fulfillment
from backend.orders.service import read_order
from backend.payment.models import PaymentSession
from backend.payment.states import SessionState
from backend.payment.transitions import lock_session, move
from backend.rate_limit.limiter import Client
from tests.backend.mail.conftest import Inbox, text_of
from tests.backend.mail.mail_server import MailServer
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import PSE, bought, pay, post, shipped_cart

STRANGER = Visitor(Client("190.24.1.9"), "a key")


@pytest.fixture
async def order(store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
    """An order that waits for its payment."""
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_defaults, "trompo", stock=5, price=40_000)
    return await bought(store, variant, 2, provider=PSE)


async def settle(shop: Shop, order: dict[str, str], state: SessionState) -> None:
    """The bank decides."""
    async with shop.database.transaction() as session:
        session_id = (await session.execute(select(PaymentSession.id))).scalar_one()
        payment, cart = await lock_session(session, session_id)
        payment.captured_amount = payment.amount
        await move(session, payment, cart, state)


async def test_an_order_is_confirmed_by_mail(
    shop: Shop, order: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    await worker.run_due()
    (mail,) = inbox.mails
    text = text_of(mail)
    assert mail["To"] == "ana@example.com"
    assert mail["Subject"] == f"Recibimos tu pedido {order['display_id']}"
    assert "2 × Trompo: $ 80.000" in text.replace("\xa0", " ")
    link = f"{shop.settings.base_url}/order/{order['id']}?token={order['access_token']}"
    assert link in text
    assert f'href="{link}"' in text_of(mail, "html")


async def test_a_mail_names_the_variant_where_there_is_a_choice(
    shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults, worker: Worker, inbox: Inbox
) -> None:
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_defaults, "trompo", price=40_000)
        await session.execute(update(Variant).values(title="Azul / Grande"))
    await bought(store, variant, 2, provider=PSE)
    await worker.run_due()
    (mail,) = inbox.mails
    assert "2 × Trompo (Azul / Grande): $ 80.000" in text_of(mail).replace("\xa0", " ")


async def test_paid_and_lost_are_told_once(
    shop: Shop, order: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    await settle(shop, order, SessionState.REJECTED)
    await settle(shop, order, SessionState.CAPTURED)  # the money came after all
    async with shop.database.transaction() as session:
        await publish(session, OrderPaid(order["id"]))
    await worker.run_due()
    assert [subject.split()[0] for subject in sorted(inbox.subjects())] == ["No", "Recibimos", "Tu"]


async def test_an_order_is_acknowledged_as_the_law_asks(
    shop: Shop, order: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    await settle(shop, order, SessionState.CAPTURED)
    await worker.run_due()
    texts = [text_of(mail).replace("\xa0", " ") for mail in inbox.mails]
    assert len(texts) == 2
    for text in texts:
        for words in (
            "IVA incluido en el total: $ ",
            "Va para: Medellín, Antioquia",
            "Entrega a más tardar: ",
            "Pago: PSE",
            f"Vende: {shop.settings.store_legal_name}, NIT {shop.settings.store_nit}",
            "Dirección: Calle 80 # 68-20, Engativá",
            f"{shop.settings.base_url}/legal/terminos",
            f"{shop.settings.base_url}/legal/retracto",
        ):
            assert words in text
        assert "Carrera 43A" not in text  # nobody has proved that the address is theirs
        assert "aceptaste" not in text  # the program sent no consent


@pytest.mark.parametrize(
    ("kinds", "is_named"), [((), False), (("data",), False), (("terms",), True), (("data", "terms"), True)]
)
async def test_a_mail_names_the_terms_only_if_they_were_accepted(
    shop: Shop,
    store: httpx.AsyncClient,
    shop_defaults: Defaults,
    worker: Worker,
    inbox: Inbox,
    *,
    kinds: tuple[str, ...],
    is_named: bool,
) -> None:
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_defaults, "trompo", price=40_000)
    cart_id = await shipped_cart(store, variant)
    consents = [{"kind": kind, "version": "2026-01"} for kind in kinds]
    await post(store, f"/store/carts/{cart_id}", {"consents": consents})
    await pay(store, cart_id)
    await post(store, f"/store/carts/{cart_id}/complete")
    await worker.run_due()
    (mail,) = inbox.mails
    assert ("Condiciones que aceptaste: Términos y condiciones" in text_of(mail)) is is_named


async def test_a_mail_about_a_manual_payment_speaks_of_no_bank(
    shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults, worker: Worker, inbox: Inbox
) -> None:
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_defaults, "trompo", price=40_000)
    sold = await bought(store, variant)
    async with shop.database.transaction() as session:
        for event in (OrderPaid, OrderLost, OrderUnconfirmed):
            await publish(session, event(sold["id"]))
    await worker.run_due()
    assert len(inbox.mails) == 4
    for mail in inbox.mails:
        for text in (str(mail["Subject"]), text_of(mail), text_of(mail, "html")):
            assert not [word for word in ("banco", "PSE", "CUS") if word in text]


@pytest.mark.parametrize(
    ("delivered_at", "subject", "words"),
    [
        (None, "va en camino", "Lo lleva Envía, con la guía GUIA-77."),
        (now(), "ya llegó", "Lo llevó Envía, con la guía GUIA-77."),
    ],
)
async def test_a_fulfillment_is_told_with_its_label(
    *,
    shop: Shop,
    shop_defaults: Defaults,
    order: dict[str, str],
    worker: Worker,
    inbox: Inbox,
    delivered_at: datetime | None,
    subject: str,
    words: str,
) -> None:
    async with shop.database.transaction() as session:
        parcel = Fulfillment(
            order_id=order["id"],
            reference="1",
            location_id=shop_defaults.location_id,
            provider_id="carrier_standard",
            tracking_number="GUIA-77",
            data={"carrier": "Envía"},
            delivered_at=delivered_at,
        )
        session.add(parcel)
        await session.flush()
        await publish(session, FulfillmentShipped(parcel.id, order["id"]))
    await worker.run_due()
    mail = next(mail for mail in inbox.mails if subject in mail["Subject"])
    assert words in text_of(mail)


async def test_marking_a_fulfillment_shipped_sends_its_label_once(
    *,
    store: httpx.AsyncClient,
    admin: httpx.AsyncClient,
    shop: Shop,
    shop_defaults: Defaults,
    worker: Worker,
    inbox: Inbox,
) -> None:
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_defaults, "yoyo")
    order = await bought(store, variant, price_type="calculated")
    path = f"/admin/orders/{order['id']}/fulfillments"
    items = {"items": [{"id": order["items"][0]["id"], "quantity": 1}]}
    (parcel,) = (await admin.post(path, json=items)).json()["order"]["fulfillments"]
    for _ in range(2):
        assert (await admin.post(f"{path}/{parcel['id']}/shipments", json={})).status_code == 200
    await worker.run_due()
    (mail,) = (mail for mail in inbox.mails if "va en camino" in mail["Subject"])
    assert parcel["labels"][0]["tracking_number"] in text_of(mail)


@pytest.mark.parametrize(
    ("made", "shipped", "is_told"),
    [
        ({}, {}, True),
        ({}, {"no_notification": True}, False),
        ({"no_notification": True}, {}, False),
        ({"no_notification": True}, {"no_notification": False}, True),
    ],
)
async def test_a_shipment_is_told_with_its_link_unless_staff_say_not_to(  # noqa: PLR0917
    store: httpx.AsyncClient,
    admin: httpx.AsyncClient,
    shop: Shop,
    shop_defaults: Defaults,
    worker: Worker,
    inbox: Inbox,
    made: dict[str, bool],
    shipped: dict[str, bool],
    is_told: bool,
) -> None:
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_defaults, "yoyo")
    order = await bought(store, variant)
    path = f"/admin/orders/{order['id']}/fulfillments"
    items = {"items": [{"id": order["items"][0]["id"], "quantity": 1}]}
    (parcel,) = (await admin.post(path, json={**items, **made})).json()["order"]["fulfillments"]
    label = {"tracking_number": "ABC-1", "tracking_url": "https://carrier.example/follow/ABC-1"}
    sent = await admin.post(f"{path}/{parcel['id']}/shipments", json={"labels": [label], **shipped})
    assert sent.status_code == 200
    await worker.run_due()
    told = [mail for mail in inbox.mails if "va en camino" in mail["Subject"]]
    assert len(told) == int(is_told)
    assert all(label["tracking_url"] in text_of(mail) for mail in told)


async def test_what_is_undone_is_not_told(
    shop: Shop, order: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    await worker.run_due()
    with pytest.raises(ZeroDivisionError):
        await _paid_and_then_an_accident(shop, order["id"])
    await worker.run_due()
    assert len(inbox.mails) == 1


async def test_a_link_goes_to_who_has_an_account_and_is_kept_nowhere(
    shop: Shop, worker: Worker, inbox: Inbox
) -> None:
    async with shop.database.transaction() as session:
        session.add(Customer(email="ana@example.com"))
    for address in ("ana@example.com", "no@example.com"):
        await ask_reset(shop.database, address, visitor=STRANGER)
    await worker.run_due()
    (mail,) = inbox.mails
    assert mail["To"] == "ana@example.com"
    found = re.search(r"/account/reset#token=(\S+)", text_of(mail))
    assert found is not None
    async with shop.database.read() as session:
        assert await session.get(ResetLink, hash_of(found[1])) is not None
        mails = (await session.execute(select(Mail))).scalars().all()
    assert found[1] not in repr([mail.model_dump() for mail in mails])
    await ask_reset(shop.database, "ana@example.com", visitor=STRANGER)
    await worker.run_due()
    assert len(inbox.mails) == 2


async def test_a_mail_that_cannot_leave_is_tried_again(
    shop: Shop, order: dict[str, str], worker: Worker, inbox: Inbox, caplog: pytest.LogCaptureFixture
) -> None:
    inbox.is_broken = True
    assert await worker.run_due() == 1
    assert await worker.run_due() == 0  # not at once
    inbox.is_broken = False
    await _hurry(shop)
    assert await worker.run_due() == 1
    assert len(inbox.mails) == 1
    assert "mail.send failed" in caplog.text
    assert "ana@example.com" not in caplog.text


async def test_a_mail_is_given_up_after_three_days_and_someone_is_told(
    shop: Shop, order: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    inbox.is_broken = True
    await worker.run_due()
    for days in (2, 4):
        async with shop.database.transaction() as session:
            since = db_now(-timedelta(days=days))
            await session.execute(update(Job).values(failing_since=since, run_at=db_now()))
        assert await worker.run_due() == 1
    await _hurry(shop)
    assert await worker.run_due() == 0
    async with shop.database.read() as session:
        (mail,) = (await session.execute(select(Mail))).scalars()
        (attention,) = (await session.execute(select(Attention))).scalars()
    assert mail.sent_at is None
    assert (attention.kind, attention.data["key"]) == ("job_failed", mail.id)


async def test_a_mail_that_cannot_be_written_stops_no_other(
    shop: Shop, order: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    async with shop.database.transaction() as session:
        session.add(Mail(id="mail_odd", kind="of_a_kind_nobody_knows", about="x"))
        await enqueue(session, SEND, key="mail_odd")
    assert await worker.run_due() == 2
    assert len(inbox.mails) == 1


async def test_two_workers_send_a_mail_once(shop: Shop, order: dict[str, str], inbox: Inbox) -> None:
    workers = [Worker(shop.database, [Mailer(shop.database, shop.settings, inbox)]) for _ in range(4)]
    await asyncio.gather(*(worker.run_due() for worker in workers))
    assert len(inbox.mails) == 1


async def test_without_a_server_mails_land_in_a_folder_for_our_eyes_only(
    shop: Shop, order: dict[str, str]
) -> None:
    transport = transport_of(shop.settings)
    assert isinstance(transport, FolderTransport)
    await Worker(shop.database, [Mailer(shop.database, shop.settings, transport)]).run_due()
    (file,) = _files(shop.settings.data_dir / "outbox")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    mail = message_from_bytes(file.read_bytes(), policy=policy.default)
    assert str(mail["Subject"]).startswith("Recibimos")


async def test_a_mail_server_gets_the_mail(shop: Shop, order: dict[str, str]) -> None:
    async with MailServer.open() as mail_server:
        settings = mail_server.of(shop.settings)
        transport = transport_of(settings)
        assert isinstance(transport, SmtpTransport)
        await Worker(shop.database, [Mailer(shop.database, settings, transport)]).run_due()
    assert "RCPT TO:<ana@example.com>" in mail_server.said


async def _paid_and_then_an_accident(shop: Shop, order_id: str) -> None:
    async with shop.database.transaction() as session:
        await publish(session, OrderPaid(order_id))
        raise ZeroDivisionError


async def _hurry(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now()))


def _files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


RELAY = "Ganaste\r\nReclama en https://evil.example"


@pytest.mark.parametrize(
    ("provider", "address", "greeting"),
    [
        (None, "ana@example.com", "Hola:"),  # a guest may type anybody's address
        ("emailpass", "ana@example.com", "Hola:"),  # and so may who registers
        ("google", "otra@example.com", "Hola:"),  # or who has an account with another
        ("google", "ana@example.com", "Hola, Ganaste Reclama en https evil. example:"),
    ],
)
async def test_no_stranger_writes_to_an_address_that_is_not_theirs(
    *,
    shop: Shop,
    order: dict[str, str],
    worker: Worker,
    inbox: Inbox,
    provider: str | None,
    address: str,
    greeting: str,
) -> None:
    await settle(shop, order, SessionState.CAPTURED)
    async with shop.database.transaction() as session:
        stored = await read_order(session, order["id"])
        stored.shipping_address = {**stored.shipping_address, "first_name": RELAY, "company": RELAY}
        if provider is not None:
            customer = Customer(email=address, first_name=RELAY)
            session.add(customer)
            await session.flush()
            session.add(Login(provider=provider, subject="77", customer_id=customer.id))
            stored.customer_id = customer.id
    await worker.run_due()
    assert len(inbox.mails) == 2
    for mail in inbox.mails:
        assert text_of(mail).startswith(greeting + "\n")
        for text in (text_of(mail), text_of(mail, "html")):
            assert "evil.example" not in text
            assert ("Ganaste" in text) is ("Ganaste" in greeting)
