"""Speed of the office's order list: `python -m tests.bench.bench_orders [--orders N] [--database NAME …]`.

The shop has orders of three years. This process queries them as the office does: the list with each filter, later
pages, and searches of every kind. Guests buy in the meantime.
"""

import argparse
import gc
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import uvloop
from sqlalchemy import insert, text

from backend.cart.models import Cart
from backend.channels.models import Region, SalesChannel
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.customers.search_terms import customer_terms
from backend.migrations.runner import upgrade
from backend.office.orders.listing import OrdersView, orders_view
from backend.office.today import today_view
from backend.orders.models import Fulfillment, Order, OrderLine, OrderTerm
from backend.payment.models import PaymentCollection, PaymentSession
from backend.staff.rights import Actor, Role
from tests.bench import generated_products, servers
from tests.bench.background_sales import sell_in_background
from tests.bench.calibration import format_goal

OWNER = Actor("user_1", Role.OWNER)
BATCH_SIZE = 2_000
ROUNDS, WARM_UP_ROUNDS = 40, 5
GOAL_MS = 150
DAYS = 3 * 365
PRODUCTS = 100
FIRST_NAMES = (
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
LAST_NAMES = (
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
    """Measure the queries of the office's order list, and print their durations."""
    parser = argparse.ArgumentParser(description="Measure the orders of the office.")
    parser.add_argument("--orders", type=int, default=100_000)
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    arguments = parser.parse_args()
    print(f"goal: p95 of {format_goal(GOAL_MS)}")
    for kind in arguments.database:
        async with open_database(kind) as (database, settings):
            started = time.perf_counter()
            await _fill_orders(database, settings, arguments.orders)
            print(f"\n{kind}, {arguments.orders} orders, made in {time.perf_counter() - started:.0f} s")
            collect_garbage()
            async with sell_in_background(database, settings):
                await _measure(database, settings, arguments.orders)


async def _measure(database: Database, settings: Settings, orders: int) -> None:
    rng = random.Random(7)

    def list_with(**filters: str) -> Callable[[], Awaitable[OrdersView]]:
        async def run_query() -> OrdersView:
            async with database.read() as session:
                return await orders_view(session, OWNER, filters)

        return run_query

    def search_number(make: Callable[[int], str]) -> Callable[[], Awaitable[OrdersView]]:
        async def run_query() -> OrdersView:
            return await list_with(q=make(rng.randrange(1, orders + 1)))()

        return run_query

    async def list_pages() -> OrdersView:
        cursor = ""
        for _page in range(5):
            async with database.read() as session:
                view = await orders_view(session, OWNER, {}, cursor)
            cursor = view.cursor
        return view

    async def read_today() -> Any:
        async with database.read() as session:
            return await today_view(session, OWNER, settings)

    long_ago = (now() - timedelta(days=500)).date().isoformat()
    for name, query in (
        ("Hoy", read_today),
        ("list", list_with()),
        ("list, five pages", list_pages),
        ("list of today", list_with(fecha="hoy")),
        ("list of a day 500 days ago", list_with(desde=long_ago, hasta=long_ago)),
        ("list, to pack", list_with(envio="por-empacar")),
        ("list, awaiting the bank", list_with(pago="esperando")),
        ("list, delivered and picked up", list_with(envio="entregado", entrega="recoger")),
        ("search: number", search_number(str)),
        ("search: telephone", search_number(_format_phone)),
        ("search: document", search_number(_format_document)),
        ("search: e-mail", search_number(_format_email)),
        ("search: tracking number", search_number(lambda number: f"GUIA{number:09}")),
        ("search: CUS", search_number(lambda number: f"CUS{number:08}")),
        ("search: a name of one in twelve", list_with(q="valentina")),
        ("search: two common names", list_with(q="ana gomez")),
        ("search: one letter", list_with(q="m")),
        ("search: common names, of today", list_with(q="ana gomez", fecha="hoy")),
        ("search: common name, awaiting the bank", list_with(q="ana", pago="esperando")),
        ("search: nobody", list_with(q="zzyzx")),
    ):
        await measure_query(name, query)


def collect_garbage() -> None:
    """Collect garbage after filling the database, so that no collection interrupts a measurement."""
    gc.collect()


async def measure_query(name: str, query: Callable[[], Awaitable[object]]) -> None:
    """Run a query repeatedly. Print its duration and the processor time of this process, which includes SQLite's."""
    times, processor_times = [], []
    for number in range(ROUNDS + WARM_UP_ROUNDS):
        started, processor_started = time.perf_counter(), time.process_time()
        await query()
        if number >= WARM_UP_ROUNDS:
            times.append((time.perf_counter() - started) * 1000)
            processor_times.append((time.process_time() - processor_started) * 1000)
    times.sort()
    processor_times.sort()
    p95 = int(ROUNDS * 0.95)
    print(
        f"{name:42} p50 {times[ROUNDS // 2]:7.1f} ms   p95 {times[p95]:7.1f} ms   "
        f"of processor p50 {processor_times[ROUNDS // 2]:7.1f} ms   p95 {processor_times[p95]:7.1f} ms",
        flush=True,
    )


@asynccontextmanager
async def open_database(kind: str) -> AsyncIterator[tuple[Database, Settings]]:
    """Create an empty, migrated database of this kind."""
    async with servers.create_shop_database(kind) as (folder, url):
        settings = Settings(data_dir=folder, database_url=url)
        database = Database.from_settings(settings)
        await upgrade(database)
        yield database, settings
        await database.close()


async def _fill_orders(database: Database, settings: Settings, orders: int) -> None:
    await generated_products.fill_shop(database, settings, PRODUCTS)
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
    for start in range(1, orders + 1, BATCH_SIZE):
        rows: dict[Any, list[dict[str, Any]]] = {
            model: []
            for model in (Cart, Order, OrderTerm, OrderLine, PaymentCollection, PaymentSession, Fulfillment)
        }
        for number in range(start, min(start + BATCH_SIZE, orders + 1)):
            _add_order_rows(rows, number, orders, places, options)
        async with database.transaction() as session:
            for model, order_rows in rows.items():
                if order_rows:
                    await session.execute(insert(model), order_rows)
    if not database.is_sqlite:
        async with database.transaction() as session:
            await session.execute(text("ANALYZE"))  # a running server does this within a minute or two


def _add_order_rows(
    rows: dict[Any, list[dict[str, Any]]], number: int, orders: int, ids: dict[str, str], options: Any
) -> None:
    places = {name: ids[name] for name in ("region_id", "sales_channel_id")}
    rng = random.Random(number)
    age = (orders - number) / orders * DAYS
    placed = now() - timedelta(days=age)
    town, department = rng.choice(TOWNS)
    address = {
        "first_name": rng.choice(FIRST_NAMES),
        "last_name": f"{rng.choice(LAST_NAMES)} {rng.choice(LAST_NAMES)}",
        "phone": _format_phone(number),
        "address_1": "Carrera 43A # 1-50",
        "city": town,
        "province": department,
        "metadata": {"dane_code": "05001000", "suburb": "El Poblado"},
    }
    payer = {"doc_type": "CC", "doc_number": _format_document(number), "email": _format_email(number)}
    is_new = age < 2
    paid = "awaiting" if rng.random() < (0.2 if is_new else 0) else "captured"
    is_canceled = not is_new and rng.random() < 0.1
    sent = "not_fulfilled" if is_new or is_canceled else "delivered" if age > 10 else "shipped"
    timestamps = {"created_at": placed, "updated_at": placed}
    order_id, cart_id = f"order_{number:026}", f"cart_{number:026}"
    rows[Cart].append({"id": cart_id, "order_id": order_id, **places, **timestamps})
    rows[Order].append(
        {
            "number": number,
            "id": order_id,
            "cart_id": cart_id,
            **places,
            "email": _format_email(number),
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
            **timestamps,
        }
    )
    terms = customer_terms(_format_email(number), [address], payer)
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
            **timestamps,
        }
        for line in range(2)
    ]
    rows[PaymentCollection].append(
        {"id": f"pay_col_{number:022}", "cart_id": cart_id, "amount": 62_000, **timestamps}
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
            **timestamps,
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
                **timestamps,
            }
        )


def _format_phone(number: int) -> str:
    return f"3{number * 7919 % 10**9:09}"


def _format_document(number: int) -> str:
    return str(10_000_000 + number * 104_729 % 10**9)


def _format_email(number: int) -> str:
    return f"cliente{number}@ejemplo.co"


if __name__ == "__main__":
    uvloop.run(main())
