"""A clock that ran ahead was corrected: the times that it wrote are moved back, by kind.

fault                                                     | outcome
----------------------------------------------------------|-----------------------------------------------------
a reservation or payment session ends in a month          | after its usual time from now; units are free again
a login, a link or a file is valid for too long           | for its usual time from now
a limit is active for a month                             | for a day at most
a time of the latest check is in the future               | now
a deadline of attention is too late                       | its kind's time from now
a correct time                                            | unchanged
a reservation of the previous release, which is longer    | unchanged
two replicas find it at the same time                     | moved back once, reported once
"""

import asyncio
from datetime import timedelta

import httpx
import pytest
from sqlalchemy import delete, exists, func, select, update

from backend.alerts import AlertKind, raise_alert
from backend.app import Shop
from backend.attention import AttentionKind, raise_attention
from backend.attention.models import Attention
from backend.cart.models import Cart
from backend.cart_reminders.models import CartReminder
from backend.catalog.models import Product
from backend.catalog.redirects.models import UnknownAddress
from backend.core.db.database import database_now
from backend.customers.models import Customer, CustomerSession, ResetLink
from backend.draft_orders.drafts import open_current_draft
from backend.draft_orders.models import PaymentLink
from backend.edge.auth.revoked_tokens import RevokedTokenChain
from backend.exports.models import DataExport
from backend.inventory.models import Reservation
from backend.operations.clock_changes import MAX_MANUAL_TIME, STORED_MOMENTS, ClockCorrection
from backend.operations.table_registry import all_tables
from backend.orders.models import Fulfillment
from backend.payment.models import BankList, PaymentSession
from backend.payment.sessions import RESERVATION_TIME
from backend.rate_limit.models import RateLimitCounter
from backend.staff.models import Staff, StaffInvite, StaffSession
from backend.staff.rights import COMMAND_LINE
from backend.webhooks.models import WebhookDelivery, WebhookEndpoint
from backend.wishlist.models import WishlistEntry
from tests.store_defaults import Defaults, add_product
from tests.store_steps import PSE, complete_purchase, post

AHEAD = timedelta(days=90)
UNCHECKED_COLUMNS = {
    "pqrs.due_at",
    "order_return.due_at",
    "sandbox_notification.due_at",
    "bulk_change.seen_at",
}
"""Deadlines that the law counts from a recorded day, and times that are only displayed."""


@pytest.fixture
async def moments(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient, admin: httpx.AsyncClient
) -> Shop:
    """Create a shop in which every column of `STORED_MOMENTS` has a time in at least one row."""
    async with shop.database.transaction() as session:
        trompo = await add_product(session, shop_defaults, "trompo", stock=9)
    await complete_purchase(store, trompo, 2, PSE, "calculated")
    order = await complete_purchase(store, trompo, 1, price_type="calculated")
    items = {"items": [{"id": order["items"][0]["id"], "quantity": 1}]}
    await post(admin, f"/admin/orders/{order['id']}/fulfillments", items)
    async with shop.database.transaction() as session:
        moment = await database_now(session)
        await session.execute(update(PaymentSession).values(checked_at=moment))
        await session.execute(update(Fulfillment).values(tracked_at=moment))
        await session.execute(delete(BankList))
        session.add(BankList(provider_id="x", source="test", fetched_at=moment, tried_at=moment))
        customer, staff = (
            Customer(email="ana@example.com"),
            Staff(email="eva@example.com", role="owner", password_hash="x"),
        )
        session.add_all((customer, staff))
        await session.flush()
        product_id = (await session.execute(select(Product.id))).scalar_one()
        draft = await open_current_draft(session, COMMAND_LINE)
        await session.execute(update(Cart).where(Cart.id == draft.cart_id).values(payable_until=moment))
        session.add_all(
            (
                PaymentLink(
                    draft_order_id=draft.id, token_hash="d", total=0, expires_at=moment, created_by=staff.id
                ),
                CustomerSession(token_hash="a", customer_id=customer.id, expires_at=moment),
                RevokedTokenChain(id="chain", expires_at=moment),
                ResetLink(token_hash="b", customer_id=customer.id, expires_at=moment),
                StaffSession(token_hash="c", staff_id=staff.id, expires_at=moment),
                StaffInvite(email="leo@example.com", role="owner", invited_by=staff.id, expires_at=moment),
                DataExport(
                    actor_id=staff.id,
                    kind="orders",
                    file_format="csv",
                    since="2026-11-01",
                    until="2026-11-21",
                    expires_at=moment,
                ),
                RateLimitCounter(key="k", hits=99, expires_at=moment),
                UnknownAddress(former_address="/old", visits=1, seen_at=moment),
                WebhookDelivery(endpoint_id="hook_1", event_id="evt_1", event="ping", next_try_at=moment),
                WebhookEndpoint(
                    callback_url="https://erp.example.com/x",
                    events=[],
                    secret="encrypted",
                    created_by="user_1",
                    former_secret_until=moment,
                    paused_until=moment,
                    failing_since=moment,
                ),
                CartReminder(cart_id=draft.cart_id, customer_id=customer.id, requested_at=moment),
                WishlistEntry(
                    customer_id=customer.id, product_id=product_id, is_saved=True, changed_at=moment
                ),
            )
        )
        await raise_alert(session, AlertKind.DISK, "host", "little room")
        for kind in AttentionKind:
            await raise_attention(session, kind, subject_id="1", message="look")
    return shop


