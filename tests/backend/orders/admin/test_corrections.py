"""Notes on an order, corrections of its address before it is sent, and resending of mails."""

from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

from backend.app import Shop
from backend.audit import AuditEntry, AuditPersonalValue
from backend.checkout.cart_snapshot import parse_snapshot
from backend.core.errors import Conflict, Forbidden, InvalidData, NotAllowed, NotFound
from backend.fulfillment.bulk_fulfillment import send_remaining_units
from backend.jobs.models import Job
from backend.mail.models import SEND, Mail
from backend.mail.resend import resend_order_mail
from backend.orders.admin.corrections import add_note, correct_address, hash_address
from backend.orders.models import OrderNote
from backend.orders.service import lock_order, rewrite_order
from backend.payment.models import PaymentSession
from backend.shipping.addresses import build_recipient
from backend.staff.rights import Actor, Role
from tests.backend.orders.paying import order_row
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase, get, post

OWNER, ACCOUNTANT = Actor("user_1", Role.OWNER), Actor("user_2", Role.ACCOUNTANT)


@pytest.fixture
async def order_id(shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient) -> str:
    async with shop.database.transaction() as session:
        trompo = await add_product(session, shop_defaults, "trompo", stock=50, price=40_000)
    return str((await complete_purchase(store, trompo, 1, price_type="calculated"))["id"])


async def correct(shop: Shop, order_id: str, address: dict[str, Any], seen: str | None = None) -> None:
    async with shop.database.transaction() as session:
        await correct_address(session, OWNER, order_id, address, seen)


async def test_corrected_address_is_stored_searchable_and_audited(
    shop: Shop, admin: httpx.AsyncClient, order_id: str
) -> None:
    body = {
        "shipping_address": {"first_name": "Berta", "address_1": "Calle 10 # 5-51", "phone": "3109998877"}
    }
    order = (await post(admin, f"/admin/orders/{order_id}", body))["order"]
    assert (order["shipping_address"]["address_1"], order["shipping_address"]["city"]) == (
        "Calle 10 # 5-51",
        "Medellín",
    )
    assert order["shipping_address"]["metadata"]["suburb"] == "El Poblado"
    for text, count in (
        ("berta", 1),
        ("3109998877", 1),
        ("3001234567", 1),
    ):  # the billing address has the old one
        assert (await get(admin, "/admin/orders", q=text))["count"] == count, text
    async with shop.database.read() as session:
        (entry,) = (
            await session.execute(select(AuditEntry).where(AuditEntry.action == "address corrected"))
        ).scalars()
        assert "Calle" not in str(entry.changes)
        assert (await session.execute(select(func.count()).select_from(AuditPersonalValue))).scalar_one() > 0


async def test_address_too_long_for_a_label_is_refused(shop: Shop, order_id: str) -> None:
    with pytest.raises(InvalidData) as refused:
        await correct(shop, order_id, {"address_1": "x" * 90, "address_2": "Torre 5 " + "y" * 50})
    assert list(refused.value.fields) == ["shipping_address.address_1"]
    assert (await order_row(shop, order_id)).shipping_address["address_1"] != "x" * 90


async def test_payment_after_an_address_correction_keeps_the_corrected_address(
    shop: Shop, admin: httpx.AsyncClient, order_id: str
) -> None:
    order = (await get(admin, f"/admin/orders/{order_id}"))["order"]
    await correct(shop, order_id, {"address_1": "Calle 10 # 5-51"})
    (payment,) = order["payment_collections"][0]["payments"]
    await post(admin, f"/admin/payments/{payment['id']}/capture")
    paid = (await get(admin, f"/admin/orders/{order_id}"))["order"]
    assert paid["payment_status"] == "captured"
    assert paid["shipping_address"]["address_1"] == "Calle 10 # 5-51"
    assert [line["id"] for line in paid["items"]] == [line["id"] for line in order["items"]]
    async with shop.database.transaction() as session:  # the paid cart had other lines
        row = await lock_order(session, order_id)
        session_row = (await session.execute(select(PaymentSession))).scalar_one()
        assert session_row.snapshot is not None
        (line,) = await rewrite_order(session, row, parse_snapshot(session_row.snapshot))
        assert line.id != order["items"][0]["id"]
        assert row.shipping_address["address_1"] == "Calle 10 # 5-51"


async def test_address_incomplete_for_a_label_is_refused(
    shop: Shop, admin: httpx.AsyncClient, order_id: str
) -> None:
    for address in (
        {"first_name": ""},
        {"phone": "123"},
        {"address_1": " "},
        {"city": "Atlantis", "metadata": {"dane_code": ""}},
        {"metadata": {"dane_code": "99999999"}},
    ):
        answer = await admin.post(f"/admin/orders/{order_id}", json={"shipping_address": address})
        assert answer.status_code == 400, address
    assert (await admin.post(f"/admin/orders/{order_id}", json={})).status_code == 400
    assert (await order_row(shop, order_id)).shipping_address["address_1"] == "Carrera 43A # 1-50"


