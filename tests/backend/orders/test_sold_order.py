"""The stored order that tests copy has the same rows as a new purchase."""

from datetime import datetime
from typing import Any

import httpx
from sqlalchemy import Table, select
from sqlmodel import SQLModel

from backend.app import Shop
from backend.payment.providers.base import ProviderState
from tests.backend.orders.paying import list_sessions, place_order_at_bank, report_payment
from tests.sold_order import SoldOrder

OWN_VALUES = {"id", "number", "invoice", "reference", "payload", "data", "pursue_url", "subject_id"}
"""Columns that differ between two orders, in addition to times and the ids of other rows."""


async def read_rows(shop: Shop, table: Table) -> list[dict[str, Any]]:
    """Return the rows in the order of their creation, without the values that differ between two orders."""
    async with shop.database.read() as session:
        rows = (await session.execute(select(table).order_by(*table.primary_key))).mappings().all()
    return [
        {
            name: value
            for name, value in row.items()
            if name not in OWN_VALUES and not name.endswith("_id") and not isinstance(value, datetime)
        }
        for row in rows
    ]


async def test_order_copied_by_the_sold_order_fixture_equals_a_new_purchase(
    shop: Shop, store: httpx.AsyncClient, sold_order: SoldOrder
) -> None:
    tables = [
        table for table in SQLModel.metadata.sorted_tables if table.name == "order" or "order_id" in table.c
    ]
    copied = {table.name: await read_rows(shop, table) for table in tables}
    order_id, _first = await place_order_at_bank(shop, store, sold_order.variant_id)
    payment = (await list_sessions(shop, order_id))[-1]
    await report_payment(shop, payment.id, ProviderState.CAPTURED)
    both = {table.name: await read_rows(shop, table) for table in tables}
    assert copied["order"]
    for name, rows in copied.items():
        assert both[name] == rows * 2, name
