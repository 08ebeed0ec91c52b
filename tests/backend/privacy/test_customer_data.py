"""Export of a person's data: its content, the needed right, and no formulas."""

import csv
import re
from dataclasses import replace
from datetime import date, timedelta
from io import StringIO

import httpx
import pytest
from sqlalchemy import select, update
from sqlmodel import SQLModel

from backend.app import Shop
from backend.audit import AuditEntry
from backend.core.errors import Forbidden, NotFound
from backend.customers.guests import find_or_create_guest
from backend.customers.models import Customer, CustomerAddress, GuestCustomer
from backend.customers.notes import add_note
from backend.legal.consents import ConsentContext, ConsentSource, give_consents
from backend.operations.table_registry import all_tables
from backend.orders.models import Order
from backend.privacy.customer_data import (
    DataSubject,
    Format,
    build_queries,
    customer_file,
    find_data_subject,
    read_held_data,
)
from backend.privacy.customer_table import FIELD_LABELS
from backend.staff.rights import COMMAND_LINE, Actor, Role
from backend.wishlist.service import WishChange, merge_wishlist
from tests.store_defaults import Defaults, add_product
from tests.store_steps import (
    HOME,
    PSE,
    complete_purchase,
    create_cart_with_shipping,
    create_payment_collection,
)

OF_THE_STAFF_OR_NOBODY = {
    "order_term", "customer_term",  # copies of other columns, for searches
    "reset_link", "rate_limit_counter",  # hashes
    "payment_notification", "sandbox_transaction",  # the gateway's reports on rows of `payment_session`
    "staff", "staff_invite", "staff_role", "staff_session", "secret_key", "stored_setting", "backup",
    "reservation", "stock_location", "stock_movement",  # data of stock, the shop and its suppliers
    "customer_group", "customer_group_member",  # exported as the group's name
}  # fmt: skip
PERSONAL = {
    "account_number", "address", "billing_address", "client_ip", "customer_id", "doc_number", "document",
    "draft", "email", "first_name", "guest_id", "holder", "last_name", "payer", "phone", "shipping_address",
}  # fmt: skip


@pytest.fixture
async def ana(shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults) -> str:
    """Create a guest with orders and notes, and return the id."""
    async with shop.database.transaction() as session:
        toy = await add_product(session, shop_defaults, "trompo", stock=50, price=40_000)
    await complete_purchase(store, toy, 2, PSE)
    async with shop.database.transaction() as session:
        guest = (await session.execute(select(GuestCustomer.id))).scalar_one()
        await add_note(session, COMMAND_LINE, guest, '=HYPERLINK("http://x")')
    return guest


async def test_export_contains_all_data_of_the_person(shop: Shop, admin: httpx.AsyncClient, ana: str) -> None:
    answer = await admin.get(f"/admin/customers/{ana}/export", params={"format": "json"})
    body = answer.json()
    held = body["held"]
    assert body["email"] == "ana@example.com"
    assert answer.headers["cache-control"] == "no-store"
    assert set(held) >= {"guest_customer", "order", "order_line", "payment_session", "customer_note", "mail"}
    assert held["order"][0]["shipping_address"]["address_1"] == HOME["address_1"]
    assert held["order"][0]["payer"]["doc_number"] == "1020304050"
    assert [row["quantity"] for row in held["order_line"]] == [2]
    assert "snapshot" not in held["payment_session"][0]
    async with shop.database.read() as session:
        entries = (await session.execute(select(AuditEntry).where(AuditEntry.subject_id == ana))).scalars()
        assert [one.action for one in entries if one.actor_id != COMMAND_LINE.id] == ["data exported"]


async def test_export_contains_the_promised_day_of_an_order(
    shop: Shop, admin: httpx.AsyncClient, ana: str
) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(promised_day=date(2026, 12, 10)))
    body = (await admin.get(f"/admin/customers/{ana}/export", params={"format": "json"})).json()
    assert body["held"]["order"][0]["promised_day"] == "2026-12-10"
    assert body["held"]["order"][0]["created_at"].endswith("+00:00")
    table = await admin.get(f"/admin/customers/{ana}/export")
    assert ["Pedido", "1", "Día prometido", "2026-12-10"] in list(
        csv.reader(StringIO(table.text.removeprefix("\ufeff")), delimiter=";")
    )


