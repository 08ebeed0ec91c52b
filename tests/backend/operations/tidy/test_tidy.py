"""Expired data is deleted, nothing else is, also while the shop runs and twice at the same time."""

import asyncio
import os
from datetime import timedelta
from pathlib import Path
from typing import Any, NoReturn

import pytest
from sqlalchemy import inspect, select, update
from sqlmodel import SQLModel

from backend.app import Shop
from backend.attention import AttentionKind, raise_attention
from backend.attention.models import Attention
from backend.attention.service import close_attention
from backend.catalog.models import Picture, Product
from backend.core.clock import now
from backend.core.db.database import db_now
from backend.core.db.tables import table_of
from backend.customers.admin_schemas import NewGroup
from backend.customers.directory import add_guest
from backend.customers.groups import change_members, create_group
from backend.customers.guests import find_or_create_guest
from backend.customers.models import Customer, CustomerSession, GuestCustomer, Login, ResetLink
from backend.jobs import Worker, enqueue, tidy_rule
from backend.jobs.models import Job
from backend.mail.models import SEND, Mail
from backend.media.picture_store import PictureStore, PicturesUnavailable
from backend.operations.tidy.orphan_pictures import OrphanPictures, find_orphans
from backend.operations.tidy.rules import RULES, WISH_RETENTION
from backend.operations.tidy.tidy import Tidy, TidyResult
from backend.orders.models import OrderLine
from backend.outbox.models import OutboxEvent
from backend.payment.models import PaymentNotification, PaymentSession
from backend.payment.states import SessionState
from backend.staff.models import Staff, StaffSession
from backend.staff.rights import COMMAND_LINE
from backend.wishlist.models import WishlistEntry
from backend.wishlist.service import REMOVAL_RETENTION
from tests.backend.operations.conftest import YEAR, count_rows, make_old, read_all_rows
from tests.store_defaults import Defaults, add_product

NEVER = (
    "order",
    "order_line",
    "payment_collection",
    "payment_session",
    "fulfillment",
    "refund",
    "cart",
    "attention",
)


@pytest.fixture
def tidy(shop: Shop) -> Tidy:
    return Tidy(shop.database, shop.pictures)


def count_deleted(done: list[TidyResult]) -> int:
    return sum(one.count for one in done)


def notification(**values: Any) -> PaymentNotification:
    usual = {
        "provider_id": "gateway_pse",
        "verdict": "genuine",
        "handled_at": now(),
        "dedupe_key": str(values),
    }
    return PaymentNotification(**{**usual, **values})


async def test_cleanup_does_not_change_an_order_of_last_year(
    shop: Shop, order: dict[str, Any], tidy: Tidy
) -> None:
    async with shop.database.transaction() as session:
        await raise_attention(session, AttentionKind.STOCK_SHORT, message="…", order_id=order["id"])
    models = [one for one in all_models() if one.__tablename__ in NEVER]
    assert len(models) == len(NEVER)
    await make_old(shop.database, *models)
    before = await read_all_rows(shop.database)
    assert all(before[name] for name in NEVER if name not in ("fulfillment", "refund"))
    await tidy.tidy()
    after = await read_all_rows(shop.database)
    assert {name: after[name] for name in NEVER} == {name: before[name] for name in NEVER}


