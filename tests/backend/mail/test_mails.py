"""Mails are stored with their subject, rendered when they are sent, and sent once."""

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
from backend.core.web.passwords import hash_token
from backend.customers.auth.password_reset import request_reset
from backend.customers.models import Customer, Login, ResetLink
from backend.edge.auth.devices import Visitor
from backend.jobs import Worker, enqueue
from backend.jobs.models import Job
from backend.mail.mailer import Mailer
from backend.mail.models import SEND, Mail
from backend.mail.transports import FolderTransport, SmtpTransport, create_transport
from backend.orders.events import FulfillmentShipped, OrderLost, OrderPaid, OrderUnconfirmed
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.models import Fulfillment
from backend.orders.service import read_order
from backend.payment.models import PaymentSession
from backend.payment.states import SessionState
from backend.payment.transitions import lock_session, move
from backend.rate_limit.limiter import Client
from tests.backend.mail.conftest import Inbox, text_of
from tests.backend.mail.mail_server import MailServer
from tests.backend.orders.paying import order_row
from tests.sold_order import SoldOrder
from tests.store_defaults import Defaults, add_product
from tests.store_steps import (
    PSE,
    complete_purchase,
    create_cart_with_shipping,
    create_payment_collection,
    post,
)

STRANGER = Visitor(Client("190.24.1.9"), "a key")


@pytest.fixture
async def order(shop: Shop, order_at_bank: SoldOrder) -> dict[str, str]:
    """Return the number, id and token of an order that waits for its payment."""
    row = await order_row(shop, order_at_bank.order_id)
    token = ORDER_LINK.token(shop.settings.signing_key, row.id)
    return {"id": row.id, "display_id": str(row.number), "access_token": token}


async def settle(shop: Shop, order: dict[str, str], state: SessionState) -> None:
    """Record the bank's decision."""
    async with shop.database.transaction() as session:
        session_id = (await session.execute(select(PaymentSession.id))).scalar_one()
        payment, cart = await lock_session(session, session_id)
        payment.captured_amount = payment.amount
        await move(session, payment, cart, state)


