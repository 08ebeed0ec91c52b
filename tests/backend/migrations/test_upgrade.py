"""A database of any age comes to today's shape with what is in it, on both databases."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from backend.attention import AttentionKind
from backend.core.db.database import Database
from backend.fulfillment.labels import OVERDUE
from backend.fulfillment.tracking import TRACK
from backend.jobs import Worker
from backend.migrations.newest import newest_migration
from backend.migrations.runner import FOLDER, upgrade
from backend.operations.table_registry import all_tables
from backend.payment.notifications import HANDLE
from backend.payment.service import PaymentService
from backend.payment.transitions import CHECK
from tests.backend.checkout.scripted_bank import ScriptedBank

SHOP = """
INSERT INTO collection (id, title, handle, meta, created_at, updated_at)
VALUES ('pcol_1', 'Clásicos', 'clasicos', '{}', '2026-01-02', '2026-01-02');
INSERT INTO product (id, handle, title, subtitle, description, status, collection_id, featured, brand, age_range,
                     extra_metadata, created_at, updated_at)
VALUES ('prod_1', 'arbol', 'Árbol de Ñame', '', '', 'published', 'pcol_1', true, '', '', '{}',
        '2026-01-02', '2026-01-02');
INSERT INTO variant (id, product_id, title, sku, price, rank, created_at, updated_at)
VALUES ('variant_1', 'prod_1', 'Única', 'ARB-1', 45000, 0, '2026-01-02', '2026-01-02');
INSERT INTO inventory_level (id, variant_id, location_id, stocked, reserved, created_at, updated_at)
VALUES ('iitem_1', 'variant_1', 'sloc_1', 7, 2, '2026-01-02', '2026-01-02')
"""
"""A toy for sale, as the first revision has it."""
KEPT = """
SELECT product.id, product.title, product.title_key, variant.price, product.tax_rate, level.stocked, level.reserved
FROM product JOIN variant ON variant.product_id = product.id JOIN inventory_level level ON level.variant_id = variant.id
ORDER BY length(product.id), product.id
"""
"""What today's shop knows of the toys that were written at other revisions."""
BEFORE_STAFF_SEARCH = "b4d0e61f27a9"
BEFORE_THE_CORE = "21acb43c9c7b"
"""The last revision before later work became jobs, and what a person must decide became attention rows."""
OPEN_WORK = """
INSERT INTO region (id, name, currency_code, country_code, created_at, updated_at)
VALUES ('reg_1', 'Colombia', 'cop', 'co', '2026-01-02', '2026-01-02');
INSERT INTO sales_channel (id, name, created_at, updated_at) VALUES ('sc_1', 'Web', '2026-01-02', '2026-01-02');
INSERT INTO stock_location (id, name, address, created_at, updated_at)
VALUES ('sloc_1', 'Bodega', '{}', '2026-01-02', '2026-01-02');
INSERT INTO cart (id, order_id, region_id, sales_channel_id, draft, meta, created_at, updated_at)
VALUES ('cart_1', 'order_1', 'reg_1', 'sc_1', '{}', '{}', '2026-01-02', '2026-01-02'),
       ('cart_2', 'order_2', 'reg_1', 'sc_1', '{}', '{}', '2026-01-02', '2026-01-02');
INSERT INTO payment_collection (id, cart_id, amount, currency_code, status, created_at, updated_at)
VALUES ('pay_col_1', 'cart_1', 45000, 'cop', 'not_paid', '2026-01-02', '2026-01-02'),
       ('pay_col_2', 'cart_2', 45000, 'cop', 'not_paid', '2026-01-02', '2026-01-02');
INSERT INTO payment_session (id, collection_id, provider_id, state, amount, currency_code, invoice, reference, data,
                             checks, asked_at, paid_late_at, created_at, updated_at)
VALUES ('payses_1', 'pay_col_1', 'gateway_pse', 'pending_authorization', 45000, 'cop', 'TR1', 'ref-TR1', '{}',
        2, '2026-01-03', NULL, '2026-01-02', '2026-01-02'),
       ('payses_2', 'pay_col_2', 'gateway_pse', 'captured', 45000, 'cop', 'TR2', 'ref-TR2', '{}',
        1, NULL, NULL, '2026-01-02', '2026-01-02'),
       ('payses_3', 'pay_col_2', 'gateway_pse', 'rejected', 45000, 'cop', 'TR3', 'ref-TR3', '{}',
        1, NULL, '2026-01-04', '2026-01-02', '2026-01-02');
INSERT INTO payment_notification (id, provider_id, dedupe_key, verdict, reference, invoice, state_code, fields,
                                  times_received, next_try_at, tries, handled_at, created_at, updated_at)
VALUES ('paynot_1', 'gateway_pse', 'a', 'genuine', 'ref-TR1', 'TR1', 3, '{"x": "1"}', 2, '2026-01-02', 1, NULL,
        '2026-01-02', '2026-01-02'),
       ('paynot_2', 'gateway_pse', 'b', 'genuine', 'ref-TR1', 'TR1', 1, '{}', 1, '2026-01-02', 0, NULL,
        '2026-01-02', '2026-01-02'),
       ('paynot_3', 'gateway_pse', 'c', 'genuine', 'ref-TR2', 'TR2', 2, '{}', 1, NULL, 1, '2026-01-03',
        '2026-01-02', '2026-01-02'),
       ('paynot_4', 'gateway_pse', 'd', 'forged', NULL, NULL, NULL, '{}', 1, NULL, 0, NULL,
        '2026-01-02', '2026-01-02');
INSERT INTO fulfillment (id, order_id, reference, location_id, provider_id, state, items, data, tracks, next_track_at,
                         created_at, updated_at)
VALUES ('ful_1', 'order_1', 'TR-1', 'sloc_1', 'carrier_standard', 'unknown', '[]', '{}', 0, NULL,
        '2026-01-02', '2026-01-02'),
       ('ful_2', 'order_1', 'TR-2', 'sloc_1', 'carrier_standard', 'creating', '[]', '{}', 0, NULL,
        '2026-01-02', '2026-01-02'),
       ('ful_3', 'order_1', 'TR-3', 'sloc_1', 'carrier_standard', 'created', '[]', '{}', 3, '2026-01-02',
        '2026-01-02', '2026-01-02'),
       ('ful_4', 'order_1', 'TR-4', 'sloc_1', 'carrier_standard', 'failed', '[]', '{}', 0, NULL,
        '2026-01-02', '2026-01-02')
"""
"""At that revision: payments at the bank, paid, and paid late; notifications that wait; labels that nobody knows of."""
BEFORE_NAMES = "d8f6e06d3297"
"""The last revision before tables and columns got the names of the field."""
RENAMED: list[tuple[str, str, tuple[Any, ...]]] = [
    *(
        (
            f"""INSERT INTO mail (id, kind, about, created_at, updated_at)
                VALUES ('mail_{before}', '{before}', 'x', '2026-01-02', '2026-01-02')""",
            f"SELECT kind FROM mail WHERE id = 'mail_{before}'",
            (since,),
        )
        for before, since in (
            ("parcel_shipped", "order_shipped"),
            ("reset", "password_reset"),
            ("refunded",) * 2,
        )
    ),
    (
        "INSERT INTO attempts (key, count, until) VALUES ('k1', 3, '2026-01-02')",
        "SELECT key, hits, CAST(expires_at AS TEXT) LIKE '2026-01-02%' FROM rate_limit_counter",
        ("k1", 3, True),
    ),
]
"""What is written at that revision, how today's shop reads it, and what it finds."""
BEFORE_TERMS = "e81b64f0a9d3"
"""The last revision before orders were found by words."""
SOLD = """
INSERT INTO region (id, name, currency_code, country_code, payment_providers, created_at, updated_at)
VALUES ('reg_1', 'Colombia', 'cop', 'co', '[]', '2026-01-02', '2026-01-02');
INSERT INTO sales_channel (id, name, created_at, updated_at) VALUES ('sc_1', 'Web', '2026-01-02', '2026-01-02');
INSERT INTO cart (id, order_id, region_id, sales_channel_id, draft, meta, created_at, updated_at)
VALUES ('cart_1', 'order_1', 'reg_1', 'sc_1', '{}', '{}', '2026-01-02', '2026-01-02');
INSERT INTO "order" (id, cart_id, region_id, sales_channel_id, email, status, payment_status, fulfillment_status,
                     currency_code, item_total, shipping_total, total, shipping_name, shipping_data, shipping_address,
                     billing_address, payer, meta, created_at, updated_at)
VALUES ('order_1', 'cart_1', 'reg_1', 'sc_1', 'ana@example.co', 'pending', 'captured', 'not_fulfilled', 'cop', 1, 0, 1,
        'Envío', '{}', '{"first_name": "Íñigo", "phone": "+57 300 123 4567"}', '{}', '{"doc_number": "10203"}', '{}',
        '2026-01-02', '2026-01-02')
"""
"""An order, as that revision has it."""
BEFORE_CANCELED_BY = "a7d25c1e84f6"
"""The last revision before an order said who cancelled it."""
PLACES = """
INSERT INTO region (id, name, currency_code, country_code, created_at, updated_at)
VALUES ('reg_1', 'Colombia', 'cop', 'co', '2026-01-02', '2026-01-02');
INSERT INTO sales_channel (id, name, created_at, updated_at) VALUES ('sc_1', 'Web', '2026-01-02', '2026-01-02')
"""
ORDERED = """
INSERT INTO cart (id, order_id, region_id, sales_channel_id, draft, meta, created_at, updated_at)
VALUES ('cart_{n}', 'order_{n}', 'reg_1', 'sc_1', '{{}}', '{{}}', '2026-01-02', '2026-01-02');
INSERT INTO "order" (id, cart_id, region_id, sales_channel_id, email, status, payment_status, fulfillment_status,
                     currency_code, item_total, shipping_total, total, shipping_name, shipping_data, shipping_address,
                     billing_address, meta, created_at, updated_at)
VALUES ('order_{n}', 'cart_{n}', 'reg_1', 'sc_1', 'ana@example.co', '{status}', 'canceled', 'not_fulfilled', 'cop', 1,
        0, 1, 'Envío', '{{}}', '{{}}', '{{}}', '{{}}', '2026-01-02', '2026-01-02')
"""
BY_STAFF = """
INSERT INTO audit_entry (id, created_at, actor_id, action, subject_type, subject_id, changes)
VALUES ('audit_{n}', '2026-01-0{n}', 'usr_{n}', '{action}', 'order', 'order_{order}', '[]')
"""
BEFORE_ROLES = "a41c7be03f58"
"""The last revision before staff had roles."""
BEFORE_UNIQUE_BAR_CODES = "c61f8d20ba97"
"""The last revision before no two variants had one bar code."""
BEFORE_CONSENTS_AGAIN = "d3f80a6b92e7"
"""The last revision before a consent that was withdrawn could be given again."""
CONSENTS_AGAIN = "6b1e93f4c7a2"
REFUNDED = """
INSERT INTO region (id, name, currency_code, country_code, created_at, updated_at)
VALUES ('reg_1', 'Colombia', 'cop', 'co', '2026-01-02', '2026-01-02');
INSERT INTO sales_channel (id, name, created_at, updated_at) VALUES ('sc_1', 'Web', '2026-01-02', '2026-01-02');
INSERT INTO cart (id, order_id, region_id, sales_channel_id, draft, meta, created_at, updated_at)
VALUES ('cart_1', 'order_1', 'reg_1', 'sc_1', '{}', '{}', '2026-01-02', '2026-01-02');
INSERT INTO payment_collection (id, cart_id, amount, currency_code, status, created_at, updated_at)
VALUES ('pay_col_1', 'cart_1', 45000, 'cop', 'not_paid', '2026-01-02', '2026-01-02');
INSERT INTO payment_session (id, collection_id, provider_id, state, amount, currency_code, invoice, data,
                             created_at, updated_at)
VALUES ('payses_back', 'pay_col_1', 'gateway_pse', 'captured', 45000, 'cop', 'TR1', '{"approved": true}',
        '2026-01-02', '2026-01-02'),
       ('payses_ordered', 'pay_col_1', 'gateway_pse', 'captured', 45000, 'cop', 'TR2', '{"approved": true}',
        '2026-01-02', '2026-01-02'),
       ('payses_unknown', 'pay_col_1', 'gateway_pse', 'captured', 45000, 'cop', 'TR3', '{"approved": true}',
        '2026-01-02', '2026-01-02'),
       ('payses_rejected', 'pay_col_1', 'gateway_pse', 'rejected', 45000, 'cop', 'TR4', '{"approved": true}',
        '2026-01-02', '2026-01-02');
INSERT INTO refund (id, payment_session_id, order_id, amount, reference, reason, lines, created_by,
                    created_at, updated_at)
VALUES ('ref_1', 'payses_back', NULL, 45000, 'T1', '', '[]', 'user_1', '2026-01-03', '2026-01-03'),
       ('ref_2', 'payses_ordered', 'order_1', 45000, 'T2', '', '[]', 'user_1', '2026-01-03', '2026-01-03'),
       ('ref_3', 'payses_unknown', NULL, 45000, 'T3', '', '[]', 'user_1', '2026-01-03', '2026-01-03');
INSERT INTO attention (id, kind, subject_id, message, payment_session_id, data, created_at, updated_at)
VALUES ('attn_1', 'approved_late', 'payses_back', 'x', 'payses_back', '{}', '2026-01-02', '2026-01-02'),
       ('attn_2', 'paid_without_order', 'payses_unknown', 'x', 'payses_unknown', '{}', '2026-01-02', '2026-01-02')
"""
"""At that revision: money that went back after it paid nothing, an order, nobody knows what; and some never taken."""
REVISIONS = [revision.revision for revision in ScriptDirectory(str(FOLDER)).walk_revisions()][::-1]


