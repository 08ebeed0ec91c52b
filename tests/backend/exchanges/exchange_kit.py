"""Helpers for exchanges."""

from collections.abc import Mapping, Sequence

from sqlalchemy import select

from backend.exchanges.models import Exchange
from backend.exchanges.preparation import add_outbound_units, open_exchange, set_inbound_units
from backend.exchanges.settlement import SeenExchange, settle_exchange
from backend.order_edits.difference import DifferenceReceipt
from backend.orders.models import Order, OrderLine
from backend.orders.service import list_order_lines
from backend.payment.manual_methods import ManualMethod
from backend.payment.models import Refund
from backend.returns.models import Return
from backend.staff.rights import Actor
from tests.backend.checkout.paying_kit import PRICE, Till
from tests.backend.draft_orders.selling import SELLER, prepare, take_money

CASH = ManualMethod.CASH


async def sell_one(till: Till, variant: str, units: int = 1) -> Order:
    """Sell units of a variant at the counter for cash. Return the order, which is paid and handed over."""
    return await take_money(till, await prepare(till, {variant: units}), units * PRICE)


async def write_exchange(
    till: Till, order: Order, inbound: Mapping[str, int], outbound: Mapping[str, int], actor: Actor = SELLER
) -> Exchange:
    """Open an exchange of the order, and set the units that come back and that go out, by variant id."""
    async with till.database.transaction() as session:
        exchange = await open_exchange(session, actor, order.id)
        lines = {line.variant_id: line.id for line in await list_order_lines(session, order.id)}
        for variant, units in inbound.items():
            await set_inbound_units(session, actor, exchange.id, lines[variant], units)
        for variant, units in outbound.items():
            await add_outbound_units(session, actor, exchange.id, variant, units)
        return exchange


async def settle(
    till: Till,
    exchange: Exchange,
    difference: int | None = None,
    money: DifferenceReceipt | None = None,
    *,
    is_damaged: bool = False,
    actor: Actor = SELLER,
) -> Order:
    async with till.database.transaction() as session:
        seen = SeenExchange(difference, is_damaged=is_damaged)
        return await settle_exchange(session, actor, exchange.id, seen, money)


async def read_exchange_row(till: Till, exchange: Exchange) -> Exchange:
    async with till.database.read() as session:
        return (await session.execute(select(Exchange).where(Exchange.id == exchange.id))).scalar_one()


async def read_return_row(till: Till, exchange: Exchange) -> Return:
    async with till.database.read() as session:
        return (await session.execute(select(Return).where(Return.id == exchange.return_id))).scalar_one()


async def list_refunds_of(till: Till, order: Order) -> list[tuple[int, str, str]]:
    """Return amount, reference and method of the order's refunds."""
    async with till.database.read() as session:
        query = select(Refund).where(Refund.order_id == order.id).order_by(Refund.created_at, Refund.id)
        return [(one.amount, one.reference, one.method) for one in (await session.execute(query)).scalars()]


async def read_lines(till: Till, order: Order) -> Sequence[OrderLine]:
    async with till.database.read() as session:
        return await list_order_lines(session, order.id)