async def test_order_is_confirmed_by_mail(
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


async def test_mail_names_the_variant_if_the_product_has_several(
    shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults, worker: Worker, inbox: Inbox
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", price=40_000)
        await session.execute(update(Variant).values(title="Azul / Grande"))
    await complete_purchase(store, variant, 2, provider=PSE)
    await worker.run_due()
    (mail,) = inbox.mails
    assert "2 × Trompo (Azul / Grande): $ 80.000" in text_of(mail).replace("\xa0", " ")


async def test_payment_and_failed_payment_of_an_order_are_each_mailed_once(
    shop: Shop, order: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    await settle(shop, order, SessionState.REJECTED)
    await settle(shop, order, SessionState.CAPTURED)  # a late payment
    async with shop.database.transaction() as session:
        await publish(session, OrderPaid(order["id"]))
    await worker.run_due()
    assert [subject.split()[0] for subject in sorted(inbox.subjects())] == ["No", "Recibimos", "Tu"]


@pytest.mark.parametrize("is_pickup", [True, False])
async def test_mail_acknowledging_an_order_contains_what_the_law_requires(
    shop: Shop,
    shop_defaults: Defaults,
    store: httpx.AsyncClient,
    worker: Worker,
    inbox: Inbox,
    *,
    is_pickup: bool,
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)
    order = await complete_purchase(store, variant, 2, PSE, "flat" if is_pickup else "calculated")
    await settle(shop, order, SessionState.CAPTURED)
    await worker.run_due()
    texts = [text_of(mail).replace("\xa0", " ") for mail in inbox.mails]
    assert len(texts) == 2
    for text in texts:
        for words in (
            "IVA incluido en el total: $ ",
            "Plazo máximo de entrega por ley: ",
            "Pago: PSE",
            f"Vende: {shop.settings.store_legal_name}, NIT {shop.settings.store_nit}",
            "Dirección: Calle 80 # 68-20, Engativá",
            f"{shop.settings.base_url}/legal/terminos",
            f"{shop.settings.base_url}/legal/retracto",
        ):
            assert words in text
        assert ("Va para: Medellín, Antioquia" in text) != is_pickup
        assert "Carrera 43A" not in text  # the address is not verified
        assert "aceptaste" not in text  # the program sent no consent


@pytest.mark.parametrize(
    ("kinds", "is_named"), [((), False), (("data",), False), (("terms",), True), (("data", "terms"), True)]
)
async def test_mail_names_the_terms_only_if_they_were_accepted(
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
        variant = await add_product(session, shop_defaults, "trompo", price=40_000)
    cart_id = await create_cart_with_shipping(store, variant)
    consents = [{"kind": kind, "version": "2026-01"} for kind in kinds]
    await post(store, f"/store/carts/{cart_id}", {"consents": consents})
    await create_payment_collection(store, cart_id)
    await post(store, f"/store/carts/{cart_id}/complete")
    await worker.run_due()
    (mail,) = inbox.mails
    assert ("Condiciones que aceptaste: Términos y condiciones" in text_of(mail)) is is_named


async def test_mail_about_a_manual_payment_does_not_mention_a_bank(
    shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults, worker: Worker, inbox: Inbox
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", price=40_000)
    sold = await complete_purchase(store, variant)
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
async def test_fulfillment_mail_names_the_courier_of_its_label(
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


async def test_marking_a_fulfillment_as_shipped_mails_its_tracking_number_once(
    *,
    store: httpx.AsyncClient,
    admin: httpx.AsyncClient,
    shop: Shop,
    shop_defaults: Defaults,
    worker: Worker,
    inbox: Inbox,
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "yoyo")
    order = await complete_purchase(store, variant, price_type="calculated")
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
async def test_shipment_mail_with_the_tracking_link_is_sent_unless_staff_disable_the_mail(  # noqa: PLR0917
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
        variant = await add_product(session, shop_defaults, "yoyo")
    order = await complete_purchase(store, variant)
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


@pytest.mark.parametrize(
    ("price_type", "subject"),
    [
        ("calculated", "Una parte de tu pedido {n} va en camino"),
        ("flat", "Una parte de tu pedido {n} está lista para recoger"),
    ],
)
async def test_mail_about_a_part_of_an_order_lists_the_products_in_it(  # noqa: PLR0917
    store: httpx.AsyncClient,
    admin: httpx.AsyncClient,
    shop: Shop,
    shop_defaults: Defaults,
    worker: Worker,
    inbox: Inbox,
    price_type: str,
    subject: str,
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "yoyo", stock=9)
    order = await complete_purchase(store, variant, 3, price_type=price_type)
    path = f"/admin/orders/{order['id']}/fulfillments"
    for units in (1, 2):
        items = {"items": [{"id": order["items"][0]["id"], "quantity": units}]}
        made = (await post(admin, path, items))["order"]["fulfillments"]
        if price_type == "calculated":
            await post(admin, f"{path}/{made[-1]['id']}/shipments")
    await worker.run_due()
    mails = [mail for mail in inbox.mails if mail["Subject"] == subject.format(n=order["display_id"])]
    contents = [re.findall(r"En este paquete: (.*)\.", text_of(mail)) for mail in mails]
    assert sorted(contents) == [["1 × Yoyo"], ["2 × Yoyo"]]
    assert not [mail for mail in mails if "tu pedido." in text_of(mail)]


async def test_rolled_back_change_sends_no_mail(
    shop: Shop, order: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    await worker.run_due()
    with pytest.raises(ZeroDivisionError):
        await _pay_and_roll_back(shop, order["id"])
    await worker.run_due()
    assert len(inbox.mails) == 1


async def test_reset_link_is_sent_to_accounts_only_and_not_stored(
    shop: Shop, worker: Worker, inbox: Inbox
) -> None:
    async with shop.database.transaction() as session:
        session.add(Customer(email="ana@example.com"))
    for address in ("ana@example.com", "no@example.com"):
        await request_reset(shop.database, address, visitor=STRANGER)
    await worker.run_due()
    (mail,) = inbox.mails
    assert mail["To"] == "ana@example.com"
    found = re.search(r"/account/reset#token=(\S+)", text_of(mail))
    assert found is not None
    async with shop.database.read() as session:
        assert await session.get(ResetLink, hash_token(found[1])) is not None
        mails = (await session.execute(select(Mail))).scalars().all()
    assert found[1] not in repr([mail.model_dump() for mail in mails])
    await request_reset(shop.database, "ana@example.com", visitor=STRANGER)
    await worker.run_due()
    assert len(inbox.mails) == 2


async def test_failed_mail_is_retried(
    shop: Shop, order: dict[str, str], worker: Worker, inbox: Inbox, caplog: pytest.LogCaptureFixture
) -> None:
    inbox.is_broken = True
    assert await worker.run_due() == 1
    assert await worker.run_due() == 0  # not at once
    inbox.is_broken = False
    await _make_jobs_due(shop)
    assert await worker.run_due() == 1
    assert len(inbox.mails) == 1
    assert "mail.send failed" in caplog.text
    assert "ana@example.com" not in caplog.text


async def test_mail_is_given_up_after_three_days_and_raises_attention(
    shop: Shop, order: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    inbox.is_broken = True
    await worker.run_due()
    for days in (2, 4):
        async with shop.database.transaction() as session:
            since = db_now(-timedelta(days=days))
            await session.execute(update(Job).values(failing_since=since, run_at=db_now()))
        assert await worker.run_due() == 1
    await _make_jobs_due(shop)
    assert await worker.run_due() == 0
    async with shop.database.read() as session:
        (mail,) = (await session.execute(select(Mail))).scalars()
        (attention,) = (await session.execute(select(Attention))).scalars()
    assert mail.sent_at is None
    assert (attention.kind, attention.data["key"]) == ("job_failed", mail.id)


async def test_mail_that_cannot_be_rendered_does_not_stop_other_mails(
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


async def test_mails_are_written_to_private_files_without_a_mail_server(
    shop: Shop, order: dict[str, str]
) -> None:
    transport = create_transport(shop.settings)
    assert isinstance(transport, FolderTransport)
    await Worker(shop.database, [Mailer(shop.database, shop.settings, transport)]).run_due()
    (file,) = _list_files(shop.settings.data_dir / "outbox")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    mail = message_from_bytes(file.read_bytes(), policy=policy.default)
    assert str(mail["Subject"]).startswith("Recibimos")


async def test_mail_is_delivered_to_the_configured_mail_server(shop: Shop, order: dict[str, str]) -> None:
    async with MailServer.open() as mail_server:
        settings = mail_server.of(shop.settings)
        transport = create_transport(settings)
        assert isinstance(transport, SmtpTransport)
        await Worker(shop.database, [Mailer(shop.database, settings, transport)]).run_due()
    assert "RCPT TO:<ana@example.com>" in mail_server.said


async def _pay_and_roll_back(shop: Shop, order_id: str) -> None:
    async with shop.database.transaction() as session:
        await publish(session, OrderPaid(order_id))
        raise ZeroDivisionError


async def _make_jobs_due(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now()))


def _list_files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


RELAY = "Ganaste\r\nReclama en https://evil.example"


@pytest.mark.parametrize(
    ("provider", "address", "greeting"),
    [
        (None, "ana@example.com", "Hola:"),  # a guest can type any address
        ("emailpass", "ana@example.com", "Hola:"),  # so can a customer who registers
        ("google", "otra@example.com", "Hola:"),  # or who has an account with another address
        ("google", "ana@example.com", "Hola, Ganaste Reclama en https evil. example:"),
    ],
)
async def test_mail_to_an_unverified_address_contains_no_typed_text(
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
        stored.billing_address = stored.shipping_address
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
