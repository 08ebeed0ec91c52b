"""What the office shows of a period: its figures in words, the bars of its chart, and the IVA by rate."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import date_name, today_in_colombia
from backend.core.db.database import database_now
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from backend.reports.figures import (
    Carts,
    Flow,
    Toys,
    best_sellers,
    carts_begun,
    flows,
    orders_paid,
    slow_stock,
    stock_value,
)
from backend.reports.ledger import Books, Sum, books_of
from backend.reports.periods import Period, period_asked, pieces
from backend.staff.rights import Actor, Right


@dataclass(frozen=True, slots=True)
class Bar:
    """A piece of the period; `sold_height` and `refunded_height` are percent of the highest bar."""

    label: str
    sold: str
    refunded: str
    net: str
    sold_height: int
    refunded_height: int


@dataclass(frozen=True, slots=True)
class ToyRow:
    """A toy; `width` is percent of the first one's units."""

    title: str
    units: int
    pesos: str
    width: int


@dataclass(frozen=True, slots=True)
class TaxRow:
    """A line of the table of IVA. `kind` is `line`, `rate` (all of one rate) or `all`."""

    kind: str
    label: str
    base: str
    tax: str
    total: str


@dataclass(frozen=True, slots=True)
class ReportView:
    """What a period was like.

    Attributes:
        name: how it was asked for: see `backend.reports.periods`.
        since: its first day, as a field for dates takes it; `until`: its last.
        days: the same in words.
        net: what was captured less what was refunded.
        average: what an order cost on average; empty without orders.
        conversion: how many carts in a hundred were paid; empty without carts.
        conversion_note: of what that is.
        has_money: whether anything was captured or refunded.
    """

    name: str
    since: str
    until: str
    days: str
    net: str
    captured: str
    refunded: str
    orders: int
    average: str
    conversion: str
    conversion_note: str
    stock_units: int
    stock_value: str
    has_money: bool
    bars: list[Bar]
    best: list[ToyRow]
    slow: list[ToyRow]
    tax: list[TaxRow]


async def report(session: AsyncSession, actor: Actor, asked: Mapping[str, str]) -> ReportView:
    """What the period was like that an address asks for.

    Raises:
        Forbidden: the role may not see what the shop earned.
        InvalidData: it asks for no period: see `period_asked`.
    """
    actor.require(Right.READ_REPORTS)
    moment = await database_now(session)
    period = period_asked(asked, today_in_colombia(moment))
    books = await books_of(session, period)
    orders, cost = await orders_paid(session, period)
    units, value = await stock_value(session)
    conversion, note = _conversion(await carts_begun(session, period, moment))
    return ReportView(
        name=period.name,
        since=period.since.isoformat(),
        until=period.until.isoformat(),
        days=_days(period),
        net=format_cop(books.captured - books.refunded),
        captured=format_cop(books.captured),
        refunded=format_cop(books.refunded),
        orders=orders,
        average=format_cop(round(cost / orders)) if orders else "",
        conversion=conversion,
        conversion_note=note,
        stock_units=units,
        stock_value=format_cop(value),
        has_money=bool(books.captured or books.refunded),
        bars=_bars(await flows(session, pieces(period))),
        best=_toys(await best_sellers(session, period), by_units=True),
        slow=_toys(await slow_stock(session, moment), by_units=False),
        tax=tax_rows(books),
    )


def tax_rows(books: Books) -> list[TaxRow]:
    """The table of IVA: by rate what was paid for toys and for shipping and what went back; at its end all of it."""
    rows = []
    for rate in sorted({*books.items, *books.shipping, *books.given_back}, reverse=True):
        items, shipping, back = books.items[rate], books.shipping[rate], books.given_back[rate]
        left = Sum(items.total + shipping.total - back.total, items.tax + shipping.tax - back.tax)
        parts = (
            (_("Juguetes al {rate} %"), items),
            (_("Envíos al {rate} %"), shipping),
            (_("Devoluciones al {rate} %"), Sum(-back.total, -back.tax)),
        )
        rows += [_tax_row("line", label.format(rate=rate), one) for label, one in parts if one.total]
        rows.append(_tax_row("rate", _("Neto al {rate} %").format(rate=rate), left))
    if books.beyond or books.beyond_given_back:
        beyond = Sum(books.beyond - books.beyond_given_back)
        rows.append(TaxRow("line", _("Dinero que no es de un pedido"), "", "", format_cop(beyond.total)))
    net = books.captured - books.refunded
    without_tax = net - books.tax - (books.beyond - books.beyond_given_back)
    rows.append(TaxRow("all", _("Total"), format_cop(without_tax), format_cop(books.tax), format_cop(net)))
    return rows


def _tax_row(kind: str, label: str, one: Sum) -> TaxRow:
    return TaxRow(kind, label, format_cop(one.base), format_cop(one.tax), format_cop(one.total))


def _bars(found: list[Flow]) -> list[Bar]:
    highest = max((max(one.captured, one.refunded) for one in found), default=0)

    def height(pesos: Cop) -> int:
        return -(-pesos * 100 // highest) if highest else 0  # the smallest sum can still be seen

    return [
        Bar(
            label=one.piece.label,
            sold=format_cop(one.captured),
            refunded=format_cop(one.refunded),
            net=format_cop(one.captured - one.refunded),
            sold_height=height(one.captured),
            refunded_height=height(one.refunded),
        )
        for one in found
    ]


def _toys(found: list[Toys], *, by_units: bool) -> list[ToyRow]:
    most = max(((one.units if by_units else one.pesos) for one in found), default=0) or 1
    return [
        ToyRow(
            one.title, one.units, format_cop(one.pesos), (one.units if by_units else one.pesos) * 100 // most
        )
        for one in found
    ]


def _conversion(carts: Carts | None) -> tuple[str, str]:
    if carts is None:
        return "", _("Los carritos que nadie retoma se borran a los 30 días.")
    if not carts.begun:
        return "", _("Nadie empezó un carrito.")
    note = _("{paid} de {begun} carritos se pagaron.").format(paid=carts.paid, begun=carts.begun)
    if carts.since is not None:
        note += " " + _("Desde el {day}.").format(day=date_name(carts.since))
    return f"{round(carts.paid * 100 / carts.begun)} %", note


def _days(period: Period) -> str:
    if period.since == period.until:
        return date_name(period.since)
    return _("{first} a {last}").format(first=date_name(period.since), last=date_name(period.until))