def shop_of(number: int) -> str:
    """`SHOP`, as the toy of this number: the same toy under names of its own."""
    return re.sub(r"'(pcol|prod|variant|iitem|clasicos|arbol|ARB)([_-]1)?'", rf"'\1_{number}'", SHOP)


@pytest.fixture
async def empty(empty_url: str) -> AsyncIterator[Database]:
    """A database with nothing in it, not even tables."""
    database = Database(empty_url)
    yield database
    await database.close()


async def write(database: Database, statements: str) -> None:
    async with database.transaction() as session:
        for statement in statements.split(";"):
            await session.execute(text(statement))


async def downgrade(database: Database, revision: str) -> None:
    """Take the database back to this revision."""

    def back(connection: Connection) -> None:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(FOLDER))
        command.downgrade(config, revision)

    async with database.engine.connect() as connection:
        await connection.run_sync(back)
        await connection.commit()


async def all_of(database: Database, query: str) -> list[tuple[Any, ...]]:
    async with database.read() as session:
        return [tuple(row) for row in await session.execute(text(query))]


async def differences(database: Database) -> list[Any]:
    """What a new revision would have to change."""

    def compare(connection: Connection) -> list[Any]:
        return list(compare_metadata(MigrationContext.configure(connection), all_tables()))

    async with database.engine.connect() as connection:
        return await connection.run_sync(compare)


