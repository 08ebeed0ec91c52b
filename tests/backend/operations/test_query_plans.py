"""Query plans of requests and retention jobs: only jobs in `READS_ALL` may read a whole table that keeps growing.

The functions behind the office's lists, the start screen, the reports, the shop's lists and the suggestions run once,
and the database explains each of their statements. PostgreSQL avoids sequential scans where it can
(`enable_seqscan`), so one in a plan means that no index fits. SQLite reports such a scan as `SCAN table`.

| fault | outcome |
|---|---|
| a condition or an order without an index | `Seq Scan on "order"`, `SCAN order` |
| a condition that differs from that of its partial index | the same |
"""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy import Select, event, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.api.list_queries import searched_page
from backend.catalog.models import for_sale
from backend.catalog.schemas.store import ProductsParameters
from backend.catalog.search.query_words import search_words
from backend.catalog.storefront.page_content import suggest_products
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.db.tables import table_of
from backend.office.attention import open_attention
from backend.office.audit import AuditFilter, audit_entries
from backend.office.customers.listing import customers_view
from backend.office.invoices import invoices_view
from backend.office.orders.listing import orders_view
from backend.office.products.listing import products_view
from backend.office.reports import report_view
from backend.office.returns.listing import returns_view
from backend.office.reviews import reviews_list
from backend.office.stock.page import stock_page
from backend.office.today import today_view
from backend.operations.tidy.rules import RULES
from backend.staff.rights import Actor, Role
from tests.store_defaults import set_up_defaults

OWNER = Actor("user_1", Role.OWNER)
Request = Callable[[AsyncSession, Settings], Awaitable[object]]
LARGE_TABLES = (
    "order",
    "order_line",
    "order_term",
    "cart",
    "line_item",
    "payment_collection",
    "payment_session",
    "fulfillment",
    "stock_movement",
    "audit_entry",
    "attention",
    "invoice",
    "order_return",
    "order_return_line",
    "refund",
    "review",
    "customer_term",
    "search_term",
    "product_term",
    "product",
    "variant",
    "inventory_level",
    "customer",
    "guest_customer",
)
"""Tables whose rows are never deleted, or that have many rows for each order or product."""
READS_ALL = {
    "guests without a cart, an order or data entered by staff": "reads the orders of the guests it would delete",
}
"""Retention jobs that read a whole table, with the reason. They run in the background, in batches."""


def _orders(**filters: str) -> Request:
    return lambda session, _settings: orders_view(session, OWNER, filters)


def _invoices(**filters: str) -> Request:
    return lambda session, _settings: invoices_view(session, OWNER, filters, providers=())


def _returns(**filters: str) -> Request:
    return lambda session, _settings: returns_view(session, OWNER, filters)


def _products(**filters: str) -> Request:
    return lambda session, _settings: products_view(session, OWNER, filters)


def _stock(**filters: str) -> Request:
    return lambda session, _settings: stock_page(session, OWNER, filters)


def _audit(**filters: str) -> Request:
    return lambda session, _settings: audit_entries(session, OWNER, AuditFilter(**filters))


REQUESTS: dict[str, Request] = {
    "start screen": lambda session, settings: today_view(session, OWNER, settings),
    "orders": _orders(),
    "orders to pack": _orders(envio="por-empacar"),
    "orders at the bank": _orders(pago="esperando"),
    "orders of a day": _orders(desde="2026-11-01", hasta="2026-11-02"),
    "orders by a name": _orders(q="ana gomez"),
    "orders by a number": _orders(q="1234"),
    "orders by a telephone": _orders(q="300 123 4567"),
    "orders by an address": _orders(q="ana@example.com"),
    "orders by a tracking number": _orders(q="0123456789AB"),
    "products": _products(),
    "hidden products": _products(estado="ocultos"),
    "published products": _products(estado="visibles"),
    "products without a picture": _products(ver="sin-foto"),
    "products without a weight": _products(ver="sin-peso"),
    "products with few units": _products(ver="pocas"),
    "products that are sold out": _products(ver="agotados"),
    "products on sale": _products(ver="oferta"),
    "featured products": _products(ver="portada"),
    "products of a category": _products(categoria="juegos"),
    "products by a word": _products(q="trompo"),
    "products by two words": _products(q="tro mad"),
    "products by a code": _products(q="TR-1"),
    "products by a word, with few units": _products(q="trompo", ver="pocas"),
    "stock": _stock(),
    "stock by a word": _stock(q="trompo"),
    "stock with few units": _stock(only="low"),
    "stock with few units by a word": _stock(only="low", q="trompo"),
    "stock that is sold out": _stock(only="out"),
    "customers": lambda session, _settings: customers_view(session, OWNER, {}),
    "customers by a name": lambda session, _settings: customers_view(session, OWNER, {"q": "ana"}),
    "customers by an address": lambda session, _settings: customers_view(
        session, OWNER, {"q": "ana@example.com"}
    ),
    "customers by a telephone": lambda session, _settings: customers_view(
        session, OWNER, {"q": "3001234567"}
    ),
    "invoices": _invoices(),
    "rejected invoices": _invoices(estado="rechazadas"),
    "invoices by a number": _invoices(q="FE12"),
    "invoices by an address": _invoices(q="ana@example.com"),
    "returns": _returns(),
    "all returns": _returns(estado="todas"),
    "returns of a kind": _returns(tipo="garantia"),
    "returns by a number": _returns(q="1234"),
    "returns by an address": _returns(q="ana@example.com"),
    "audit": _audit(),
    "audit of a staff member": _audit(actor_id="user_1"),
    "audit of a product": _audit(subject_id="prod_1"),
    "audit of a day": _audit(since="2026-11-01", until="2026-11-01"),
    "attention": lambda session, _settings: open_attention(session, OWNER),
    "reviews": lambda session, _settings: reviews_list(session, OWNER),
    "report": lambda session, _settings: report_view(session, OWNER, {}),
    "suggestions": lambda session, _settings: suggest_products(session, "tro mu"),
    "products of the Store API": lambda session, _settings: searched_page(
        session, ProductsParameters(q="tro"), for_sale(), search_words()
    ),
}


