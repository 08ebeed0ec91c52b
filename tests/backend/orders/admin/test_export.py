"""Export of orders to a spreadsheet: its rows, its rights, and no cell is a formula."""

import csv
from io import StringIO

import httpx
import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.core.errors import Forbidden
from backend.orders.admin.export import export_orders_csv
from backend.orders.models import Order
from backend.staff.rights import Actor, Role
from tests.store_defaults import Defaults, add_product
from tests.store_steps import PSE, complete_purchase


async def test_export_has_one_row_per_order_with_its_customer(
    shop: Shop,
    shop_defaults: Defaults,
    store: httpx.AsyncClient,
    admin: httpx.AsyncClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("backend.orders.admin.export.BATCH_SIZE", 2)
    async with shop.database.transaction() as session:
        trompo = await add_product(session, shop_defaults, "trompo", stock=20, price=40_000)
    orders = [await complete_purchase(store, trompo, 2, PSE) for _number in range(3)]
    async with shop.database.transaction() as session:
        evil = {"first_name": "=1+1", "phone": "3001234567"}
        await session.execute(update(Order).where(Order.number == 2).values(shipping_address=evil))
    answer = await admin.get("/admin/order-exports")
    assert answer.headers["content-disposition"] == 'attachment; filename="pedidos.csv"'
    head, *rows = list(csv.reader(StringIO(answer.text.removeprefix("\ufeff")), delimiter=";"))
    assert head[:2] == ["Pedido", "Fecha"]
    assert [row[0] for row in rows] == ["3", "2", "1"]
    assert rows[0][5:9] == ["Ana Gómez", "ana@example.com", "3001234567", "CC 1020304050"]
    assert rows[1][5].startswith("'=1+1")
    one = await admin.get(
        "/admin/order-exports", params={"id": [orders[0]["id"]], "payment_status": "awaiting"}
    )
    assert [row[0] for row in csv.reader(StringIO(one.text), delimiter=";")][1:] == ["1"]
    none = await admin.get("/admin/order-exports", params={"to_pack": "true"})
    assert len(none.text.splitlines()) == 1


@pytest.mark.parametrize(
    ("asked", "numbers"),
    [
        ({"email": "ana@example.com"}, ["1"]),
        ({"customer_id": "guest"}, ["1"]),
        ({"region_id": "another"}, []),
        ({"sales_channel_id": "another"}, []),
        ({"$or[0][email]": "ana@example.com", "$or[1][status]": "canceled"}, ["1"]),
        ({"$and[0][email]": "ana@example.com"}, ["1"]),
    ],
)
async def test_export_and_list_apply_the_same_filters(
    *,
    asked: dict[str, str],
    numbers: list[str],
    shop: Shop,
    shop_defaults: Defaults,
    store: httpx.AsyncClient,
    admin: httpx.AsyncClient,
) -> None:
    async with shop.database.transaction() as session:
        trompo = await add_product(session, shop_defaults, "trompo", stock=20, price=40_000)
    for _number in range(2):
        await complete_purchase(store, trompo, 1, PSE)
    async with shop.database.transaction() as session:
        for number, customer in (
            (1, {"guest_id": "guest"}),
            (2, {"guest_id": "other", "email": "luis@example.com"}),
        ):
            await session.execute(update(Order).where(Order.number == number).values(customer))
    listed = (await admin.get("/admin/orders", params=asked)).json()["orders"]
    assert [order["display_id"] for order in listed] == [int(number) for number in numbers]
    table = await admin.get("/admin/order-exports", params=asked)
    assert [row[0] for row in csv.reader(StringIO(table.text), delimiter=";")][1:] == numbers


@pytest.mark.parametrize("role", [Role.SHOP, Role.STOCKROOM])
async def test_export_of_personal_data_requires_the_right(shop: Shop, role: Role) -> None:
    with pytest.raises(Forbidden):
        await export_orders_csv(shop.database, Actor("user_1", role, has_second_factor=True), [])