async def test_an_empty_database_comes_to_todays_shape(empty: Database) -> None:
    await upgrade(empty)
    assert await differences(empty) == []


async def test_a_shop_of_the_first_revision_comes_to_todays_shape_at_once(empty: Database) -> None:
    await upgrade(empty, REVISIONS[0])
    await write(empty, shop_of(1))
    await upgrade(empty)
    assert await differences(empty) == []
    assert await all_of(empty, KEPT) == [("prod_1", "Árbol de Ñame", "arbol de name", 45_000, 19, 7, 2)]


async def test_what_a_shop_of_any_age_wrote_comes_over_whole(empty: Database) -> None:
    """One database that goes through all revisions, one by one, and at each of them gets a toy more."""
    for number, revision in enumerate(REVISIONS, start=1):
        await upgrade(empty, revision)
        await write(empty, shop_of(number))
    await upgrade(empty)
    assert await differences(empty) == []
    assert await all_of(empty, KEPT) == [
        # later ones had the column of the key: it keeps what it held
        (f"prod_{number}", "Árbol de Ñame", "arbol de name" if number == 1 else "", 45_000, 19, 7, 2)
        for number in range(1, len(REVISIONS) + 1)
    ]


async def test_open_work_of_before_the_core_is_taken_up(empty: Database) -> None:
    await upgrade(empty, BEFORE_THE_CORE)
    await write(empty, OPEN_WORK)
    await upgrade(empty)

    jobs = await all_of(
        empty, "SELECT kind, key, attempts, failures, claim IS NULL FROM job ORDER BY kind, key"
    )
    assert jobs == sorted(
        (kind, key, 0, 0, True)
        for kind, key in (
            (CHECK, "payses_1"),
            (HANDLE, "paynot_1"),
            (HANDLE, "paynot_2"),
            (OVERDUE, "ful_2"),
            (TRACK, "ful_3"),
        )
    )
    assert await all_of(
        empty,
        "SELECT id, is_final, times_received, handled_at IS NOT NULL FROM payment_notification ORDER BY id",
    ) == [
        ("paynot_1", False, 2, False),  # it told of a pending payment
        ("paynot_2", True, 1, False),
        ("paynot_3", True, 1, True),
        ("paynot_4", False, 1, False),
    ]
    assert await all_of(
        empty,
        "SELECT kind, subject_id, amount, order_id, fulfillment_id, payment_session_id, message FROM attention"
        " ORDER BY kind",
    ) == [
        (
            AttentionKind.APPROVED_LATE,
            "payses_3",
            45_000,
            None,
            None,
            "payses_3",
            "Payment TR3: approved after it had ended",
        ),
        (
            AttentionKind.LABEL_IN_DOUBT,
            "ful_1",
            None,
            "order_1",
            "ful_1",
            None,
            "Label TR-1: the carrier did not answer",
        ),
    ]
    assert await all_of(empty, "SELECT id, payment_session_id FROM cart ORDER BY id") == [
        ("cart_1", "payses_1"),  # it is at the bank: it cannot be changed
        ("cart_2", None),
    ]
    assert await all_of(
        empty, "SELECT id, captured_amount, checked_at IS NOT NULL FROM payment_session ORDER BY id"
    ) == [("payses_1", None, True), ("payses_2", 45_000, False), ("payses_3", None, False)]


