"""Content of the daily summary: the orders and the money of a day, and the work that waits now."""

from collections.abc import Sequence
from datetime import date, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.low_stock import select_low_stock
from backend.catalog.models import Product
from backend.core.dates import day_begin, day_name
from backend.core.money import format_cop
from backend.core.texts import _
from backend.orders.service import count_orders_paid_between
from backend.payment.cash import sum_cash
from backend.staff.rights import OFFICE
from backend.staff_notices.notice_content import NoticeContent, format_units
from backend.staff_notices.waiting_work import read_waiting_work

MAX_PRODUCTS = 10
"""Maximum number of products with low stock that are named."""


async def read_summary(session: AsyncSession, days: Sequence[str]) -> NoticeContent:
    """Return the content of a daily summary notice.

    If the batch has several days (ISO 8601, in Colombia), only the latest one is summarized.
    """
    day = date.fromisoformat(max(days))
    begin, end = day_begin(day), day_begin(day + timedelta(days=1))
    (cash,) = await sum_cash(session, [(begin, end)])
    orders = await count_orders_paid_between(session, begin, end)
    amount = format_cop(cash.captured - cash.refunded)
    if orders == 1:
        title = _("Resumen del {day}: 1 pedido, {amount}").format(day=day_name(day), amount=amount)
    else:
        title = _("Resumen del {day}: {n} pedidos, {amount}").format(
            day=day_name(day), n=orders, amount=amount
        )
    lines = [
        _("Pedidos pagados: {n}.").format(n=orders),
        _("Dinero que entró: {amount}.").format(amount=format_cop(cash.captured)),
    ]
    if cash.refunded:
        lines.append(_("Dinero devuelto: {amount}.").format(amount=format_cop(cash.refunded)))
    waiting = await _list_waiting(session)
    return NoticeContent(title, lines + (waiting or [_("Nada espera.")]), OFFICE, _("Abrir la oficina"))


async def _list_waiting(session: AsyncSession) -> list[str]:
    """Return a sentence for each kind of work that waits now."""
    work = await read_waiting_work(session)
    pqrs, returns = work.pqrs, work.returns
    few = (await session.execute((await select_low_stock(session)).order_by("units", Product.title))).all()
    named = ", ".join(f"{title} ({format_units(units)})" for _id, title, units in few[:MAX_PRODUCTS])
    if (more := len(few) - MAX_PRODUCTS) > 0:
        named = _("{products} y {n} más").format(products=named, n=more)
    numbers = (
        (_("Por empacar: {n}."), work.to_pack, ""),
        (_("Por resolver: {n}."), work.attention, ""),
        (_("PQRS por responder: {n}. La más urgente: {days}."), pqrs.count, pqrs.deadline_label),
        (_("Devoluciones abiertas: {n}. La más urgente: {days}."), returns.count, returns.deadline_label),
        (_("Reseñas por leer: {n}."), work.reviews, ""),
    )
    lines = [text.format(n=count, days=days[:1].lower() + days[1:]) for text, count, days in numbers if count]
    return [*lines, _("Pocas unidades: {products}.").format(products=named)] if few else lines