async def move_times_ahead(shop: Shop) -> None:
    """Move every stored time far ahead, as a wrong clock would write it."""
    async with shop.database.transaction() as session:
        for column in {stored.name: stored.column for stored in STORED_MOMENTS}.values():
            rows = (await session.execute(select(column.class_).where(column.is_not(None)))).scalars().all()
            assert rows, f"no row has {column}"
            for row in rows:
                setattr(row, column.key, getattr(row, column.key) + AHEAD)


async def find_late_columns(shop: Shop) -> list[str]:
    """Return the columns that still contain a time later than their maximum."""
    async with shop.database.read() as session:
        return [
            stored.name
            for stored in STORED_MOMENTS
            if (await session.execute(select(exists().where(stored.late_condition())))).scalar_one()
        ]


async def test_every_stored_future_time_is_corrected_and_reported(
    moments: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    shop = moments
    assert await ClockCorrection(shop.database).pull_back() == {}
    await move_times_ahead(shop)
    assert set(await find_late_columns(shop)) == {stored.name for stored in STORED_MOMENTS}
    counts = await ClockCorrection(shop.database).pull_back()
    assert counts.keys() == {stored.name for stored in STORED_MOMENTS}
    assert await find_late_columns(shop) == []
    assert "reservation.expires_at" in caplog.text
    async with shop.database.read() as session:
        moment = await database_now(session)
        ends = {
            row.quantity: row.expires_at - moment
            for row in (await session.execute(select(Reservation))).scalars()
            if row.expires_at
        }
        payments = (await session.execute(select(PaymentSession))).scalars()
        sessions = {row.state: row.expires_at - moment for row in payments if row.expires_at}
    assert RESERVATION_TIME - timedelta(minutes=1) < ends[2] <= RESERVATION_TIME
    assert RESERVATION_TIME - timedelta(minutes=1) < sessions["pending_authorization"] <= RESERVATION_TIME
    assert timedelta(days=59) < sessions["authorized"] <= MAX_MANUAL_TIME


async def test_two_replicas_report_a_wrong_clock_once(moments: Shop) -> None:
    await move_times_ahead(moments)
    counts = await asyncio.gather(*(ClockCorrection(moments.database).pull_back() for _ in range(3)))
    assert sum(one.get("reservation.expires_at", 0) for one in counts) >= 1
    assert await find_late_columns(moments) == []
    async with moments.database.read() as session:
        open_rows = select(func.count()).where(
            Attention.kind == "clock_put_back", Attention.subject_id == "clock"
        )
        assert (await session.execute(open_rows)).scalar_one() == 1


async def test_longer_reservation_of_the_previous_release_is_not_reported(moments: Shop) -> None:
    """Use reservations of 40 minutes, as the previous release made them; this release makes 35.

    | reserved until | outcome |
    |---|---|
    | 40 minutes from now | unchanged, not reported |
    | 50 minutes from now | 35 minutes from now, reported |
    """

    async def reserve_for(minutes: int) -> None:
        async with moments.database.transaction() as session:
            end = await database_now(session) + timedelta(minutes=minutes)
            at_the_bank = PaymentSession.state == "pending_authorization"
            await session.execute(update(PaymentSession).where(at_the_bank).values(expires_at=end))
            await session.execute(update(Reservation).where(Reservation.quantity == 2).values(expires_at=end))

    await reserve_for(40)
    assert await ClockCorrection(moments.database).pull_back() == {}
    await reserve_for(50)
    counts = await ClockCorrection(moments.database).pull_back()
    assert counts == {"payment_session.expires_at": 1, "reservation.expires_at": 1}
    async with moments.database.read() as session:
        end = (
            await session.execute(select(Reservation.expires_at).where(Reservation.quantity == 2))
        ).scalar_one()
        assert end is not None
        assert end <= await database_now(session) + RESERVATION_TIME


def test_every_expiry_column_is_declared_for_the_clock_correction() -> None:
    """Require every new table with an expiry to declare how far ahead its times may be."""
    expiries = {
        f"{table.name}.{column.name}"
        for table in all_tables().sorted_tables
        for column in table.columns
        if column.name in {"expires_at", "due_at", "seen_at", "tracked_at", "checked_at"}
    }
    assert expiries - {stored.name for stored in STORED_MOMENTS} == UNCHECKED_COLUMNS