async def test_a_notification_of_before_the_core_is_acted_on(empty: Database) -> None:
    await upgrade(empty, BEFORE_THE_CORE)
    await write(empty, OPEN_WORK)
    await upgrade(empty)
    bank = ScriptedBank()
    assert await Worker(empty, [PaymentService(empty, {bank.id: bank})]).run_due(HANDLE) == 2
    assert bank.asked == 2
    assert await all_of(
        empty,
        "SELECT id, handled_at IS NOT NULL FROM payment_notification WHERE reference = 'ref-TR1' ORDER BY id",
    ) == [
        ("paynot_1", True),
        ("paynot_2", False),  # it told an end, and the bank says pending: it is asked again
    ]
    assert await all_of(empty, f"SELECT key FROM job WHERE kind = '{HANDLE}'") == [("paynot_2",)]


async def test_processes_that_start_at_once_migrate_once(empty: Database) -> None:
    await asyncio.gather(*(upgrade(empty) for _ in range(3)))
    assert await all_of(empty, "SELECT version_num FROM alembic_version") == [(REVISIONS[-1],)]


async def test_a_product_is_still_watched_when_its_table_has_grown(empty: Database) -> None:
    await upgrade(empty, REVISIONS[0])
    await write(empty, SHOP)
    await upgrade(empty)
    (before,) = await all_of(empty, "SELECT catalog FROM catalog_version")
    async with empty.transaction() as session:
        await session.execute(text("UPDATE product SET tax_rate = 5"))
    (after,) = await all_of(empty, "SELECT catalog FROM catalog_version")
    assert after != before