async def test_new_city_replaces_the_code_of_the_old_city(
    shop: Shop, admin: httpx.AsyncClient, order_id: str
) -> None:
    """Send addresses without a municipality code, as the platform's dashboard does, and one with a code."""
    path = f"/admin/orders/{order_id}"
    await correct(shop, order_id, {"metadata": {"dane_code": "05001000"}})  # as the pages have it
    elsewhere = {"address_1": "Calle 5 # 38-14", "city": "Cali", "province": "Valle del Cauca"}
    sent = (await post(admin, path, {"shipping_address": elsewhere}))["order"]["shipping_address"]
    assert (sent["city"], sent["metadata"]) == ("Cali", {"suburb": "El Poblado"})
    assert build_recipient((await order_row(shop, order_id)).shipping_address, "").dane_code == "76001000"
    nowhere = await admin.post(path, json={"shipping_address": {"city": "Vereda El Hato"}})
    assert nowhere.status_code == 400
    coded = {"city": "Vereda El Hato", "province": "Antioquia", "metadata": {"dane_code": "05001000"}}
    await post(admin, path, {"shipping_address": coded})
    assert build_recipient((await order_row(shop, order_id)).shipping_address, "").dane_code == "05001000"


async def test_address_correction_based_on_an_outdated_address_is_refused(shop: Shop, order_id: str) -> None:
    seen = hash_address((await order_row(shop, order_id)).shipping_address)
    await correct(shop, order_id, {"address_1": "Calle 10 # 5-51"}, seen)
    with pytest.raises(Conflict):
        await correct(shop, order_id, {"address_1": "Calle 20 # 5-51"}, seen)
    assert (await order_row(shop, order_id)).shipping_address["address_1"] == "Calle 10 # 5-51"


async def test_address_of_order_with_label_cannot_change(
    shop: Shop, admin: httpx.AsyncClient, order_id: str
) -> None:
    await send_remaining_units(shop.database, OWNER, shop.settings, shop.fulfillment_providers, order_id)
    with pytest.raises(NotAllowed):
        await correct(shop, order_id, {"address_1": "Calle 10 # 5-51"})
    parcel = (await get(admin, f"/admin/orders/{order_id}"))["order"]["fulfillments"][0]["id"]
    await post(admin, f"/admin/orders/{order_id}/fulfillments/{parcel}/cancel")
    await correct(shop, order_id, {"address_1": "Calle 10 # 5-51"})
    await post(admin, f"/admin/orders/{order_id}/cancel")
    with pytest.raises(NotAllowed):
        await correct(shop, order_id, {"address_1": "Calle 20 # 5-51"})


async def test_only_a_valid_note_on_an_order_is_stored(
    shop: Shop, admin: httpx.AsyncClient, order_id: str
) -> None:
    note = (await post(admin, f"/admin/orders/{order_id}/notes", {"text": " Llamar antes "}))["note"]
    assert note["text"] == "Llamar antes"
    for refused in ({"text": ""}, {"text": "   "}, {"text": "x" * 1001}, {}):
        assert (await admin.post(f"/admin/orders/{order_id}/notes", json=refused)).status_code == 400
    async with shop.database.transaction() as session:
        with pytest.raises(InvalidData):
            await add_note(session, OWNER, order_id, " ")
    async with shop.database.read() as session:
        assert (await session.execute(select(OrderNote.text))).scalars().all() == ["Llamar antes"]


async def test_mail_about_an_order_can_be_sent_again(
    shop: Shop, admin: httpx.AsyncClient, order_id: str
) -> None:
    async with shop.database.transaction() as session:
        mail = (await session.execute(select(Mail).where(Mail.about == order_id))).scalars().first()
        assert mail is not None
        mail.sent_at = mail.created_at
        for job in (await session.execute(select(Job).where(Job.kind == SEND))).scalars():
            await session.delete(job)
    path = f"/admin/orders/{order_id}/mails"
    assert (await post(admin, f"{path}/{mail.id}/send-again"))["is_sent_again"] is True
    assert (await post(admin, f"{path}/{mail.id}/send-again"))["is_sent_again"] is False
    async with shop.database.read() as session:
        waiting = (await session.execute(select(Job.key).where(Job.kind == SEND))).scalars().all()
        assert list(waiting) == [mail.id]
    for nobodys in (
        f"{path}/mail_nosuch/send-again",
        f"/admin/orders/order_nosuch/mails/{mail.id}/send-again",
    ):
        assert (await admin.post(nobodys, json={})).status_code == 404


async def test_corrections_of_an_order_require_the_right(shop: Shop, order_id: str) -> None:
    async with shop.database.transaction() as session:
        with pytest.raises(Forbidden):
            await correct_address(session, ACCOUNTANT, order_id, {})
        with pytest.raises(Forbidden):
            await add_note(session, ACCOUNTANT, order_id, "x")
        with pytest.raises(NotFound):
            await add_note(session, OWNER, "order_nosuch", "x")
    with pytest.raises(Forbidden):
        await resend_order_mail(shop.database, ACCOUNTANT, order_id, "mail_1")
