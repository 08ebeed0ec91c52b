"""Content of a batch of notices: its title, one line for each subject, and the screen that it leads to.

It is read when the batch is sent. Subjects that do not wait any more, such as a cancelled order, are left out. It
contains no name, address or text of a customer, only the city.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from decimal import Decimal

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.descriptions import describe_facts, format_disputed_amount
from backend.attention.kinds import RULES as ATTENTION_RULES
from backend.attention.kinds import AttentionKind
from backend.attention.models import Attention
from backend.catalog.low_stock import select_low_stock
from backend.catalog.models import Product
from backend.catalog.storefront.product_cards import line_pictures
from backend.core.dates import date_label, last_day, time_label
from backend.core.money import format_cop, format_exact
from backend.core.texts import _
from backend.core.web.contact import to_one_line
from backend.orders.delivery_kinds import DeliveryKind, read_delivery_kinds
from backend.orders.models import Order, OrderLine
from backend.orders.money.captured_money import read_order_money
from backend.orders.service import list_order_lines
from backend.orders.states import HAS_MONEY, OrderStatus
from backend.pqrs.models import KIND_NAMES as PQRS_NAMES
from backend.pqrs.models import Pqrs, PqrsKind
from backend.returns.models import KIND_NAMES as RETURN_NAMES
from backend.returns.models import Return, ReturnKind
from backend.returns.states import OPEN
from backend.reviews.models import Review, ReviewState
from backend.staff.rights import OFFICE
from backend.staff_notices.choices import Channel, is_recipient
from backend.staff_notices.kinds import NoticeKind
from backend.staff_notices.models import OUT_SUFFIX, LowStock, StaffNotice
from backend.staff_notices.notice_content import MAX_LINES, NoticeContent, format_units
from backend.staff_notices.summary_content import read_summary

MAX_PRODUCTS = 3
"""Maximum number of products of an order that are named."""


async def read_batch(
    session: AsyncSession, batch_id: str, staff_id: str, channel: Channel
) -> tuple[NoticeKind, NoticeContent] | None:
    """Return the kind and the content of a batch that is to be sent to this staff member by this channel.

    Return None if the batch was deleted, if its orders (or other subjects) no longer need the staff's attention, or
    if the staff member no longer gets notices of this kind by this channel.
    """
    query = select(StaffNotice).where(StaffNotice.batch_id == batch_id).order_by(StaffNotice.created_at)
    notices = (await session.execute(query)).scalars().all()
    if not notices:
        return None
    kind = NoticeKind(notices[0].kind)
    if not await is_recipient(session, kind, staff_id, channel):
        return None
    content = await _READERS[kind](session, [notice.subject_id for notice in notices])
    if content is None:
        return None
    if (more := len(content.lines) - MAX_LINES) > 0:
        content = replace(content, lines=content.lines[:MAX_LINES], more=more)
    return kind, content


async def _read_orders(session: AsyncSession, ids: Sequence[str]) -> NoticeContent | None:
    query = select(Order).where(
        Order.id.in_(ids), Order.status != OrderStatus.CANCELED, Order.payment_status.in_(HAS_MONEY)
    )
    orders = (await session.execute(query.order_by(Order.paid_at, Order.number))).scalars().all()
    if not orders:
        return None
    kinds = await read_delivery_kinds(session, orders)
    lines, total = [], Decimal()
    bought = {order.id: await list_order_lines(session, order.id) for order in orders}
    for order in orders:
        money = await read_order_money(session, order)
        total += money.exact
        amount = format_cop(order.total)
        if money.is_different:
            amount = _("llegaron {paid} de {total}").format(paid=money.paid_label, total=amount)
        town = to_one_line(order.shipping_address.get("city"))
        kind = kinds[order.id]
        place = _("lo recogen en la tienda") if kind is DeliveryKind.PICKUP else town
        if kind is DeliveryKind.OWN:
            place = _("{town}, entrega propia").format(town=town)
        parts = (amount, place, _name_products(bought[order.id]))
        numbered = _("Pedido {number}").format(number=order.number)
        lines.append(" · ".join(filter(None, (numbered, *parts))))
    title = (
        _("Pedido {number} pagado: {amount}").format(number=orders[0].number, amount=format_exact(total))
        if len(orders) == 1
        else _("{n} pedidos pagados: {amount}").format(n=len(orders), amount=format_exact(total))
    )
    path = f"{OFFICE}/empacar" + (f"?pedido={orders[0].id}" if len(orders) == 1 else "")
    picture = await _find_picture(session, bought[orders[0].id])
    return NoticeContent(title, lines, path, _("Empacar"), picture=picture)


async def _find_picture(session: AsyncSession, lines: Sequence[OrderLine]) -> str:
    """Return the URL of the first picture of the first product that has one; empty without any."""
    pictures = await line_pictures(session, lines)
    return next((pictures[line.variant_id].url for line in lines if line.variant_id in pictures), "")


def _name_products(lines: Sequence[OrderLine]) -> str:
    named = ", ".join(f"{line.quantity} × {line.title}" for line in lines[:MAX_PRODUCTS])
    more = len(lines) - MAX_PRODUCTS
    return _("{products} y {n} más").format(products=named, n=more) if more > 0 else named


async def _read_pqrs(session: AsyncSession, ids: Sequence[str]) -> NoticeContent | None:
    query = select(Pqrs).where(Pqrs.id.in_(ids), Pqrs.answered_at.is_(None)).order_by(Pqrs.due_at)
    rows = (await session.execute(query)).scalars().all()
    lines = [
        _("{kind} {number}: respóndela a más tardar el {due}.").format(
            kind=PQRS_NAMES[PqrsKind(row.kind)], number=row.number, due=date_label(last_day(row.due_at))
        )
        for row in rows
    ]
    title = _("Llegó una PQRS") if len(rows) == 1 else _("Llegaron {n} PQRS").format(n=len(rows))
    return NoticeContent(title, lines, f"{OFFICE}/pqrs", _("Ver y responder")) if rows else None


async def _read_returns(session: AsyncSession, ids: Sequence[str]) -> NoticeContent | None:
    query = (
        select(Return, Order.number)
        .join(Order, Order.id == Return.order_id)
        .where(Return.id.in_(ids), Return.state.in_(OPEN))
        .order_by(Return.due_at, Return.number)
    )
    rows = (await session.execute(query)).all()
    if not rows:
        return None
    lines = [
        _("{kind} {number}, del pedido {order}: el plazo legal es el {due}.").format(
            kind=RETURN_NAMES[ReturnKind(row.kind)],
            number=row.number,
            order=order_number,
            due=date_label(last_day(row.due_at)),
        )
        for row, order_number in rows
    ]
    only = rows[0][0]
    if len(rows) == 1:
        title = _("Pidieron una devolución: {kind}").format(kind=RETURN_NAMES[ReturnKind(only.kind)].lower())
    else:
        title = _("Pidieron {n} devoluciones").format(n=len(rows))
    path = f"{OFFICE}/devoluciones" + (f"/{only.id}" if len(rows) == 1 else "")
    return NoticeContent(title, lines, path, _("Ver la devolución") if len(rows) == 1 else _("Ver"))


async def _read_reviews(session: AsyncSession, ids: Sequence[str]) -> NoticeContent | None:
    query = (
        select(Review.stars, Product.title)
        .join(Product, Product.id == Review.product_id)
        .where(Review.id.in_(ids), Review.state == ReviewState.WAITING)
        .order_by(Review.written_at)
    )
    rows = (await session.execute(query)).all()
    lines = [_("{toy}: {stars} de 5 estrellas.").format(toy=title, stars=stars) for stars, title in rows]
    title = (
        _("Hay una reseña por leer") if len(rows) == 1 else _("Hay {n} reseñas por leer").format(n=len(rows))
    )
    return NoticeContent(title, lines, f"{OFFICE}/resenas", _("Leer y publicar")) if rows else None


async def _read_stock(session: AsyncSession, ids: Sequence[str]) -> NoticeContent | None:
    changed = {subject.removesuffix(OUT_SUFFIX) for subject in ids}
    products = select(LowStock.product_id).where(LowStock.notice_id.in_(changed))
    few = (await select_low_stock(session)).where(Product.id.in_(products))
    rows = (await session.execute(few.order_by("units", Product.title))).all()
    lines = [f"{title}: {format_units(units)}." for _id, title, units in rows]
    if len(rows) == 1:
        title = f"{rows[0].title}: {format_units(rows[0].units)}"
    else:
        title = _("{n} productos con pocas unidades").format(n=len(rows))
    return NoticeContent(title, lines, f"{OFFICE}/bodega", _("Ver la bodega")) if rows else None


async def _read_payments(session: AsyncSession, ids: Sequence[str]) -> NoticeContent | None:
    query = (
        select(Attention, Order.number)
        .outerjoin(Order, Order.id == Attention.order_id)
        .where(Attention.id.in_(ids), Attention.resolved_at.is_(None))
        .order_by(Attention.due_at, Attention.id)
    )
    rows = (await session.execute(query)).all()
    lines = []
    for row, number in rows:
        parts = [
            ATTENTION_RULES[AttentionKind(row.kind)].title,
            _("pedido {number}").format(number=number) if number is not None else "",
            format_disputed_amount(row),
            _("antes del {due}").format(due=time_label(row.due_at)) if row.due_at else "",
        ]
        lines.append(" · ".join(filter(None, (*parts, describe_facts(row)))))
    title = (
        ATTENTION_RULES[AttentionKind(rows[0][0].kind)].title
        if len(rows) == 1
        else _("{n} pagos por resolver").format(n=len(rows))
    )
    return NoticeContent(title, lines, f"{OFFICE}/por-resolver", _("Por resolver")) if rows else None


_READERS: dict[NoticeKind, Callable[[AsyncSession, Sequence[str]], Awaitable[NoticeContent | None]]] = {
    NoticeKind.ORDER_PAID: _read_orders,
    NoticeKind.PQRS: _read_pqrs,
    NoticeKind.RETURN: _read_returns,
    NoticeKind.REVIEW: _read_reviews,
    NoticeKind.STOCK: _read_stock,
    NoticeKind.PAYMENT: _read_payments,
    NoticeKind.DAILY_SUMMARY: read_summary,
}