async def test_what_was_renamed_comes_over_whole(empty: Database) -> None:
    await upgrade(empty, BEFORE_NAMES)
    async with empty.transaction() as session:
        for statement in (*SHOP.split(";"), *(written for written, _query, _row in RENAMED)):
            await session.execute(text(statement))
    await upgrade(empty)
    for _written, query, row in RENAMED:
        assert await all_of(empty, query) == [row]


async def test_staff_of_before_roles_are_owners(empty: Database) -> None:
    await upgrade(empty, BEFORE_ROLES)
    await write(
        empty,
        "INSERT INTO staff (id, email, password_hash, created_at, updated_at)"
        " VALUES ('user_1', 'ana@trompo.example', 'x', '2026-01-02', '2026-01-02')",
    )
    await upgrade(empty)
    shown = "SELECT email, password_hash, role, disabled_at, token_epoch, totp_secret FROM staff"
    assert await all_of(empty, shown) == [("ana@trompo.example", "x", "owner", None, 0, None)]
    nameless = (
        "INSERT INTO staff (id, email, password_hash, token_epoch, totp_failures, created_at, updated_at)"
    )
    with pytest.raises(IntegrityError):  # nobody becomes an owner by being made without a role
        await write(empty, nameless + " VALUES ('user_2', 'b', 'x', 0, 0, '2026-01-02', '2026-01-02')")


