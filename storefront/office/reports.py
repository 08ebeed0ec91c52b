"""Informes: what a period brought, its IVA by rate, what sells and what does not."""

from datetime import date
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlencode

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.app import current_shop
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.exports.service import ask_for
from backend.news.topics import Topic
from backend.office.exports import ExportView, KindOption, exports_view, kind_options
from backend.office.reports import Bar, ReportView, TaxRow, ToyRow, report
from backend.reports.periods import MONTH, TODAY, WEEK, range_asked
from backend.staff.rights import Actor, Right
from storefront.components.placeholders import bar
from storefront.office.components.feedback import empty, screen
from storefront.office.components.forms import office_field
from storefront.office.exports import exports
from storefront.office.layout import office
from storefront.office.list_state import MAX_PARAMETERS
from storefront.office.navigation import REPORTS
from storefront.office.state import OfficeScreen, office_event
from storefront.reflex_ext.hooks import ABSENT
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields

TITLE = _("Informes")
DAYS = ("desde", "hasta")
NAMED = ((TODAY, _("Hoy")), (WEEK, _("Esta semana")), (MONTH, _("Este mes")))


class ReportsState(OfficeScreen, KnownClientState):
    """The report of the period that the address asks for."""

    content: rx.Field[ReportView | None] = rx.field(None)
    exports: rx.Field[list[ExportView]] = rx.field(default_factory=list)
    """The files that whoever is signed in asked for."""
    kinds: rx.Field[list[KindOption]] = rx.field(default_factory=list)
    """What they can ask for."""

    _right: ClassVar[Right] = Right.READ_REPORTS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.EXPORTS})

    async def _content(self, actor: Actor) -> ReportView:
        asked = dict(parse_qsl(str(self.router.url.query), max_num_fields=MAX_PARAMETERS))
        self.problems, self.kinds = {}, kind_options(actor)
        async with current_shop().database.read() as session:
            self.exports = await exports_view(session, actor)
            try:
                return await report(session, actor, asked)
            except InvalidData:  # an address that somebody has changed
                return await report(session, actor, {})

    async def _refresh(self, actor: Actor) -> None:
        """The report stays as it was read; the files show how far they are."""
        async with current_shop().database.read() as session:
            self.exports = await exports_view(session, actor)

    @office_event(Right.READ_REPORTS)
    async def prepare(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Have a file made of the days that are shown. The form names its `kind` and its `format`."""
        typed, shown = checked_fields(form_data, "kind", "format"), self.content
        if shown is None:
            return
        days = date.fromisoformat(shown.since), date.fromisoformat(shown.until)
        async with current_shop().database.transaction() as session:
            await ask_for(session, actor, typed["kind"], typed["format"], days)
        self._tell(_("El archivo se está preparando."))
        await self._refresh(actor)

    @office_event(Right.READ_REPORTS, is_press=False)
    async def choose(self, _actor: Actor, form_data: dict[str, str]) -> Any:
        """Show the days of the form: they have an address of their own."""
        typed = checked_fields(form_data, *DAYS)
        try:
            range_asked(typed)
        except InvalidData as error:
            self.problems = error.fields
            return None
        return rx.redirect(f"{REPORTS}?{urlencode(typed)}")


SHOWN = ReportsState.content


def page() -> rx.Component:
    """What a period brought."""
    content = rx.fragment(
        periods(),
        rx.el.p(SHOWN.days, class_name="o-report__days", data_testid="report-days"),
        figures(),
        money(),
        rx.el.div(
            toys(_("Lo que más se vende"), SHOWN.best, _("En estos días no se vendió nada.")),
            toys(
                _("Sin ventas en 90 días"),
                SHOWN.slow,
                _("No hay juguetes quietos."),
                _("Lo que hay en bodega y lleva más de 90 días en la tienda."),
            ),
            class_name="o-columns",
        ),
        tax(),
        exports(ReportsState),
    )
    return office(
        ReportsState, REPORTS, TITLE, screen(ReportsState, content, skeleton()), class_name="o-report"
    )


def periods() -> rx.Component:
    """The periods that have a name, and a form for any others."""

    def day(name: str, label: str, value: Any) -> rx.Component:
        return office_field(
            ReportsState, "report", name, label, type="date", default_value=value, auto_complete="off"
        )

    links = (
        rx.el.a(
            text,
            href=f"{REPORTS}?periodo={name}",
            class_name="o-quick",
            custom_attrs={"aria-current": rx.cond(SHOWN.name == name, "true", ABSENT)},
        )
        for name, text in NAMED
    )
    form = rx.el.form(
        day("desde", _("Desde"), SHOWN.since),
        day("hasta", _("Hasta"), SHOWN.until),
        rx.el.button(_("Ver"), type="submit", class_name="button button--dark button--small"),
        key=SHOWN.days,
        no_validate=True,
        class_name="o-report__range",
        on_submit=ReportsState.choose,
    )
    return rx.el.div(
        rx.el.nav(*links, aria_label=_("Días"), class_name="o-quicks"), form, class_name="o-report__periods"
    )


def figures() -> rx.Component:
    """The numbers that one looks for first."""

    def figure(name: str, label: str, value: Any, detail: Any) -> rx.Component:
        return rx.el.div(
            rx.el.dt(label, class_name="o-tile__label"),
            rx.el.dd(rx.cond(value == "", "—", value), class_name="o-figure__number", data_testid=name),
            rx.el.dd(detail, class_name="o-tile__detail"),
            class_name="o-figure",
        )

    orders = rx.cond(SHOWN.orders == 1, _("1 pedido"), _("{n} pedidos").format(n=SHOWN.orders))
    units = rx.cond(
        SHOWN.stock_units == 1, _("1 unidad hoy"), _("{n} unidades hoy").format(n=SHOWN.stock_units)
    )
    return rx.el.dl(
        figure(
            "report-net",
            _("Ventas netas"),
            SHOWN.net,
            _("{sold} menos {refunded} devueltos").format(sold=SHOWN.captured, refunded=SHOWN.refunded),
        ),
        figure("report-average", _("Promedio por pedido"), SHOWN.average, orders),
        figure("report-conversion", _("Carritos pagados"), SHOWN.conversion, SHOWN.conversion_note),
        figure(
            "report-stock",
            _("Valor de la bodega"),
            SHOWN.stock_value,
            _("{units}, a precio de venta").format(units=units),
        ),
        class_name="o-figures",
    )


def money() -> rx.Component:
    """What came in and went back, as bars and as a table."""

    def column(one: ObjectVar[Bar]) -> rx.Component:
        return rx.el.div(
            rx.el.span(class_name="o-chart__bar", style={"--height": one.sold_height}),
            rx.el.span(class_name="o-chart__bar o-chart__bar--back", style={"--height": one.refunded_height}),
            class_name="o-chart__column",
            title=f"{one.label}: {one.net}",
            key=one.label,
        )

    def row(one: ObjectVar[Bar]) -> rx.Component:
        return rx.el.tr(
            rx.el.th(one.label, scope="row"),
            rx.el.td(one.sold),
            rx.el.td(one.refunded),
            rx.el.td(one.net),
            key=one.label,
        )

    chart = rx.el.div(
        rx.el.div(rx.foreach(SHOWN.bars, column), class_name="o-chart__columns"),
        rx.el.div(
            rx.el.span(SHOWN.bars[0].label),
            rx.el.span(SHOWN.bars[SHOWN.bars.length() - 1].label),
            class_name="o-chart__ends",
        ),
        rx.el.p(
            rx.el.span(class_name="o-key"),
            _("Vendido"),
            rx.el.span(class_name="o-key o-key--back"),
            _("Devuelto"),
            class_name="o-chart__keys",
        ),
        aria_hidden="true",
        class_name="o-chart",
    )
    table = rx.el.details(
        rx.el.summary(_("Ver en tabla"), class_name="o-disclosure"),
        table_of(_("Ventas"), (_("Cuándo"), _("Vendido"), _("Devuelto"), _("Neto")), SHOWN.bars, row),
    )
    nothing = empty("chart", _("Nada en estos días"), _("Prueba con otras fechas."))
    return rx.el.section(
        rx.el.h2(_("Ventas"), class_name="o-section__title"),
        rx.cond(SHOWN.has_money, rx.fragment(chart, table), nothing),
        class_name="o-panel",
    )


def table_of(caption: str, heads: tuple[str, ...], items: Any, row: Any) -> rx.Component:
    """A table that can be moved sideways where it is wider than the screen."""
    return rx.el.div(
        rx.el.table(
            rx.el.caption(caption, class_name="sr-only"),
            rx.el.thead(rx.el.tr(*(rx.el.th(head, scope="col") for head in heads))),
            rx.el.tbody(rx.foreach(items, row)),
            class_name="o-numbers",
        ),
        class_name="o-numbers__box",
        custom_attrs={"tabIndex": 0},
        role="group",
        aria_label=caption,
    )


def toys(title: str, items: ArrayVar[list[ToyRow]], nothing: str, note: str = "") -> rx.Component:
    """Toys with their units and pesos, each as long as it counts."""

    def row(one: ObjectVar[ToyRow]) -> rx.Component:
        return rx.el.li(
            rx.el.span(one.title, class_name="o-rank__title"),
            rx.el.span(
                rx.cond(one.units == 1, _("1 unidad"), _("{n} unidades").format(n=one.units)),
                " · ",
                one.pesos,
                class_name="o-row__detail",
            ),
            rx.el.span(class_name="o-rank__bar", style={"--width": one.width}, aria_hidden="true"),
            class_name="o-rank",
        )

    return rx.el.section(
        rx.el.h2(title, class_name="o-section__title"),
        *([rx.el.p(note, class_name="o-row__detail")] if note else []),
        rx.cond(
            items.length() > 0,
            rx.el.ol(rx.foreach(items, row), class_name="o-ranks"),
            rx.el.p(nothing, class_name="o-row__detail"),
        ),
        class_name="o-panel",
    )


def tax() -> rx.Component:
    """The IVA by rate, to the peso what came in less what went back."""

    def row(one: ObjectVar[TaxRow]) -> rx.Component:
        return rx.el.tr(
            rx.el.th(one.label, scope="row"),
            rx.el.td(one.base),
            rx.el.td(one.tax),
            rx.el.td(one.total),
            key=one.label,
            data_kind=one.kind,
            data_testid="tax-row",
        )

    return rx.el.section(
        rx.el.h2(_("IVA"), class_name="o-section__title"),
        rx.el.p(
            _("Lo cobrado menos lo devuelto en estos días, con la tarifa con la que se vendió."),
            class_name="o-row__detail",
        ),
        table_of(_("IVA por tarifa"), (_("Concepto"), _("Base"), _("IVA"), _("Total")), SHOWN.tax, row),
        class_name="o-panel",
    )


def skeleton() -> rx.Component:
    """What holds the place of all this."""
    figure = rx.el.div(bar("60%"), bar("80%", "1.75rem"), bar("70%", "0.85em"), class_name="o-figure")
    return rx.el.div(
        rx.el.div(
            bar("18rem", "2.75rem"), bar("100%", "4.5rem"), class_name="o-report__periods", aria_hidden="true"
        ),
        rx.el.p(bar("14rem"), class_name="o-report__days"),
        rx.el.div(*(figure for _place in range(4)), class_name="o-figures"),
        rx.el.div(bar("30%", "1.5rem"), bar("100%", "12rem"), class_name="o-panel o-panel--waiting"),
        aria_hidden="true",
    )