async def test_old_rows_are_deleted_and_young_rows_stay(
    shop: Shop, order: dict[str, Any], tidy: Tidy
) -> None:
    async with shop.database.transaction() as session:
        customer, member = (
            Customer(email="ana@example.com"),
            Staff(email="ana@trompo.example", password_hash="x", role="shop"),
        )
        session.add_all([customer, member])
        await session.flush()
        later = now() + timedelta(days=1)
        session.add_all(
            [
                CustomerSession(token_hash="a", customer_id=customer.id, expires_at=later),
                ResetLink(token_hash="a", customer_id=customer.id, expires_at=later),
                StaffSession(token_hash="a", staff_id=member.id, expires_at=later),
                Login(provider="emailpass", subject="nobody@example.com"),
                Login(provider="emailpass", subject="ana@example.com", customer_id=customer.id),
                OutboxEvent(product_id="prod_1"),
                Mail(kind="order_paid", about="order_1", sent_at=now()),
                notification(verdict="forged"),
                notification(invoice="unknown"),
            ]
        )
    assert count_deleted(await tidy.tidy()) == 0
    aged = (
        CustomerSession,
        ResetLink,
        StaffSession,
        Login,
        OutboxEvent,
        Mail,
        PaymentNotification,
        Customer,
        Staff,
    )
    await make_old(shop.database, *aged)
    left = {Login: 1, Customer: 1, Staff: 1, Mail: 1}
    looked = await tidy.count_expired()
    done = await tidy.tidy()
    assert [(one.name, one.count) for one in looked] == [(one.name, one.count) for one in done]
    assert {model: await count_rows(shop.database, model) for model in aged} == {
        model: left.get(model, 0) for model in aged
    }
    assert count_deleted(await tidy.tidy()) == 0


async def test_old_mail_is_deleted_only_if_no_job_will_send_it(
    shop: Shop, order: dict[str, Any], tidy: Tidy
) -> None:
    """Check the old mail of an order: it stays while its job exists, and is deleted after the job."""
    await make_old(shop.database, Mail)
    await tidy.tidy()
    assert await count_rows(shop.database, Mail) == 1
    async with shop.database.transaction() as session:
        await session.execute(table_of(Job).delete().where(Job.kind == SEND))
    await tidy.tidy()
    assert await count_rows(shop.database, Mail) == 0


@pytest.mark.parametrize("state", [SessionState.CAPTURED, SessionState.HELD, SessionState.CLOSED])
async def test_payment_notifications_are_kept_until_their_payment_is_final(
    shop: Shop, order: dict[str, Any], tidy: Tidy, state: SessionState
) -> None:
    async with shop.database.transaction() as session:
        await session.execute(
            update(table_of(PaymentSession)).values(
                state=state, provider_id="gateway_pse", invoice="TR1", reference="r1"
            )
        )
        session.add_all(
            [notification(invoice="TR1"), notification(reference="r1"), notification(session_id="x")]
        )
        session.add(notification(invoice="TR1", dedupe_key="not handled", handled_at=None))
    await make_old(shop.database, PaymentNotification)
    await tidy.tidy()
    assert await count_rows(shop.database, PaymentNotification) == (
        1 if state is SessionState.CAPTURED else 3
    )


async def test_payment_notifications_are_kept_while_attention_is_open(
    shop: Shop, order: dict[str, Any], tidy: Tidy
) -> None:
    async with shop.database.transaction() as session:
        payment = (await session.execute(table_of(PaymentSession).select())).one()
        await session.execute(
            update(table_of(PaymentSession)).values(
                state="captured", provider_id="gateway_pse", invoice="TR1"
            )
        )
        session.add(notification(invoice="TR1"))
        about = {"message": "…", "payment_session_id": payment.id}
        await raise_attention(session, AttentionKind.PAID_TWICE, **about)
    await make_old(shop.database, PaymentNotification)
    for left in (1, 0):
        await tidy.tidy()
        assert await count_rows(shop.database, PaymentNotification) == left
        async with shop.database.transaction() as session:
            await close_attention(session, AttentionKind.PAID_TWICE, payment.id, note="…")


async def test_guest_with_data_entered_by_staff_is_kept(shop: Shop, tidy: Tidy) -> None:
    arguments: list[dict[str, Any]] = [
        {"first_name": "Luz"},
        {"last_name": "Peña"},
        {"phone": "3009876543"},
        {"company_name": "Colegio"},
        {"meta": {"note": "Recoge"}},
    ]
    async with shop.database.transaction() as session:
        stay = [
            await add_guest(session, COMMAND_LINE, f"{n}@example.com", values)
            for n, values in enumerate(arguments)
        ]
        member = await add_guest(session, COMMAND_LINE, "member@example.com", {})
        group = await create_group(session, COMMAND_LINE, NewGroup(name="Colegios"))
        await change_members(session, COMMAND_LINE, group.id, [member.id], [])
        await find_or_create_guest(session, "nobody@example.com")
    await make_old(shop.database, GuestCustomer)
    await tidy.tidy()
    async with shop.database.read() as session:
        left = set((await session.execute(select(GuestCustomer.id))).scalars())
    assert left == {member.id, *(guest.id for guest in stay)}