async def test_orders_of_before_are_found(empty: Database) -> None:
    await upgrade(empty, BEFORE_TERMS)
    async with empty.transaction() as session:
        for statement in SOLD.split(";"):
            await session.execute(text(statement.replace(":", r"\:")))
    await upgrade(empty)
    assert sorted(await all_of(empty, "SELECT term, order_number FROM order_term")) == [
        ("10203", 1),
        ("3001234567", 1),
        ("ana", 1),
        ("ana@example.co", 1),
        ("inigo", 1),
    ]


async def test_orders_of_before_say_who_canceled_them(empty: Database) -> None:
    """The last staff member by the audit; nobody for an order that is not cancelled, or that its payment ended."""
    await upgrade(empty, BEFORE_CANCELED_BY)
    await write(empty, PLACES)
    for number, status in ((1, "canceled"), (2, "canceled"), (3, "pending")):
        await write(empty, ORDERED.format(n=number, status=status))
    for number, action, order in (
        (1, "canceled", 1),
        (2, "canceled", 1),
        (3, "packed", 2),
        (4, "canceled", 3),
    ):
        await write(empty, BY_STAFF.format(n=number, action=action, order=order))
    await upgrade(empty)
    shown = 'SELECT id, canceled_by FROM "order" ORDER BY id'
    assert await all_of(empty, shown) == [("order_1", "usr_2"), ("order_2", None), ("order_3", None)]


async def test_of_two_variants_with_one_bar_code_the_older_keeps_it(empty: Database) -> None:
    await upgrade(empty, BEFORE_UNIQUE_BAR_CODES)
    await write(
        empty,
        SHOP
        + """;
        INSERT INTO product (id, handle, title, subtitle, description, status, featured, brand, age_range,
                             extra_metadata, created_at, updated_at)
        VALUES ('prod_0', 'yoyo', 'Yoyo', '', '', 'published', true, '', '', '{}', '2026-01-03', '2026-01-03');
        INSERT INTO variant (id, product_id, title, ean, price, rank, created_at, updated_at)
        VALUES ('variant_0', 'prod_0', 'Rojo', '7701234567897', 5, 0, '2026-01-03', '2026-01-03'),
               ('variant_2', 'prod_1', 'Azul', '7701234567897', 5, 1, '2026-01-04', '2026-01-04'),
               ('variant_3', 'prod_1', 'Gris', '96385074', 5, 2, '2026-01-04', '2026-01-04'),
               ('variant_4', 'prod_1', 'Café', NULL, 5, 3, '2026-01-04', '2026-01-04');
        UPDATE variant SET ean = '7701234567897' WHERE id = 'variant_1';
        INSERT INTO product_term (term, product_id)
        VALUES ('7701234567897', 'prod_0'), ('yoyo', 'prod_0'), ('7701234567897', 'prod_1')""",
    )
    await upgrade(empty)
    assert await all_of(empty, "SELECT id, ean FROM variant ORDER BY id") == [
        ("variant_0", None),
        ("variant_1", "7701234567897"),
        ("variant_2", None),
        ("variant_3", "96385074"),
        ("variant_4", None),
    ]
    assert await all_of(
        empty,
        "SELECT kind, subject_id, message, resolved_at FROM attention WHERE due_at IS NOT NULL ORDER BY subject_id",
    ) == [
        (
            AttentionKind.BAR_CODE_TWICE,
            variant_id,
            f"{toy} had the bar code 7701234567897 of Árbol de Ñame (Única)",
            None,
        )
        for variant_id, toy in (("variant_0", "Yoyo (Rojo)"), ("variant_2", "Árbol de Ñame (Azul)"))
    ]
    assert await all_of(empty, "SELECT term, product_id FROM product_term ORDER BY product_id, term") == [
        ("yoyo", "prod_0"),
        ("7701234567897", "prod_1"),
    ]
    with pytest.raises(IntegrityError):
        await write(empty, "UPDATE variant SET ean = '96385074' WHERE id = 'variant_4'")


