"""Helpers for orders with returns, and for the steps of a return."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
from sqlalchemy import select, update

from backend.app import Shop
from backend.core.clock import now
from backend.office.returns.detail import return_detail
from backend.orders.models import Fulfillment, Order
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.returns.models import Return
from backend.returns.processing import approve, receive
from backend.returns.requests import open_return, store_customer_request
from backend.staff.rights import COMMAND_LINE, Actor
from tests.backend.orders.paying import place_order_at_bank, report_payment
from tests.store_steps import get, post

ACCOUNT = {
    "bank": "Bancolombia",
    "account_type": "savings",
    "account_number": "123-456789-00",
    "holder": "Ana Gómez",
    "document": "1.020.304.050",
}


@dataclass(frozen=True)
class Sold:
    """A paid order of two units for 40 000 pesos each."""

    order_id: str
    line_id: str

    def form_fields(self, kind: str, units: int = 1, **other: Any) -> dict[str, Any]:
        """Return the fields of a return form for units of the order, with a bank account."""
        return {"kind": kind, f"units-{self.line_id}": str(units), **ACCOUNT, **other}


async def place_paid_order(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, variant_id: str, units: int = 2
) -> Sold:
    order_id, session_id = await place_order_at_bank(shop, store, variant_id, units)
    await report_payment(shop, session_id, ProviderState.CAPTURED)
    order = (await get(admin, f"/admin/orders/{order_id}"))["order"]
    return Sold(order_id, order["items"][0]["id"])


async def pack_units(admin: httpx.AsyncClient, of: Sold, units: int = 2) -> str:
    """Pack units of the order and return the fulfillment's id."""
    body = {"items": [{"id": of.line_id, "quantity": units}]}
    order = (await post(admin, f"/admin/orders/{of.order_id}/fulfillments", body))["order"]
    return str(order["fulfillments"][-1]["id"])


async def deliver_order(shop: Shop, of: Sold, *, days_ago: int = 0) -> None:
    """Mark all packed units as delivered."""
    moment = now() - timedelta(days=days_ago)
    async with shop.database.transaction() as session:
        arrived = update(Fulfillment).where(Fulfillment.order_id == of.order_id)
        await session.execute(arrived.values(shipped_at=moment, delivered_at=moment))


async def add_shipping(shop: Shop, price: int) -> None:
    """Add a paid shipping price to the only order."""
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(shipping_total=price, total=Order.total + price))
        await session.execute(
            update(PaymentSession).values(
                amount=PaymentSession.amount + price, captured_amount=PaymentSession.captured_amount + price
            )
        )


async def request_return(
    shop: Shop, of: Sold, kind: str = "withdrawal", units: int = 1, **other: Any
) -> Return:
    return await store_customer_request(shop.database, of.order_id, of.form_fields(kind, units, **other))


async def open_by_staff(
    shop: Shop, of: Sold, kind: str, units: int = 1, actor: Actor = COMMAND_LINE, **other: Any
) -> Return:
    async with shop.database.transaction() as session:
        return await open_return(session, actor, of.order_id, of.form_fields(kind, units, **other))


async def receive_units(shop: Shop, row: Return, of: Sold, good: int, damaged: int = 0) -> Return:
    async with shop.database.transaction() as session:
        return await receive(session, COMMAND_LINE, row.id, {of.line_id: (good, damaged)})


async def approve_return(
    shop: Shop, row: Return, amount: int, *, restock: bool = True, why: str = ""
) -> Return:
    async with shop.database.transaction() as session:
        return await approve(session, COMMAND_LINE, row.id, amount, restock=restock, why=why)


async def read_state(shop: Shop, row: Return) -> str:
    async with shop.database.read() as session:
        return (await session.execute(select(Return.state).where(Return.id == row.id))).scalar_one()


async def read_proposal(shop: Shop, row: Return) -> int:
    """Return the refund, in pesos, that the office's form proposes for the return."""
    async with shop.database.read() as session:
        return int((await return_detail(session, COMMAND_LINE, row.id)).proposed)


async def cancel_label(admin: httpx.AsyncClient, of: Sold, fulfillment_id: str) -> None:
    await post(admin, f"/admin/orders/{of.order_id}/fulfillments/{fulfillment_id}/cancel")


async def count_to_pack(admin: httpx.AsyncClient) -> int:
    """Count the orders with units to pack."""
    count: int = (await get(admin, "/admin/orders", to_pack="true"))["count"]
    return count