async def test_removed_wishlist_entries_are_deleted_earlier_than_saved_ones(
    shop: Shop, shop_defaults: Defaults, tidy: Tidy
) -> None:
    async with shop.database.transaction() as session:
        for handle in ("oso", "trompo"):
            await add_product(session, shop_defaults, handle)
        products = (await session.execute(select(Product.id).order_by(Product.handle))).scalars()
        session.add(customer := Customer(email="ana@example.com"))
        await session.flush()
        session.add_all(
            WishlistEntry(customer_id=customer.id, product_id=product, is_saved=is_saved, changed_at=now())
            for product, is_saved in zip(products, (True, False), strict=True)
        )
    for age, left in (
        (REMOVAL_RETENTION - timedelta(hours=1), 2),
        (REMOVAL_RETENTION, 1),
        (WISH_RETENTION - timedelta(hours=1), 1),
        (WISH_RETENTION, 0),
    ):
        await make_old(shop.database, WishlistEntry, age=age)
        await tidy.tidy()
        assert await count_rows(shop.database, WishlistEntry) == left


async def test_given_up_job_is_kept_until_its_attention_is_resolved(shop: Shop, tidy: Tidy) -> None:
    async with shop.database.transaction() as session:
        await enqueue(session, "waits", key="1")
        await enqueue(session, "failed", key="1")
        await session.execute(update(Job).where(Job.kind == "failed").values(failed_at=db_now(-YEAR)))
        failed = (await session.execute(table_of(Job).select().where(Job.kind == "failed"))).one()
        await raise_attention(session, AttentionKind.JOB_FAILED, message="…", subject_id=str(failed.id))
    for left in (3, 2):  # the mail about the attention row is also a job
        await tidy.tidy()
        assert await count_rows(shop.database, Job) == left
        async with shop.database.transaction() as session:
            await close_attention(session, AttentionKind.JOB_FAILED, str(failed.id), note="…")
    assert await count_rows(shop.database, Attention) == 1