async def test_a_consent_of_before_that_was_withdrawn_can_be_given_again(empty: Database) -> None:
    given = """INSERT INTO consent (id, kind, version, digest, source, given_at, client_ip, cart_id, withdrawn_at)
               VALUES ('{id}', 'data', '1', '', 'api', '2026-01-02', '190.24.1.1', {cart}, {withdrawn})"""
    await upgrade(empty, BEFORE_CONSENTS_AGAIN)
    await write(empty, given.format(id="consent_1", cart="'cart_1'", withdrawn="'2026-01-03'"))
    await upgrade(empty)
    await write(empty, given.format(id="consent_2", cart="'cart_1'", withdrawn="NULL"))
    for cart in ("'cart_1'", "NULL"):  # it stands already; nobody's
        with pytest.raises(IntegrityError):
            await write(empty, given.format(id="consent_3", cart=cart, withdrawn="NULL"))
    shown = "SELECT id, withdrawn_at IS NULL FROM consent ORDER BY id"
    assert await all_of(empty, shown) == [("consent_1", False), ("consent_2", True)]


async def test_of_a_consent_that_was_given_again_the_one_that_stands_stays(empty: Database) -> None:
    """Whatever their ids say: those of two processes do not follow each other."""
    given = """INSERT INTO consent (id, kind, version, digest, source, given_at, client_ip, cart_id, withdrawn_at)
               VALUES ('{id}', 'data', '1', '', 'api', '2026-01-02', '190.24.1.1', '{cart}', {withdrawn})"""
    await upgrade(empty, CONSENTS_AGAIN)
    for id_, cart, withdrawn in (
        ("consent_1", "cart_1", "NULL"),
        ("consent_2", "cart_1", "'2026-01-03'"),
        ("consent_3", "cart_1", "'2026-01-04'"),
        ("consent_4", "cart_2", "'2026-01-03'"),
        ("consent_5", "cart_2", "'2026-01-04'"),
    ):
        await write(empty, given.format(id=id_, cart=cart, withdrawn=withdrawn))
    await downgrade(empty, BEFORE_CONSENTS_AGAIN)
    assert await all_of(empty, "SELECT id FROM consent ORDER BY id") == [("consent_1",), ("consent_5",)]


async def test_money_of_before_that_went_back_without_an_order_pays_nothing(empty: Database) -> None:
    await upgrade(empty, CONSENTS_AGAIN)
    await write(empty, REFUNDED)
    await upgrade(empty)
    rows = await all_of(empty, "SELECT id, CAST(data AS TEXT) FROM payment_session ORDER BY id")
    assert [(session_id, json.loads(data)) for session_id, data in rows] == [
        ("payses_back", {"approved": True, "given_back": True}),
        ("payses_ordered", {"approved": True}),
        ("payses_rejected", {"approved": True}),
        ("payses_unknown", {"approved": True}),
    ]


async def test_products_of_before_are_found(empty: Database) -> None:
    await upgrade(empty, BEFORE_STAFF_SEARCH)
    await write(empty, SHOP)
    await upgrade(empty)
    terms = [term for (term,) in await all_of(empty, "SELECT term FROM product_term ORDER BY term")]
    assert {"arbol", "de", "name"} <= set(terms)
    assert len(terms) == len(set(terms))


async def test_toys_of_collections_of_before_are_found(empty: Database) -> None:
    await upgrade(empty, BEFORE_STAFF_SEARCH)
    await write(empty, SHOP)
    await write(empty, "INSERT INTO search_term (term, product_id, weight) VALUES ('clasicos', 'prod_1', 1)")
    await write(empty, "UPDATE collection SET title = 'Clásicos de agosto'")
    await upgrade(empty)
    terms = await all_of(empty, "SELECT term, product_id, weight FROM search_term ORDER BY term")
    assert terms == [("agosto", "prod_1", 4), ("clasicos", "prod_1", 4), ("de", "prod_1", 4)]
    assert ("agosto",) in await all_of(empty, "SELECT term FROM search_typo WHERE remains = 'agost'")


def test_the_newest_migration_is_found_without_alembic() -> None:
    assert newest_migration() == ScriptDirectory(str(FOLDER)).get_current_head()
