"""Orders of which something is to come back, and the steps of a return."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
from sqlalchemy import select, update

from backend.app import Shop, create_api
from backend.channels.models import PublishableKey
from backend.core.clock import now
from backend.office.returns.detail import return_detail
from backend.orders.models import Fulfillment, Order
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.returns.models import Return
from backend.returns.processing import approve, receive
from backend.returns.requests import ask, open_return
from backend.staff.models import Staff
from backend.staff.rights import COMMAND_LINE, Actor
from backend.staff.sessions import COOKIE, Browser, open_session
from tests.backend.orders.paying import at_the_bank, said
from tests.store_steps import get, post

ORIGIN, KEY = "http://shop.test", "x-publishable-api-key"
ACCOUNT = {
    "bank": "Bancolombia",
    "account_type": "savings",
    "account_number": "123-456789-00",
    "holder": "Ana Gómez",
    "document": "1.020.304.050",
}


@dataclass(frozen=True)
class Sold:
    """Two toys for 40 000 pesos each, paid."""

    order_id: str
    line_id: str

    def asked(self, kind: str, units: int = 1, **other: Any) -> dict[str, Any]:
        """What a form sends."""
        return {"kind": kind, f"units-{self.line_id}": str(units), **ACCOUNT, **other}


@asynccontextmanager
async def of_the_shop(shop: Shop) -> AsyncIterator[tuple[httpx.AsyncClient, httpx.AsyncClient]]:
    """A storefront's client and an owner's, for tests that have no fixtures for them. The shop has its defaults."""
    async with shop.database.transaction() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
        member = Staff(email="olga@trompo.example", password_hash="never used", role="owner")
        session.add(member)
        await session.flush()
        token = await open_session(session, member.id, Browser("190.24.1.1"), has_second_factor=True)
    signed_in = {"origin": ORIGIN, "cookie": f"{COOKIE}={token}"}
    api = create_api(shop)
    async with (
        httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url=ORIGIN, headers={KEY: key}) as store,
        httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url=ORIGIN, headers=signed_in) as admin,
    ):
        yield store, admin


async def sold(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, toy: str, units: int = 2
) -> Sold:
    order_id, session_id = await at_the_bank(shop, store, toy, units)
    await said(shop, session_id, ProviderState.CAPTURED)
    order = (await get(admin, f"/admin/orders/{order_id}"))["order"]
    return Sold(order_id, order["items"][0]["id"])


async def send(admin: httpx.AsyncClient, of: Sold, units: int = 2) -> str:
    """Pack units of it; the fulfillment's id."""
    body = {"items": [{"id": of.line_id, "quantity": units}]}
    order = (await post(admin, f"/admin/orders/{of.order_id}/fulfillments", body))["order"]
    return str(order["fulfillments"][-1]["id"])


async def deliver(shop: Shop, of: Sold, *, days_ago: int = 0) -> None:
    """All that was packed was delivered."""
    moment = now() - timedelta(days=days_ago)
    async with shop.database.transaction() as session:
        arrived = update(Fulfillment).where(Fulfillment.order_id == of.order_id)
        await session.execute(arrived.values(shipped_at=moment, delivered_at=moment))


async def with_shipping(shop: Shop, price: int) -> None:
    """The one order was paid with so much shipping."""
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(shipping_total=price, total=Order.total + price))
        await session.execute(
            update(PaymentSession).values(
                amount=PaymentSession.amount + price, captured_amount=PaymentSession.captured_amount + price
            )
        )


async def asked(shop: Shop, of: Sold, kind: str = "withdrawal", units: int = 1, **other: Any) -> Return:
    return await ask(shop.database, of.order_id, of.asked(kind, units, **other))


async def opened(
    shop: Shop, of: Sold, kind: str, units: int = 1, actor: Actor = COMMAND_LINE, **other: Any
) -> Return:
    async with shop.database.transaction() as session:
        return await open_return(session, actor, of.order_id, of.asked(kind, units, **other))


async def received(shop: Shop, row: Return, of: Sold, good: int, damaged: int = 0) -> Return:
    async with shop.database.transaction() as session:
        return await receive(session, COMMAND_LINE, row.id, {of.line_id: (good, damaged)})


async def approved(shop: Shop, row: Return, amount: int, *, restock: bool = True, why: str = "") -> Return:
    async with shop.database.transaction() as session:
        return await approve(session, COMMAND_LINE, row.id, amount, restock=restock, why=why)


async def state_of(shop: Shop, row: Return) -> str:
    async with shop.database.read() as session:
        return (await session.execute(select(Return.state).where(Return.id == row.id))).scalar_one()


async def proposed_for(shop: Shop, row: Return) -> int:
    """The amount that the office's form begins with."""
    async with shop.database.read() as session:
        return int((await return_detail(session, COMMAND_LINE, row.id)).proposed)


async def label_cancelled(admin: httpx.AsyncClient, of: Sold, fulfillment_id: str) -> None:
    await post(admin, f"/admin/orders/{of.order_id}/fulfillments/{fulfillment_id}/cancel")


async def to_pack(admin: httpx.AsyncClient) -> int:
    """How many orders have units to be packed."""
    count: int = (await get(admin, "/admin/orders", to_pack="true"))["count"]
    return count