REQUESTS_THAT_READ_ALL = {
    "products that are sold out": "variants without any stock level are found by a comparison of both tables",
    "report": "the value of the stock is a sum over all levels",
}
INDEXES = {
    "invoices by an address": "ix_order_email",
    "returns by an address": "ix_order_email",
    "products on sale": "ix_variant_on_sale",
}
"""Requests that would be slow without this index, though they read no table from its beginning to its end."""


async def _explain(
    database: Database, run: Callable[[AsyncSession], Awaitable[object]]
) -> list[tuple[str, str]]:
    """Return the queries of `run` with their plans, except queries with EXISTS.

    Sequential scans are off in PostgreSQL: with the few rows of a test, it would prefer them to an index.
    """
    asked: list[tuple[str, Any]] = []
    engine = database.engine.sync_engine

    def note(_connection: object, _cursor: object, statement: str, values: Any, *_rest: object) -> None:
        asked.append((statement, values))

    event.listen(engine, "before_cursor_execute", note)
    async with database.read() as session:
        await run(session)
    event.remove(engine, "before_cursor_execute", note)
    plans = []
    async with database.transaction() as session:
        connection = await session.connection()
        if not database.is_sqlite:
            await connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        explain = "EXPLAIN QUERY PLAN" if database.is_sqlite else "EXPLAIN"
        for statement, values in asked:
            # an EXISTS stops at the first row
            if statement.startswith(("SELECT", "WITH")) and not statement.startswith("SELECT EXISTS"):
                plan = (await connection.exec_driver_sql(f"{explain} {statement}", values)).all()
                plans.append((statement, str(plan)))
    return plans


async def _find_scans(database: Database, run: Callable[[AsyncSession], Awaitable[object]]) -> list[str]:
    """Return the statements of `run` that read a large table from its beginning to its end."""
    names = "|".join(LARGE_TABLES)
    scan = re.compile(
        rf"\bSCAN (?:{names})(?! USING)\b" if database.is_sqlite else rf'\bSeq Scan on "?(?:{names})\b'
    )
    plans = await _explain(database, run)
    return [f"{one}: {statement}" for statement, plan in plans for one in scan.findall(plan)]


def _execute(query: Select[Any]) -> Callable[[AsyncSession], Awaitable[object]]:
    return lambda session: session.execute(query)


@pytest.mark.parametrize("name", REQUESTS)
async def test_request_does_not_scan_large_tables(database: Database, settings: Settings, name: str) -> None:
    await set_up_defaults(database, settings)
    scans = await _find_scans(database, lambda session: REQUESTS[name](session, settings))
    assert scans == [] or name in REQUESTS_THAT_READ_ALL


@pytest.mark.parametrize("name", INDEXES)
async def test_request_uses_its_declared_index(database: Database, settings: Settings, name: str) -> None:
    await set_up_defaults(database, settings)
    plans = await _explain(database, lambda session: REQUESTS[name](session, settings))
    assert any(INDEXES[name] in plan for _statement, plan in plans), plans


async def test_only_exempt_retention_jobs_scan_large_tables(database: Database) -> None:
    scans: dict[str, list[str]] = {}
    for rule in RULES:
        query = select(func.count()).select_from(table_of(rule.table)).where(*rule.where)
        if found := await _find_scans(database, _execute(query)):
            scans[rule.name] = found
    assert scans.keys() <= READS_ALL.keys(), scans