async def test_export_contains_payments_and_consents_of_open_carts(
    shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        toy = await add_product(session, shop_defaults, "trompo", stock=50, price=40_000)
    cart_id = await create_cart_with_shipping(store, toy)
    await create_payment_collection(store, cart_id, PSE)
    async with shop.database.transaction() as session:
        consenting = ConsentContext(shop.settings, "102.3.4.5", ConsentSource.CHECKOUT)
        await give_consents(session, consenting, cart_id=cart_id)
        guest = (await session.execute(select(GuestCustomer.id))).scalar_one()
        held = {
            one.name: one.rows
            for one in await read_held_data(session, await find_data_subject(session, guest))
        }
    assert [row["data"]["bank_code"] for row in held["payment_session"]] == ["1022"]
    assert {row["cart_id"] for row in held["consent"]} == {cart_id}


async def test_export_cells_are_never_formulas(admin: httpx.AsyncClient, ana: str) -> None:
    answer = await admin.get(f"/admin/customers/{ana}/export")
    assert answer.headers["content-disposition"] == 'attachment; filename="cliente.csv"'
    rows = list(csv.reader(StringIO(answer.text.removeprefix("\ufeff")), delimiter=";"))
    assert rows[0] == ["Qué", "Número", "Campo", "Valor"]
    assert ["Nota del equipo", "1", "Texto", '\'=HYPERLINK("http://x")'] in rows
    assert ["Pedido", "1", "Dirección de entrega · Ciudad", "Medellín"] in rows
    assert ["Pedido", "1", "Pago", "Esperando al banco"] in rows
    placed = next(value for what, _n, field, value in rows if (what, field) == ("Pedido", "Creado"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", placed)
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]


def test_every_exported_column_of_personal_data_has_a_label() -> None:
    all_tables()
    queries = build_queries(DataSubject("ana@example.com", ("cus_1",)))
    columns = {column.name for _name, _label, query in queries for column in query.selected_columns}
    assert columns - set(FIELD_LABELS) == set()


async def test_export_contains_only_account_and_guest_with_the_same_email(shop: Shop, ana: str) -> None:
    account, other = Customer(email="ana@example.com", first_name="Ana"), Customer(email="luz@example.com")
    async with shop.database.transaction() as session:
        session.add_all([account, other])
        await session.flush()
        session.add_all(CustomerAddress(customer_id=one, address=HOME) for one in (account.id, other.id))
    async with shop.database.read() as session:
        who = await find_data_subject(session, ana)
        assert set(who.ids) == {ana, account.id}
        held = {one.name: one.rows for one in await read_held_data(session, who)}
    assert [row["customer_id"] for row in held["customer_address"]] == [account.id]
    assert len(held["order"]) == 1
    assert other.id not in str(held)


async def test_export_contains_the_wishlist_of_the_account(
    shop: Shop, shop_defaults: Defaults, ana: str
) -> None:
    account, other = Customer(email="ana@example.com"), Customer(email="luz@example.com")
    async with shop.database.transaction() as session:
        await add_product(session, shop_defaults, "yoyo", title="Yoyo")
        session.add_all([account, other])
        await session.flush()
        change = WishChange("trompo", True, timedelta())
        await merge_wishlist(session, account.id, [change])
        await merge_wishlist(session, other.id, [replace(change, handle="yoyo")])
    async with shop.database.read() as session:
        held = await read_held_data(session, await find_data_subject(session, ana))
    (rows,) = [one.rows for one in held if one.name == "wishlist_entry"]
    assert [(row["title"], row["is_saved"]) for row in rows] == [("Trompo", True)]


async def test_export_of_personal_data_without_the_right_is_refused(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        guest = await find_or_create_guest(session, "ana@example.com")
        for actor in (
            Actor("user_1", Role.OWNER),  # without the second factor
            Actor("user_2", Role.SHOP, has_second_factor=True),
            Actor("user_3", Role.STOCKROOM, has_second_factor=True),
        ):
            with pytest.raises(Forbidden):
                await customer_file(session, actor, guest, Format.JSON)
        with pytest.raises(NotFound):
            await customer_file(session, COMMAND_LINE, "cus_nobody", Format.JSON)


async def test_every_table_with_personal_data_is_exported(shop: Shop) -> None:
    all_tables()
    async with shop.database.read() as session:
        who = DataSubject("ana@example.com", ("cus_1",))
        told = {name for name, _label, _query in build_queries(who)}
        await read_held_data(session, who)
    personal = {
        table.name
        for table in SQLModel.metadata.tables.values()
        if PERSONAL & {column.name for column in table.columns}
    }
    assert personal - told - OF_THE_STAFF_OR_NOBODY == set()
