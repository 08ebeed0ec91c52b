"""The screen «Hacer un cambio»: the units that come back, the products that go out, and the difference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import read_cart
from backend.cart.views import read_cart_view
from backend.catalog.storefront.product_cards import line_pictures
from backend.catalog.views import PictureView
from backend.core.errors import InvalidData
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from backend.draft_orders.models import DraftOrder
from backend.exchanges.delivery import can_be_delivered, list_pickups
from backend.exchanges.models import Exchange, ExchangeStatus
from backend.exchanges.preparation import (
    find_inbound_draft,
    find_unfinished_exchange,
    require_exchange_rights,
)
from backend.exchanges.settlement import compute_credit
from backend.office.sell import SaleLine, describe_destination, to_sale_line
from backend.orders.models import Order, OrderLine
from backend.orders.service import format_line_detail, list_order_lines, read_order
from backend.orders.states import HAS_MONEY
from backend.payment.manual_methods import METHOD_NAMES, ManualMethod
from backend.returns.drafts import Action, sum_draft_units
from backend.returns.processing import list_return_lines, read_return
from backend.returns.requests import count_returnable_units
from backend.staff.rights import Actor, Right

LATER = "later"
"""Method of a difference that is not paid, or not given back, now."""


@dataclass(frozen=True, slots=True)
class InboundLine:
    """A line of the order. `quantity`: number of units that come back; `most`: maximum of `quantity`."""

    id: str
    title: str
    detail: str
    picture: PictureView | None
    quantity: int
    most: int
    unit_label: str


@dataclass(frozen=True, slots=True)
class PickupView:
    """A place where the customer can pick up the new order later, with its price."""

    id: str
    name: str
    price_label: str


@dataclass(frozen=True, slots=True)
class ExchangeView:
    """An exchange on its screen.

    Attributes:
        exchange_id: empty before the first change.
        status: an `ExchangeStatus`; empty before the first change.
        has_arrived: True if the arrival of the units was recorded.
        refusal: why no units can be exchanged; empty if they can.
        kind: `owed` if the customer pays the difference, `refund` if the shop gives it back, `equal`, or empty before
            both sides are chosen.
        difference: whole pesos, negative if the shop gives them back.
        pickups: places where the customer can pick up the new order later.
        address: lines of the pickup point, or of the address to which the new order goes; empty without either.
        has_address: True if shipping options for an address can be listed.
        asks_email: True if the form of another address asks for an e-mail address.
        can_settle: True if it can be settled now.
        can_give_back: True if the actor may record money that the shop gives back.
    """

    order_id: str
    number: int
    exchange_id: str = ""
    status: str = ""
    has_arrived: bool = False
    return_id: str = ""
    refusal: str = ""
    inbound: list[InboundLine] = field(default_factory=list)
    outbound: list[SaleLine] = field(default_factory=list)
    credit_label: str = ""
    total_label: str = ""
    kind: str = ""
    difference: Cop = 0
    sentence: str = ""
    can_deliver: bool = False
    asks_email: bool = False
    pickups: list[PickupView] = field(default_factory=list)
    address: list[str] = field(default_factory=list)
    has_address: bool = False
    shipping: str = ""
    shipping_label: str = ""
    can_settle: bool = False
    can_give_back: bool = False


def settlement_methods(kind: str, *, is_delivered: bool) -> list[tuple[str, str]]:
    """Return the ways to settle the difference, with their names."""
    methods = [(str(one), METHOD_NAMES[one]) for one in ManualMethod]
    if kind == "refund":
        return [*methods, (LATER, _("Después"))]
    return [*methods, (LATER, _("Después, con un enlace de pago"))] if is_delivered else methods


async def exchange_view(session: AsyncSession, actor: Actor, order_id: str) -> ExchangeView:
    """Return the unfinished exchange of the order; an empty one if it has none.

    Raises:
        Forbidden: the actor may not exchange.
        NotFound: the order does not exist.
    """
    require_exchange_rights(actor)
    order = await read_order(session, order_id)
    sold = await list_order_lines(session, order.id)
    exchange = await find_unfinished_exchange(session, order.id)
    possible = await count_returnable_units(session, order, sold)
    if exchange is None:
        can_begin = bool(possible) and order.payment_status in HAS_MONEY
        refusal = "" if can_begin else _("No hay unidades entregadas y pagadas que se puedan cambiar.")
        inbound = await _inbound_lines(session, sold, {}, possible)
        return ExchangeView(order.id, order.number or 0, refusal=refusal, inbound=inbound)
    return await _exchange_view(session, actor, order, sold, possible, exchange)


async def _exchange_view(  # noqa: PLR0917
    session: AsyncSession,
    actor: Actor,
    order: Order,
    sold: Sequence[OrderLine],
    possible: Mapping[str, int],
    exchange: Exchange,
) -> ExchangeView:
    is_open = exchange.status == ExchangeStatus.OPEN
    has_arrived = False
    if is_open:
        draft = await find_inbound_draft(session, exchange)
        units = sum_draft_units(draft, Action.RETURN) if draft is not None else {}
    else:
        row = await read_return(session, exchange.return_id)
        has_arrived = row.received_at is not None
        units = {
            line.line_id: line.good + line.damaged if has_arrived else line.quantity
            for line in await list_return_lines(session, row.id)
        }
    cart_id = (await session.get_one(DraftOrder, exchange.draft_order_id)).cart_id
    cart = await read_cart(session, cart_id)
    view = await read_cart_view(session, cart_id)
    outbound = [to_sale_line(line) for line in view.lines]
    credit = await _find_credit(session, order, sold, units, exchange.return_id)
    is_chosen = bool(credit and outbound)
    difference = view.total - credit
    return ExchangeView(
        order_id=order.id,
        number=order.number or 0,
        exchange_id=exchange.id,
        status=exchange.status,
        has_arrived=has_arrived,
        return_id=exchange.return_id,
        inbound=await _inbound_lines(session, sold, units, possible if is_open else units),
        outbound=outbound,
        credit_label=format_cop(credit),
        total_label=view.total_label,
        kind=_kind_of(difference) if is_chosen else "",
        difference=difference,
        sentence=_describe(difference) if is_chosen else "",
        can_deliver=can_be_delivered(order),
        asks_email=not order.email,
        pickups=[
            PickupView(one.id, one.name, format_cop(one.amount or 0))
            for one in await list_pickups(session, order)
        ],
        address=await describe_destination(session, cart),
        has_address=bool(cart.shipping_address),
        shipping=view.shipping_name,
        shipping_label=view.shipping_total_label,
        can_settle=is_chosen
        and not any(line.problem for line in outbound)
        and bool(view.shipping_name or not cart.shipping_address),
        can_give_back=actor.may(Right.BOOK_REFUNDS),
    )


async def _find_credit(
    session: AsyncSession, order: Order, sold: Sequence[OrderLine], units: Mapping[str, int], return_id: str
) -> Cop:
    try:
        return await compute_credit(session, order, sold, units, return_id)
    except InvalidData:
        return 0


def _kind_of(difference: Cop) -> str:
    return "owed" if difference > 0 else "refund" if difference < 0 else "equal"


def _describe(difference: Cop) -> str:
    if difference > 0:
        return _("El cliente paga {amount} más").format(amount=format_cop(difference))
    if difference < 0:
        return _("Le devuelves {amount}").format(amount=format_cop(-difference))
    return _("Quedan a mano: nadie paga nada")


async def _inbound_lines(
    session: AsyncSession, sold: Sequence[OrderLine], units: Mapping[str, int], possible: Mapping[str, int]
) -> list[InboundLine]:
    shown = [line for line in sold if units.get(line.id) or possible.get(line.id)]
    pictures = await line_pictures(session, shown)
    return [
        InboundLine(
            id=line.id,
            title=line.title,
            detail=format_line_detail(line),
            picture=pictures.get(line.variant_id),
            quantity=units.get(line.id, 0),
            most=possible.get(line.id, 0),
            unit_label=format_cop(line.unit_price),
        )
        for line in shown
    ]
