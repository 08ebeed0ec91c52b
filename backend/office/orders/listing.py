"""Orders in the office: rows of the list, filters from the URL, and counts of new orders."""

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
from backend.office.customer_labels import order_customer_name
from backend.office.listing import (
    ActiveFilter,
    ListView,
    active_filters,
    count_new_rows,
    days_label,
    label_of,
    read_filters,
)
from backend.office.views import ChipView
from backend.orders.delivery_kinds import DeliveryKind, read_delivery_kinds
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.money.captured_money import OrderMoney
from backend.orders.search import (
    OrderFilter,
    build_conditions,
    find_orders_with_money_to_accept,
    make_order_cursor,
    parse_order_cursor,
    read_orders_page,
)
from backend.orders.state_labels import (
    LABELS_BY_KIND,
    ORDER_LABELS,
    get_payment_label,
)
from backend.orders.states import HAS_MONEY, FulfillmentStatus, LabelState, OrderStatus, PaymentStatus
from backend.staff.rights import Actor, Right

PAGE_SIZE = 30
MAX_TEXT_LENGTH = 120
FIRST_DAY, LAST_DAY = date(2000, 1, 1), date(2999, 1, 1)
"""Range of valid days in the filters."""

P, F = PaymentStatus, FulfillmentStatus
DAYS = {"hoy": _("Hoy"), "ayer": _("Ayer"), "semana": _("Últimos 7 días")}
PAYMENT: dict[str, tuple[str, tuple[str, ...]]] = {
    "pagado": (_("Pagado"), (P.CAPTURED, P.PARTIALLY_CAPTURED, P.PARTIALLY_REFUNDED)),
    "esperando": (_("Esperando al banco"), ()),
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
"""Filters of the list by their name in the URL: a label and, where needed, the matching statuses."""
FIELDS = ("q", "fecha", "desde", "hasta", "pago", "envio", "entrega")

PAYMENT_TONES: dict[str, str] = {
    **dict.fromkeys((P.AWAITING, P.AUTHORIZED, P.PARTIALLY_CAPTURED), "wait"),
    P.CAPTURED: "good",
}
FULFILLMENT_TONES: dict[str, str] = {
    **dict.fromkeys((F.NOT_FULFILLED, F.PARTIALLY_FULFILLED), "wait"),
    F.DELIVERED: "good",
}
"""Colours of the chips by status. All other statuses are `plain`."""


@dataclass(frozen=True, slots=True)
class OrderRow:
    """An order in a list.

    Attributes:
        products: the bought products, in one line.
        guide: the tracking number; empty without one.
    """

    id: str
    number: int
    customer_name: str
    town: str
    placed_label: str
    products: str
    total_label: str
    chips: list[ChipView]
    guide: str
    is_pickup: bool
    is_own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdersView(ListView):
    """A list of orders, the newest first. Its filters are `FIELDS`."""

    rows: list[OrderRow]


def parse_order_filter(params: Mapping[str, str], today: date) -> OrderFilter:
    """Return the filter for the URL's query parameters. Invalid values are ignored."""
    order_filter = OrderFilter(
        text=params.get("q", "")[:MAX_TEXT_LENGTH],
        payment=PAYMENT.get(params.get("pago", ""), ("", ()))[1],
        fulfillment=DISPATCH.get(params.get("envio", ""), ("", ()))[1],
        is_awaiting_bank=params.get("pago") == "esperando",
        is_to_pack=params.get("envio") == "por-empacar",
        is_pickup={"recoger": True, "domicilio": False}.get(params.get("entrega", "")),
    )
    first, last = _filter_days(params, today)
    return replace(
        order_filter,
        since=day_begin(first) if first else None,
        until=day_begin(last + timedelta(days=1)) if last else None,
    )


async def orders_view(
    session: AsyncSession, actor: Actor, params: Mapping[str, str], cursor: str = ""
) -> OrdersView:
    """Return a page of the orders that match the filters.

    Args:
        session: for reading.
        actor: the staff member who makes the request.
        params: values of `FIELDS`, as they are in the URL; invalid values are ignored.
        cursor: the cursor of the page; empty for the first page.

    Raises:
        Forbidden: the actor may not see orders.
        InvalidData: the cursor is invalid.
    """
    actor.require(Right.READ_ORDERS)
    order_filter = parse_order_filter(params, today_in_colombia(await database_now(session)))
    orders, following = await read_orders_page(session, actor, order_filter, PAGE_SIZE, cursor)
    filters = read_filters(params, FIELDS, MAX_TEXT_LENGTH)
    return OrdersView(
        rows=await order_rows(session, orders),
        cursor=following,
        newest=make_order_cursor(orders[0]) if orders and not cursor else "",
        filters=filters,
        active=_active_filters(filters),
    )


async def find_orders_by_text(session: AsyncSession, actor: Actor, text: str, limit: int) -> list[OrderRow]:
    """Return the newest orders that match the text, at most `limit`.

    Raises:
        Forbidden: the actor may not see orders.
    """
    actor.require(Right.READ_ORDERS)
    orders, _cursor = await read_orders_page(session, actor, OrderFilter(text=text[:MAX_TEXT_LENGTH]), limit)
    return await order_rows(session, orders)


async def read_order_rows(
    session: AsyncSession, actor: Actor, order_ids: Sequence[str]
) -> dict[str, OrderRow]:
    """Return the current rows of these orders by their ids.

    Raises:
        Forbidden: the actor may not see orders.
    """
    actor.require(Right.READ_ORDERS)
    found = await session.execute(select(Order).where(Order.id.in_(order_ids)))
    return {row.id: row for row in await order_rows(session, found.scalars().all())}


async def count_newer_orders(
    session: AsyncSession, actor: Actor, params: Mapping[str, str], newest: str
) -> int:
    """Count the orders that match the filters `params` and are newer than the cursor `newest`.

    Raises:
        Forbidden: the actor may not see orders.
        InvalidData: the cursor is invalid.
    """
    actor.require(Right.READ_ORDERS)
    order_filter = parse_order_filter(params, today_in_colombia(await database_now(session)))
    conditions = await build_conditions(session, order_filter)
    if newest:
        conditions.append(tuple_(Order.created_at, Order.number) > parse_order_cursor(newest))
    return await count_new_rows(session, select(Order.number).where(*conditions))


async def order_rows(session: AsyncSession, orders: Sequence[Order]) -> list[OrderRow]:
    """Return the orders as rows of a list, in the same order."""
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
    unaccepted = await find_orders_with_money_to_accept(session, ids)
    kinds = await read_delivery_kinds(session, orders)
    return [
        OrderRow(
            id=order.id,
            number=order.number or 0,
            customer_name=order_customer_name(order),
            town=str(order.shipping_address.get("city") or ""),
            placed_label=short_time_label(order.created_at),
            products=_products_text(lines[order.id]),
            total_label=format_cop(order.total),
            chips=order_chips(order, kinds[order.id], has_money_to_accept=order.id in unaccepted),
            guide=guides.get(order.id, ""),
            is_pickup=kinds[order.id] is DeliveryKind.PICKUP,
            is_own=kinds[order.id] is DeliveryKind.OWN,
        )
        for order in orders
    ]


def order_chips(order: Order, kind: DeliveryKind, *, has_money_to_accept: bool) -> list[ChipView]:
    """Return the status chips of an order.

    The chips are the payment and, once the order is paid or packed, the fulfillment. A cancelled order has one
    chip that says so and, if money was received, the chip of the payment.
    """
    status = order.payment_status
    label = get_payment_label(status, has_money_to_accept=has_money_to_accept)
    paid = ChipView(label, PAYMENT_TONES.get(status, "plain"))
    if order.status == OrderStatus.CANCELED:
        given_back = [paid] if status in {P.REFUNDED, *HAS_MONEY} else []
        return [ChipView(ORDER_LABELS[order.status], "plain"), *given_back]
    progress = order.fulfillment_status
    if progress == F.NOT_FULFILLED and status not in HAS_MONEY:
        return [paid]
    labels = LABELS_BY_KIND[kind]
    return [paid, ChipView(labels.get(progress, progress), FULFILLMENT_TONES.get(progress, "plain"))]


def _active_filters(params: Mapping[str, str]) -> list[ActiveFilter]:
    days = days_label(_parse_day(params["desde"]), _parse_day(params["hasta"]))
    return active_filters(
        params,
        (DAYS.get(params["fecha"], days), "fecha", "desde", "hasta"),
        (label_of(PAYMENT, params["pago"]), "pago"),
        (label_of(DISPATCH, params["envio"]), "envio"),
        (DELIVERY.get(params["entrega"], ""), "entrega"),
    )


def _filter_days(params: Mapping[str, str], today: date) -> tuple[date | None, date | None]:
    match params.get("fecha", ""):
        case "hoy":
            return today, today
        case "ayer":
            return today - timedelta(days=1), today - timedelta(days=1)
        case "semana":
            return today - timedelta(days=6), today  # seven days, the first and today included
    return _parse_day(params.get("desde", "")), _parse_day(params.get("hasta", ""))


def _parse_day(text: str) -> date | None:
    """Return the day; None if the text is not a day between `FIRST_DAY` and `LAST_DAY`."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if FIRST_DAY <= day <= LAST_DAY else None


def _products_text(lines: Sequence[OrderLine]) -> str:
    if not lines:
        return ""
    first = f"{lines[0].quantity} × {lines[0].title}"
    others = len(lines) - 1
    return first if not others else _("{first} y {n} más").format(first=first, n=others)


def describe_difference(money: OrderMoney) -> str:
    """Return a sentence about the difference between the paid amount and the total; empty if there is none."""
    if not money.is_different:
        return ""
    values = {"paid": money.paid_label, "total": format_cop(money.total)}
    if money.missing:
        words = _("Pagaron {paid} de {total}: faltan {missing}.")
        return words.format(**values, missing=money.missing_label)
    if money.surplus:
        words = _("Pagaron {paid} por {total}: sobran {surplus}.")
        return words.format(**values, surplus=money.surplus_label)
    return _("Pagaron {paid} por {total}.").format(**values)
