"""The orders as the office lists them: a row each, filters as its address names them, and what is new."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import day_begin, short_time_label, today_in_colombia
from backend.core.db.database import database_now
from backend.core.money import format_cop
from backend.core.texts import _
from backend.office.customer_labels import buyer_of
from backend.office.listing import (
    ActiveFilter,
    ListView,
    active_filters,
    count_new_rows,
    days_label,
    label_of,
    read_asked,
)
from backend.office.views import ChipView
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.money.captured_money import OrderMoney
from backend.orders.search import (
    OrderFilter,
    conditions_of,
    cursor_after,
    orders_page,
    pickup_options,
    read_place,
)
from backend.orders.states import HAS_MONEY, FulfillmentStatus, LabelState, OrderStatus, PaymentStatus
from backend.staff.rights import Actor, Right

MOST_ROWS = 30
LONGEST_TEXT = 120
FIRST_DAY, LAST_DAY = date(2000, 1, 1), date(2999, 1, 1)
"""Days outside of these are no days of orders."""

P, F = PaymentStatus, FulfillmentStatus
DAYS = {"hoy": _("Hoy"), "ayer": _("Ayer"), "semana": _("Últimos 7 días")}
PAYMENT: dict[str, tuple[str, tuple[str, ...]]] = {
    "pagado": (_("Pagado"), (P.CAPTURED, P.PARTIALLY_CAPTURED, P.PARTIALLY_REFUNDED)),
    "esperando": (_("Esperando al banco"), (P.AWAITING,)),
    "por-confirmar": (_("Por confirmar"), (P.AUTHORIZED,)),
    "devuelto": (_("Devuelto"), (P.REFUNDED, P.PARTIALLY_REFUNDED)),
    "sin-pago": (_("Sin pago"), (P.CANCELED,)),
}
DISPATCH: dict[str, tuple[str, tuple[str, ...]]] = {
    "por-empacar": (_("Por empacar"), ()),
    "empacado": (_("Empacado"), (F.FULFILLED, F.PARTIALLY_FULFILLED)),
    "enviado": (_("Enviado"), (F.SHIPPED, F.PARTIALLY_SHIPPED)),
    "entregado": (_("Entregado"), (F.DELIVERED, F.PARTIALLY_DELIVERED)),
}
DELIVERY = {"domicilio": _("A domicilio"), "recoger": _("Recoge en tienda")}
"""What the address says of each filter, what a person reads, and the statuses that are meant."""
FIELDS = ("q", "fecha", "desde", "hasta", "pago", "envio", "entrega")

PAYMENT_CHIPS: dict[str, tuple[str, str]] = {
    P.AWAITING: (_("Esperando al banco"), "wait"),
    P.AUTHORIZED: (_("Por confirmar"), "wait"),
    P.PARTIALLY_CAPTURED: (_("Pagado en parte"), "wait"),
    P.CAPTURED: (_("Pagado"), "good"),
    P.PARTIALLY_REFUNDED: (_("Devuelto en parte"), "plain"),
    P.REFUNDED: (_("Devuelto"), "plain"),
    P.CANCELED: (_("Sin pago"), "plain"),
}
DISPATCH_CHIPS: dict[str, tuple[str, str]] = {
    F.NOT_FULFILLED: (_("Por empacar"), "wait"),
    F.PARTIALLY_FULFILLED: (_("Empacado en parte"), "wait"),
    F.FULFILLED: (_("Empacado"), "plain"),
    F.PARTIALLY_SHIPPED: (_("Enviado en parte"), "plain"),
    F.SHIPPED: (_("Enviado"), "plain"),
    F.PARTIALLY_DELIVERED: (_("Entregado en parte"), "plain"),
    F.DELIVERED: (_("Entregado"), "good"),
}


@dataclass(frozen=True, slots=True)
class OrderRow:
    """An order in a list.

    Attributes:
        toys: what was bought, in one line.
        guide: its tracking number; empty without one.
    """

    id: str
    number: int
    buyer: str
    town: str
    placed_label: str
    toys: str
    total_label: str
    chips: list[ChipView]
    guide: str
    is_pickup: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdersView(ListView):
    """A list of orders, the newest first. Its fields are `FIELDS`."""

    rows: list[OrderRow]


def filter_of(asked: Mapping[str, str], today: date) -> OrderFilter:
    """The filter that the fields mean. What none of them may say does not matter."""
    wanted = OrderFilter(
        text=asked.get("q", "")[:LONGEST_TEXT],
        payment=PAYMENT.get(asked.get("pago", ""), ("", ()))[1],
        fulfillment=DISPATCH.get(asked.get("envio", ""), ("", ()))[1],
        is_to_pack=asked.get("envio") == "por-empacar",
        is_pickup={"recoger": True, "domicilio": False}.get(asked.get("entrega", "")),
    )
    first, last = _days(asked, today)
    return replace(
        wanted,
        since=day_begin(first) if first else None,
        until=day_begin(last + timedelta(days=1)) if last else None,
    )


async def orders_view(
    session: AsyncSession, actor: Actor, asked: Mapping[str, str], cursor: str = ""
) -> OrdersView:
    """The orders that are asked for.

    Args:
        session: for reading.
        actor: who asks.
        asked: values of `FIELDS`, from anywhere.
        cursor: where the page before ended.

    Raises:
        Forbidden: the actor may not see orders.
        InvalidData: the cursor is none of ours.
    """
    actor.require(Right.READ_ORDERS)
    wanted = filter_of(asked, today_in_colombia(await database_now(session)))
    orders, following = await orders_page(session, actor, wanted, MOST_ROWS, cursor)
    kept = read_asked(asked, FIELDS, LONGEST_TEXT)
    return OrdersView(
        rows=await order_rows(session, orders),
        cursor=following,
        newest=cursor_after(orders[0]) if orders and not cursor else "",
        asked=kept,
        active=_active(kept),
    )


async def orders_named(session: AsyncSession, actor: Actor, text: str, limit: int) -> list[OrderRow]:
    """The newest orders that have what the text says: at most `limit`.

    Raises:
        Forbidden: the actor may not see orders.
    """
    actor.require(Right.READ_ORDERS)
    orders, _cursor = await orders_page(session, actor, OrderFilter(text=text[:LONGEST_TEXT]), limit)
    return await order_rows(session, orders)


async def rows_again(session: AsyncSession, actor: Actor, order_ids: Sequence[str]) -> dict[str, OrderRow]:
    """The rows of these orders as they are now, by the order's id.

    Raises:
        Forbidden: the actor may not see orders.
    """
    actor.require(Right.READ_ORDERS)
    found = await session.execute(select(Order).where(Order.id.in_(order_ids)))
    return {row.id: row for row in await order_rows(session, found.scalars().all())}


async def count_newer(session: AsyncSession, actor: Actor, asked: Mapping[str, str], newest: str) -> int:
    """Count the orders of the list that came after `newest`.

    Raises:
        Forbidden: the actor may not see orders.
        InvalidData: `newest` is none of ours.
    """
    actor.require(Right.READ_ORDERS)
    wanted = filter_of(asked, today_in_colombia(await database_now(session)))
    conditions = await conditions_of(session, wanted)
    if newest:
        conditions.append(tuple_(Order.created_at, Order.number) > read_place(newest))
    return await count_new_rows(session, select(Order.number).where(*conditions))


async def order_rows(session: AsyncSession, orders: Sequence[Order]) -> list[OrderRow]:
    """The orders as rows of a list, in their order."""
    ids = [order.id for order in orders]
    lines: dict[str, list[OrderLine]] = defaultdict(list)
    for line in (
        await session.execute(select(OrderLine).where(OrderLine.order_id.in_(ids)).order_by(OrderLine.id))
    ).scalars():
        lines[line.order_id].append(line)
    made = select(Fulfillment.order_id, Fulfillment.tracking_number).where(
        Fulfillment.order_id.in_(ids), Fulfillment.state == LabelState.CREATED
    )
    guides = {order_id: guide or "" for order_id, guide in await session.execute(made)}
    fetched = set(await pickup_options(session)) if orders else set()
    return [
        OrderRow(
            id=order.id,
            number=order.number or 0,
            buyer=buyer_of(order),
            town=str(order.shipping_address.get("city") or ""),
            placed_label=short_time_label(order.created_at),
            toys=_toys(lines[order.id]),
            total_label=format_cop(order.total),
            chips=chips_of(order),
            guide=guides.get(order.id, ""),
            is_pickup=order.shipping_option_id in fetched,
        )
        for order in orders
    ]


def chips_of(order: Order) -> list[ChipView]:
    """How the order stands: whether it is paid, and once it is, how far it has gone."""
    if order.status == OrderStatus.CANCELED:
        paid = PAYMENT_CHIPS.get(order.payment_status, ("", ""))
        given_back = [ChipView(*paid)] if order.payment_status in {P.REFUNDED, *HAS_MONEY} else []
        return [ChipView(_("Cancelado"), "plain"), *given_back]
    chips = [ChipView(*PAYMENT_CHIPS.get(order.payment_status, (order.payment_status, "plain")))]
    has_left = order.fulfillment_status != F.NOT_FULFILLED
    if has_left or order.payment_status in HAS_MONEY:
        chips.append(
            ChipView(*DISPATCH_CHIPS.get(order.fulfillment_status, (order.fulfillment_status, "plain")))
        )
    return chips


def _active(asked: Mapping[str, str]) -> list[ActiveFilter]:
    days = days_label(_day(asked["desde"]), _day(asked["hasta"]))
    return active_filters(
        asked,
        (DAYS.get(asked["fecha"], days), "fecha", "desde", "hasta"),
        (label_of(PAYMENT, asked["pago"]), "pago"),
        (label_of(DISPATCH, asked["envio"]), "envio"),
        (DELIVERY.get(asked["entrega"], ""), "entrega"),
    )


def _days(asked: Mapping[str, str], today: date) -> tuple[date | None, date | None]:
    match asked.get("fecha", ""):
        case "hoy":
            return today, today
        case "ayer":
            return today - timedelta(days=1), today - timedelta(days=1)
        case "semana":
            return today - timedelta(days=6), today  # seven days, the first and today included
    return _day(asked.get("desde", "")), _day(asked.get("hasta", ""))


def _day(text: str) -> date | None:
    """The day, if it is one of a time in which there may be orders."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if FIRST_DAY <= day <= LAST_DAY else None


def _toys(lines: Sequence[OrderLine]) -> str:
    if not lines:
        return ""
    first = f"{lines[0].quantity} × {lines[0].title}"
    others = len(lines) - 1
    return first if not others else _("{first} y {n} más").format(first=first, n=others)


def difference_in_words(money: OrderMoney) -> str:
    """Say what was paid and what is missing or too much; nothing where the total was paid, or nothing was."""
    if not money.is_different:
        return ""
    said = {"paid": money.paid_label, "total": format_cop(money.total)}
    if money.missing:
        words = _("Pagaron {paid} de {total}: faltan {missing}.")
        return words.format(**said, missing=money.missing_label)
    if money.surplus:
        words = _("Pagaron {paid} por {total}: sobran {surplus}.")
        return words.format(**said, surplus=money.surplus_label)
    return _("Pagaron {paid} por {total}.").format(**said)