async def test_rows_are_deleted_once_by_four_simultaneous_cleanups(shop: Shop, tidy: Tidy) -> None:
    async with shop.database.transaction() as session:
        session.add_all(OutboxEvent(product_id=f"prod_{n}") for n in range(450))
    await make_old(shop.database, OutboxEvent)
    done = await asyncio.gather(*(Tidy(shop.database, shop.pictures).tidy() for _ in range(4)))
    assert sum(map(count_deleted, done)) == 450
    assert await count_rows(shop.database, OutboxEvent) == 0


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_cleanup_deletes_a_limited_number_of_rows_and_reports_the_rest(
    shop: Shop, tidy: Tidy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.operations.tidy.tidy.MAX_BATCHES", 1)
    monkeypatch.setattr(tidy_rule, "MAX_BATCHES", 1)
    async with shop.database.transaction() as session:
        session.add_all(OutboxEvent(product_id=f"prod_{n}") for n in range(tidy_rule.BATCH_SIZE + 1))
    await make_old(shop.database, OutboxEvent)
    first = [one for one in await tidy.tidy() if one.count]
    assert [(one.count, one.has_more) for one in first] == [(tidy_rule.BATCH_SIZE, True)]
    assert "more for the next run" in str(first[0])
    assert count_deleted(await tidy.tidy()) == 1


async def test_failing_cleanup_rule_does_not_stop_the_other_rules(
    shop: Shop, tidy: Tidy, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shop.database.transaction() as session:
        session.add(OutboxEvent(product_id="prod_1"))
    await make_old(shop.database, OutboxEvent)

    async def fails(rule: tidy_rule.TidyRule, database: object) -> int:
        if rule is RULES[0]:
            raise ZeroDivisionError
        return await follow(rule, shop.database)

    follow = tidy_rule.TidyRule.apply
    monkeypatch.setattr(tidy_rule.TidyRule, "apply", fails)
    with pytest.raises(ZeroDivisionError):
        await tidy.tidy()
    assert await count_rows(shop.database, OutboxEvent) == 0


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_cleanup_runs_once_a_day(shop: Shop, tidy: Tidy) -> None:
    worker = Worker(shop.database, [tidy])
    await worker.schedule()
    assert await worker.run_due() == 1
    assert await worker.run_due() == 0


def all_models() -> list[type[SQLModel]]:
    return [one.class_ for one in inspect(Job).registry.mappers]


def store_file(folder: Path, name: str, *, age: timedelta = YEAR) -> Path:
    file = folder / "pictures" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"RIFF")
    moment = (now() - age).timestamp()
    os.utime(file, (moment, moment))
    return file


async def test_unused_pictures_are_deleted(
    shop: Shop, order: dict[str, Any], shop_defaults: Defaults, tidy: Tidy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "backend.operations.tidy.orphan_pictures.BATCH_SIZE", 2
    )  # so that a table needs several batches
    folder = shop.settings.data_dir
    named = [store_file(folder, f"{n:016x}/toy-320.webp") for n in range(7)]
    gone = [store_file(folder, f"{n:016x}/toy-{width}.webp") for n in (100, 101) for width in (320, 640)]
    young = [store_file(folder, "00aa/a.webp"), store_file(folder, "00aa/b.webp", age=timedelta(days=6))]
    async with shop.database.transaction() as session:
        products = [Product(handle=f"toy-{n}", title="Toy") for n in range(5)]
        session.add_all(products)
        await session.flush()
        for n, product in enumerate(products):
            sources = [{"url": f"/pictures/{n:016x}/toy-320.webp", "width": 320}]
            session.add(
                Picture(product_id=product.id, url=f"/pictures/{n:016x}/toy-320.webp", sources=sources)
            )
        await session.execute(update(OrderLine).values(thumbnail=f"/pictures/{5:016x}/toy-320.webp"))
        products[0].extra_metadata = {
            "more": [{"url": f"https://tienda.example/pictures/{6:016x}/toy-320.webp"}]
        }
    looked = await tidy.count_expired()
    assert all(file.exists() for file in (*named, *gone, *young))
    done = await tidy.tidy()
    assert looked[-1].count == done[-1].count == 4
    assert all(file.exists() for file in (*named, *young))
    assert not any(file.parent.exists() for file in gone)
    assert (await tidy.tidy())[-1].count == 0


async def test_picture_stored_again_while_unused_ones_are_searched_is_kept(
    shop: Shop, tidy: Tidy, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = store_file(shop.settings.data_dir, "00aa/toy-320.webp")

    async def then_stored_again(*arguments: Any) -> OrphanPictures:
        found = await find_orphans(*arguments)
        shop.pictures.put("00aa/toy-320.webp", b"RIFF")
        return found

    monkeypatch.setattr("backend.operations.tidy.tidy.find_orphans", then_stored_again)
    await tidy.tidy()
    assert file.exists()


async def test_pictures_are_kept_if_the_store_is_unavailable(
    shop: Shop, tidy: Tidy, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shop.database.transaction() as session:
        session.add(OutboxEvent(product_id="prod_1"))
    await make_old(shop.database, OutboxEvent)

    def away(store: PictureStore) -> NoReturn:
        raise PicturesUnavailable("away")

    monkeypatch.setattr(PictureStore, "iter_pictures", away)
    with pytest.raises(PicturesUnavailable):
        await tidy.tidy()
    assert await count_rows(shop.database, OutboxEvent) == 0
