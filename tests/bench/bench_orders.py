"""How quick the office's orders are: `python -m tests.bench.bench_orders [--orders N] [--database NAME …]`.

A shop with many orders of three years, asked in this process as the office asks: the list with each filter, later
pages, and searches of every kind, while guests buy.
"""

import argparse
import gc
import random
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import uvloop
from sqlalchemy import insert, text

from backend.cart.models import Cart
from backend.channels.models import Region, SalesChannel
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.customers.search_terms import buyer_terms
from backend.migrations.runner import upgrade
from backend.office.orders.listing import OrdersView, orders_view
from backend.office.today import today
from backend.orders.models import Fulfillment, Order, OrderLine, OrderTerm
from backend.payment.models import PaymentCollection, PaymentSession
from backend.staff.rights import Actor, Role
from tests.bench import scene, toys
from tests.bench.calibration import said_of_goal
from tests.bench.selling import selling

OWNER = Actor("user_1", Role.OWNER)
AT_ONCE = 2_000
ROUNDS, WARM = 40, 5
GOAL_MS = 150
DAYS = 3 * 365
TOYS = 100
FIRST = (
    "Ana",
    "María",
    "Juan",
    "Carlos",
    "Valentina",
    "Sofía",
    "Andrés",
    "Luis",
    "Camila",
    "José",
    "Íngrid",
    "Óscar",
)
LAST = (
    "Gómez",
    "Rodríguez",
    "Martínez",
    "García",
    "López",
    "Restrepo",
    "Muñoz",
    "Ríos",
    "Peña",
    "Ñáñez",
    "Mejía",
)
TOWNS = (("Bogotá, D.C.", "Bogotá, D.C."), ("Medellín", "Antioquia"), ("Cali", "Valle del Cauca"))


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the orders of the office.")
    parser.add_argument("--orders", type=int, default=100_000)
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    asked = parser.parse_args()
    print(f"goal: p95 of {said_of_goal(GOAL_MS)}")
    for kind in asked.database:
        async with opened(kind) as (database, settings):
            begun = time.perf_counter()
            await _fill(database, settings, asked.orders)
            print(f"\n{kind}, {asked.orders} orders, made in {time.perf_counter() - begun:.0f} s")
            settle()
            async with selling(database, settings):
                await _measure(database, settings, asked.orders)


async def _measure(database: Database, settings: Settings, orders: int) -> None:
    chance = random.Random(7)

    def listed(**asked: str) -> Callable[[], Awaitable[OrdersView]]:
        async def once() -> OrdersView:
            async with database.read() as session:
                return await orders_view(session, OWNER, asked)

        return once

    def numbered(make: Callable[[int], str]) -> Callable[[], Awaitable[OrdersView]]:
        async def once() -> OrdersView:
            return await listed(q=make(chance.randrange(1, orders + 1)))()

        return once

    async def pages() -> OrdersView:
        cursor = ""
        for _page in range(5):
            async with database.read() as session:
                view = await orders_view(session, OWNER, {}, cursor)
            cursor = view.cursor
        return view

    async def the_day() -> Any:
        async with database.read() as session:
            return await today(session, OWNER, settings)

    long_ago = (now() - timedelta(days=500)).date().isoformat()
    for name, ask in (
        ("Hoy", the_day),
        ("list", listed()),
        ("list, five pages", pages),
        ("list of today", listed(fecha="hoy")),
        ("list of a day 500 days ago", listed(desde=long_ago, hasta=long_ago)),
        ("list, to pack", listed(envio="por-empacar")),
        ("list, awaiting the bank", listed(pago="esperando")),
        ("list, delivered and picked up", listed(envio="entregado", entrega="recoger")),
        ("search: number", numbered(str)),
        ("search: telephone", numbered(_phone)),
        ("search: document", numbered(_document)),
        ("search: e-mail", numbered(_email)),
        ("search: tracking number", numbered(lambda number: f"GUIA{number:09}")),
        ("search: CUS", numbered(lambda number: f"CUS{number:08}")),
        ("search: a name of one in twelve", listed(q="valentina")),
        ("search: two common names", listed(q="ana gomez")),
        ("search: one letter", listed(q="m")),
        ("search: common names, of today", listed(q="ana gomez", fecha="hoy")),
        ("search: common name, awaiting the bank", listed(q="ana", pago="esperando")),
        ("search: nobody", listed(q="zzyzx")),
    ):
        await timed(name, ask)


def settle() -> None:
    """Collect what filling the database has left, so that it is not collected in the middle of an answer."""
    gc.collect()


async def timed(name: str, ask: Callable[[], Awaitable[object]]) -> None:
    """One line: how long it takes, and how much of that this process works (SQLite works in it, a server does not)."""
    times, works = [], []
    for number in range(ROUNDS + WARM):
        begun, worked = time.perf_counter(), time.process_time()
        await ask()
        if number >= WARM:
            times.append((time.perf_counter() - begun) * 1000)
            works.append((time.process_time() - worked) * 1000)
    times.sort()
    works.sort()
    p95 = int(ROUNDS * 0.95)
    print(
        f"{name:42} p50 {times[ROUNDS // 2]:7.1f} ms   p95 {times[p95]:7.1f} ms   "
        f"of processor p50 {works[ROUNDS // 2]:7.1f} ms   p95 {works[p95]:7.1f} ms",
        flush=True,
    )


