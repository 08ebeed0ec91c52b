"""Prepare an exchange: the units that come back, and the units that go out instead.

The units that come back are the draft of a return, with its limits. The units that go out are a draft order, with the
prices and the stock of every cart. Nothing is reserved before the exchange is settled.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.cart.access import create_empty_cart, lock_cart, open_cart
from backend.cart.lines import add_to_cart, change_line
from backend.cart.models import Cart, LineItem
from backend.cart.shipping_method import find_shipping_method, set_shipping_method
from backend.core.db.database import database_now, lock_rows
from backend.core.db.tables import get_or_404
from backend.core.errors import InvalidData, NotAllowed
from backend.core.events import subscribe
from backend.core.ids import new_id
from backend.core.texts import _
from backend.draft_orders.models import DraftOrder
from backend.exchanges.models import UNFINISHED, Exchange, ExchangeStatus
from backend.orders.models import Order
from backend.orders.origins import OrderOrigin
from backend.orders.service import list_order_lines, lock_order
from backend.orders.states import HAS_MONEY
from backend.returns import drafts
from backend.returns.drafts import Action, DraftItem, ItemChange, LineUnits, RequestData
from backend.returns.events import ReturnMoved
from backend.returns.models import DraftStep, ReturnDraft, ReturnKind
from backend.returns.processing import deny, read_return
from backend.returns.requests import count_returnable_units
from backend.returns.states import ReturnState
from backend.shipping.models import CALCULATED, ShippingOption
from backend.shipping.terms.own_delivery import is_pickup
from backend.staff.rights import Actor, Right

CANCELED_REASON = _("El cambio se canceló.")
_EXCHANGE = select(Exchange).where(Exchange.id == bindparam("exchange_id"))
_UNFINISHED = (
    select(Exchange)
    .where(Exchange.order_id == bindparam("order_id"), Exchange.status.in_(UNFINISHED))
    .order_by(Exchange.number.desc())
    .limit(1)
)


class ExchangeEnded(NotAllowed):
    """The exchange is completed or cancelled."""

    staff_text = _("Este cambio ya terminó. Mira cómo quedó el pedido.")


class UnitsArrived(NotAllowed):
    """The units of the exchange have come back, so it cannot be cancelled: the customer gets products or money."""

    staff_text = _("Lo que devuelve ya llegó: termina el cambio, o devuélvele el dinero en Devoluciones.")


@dataclass(frozen=True, slots=True)
class LockedExchange:
    """An unfinished exchange and its order, both locked for a change."""

    exchange: Exchange
    order: Order


def require_exchange_rights(actor: Actor) -> None:
    """Check that the actor has the rights that a change of an exchange needs: to sell, and to handle returns.

    Raises:
        Forbidden: the actor may not.
    """
    actor.require(Right.SELL)
    actor.require(Right.HANDLE_RETURNS)


async def read_exchange(session: AsyncSession, actor: Actor, exchange_id: str) -> Exchange:
    """Return the exchange with this id.

    Raises:
        NotFound: there is no such exchange.
    """
    actor.require(Right.READ_ORDERS)
    return await get_or_404(session, _EXCHANGE.params(exchange_id=exchange_id), "Exchange", exchange_id)


async def find_unfinished_exchange(session: AsyncSession, order_id: str) -> Exchange | None:
    """Return the newest exchange of the order that is neither completed nor cancelled; None if there is none."""
    return (await session.execute(_UNFINISHED, {"order_id": order_id})).scalar_one_or_none()


async def is_completed_exchange(session: AsyncSession, return_id: str) -> bool:
    """Return True if the return belongs to an exchange that is completed, or is being completed now."""
    exchange = await _find_exchange_of_return(session, return_id)
    return exchange is not None and exchange.status == ExchangeStatus.COMPLETED


async def open_exchange(session: AsyncSession, actor: Actor, order_id: str) -> Exchange:
    """Return the unfinished exchange of the order; begin one if there is none. Concurrent calls get the same one.

    Raises:
        NotFound, InvalidData, NotAllowed: see `begin_exchange`.
    """
    require_exchange_rights(actor)
    await lock_order(session, order_id)
    return await find_unfinished_exchange(session, order_id) or await begin_exchange(session, actor, order_id)


async def begin_exchange(
    session: AsyncSession, actor: Actor, order_id: str, reason: str = "", location_id: str | None = None
) -> Exchange:
    """Begin an exchange of units of the order.

    Raises:
        NotFound: there is no such order.
        InvalidData: the reason is too long.
        NotAllowed: the order has no sent and paid units that can come back; it already has the draft of a return; or
            its units cannot be returned to this location.
    """
    require_exchange_rights(actor)
    order = await lock_order(session, order_id)
    lines = await list_order_lines(session, order.id)
    if order.payment_status not in HAS_MONEY or not await count_returnable_units(session, order, lines):
        raise NotAllowed(
            f"Order {order.id} has no sent and paid units",
            staff_text=_("No hay unidades entregadas y pagadas que se puedan cambiar."),
        )
    exchange_id = new_id("oexc")
    request = RequestData(ReturnKind.EXCHANGE, reason, location_id, exchange_id)
    returned = await drafts.begin_request(session, actor, order.id, request)
    draft = await _create_draft_order(session, actor, order, exchange_id)
    exchange = Exchange(
        id=exchange_id,
        order_id=order.id,
        return_id=returned.id,
        draft_order_id=draft.id,
        created_by=actor.id,
    )
    session.add(exchange)
    await session.flush()
    return exchange


async def _create_draft_order(
    session: AsyncSession, actor: Actor, order: Order, exchange_id: str
) -> DraftOrder:
    """Create the draft of the new order, for the customer of the order.

    It has no delivery yet: without one, the customer takes the products along.
    """
    cart_id = await create_empty_cart(
        session, region_id=order.region_id, sales_channel_id=order.sales_channel_id
    )
    cart = await lock_cart(session, cart_id)
    # the origin `web` would make it the customer's own cart: the order gets its origin when it is settled
    cart.origin = OrderOrigin.PHONE if order.origin == OrderOrigin.WEB else order.origin
    cart.email, cart.locale = order.email or None, order.locale
    cart.customer_id, cart.guest_id = order.customer_id, order.guest_id
    cart.billing_address = order.billing_address or None
    draft = DraftOrder(id=cart.order_id, cart_id=cart_id, exchange_id=exchange_id, created_by=actor.id)
    session.add(draft)
    await session.flush()
    return draft


async def lock_exchange(session: AsyncSession, actor: Actor, exchange_id: str) -> LockedExchange:
    """Lock an unfinished exchange and its order for a change.

    Raises:
        NotFound: there is no such exchange.
        ExchangeEnded: it is completed or cancelled.
    """
    require_exchange_rights(actor)
    order = await lock_order(session, (await read_exchange(session, actor, exchange_id)).order_id)
    query = lock_rows(_EXCHANGE).execution_options(populate_existing=True)
    exchange = (await session.execute(query, {"exchange_id": exchange_id})).scalar_one()
    if exchange.status not in UNFINISHED:
        raise ExchangeEnded(f"Exchange {exchange_id} is {exchange.status}")
    return LockedExchange(exchange, order)


async def find_inbound_draft(session: AsyncSession, exchange: Exchange) -> ReturnDraft | None:
    """Return the draft of the exchange's return; None once the return was requested.

    After that, a draft with the same id can only be for the receipt of the units, so the result is None too.
    """
    draft = await session.get(ReturnDraft, exchange.return_id)
    return draft if draft is not None and draft.exchange_id is not None else None


async def set_inbound_units(
    session: AsyncSession, actor: Actor, exchange_id: str, line_id: str, quantity: int
) -> None:
    """Set how many units of a line of the order come back; 0 removes the line.

    Raises:
        NotFound, ExchangeEnded: see `lock_exchange`.
        NotFound: the return was requested already, so it has no draft.
        InvalidData: not so many units can come back.
    """
    exchange = (await lock_exchange(session, actor, exchange_id)).exchange
    draft = await drafts.find_draft(session, exchange.return_id, DraftStep.REQUEST)
    known = [one for one in draft.items if one["line_id"] == line_id]
    if not known:
        if quantity:
            units = LineUnits(line_id, quantity)
            await drafts.add_items(session, actor, draft.id, Action.RETURN, [units])
        return
    for extra in known[1:]:
        await drafts.remove_item(session, actor, DraftItem(draft.id, extra["id"], Action.RETURN))
    item = DraftItem(draft.id, known[0]["id"], Action.RETURN)
    if quantity:
        await drafts.change_item(session, actor, item, ItemChange(quantity))
    else:
        await drafts.remove_item(session, actor, item)


async def add_outbound_units(
    session: AsyncSession, actor: Actor, exchange_id: str, variant_id: str, quantity: int = 1
) -> None:
    """Add units of a variant to the exchange's new order.

    Raises:
        NotFound, ExchangeEnded, Conflict: see `lock_outbound_cart`.
        InvalidData, InsufficientStock: see `backend.cart.lines.add_to_cart`.
    """
    cart = await lock_outbound_cart(session, actor, exchange_id)
    async with _keep_pickup(session, cart):
        await add_to_cart(session, cart.id, variant_id, quantity)


async def set_outbound_units(
    session: AsyncSession, actor: Actor, exchange_id: str, item_id: str, quantity: int
) -> None:
    """Set the units of a line of the exchange's new order; 0 removes the line.

    Raises:
        NotFound, ExchangeEnded, Conflict: see `lock_outbound_cart`.
        NotFound: the new order has no such line.
        InvalidData, InsufficientStock: see `backend.cart.lines.change_line`.
    """
    cart = await lock_outbound_cart(session, actor, exchange_id)
    async with _keep_pickup(session, cart):
        await change_line(session, cart.id, item_id, quantity)


def has_fixed_pickup_price(option: ShippingOption) -> bool:
    """Return True if the option is a pickup whose price does not depend on the products."""
    return is_pickup(option) and option.price_type != CALCULATED


@asynccontextmanager
async def _keep_pickup(session: AsyncSession, cart: Cart) -> AsyncIterator[None]:
    """Keep the pickup of a cart while the products of the cart change in the `with` block.

    A pickup whose price depends on the products is not kept, nor is another shipping method.
    """
    found = await find_shipping_method(session, cart.id)
    option = await session.get(ShippingOption, found.shipping_option_id) if found is not None else None
    if found is None or option is None or not has_fixed_pickup_price(option):
        yield
        return
    option_id, name, amount, data = found.shipping_option_id, found.name, found.amount, found.data
    yield
    await set_shipping_method(session, cart, option_id=option_id, name=name, amount=amount, data=data)


async def lock_outbound_cart(session: AsyncSession, actor: Actor, exchange_id: str) -> Cart:
    """Lock the cart of an unfinished exchange's new order for a change, and record the change.

    Raises:
        NotFound: there is no such exchange.
        ExchangeEnded: it is completed or cancelled.
        Conflict: see `backend.cart.access.open_cart`.
    """
    require_exchange_rights(actor)
    exchange = await read_exchange(session, actor, exchange_id)
    draft = await session.get_one(DraftOrder, exchange.draft_order_id)
    if exchange.status not in UNFINISHED:
        raise ExchangeEnded(f"Exchange {exchange_id} is {exchange.status}")
    cart = await open_cart(session, draft.cart_id)
    await record(session, actor, "exchange written", Subject(SubjectType.ORDER, exchange.order_id))
    return cart


async def request_exchange(session: AsyncSession, actor: Actor, exchange_id: str) -> Exchange:
    """Request the units back from the customer. The exchange waits until they arrive.

    Raises:
        NotFound, ExchangeEnded: see `lock_exchange`.
        NotFound: the return was requested already, so it has no draft.
        InvalidData: no units come back or go out; or more units come back than can be returned now.
        NotAllowed: the order's money was refunded.
    """
    exchange = (await lock_exchange(session, actor, exchange_id)).exchange
    draft = await session.get_one(DraftOrder, exchange.draft_order_id)
    has_lines = select(LineItem.id).where(LineItem.cart_id == draft.cart_id).limit(1)
    if (await session.execute(has_lines)).first() is None:
        raise InvalidData(
            "Nothing goes out: request a return instead", staff_text=_("Elige qué se lleva a cambio.")
        )
    await drafts.confirm_request(session, actor, exchange.return_id)  # `follow_return` sets the status
    return exchange


async def cancel_exchange(session: AsyncSession, actor: Actor, exchange_id: str) -> Exchange:
    """Cancel the exchange, and deny its return if it was requested.

    Raises:
        NotFound, ExchangeEnded: see `lock_exchange`.
        UnitsArrived: the units have arrived.
    """
    exchange = (await lock_exchange(session, actor, exchange_id)).exchange
    await record(session, actor, "exchange canceled", Subject(SubjectType.ORDER, exchange.order_id))
    if exchange.status == ExchangeStatus.REQUESTED:
        row = await read_return(session, exchange.return_id)
        if row.state != ReturnState.REQUESTED:
            raise UnitsArrived(f"The units of exchange {exchange_id} have arrived")
        # `follow_return` cancels the exchange
        await deny(session, actor, exchange.return_id, CANCELED_REASON)
        return exchange
    await drafts.delete_draft(session, actor, exchange.return_id, DraftStep.REQUEST, exchange.id)
    await _mark_canceled(session, exchange)
    return exchange


@subscribe(ReturnMoved)
async def follow_return(session: AsyncSession, event: ReturnMoved) -> None:
    """Mark the return's exchange as requested too; cancel it if the return is denied or refunded in money.

    The caller has locked the order, so that the exchange does not change at the same time.
    """
    if event.state is ReturnState.RECEIVED:
        return
    exchange = await _find_exchange_of_return(session, event.return_id)
    if exchange is None:
        return
    if exchange.status == ExchangeStatus.OPEN and event.state is ReturnState.REQUESTED:
        exchange.status, exchange.requested_at = ExchangeStatus.REQUESTED, await database_now(session)
        await session.flush()
    elif exchange.status in UNFINISHED and event.state in (ReturnState.DENIED, ReturnState.TO_PAY):
        await _mark_canceled(session, exchange)


async def _find_exchange_of_return(session: AsyncSession, return_id: str) -> Exchange | None:
    found = await session.execute(select(Exchange).where(Exchange.return_id == return_id))
    return found.scalar_one_or_none()


async def _mark_canceled(session: AsyncSession, exchange: Exchange) -> None:
    moment = await database_now(session)
    exchange.status, exchange.canceled_at = ExchangeStatus.CANCELED, moment
    draft = await session.get_one(DraftOrder, exchange.draft_order_id)
    draft.canceled_at = moment
    await session.flush()
