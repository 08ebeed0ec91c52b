"""Views of the sales report: figures of a period, bars of its chart, and IVA by rate."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import date_name, today_in_colombia
from backend.core.db.database import database_now
from backend.core.money import Cop, format_cop
from backend.core.texts import _, format_count
from backend.orders.models import Order
from backend.reports.figures import (
    CartFigures,
    CashFlow,
    ProductFigures,
    count_carts,
    count_paid_orders,
    list_slow_stock,
    read_cash_flows,
    read_stock_value,
)
from backend.reports.ledger import PeriodLedger, TaxedAmount, read_ledger
from backend.reports.margins import MarginFigures
from backend.reports.periods import Period, parse_period, split_period
from backend.reports.product_sales import list_best_sellers, read_product_sales, summarize_margins
from backend.staff.rights import Actor, Right


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of the chart for a part of the period. Heights are percentages of the highest bar."""

    label: str
    sold: str
    refunded: str
    net: str
    sold_height: int
    refunded_height: int


@dataclass(frozen=True, slots=True)
class RankedProduct:
    """A product in a ranking. `width` is the percentage of the first product's value."""

    title: str
    units: int
    pesos: str
    width: int


@dataclass(frozen=True, slots=True)
class MarginView:
    """The margin of the period.

    Attributes:
        pesos: the margin of the units whose cost is known; empty if no cost is known.
        detail: the margin in percent, and the number of units whose cost is unknown.
        products: the products with the largest margins.
    """

    pesos: str
    detail: str
    products: list[RankedProduct]


@dataclass(frozen=True, slots=True)
class TaxRow:
    """A line of the IVA table. `kind` is `line`, `rate` (the sum of a rate) or `all` (the total)."""

    kind: str
    label: str
    base: str
    tax: str
    total: str


@dataclass(frozen=True, slots=True)
class ReportView:
    """The report of a period.

    Attributes:
        name: name of the period in the URL: see `backend.reports.periods`.
        since: the first day as the value of a date field; `until`: the final day.
        days: the period in words.
        net: captured money minus refunded money.
        average: average value of an order; empty without orders.
        conversion: percentage of carts that were paid; empty without carts.
        conversion_note: the numbers of carts from which `conversion` is computed.
        has_money: True if money was captured or refunded.
        has_sold: True if any order was ever paid.
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
    has_sold: bool
    bars: list[Bar]
    best: list[RankedProduct]
    slow: list[RankedProduct]
    tax: list[TaxRow]
    margin: MarginView


async def report_view(session: AsyncSession, actor: Actor, params: Mapping[str, str]) -> ReportView:
    """Return the report of the period in the URL's query parameters.

    Raises:
        Forbidden: the actor may not see reports.
        InvalidData: the period is invalid: see `parse_period`.
    """
    actor.require(Right.READ_REPORTS)
    moment = await database_now(session)
    period = parse_period(params, today_in_colombia(moment))
    books = await read_ledger(session, period)
    sales = await read_product_sales(session, period)
    orders, cost = await count_paid_orders(session, period)
    units, value = await read_stock_value(session)
    conversion, note = _conversion_texts(await count_carts(session, period, moment))
    return ReportView(
        name=period.name,
        since=period.since.isoformat(),
        until=period.until.isoformat(),
        days=_days_text(period),
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
        has_sold=await _has_sold(session),
        bars=_bars(await read_cash_flows(session, split_period(period))),
        best=_ranked_products(list_best_sellers(sales), by_units=True),
        slow=_ranked_products(await list_slow_stock(session, moment), by_units=False),
        tax=tax_rows(books),
        margin=_margin_view(summarize_margins(sales)),
    )


async def _has_sold(session: AsyncSession) -> bool:
    """Return True if any order was ever paid."""
    query = select(exists(select(Order.id).where(Order.paid_at.is_not(None))))
    return bool((await session.execute(query)).scalar_one())


def _margin_view(found: MarginFigures) -> MarginView:
    if not found.units:
        return MarginView("", _("Escribe el costo de tus productos para verlo."), [])
    detail = _("{percent} % de lo vendido, sin IVA").format(percent=found.total.percent)
    if found.unknown:
        missing = format_count(
            found.unknown, _("falta el costo de {n} unidad"), _("falta el costo de {n} unidades")
        )
        detail = f"{detail} · {missing}"
    highest = max((product.margin.pesos for product in found.products), default=0)
    products = [
        RankedProduct(
            title,
            units,
            f"{format_cop(margin.pesos)} · {margin.percent} %",
            max(margin.pesos, 0) * 100 // highest if highest > 0 else 0,
        )
        for title, units, margin in found.products
    ]
    return MarginView(format_cop(found.total.pesos), detail, products)


def tax_rows(books: PeriodLedger) -> list[TaxRow]:
    """Return the lines of the IVA table. For each rate: products, shipping, refunds and their sum; then the total."""
    rows = []
    for rate in sorted({*books.items, *books.shipping, *books.refunded_sums}, reverse=True):
        items, shipping, back = books.items[rate], books.shipping[rate], books.refunded_sums[rate]
        net_of_rate = TaxedAmount(
            items.total + shipping.total - back.total, items.tax + shipping.tax - back.tax
        )
        parts = (
            (_("Productos al {rate} %"), items),
            (_("Envíos al {rate} %"), shipping),
            (_("Devoluciones al {rate} %"), TaxedAmount(-back.total, -back.tax)),
        )
        rows += [_tax_row("line", label.format(rate=rate), one) for label, one in parts if one.total]
        rows.append(_tax_row("rate", _("Neto al {rate} %").format(rate=rate), net_of_rate))
    if books.unallocated or books.unallocated_refunds:
        beyond = TaxedAmount(books.unallocated - books.unallocated_refunds)
        rows.append(TaxRow("line", _("Dinero que no es de un pedido"), "", "", format_cop(beyond.total)))
    net = books.captured - books.refunded
    without_tax = net - books.tax - (books.unallocated - books.unallocated_refunds)
    rows.append(TaxRow("all", _("Total"), format_cop(without_tax), format_cop(books.tax), format_cop(net)))
    return rows


def _tax_row(kind: str, label: str, one: TaxedAmount) -> TaxRow:
    return TaxRow(kind, label, format_cop(one.base), format_cop(one.tax), format_cop(one.total))


def _bars(found: list[CashFlow]) -> list[Bar]:
    highest = max((max(one.captured, one.refunded) for one in found), default=0)

    def height(pesos: Cop) -> int:
        return -(-pesos * 100 // highest) if highest else 0  # rounded up, so that the smallest sum is visible

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


def _ranked_products(found: list[ProductFigures], *, by_units: bool) -> list[RankedProduct]:
    most = max(((one.units if by_units else one.pesos) for one in found), default=0) or 1
    return [
        RankedProduct(
            one.title, one.units, format_cop(one.pesos), (one.units if by_units else one.pesos) * 100 // most
        )
        for one in found
    ]


def _conversion_texts(carts: CartFigures | None) -> tuple[str, str]:
    if carts is None:
        return "", _("Los carritos que nadie retoma se borran a los 30 días.")
    if not carts.begun:
        return "", _("Nadie empezó un carrito.")
    note = _("{paid} de {begun} carritos se pagaron.").format(paid=carts.paid, begun=carts.begun)
    if carts.since is not None:
        note += " " + _("Desde el {day}.").format(day=date_name(carts.since))
    return f"{round(carts.paid * 100 / carts.begun)} %", note


def _days_text(period: Period) -> str:
    if period.since == period.until:
        return date_name(period.since)
    return _("{first} a {last}").format(first=date_name(period.since), last=date_name(period.until))
