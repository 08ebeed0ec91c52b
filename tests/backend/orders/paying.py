"""Helpers for orders whose payment is at the bank, and for the bank's reports."""

from decimal import Decimal
from typing import Any

import httpx
from sqlalchemy import select

from backend.app import Shop
from backend.attention.models import Attention
from backend.inventory.models import InventoryLevel
from backend.orders.models import Order
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderReport, ProviderState
from backend.payment.transitions import apply_report, apply_second_report
from tests.store_steps import PSE, complete_purchase


async def place_order_at_bank(
    shop: Shop, store: httpx.AsyncClient, variant: str, units: int = 2
) -> tuple[str, str]:
    """Place an order that waits for its bank. Return its id and that of its payment session."""
    order = await complete_purchase(store, variant, units, PSE)
    return order["id"], (await list_sessions(shop, order["id"]))[0].id


async def list_sessions(shop: Shop, order_id: str) -> list[PaymentSession]:
    async with shop.database.read() as session:
        rows = await session.execute(select(PaymentSession).order_by(PaymentSession.created_at))
        return list(rows.scalars())


async def report_payment(
    shop: Shop, session_id: str, state: ProviderState, amount: int | None = None, *, second: bool = False
) -> None:
    """Apply a report of the bank. Its amount is the requested one unless `amount` is given.

    With `second`, the report is about a second transaction of the payment.
    """
    async with shop.database.read() as session:
        payment = await session.get_one(PaymentSession, session_id)
    report = ProviderReport(
        state=state,
        amount=Decimal(payment.amount if amount is None else amount),
        currency="COP",
        invoice=payment.invoice,
        reference="ref-2" if second else payment.reference,
    )
    await (apply_second_report if second else apply_report)(shop.database, session_id, report)


async def report_amount(shop: Shop, session_id: str, amount: str, currency: str = "COP") -> None:
    """Let the bank approve this amount of the payment."""
    async with shop.database.read() as session:
        payment = await session.get_one(PaymentSession, session_id)
    report = ProviderReport(
        state=ProviderState.CAPTURED, amount=Decimal(amount), currency=currency, invoice=payment.invoice
    )
    await apply_report(shop.database, session_id, report)


async def order_row(shop: Shop, order_id: str) -> Order:
    async with shop.database.read() as session:
        return (await session.execute(select(Order).where(Order.id == order_id))).scalar_one()


async def read_order_status(shop: Shop, order_id: str) -> tuple[str, str]:
    """Return the order's status and payment status."""
    order = await order_row(shop, order_id)
    return order.status, order.payment_status


async def read_stock(shop: Shop) -> tuple[int, int]:
    """Return the units at the location, and how many of them are reserved."""
    async with shop.database.read() as session:
        level = (await session.execute(select(InventoryLevel))).scalar_one()
        return level.stocked, level.reserved


async def read_open_attention(shop: Shop) -> Attention:
    """Return the only open attention row."""
    async with shop.database.read() as session:
        return (await session.execute(select(Attention).where(Attention.resolved_at.is_(None)))).scalar_one()


async def resolve(admin: httpx.AsyncClient, row: Attention, **decision: Any) -> httpx.Response:
    return await admin.post(f"/admin/attention/{row.id}/resolve", json=decision)