@asynccontextmanager
async def opened(kind: str) -> AsyncIterator[tuple[Database, Settings]]:
    """An empty, migrated database of this kind."""
    with tempfile.TemporaryDirectory() as folder:
        if kind == "sqlite":
            settings = Settings(data_dir=Path(folder), database_url=f"sqlite+aiosqlite:///{folder}/orders.db")
            database = Database.from_settings(settings)
            await upgrade(database)
            yield database, settings
            await database.close()
            return
        with scene.postgresql_server() as server:
            url = await scene.create_database(server, "orders")
            settings = Settings(data_dir=Path(folder), database_url=url)
            database = Database.from_settings(settings)
            await upgrade(database)
            yield database, settings
            await database.close()


async def _fill(database: Database, settings: Settings, orders: int) -> None:
    await toys.fill(database, settings, TOYS)
    async with database.transaction() as session:
        region, channel = Region(name="Colombia"), SalesChannel(name="Web")
        session.add_all([region, channel])
        await session.flush()
        places = {"region_id": region.id, "sales_channel_id": channel.id}
        places["location_id"] = (await session.execute(text("SELECT id FROM stock_location"))).scalar_one()
        options = (
            (await session.execute(text("SELECT id FROM shipping_option ORDER BY provider_id")))
            .scalars()
            .all()
        )
    for start in range(1, orders + 1, AT_ONCE):
        rows: dict[Any, list[dict[str, Any]]] = {
            model: []
            for model in (Cart, Order, OrderTerm, OrderLine, PaymentCollection, PaymentSession, Fulfillment)
        }
        for number in range(start, min(start + AT_ONCE, orders + 1)):
            _one(rows, number, orders, places, options)
        async with database.transaction() as session:
            for model, made in rows.items():
                if made:
                    await session.execute(insert(model), made)
    if not database.is_sqlite:
        async with database.transaction() as session:
            await session.execute(text("ANALYZE"))  # a server does so by itself within a minute or two


def _one(
    rows: dict[Any, list[dict[str, Any]]], number: int, orders: int, ids: dict[str, str], options: Any
) -> None:
    places = {name: ids[name] for name in ("region_id", "sales_channel_id")}
    chance = random.Random(number)
    age = (orders - number) / orders * DAYS
    placed = now() - timedelta(days=age)
    town, department = chance.choice(TOWNS)
    address = {
        "first_name": chance.choice(FIRST),
        "last_name": f"{chance.choice(LAST)} {chance.choice(LAST)}",
        "phone": _phone(number),
        "address_1": "Carrera 43A # 1-50",
        "city": town,
        "province": department,
        "metadata": {"dane_code": "05001000", "suburb": "El Poblado"},
    }
    payer = {"doc_type": "CC", "doc_number": _document(number), "email": _email(number)}
    is_new = age < 2
    paid = "awaiting" if chance.random() < (0.2 if is_new else 0) else "captured"
    is_canceled = not is_new and chance.random() < 0.1
    sent = "not_fulfilled" if is_new or is_canceled else "delivered" if age > 10 else "shipped"
    stamps = {"created_at": placed, "updated_at": placed}
    order_id, cart_id = f"order_{number:026}", f"cart_{number:026}"
    rows[Cart].append({"id": cart_id, "order_id": order_id, **places, **stamps})
    rows[Order].append(
        {
            "number": number,
            "id": order_id,
            "cart_id": cart_id,
            **places,
            "email": _email(number),
            "status": "canceled" if is_canceled else "pending",
            "payment_status": "canceled" if is_canceled else paid,
            "fulfillment_status": sent,
            "item_total": 50_000,
            "shipping_total": 12_000,
            "total": 62_000,
            "adjustments": [],
            "shipping_name": "Envío",
            "shipping_option_id": options[0] if number % 9 else options[-1],
            "shipping_data": {},
            "shipping_address": address,
            "billing_address": address,
            "payer": payer,
            "meta": {},
            "paid_at": placed if paid == "captured" and not is_canceled else None,
            **stamps,
        }
    )
    terms = buyer_terms(_email(number), [address], payer)
    rows[OrderTerm] += [{"term": term, "order_number": number} for term in terms]
    rows[OrderLine] += [
        {
            "id": f"ordli_{number:024}{line}",
            "order_id": order_id,
            "product_id": f"prod_{line}",
            "variant_id": f"variant_{line}",
            "title": "Trompo de madera",
            "product_handle": "trompo",
            "quantity": 1 + line,
            "unit_price": 25_000,
            "meta": {},
            **stamps,
        }
        for line in range(2)
    ]
    rows[PaymentCollection].append(
        {"id": f"pay_col_{number:022}", "cart_id": cart_id, "amount": 62_000, **stamps}
    )
    rows[PaymentSession].append(
        {
            "id": f"payses_{number:023}",
            "collection_id": f"pay_col_{number:022}",
            "provider_id": "gateway_pse",
            "state": "pending_authorization" if paid == "awaiting" else "captured",
            "amount": 62_000,
            "invoice": f"TR{number:020}",
            "reference": str(10_000_000 + number),
            "transaction_id": f"CUS{number:08}",
            "data": {"bank_name": "Bancolombia"},
            "snapshot": {},
            **stamps,
        }
    )
    if sent != "not_fulfilled":
        rows[Fulfillment].append(
            {
                "id": f"ful_{number:026}",
                "order_id": order_id,
                "reference": f"{number}-1",
                "location_id": ids["location_id"],
                "provider_id": "carrier_standard",
                "state": "created",
                "items": [],
                "tracking_number": f"GUIA{number:09}",
                "data": {},
                **stamps,
            }
        )


def _phone(number: int) -> str:
    return f"3{number * 7919 % 10**9:09}"


def _document(number: int) -> str:
    return str(10_000_000 + number * 104_729 % 10**9)


def _email(number: int) -> str:
    return f"cliente{number}@ejemplo.co"


if __name__ == "__main__":
    uvloop.run(main())
