"""The reports screen (Informes): sales of a period, IVA by rate, best sellers and slow products."""

from datetime import date
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlencode

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.app import current_shop
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.exports.service import request_export
from backend.news.topics import Topic
from backend.office.exports import ExportView, KindOption, exports_view, kind_options
from backend.office.reports import Bar, RankedProduct, ReportView, TaxRow, report_view
from backend.reports.periods import MONTH, TODAY, WEEK, parse_range
from backend.staff.rights import Actor, Right
from storefront.components.placeholders import skeleton_bar
from storefront.office.components.feedback import action_link, empty_state, invitation, screen
from storefront.office.components.forms import office_field
from storefront.office.exports import exports_panel
from storefront.office.layout import office_layout
from storefront.office.list_state import MAX_PARAMETERS
from storefront.office.navigation import REPORTS
from storefront.office.state import OfficeScreen, office_event
from storefront.reflex_ext.hooks import ABSENT
from storefront.reflex_ext.numbers import grouped
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields

TITLE = _("Informes")
DAY_FIELDS = ("desde", "hasta")
NAMED_PERIODS = ((TODAY, _("Hoy")), (WEEK, _("Esta semana")), (MONTH, _("Este mes")))


class ReportsState(OfficeScreen, KnownClientState):
    """The report of the period in the URL."""

    content: rx.Field[ReportView | None] = rx.field(None)
    exports: rx.Field[list[ExportView]] = rx.field(default_factory=list)
    """The exports of the signed-in staff member."""
    kinds: rx.Field[list[KindOption]] = rx.field(default_factory=list)
    """The kinds of export that the signed-in staff member may request."""

    _right: ClassVar[Right] = Right.READ_REPORTS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.EXPORTS})

    async def _read_content(self, actor: Actor) -> ReportView:
        query = dict(parse_qsl(str(self.router.url.query), max_num_fields=MAX_PARAMETERS))
        self.problems, self.kinds = {}, kind_options(actor)
        async with current_shop().database.read() as session:
            self.exports = await exports_view(session, actor)
            try:
                return await report_view(session, actor, query)
            except InvalidData:  # the address was edited by hand
                return await report_view(session, actor, {})

    async def _refresh(self, actor: Actor) -> None:
        """Update the progress of the exports. The report itself is not read again."""
        async with current_shop().database.read() as session:
            self.exports = await exports_view(session, actor)

    @office_event(Right.READ_REPORTS)
    async def prepare(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Request an export of the displayed days. The form contains its `kind` and its `format`."""
        typed, shown = checked_fields(form_data, "kind", "format"), self.content
        if shown is None:
            return
        days = date.fromisoformat(shown.since), date.fromisoformat(shown.until)
        async with current_shop().database.transaction() as session:
            await request_export(session, actor, typed["kind"], typed["format"], days)
        self._announce(_("El archivo se está preparando."))
        await self._refresh(actor)

    @office_event(Right.READ_REPORTS, is_press=False)
    async def choose(self, _actor: Actor, form_data: dict[str, str]) -> Any:
        """Redirect to the URL of the report for the days in the form."""
        typed = checked_fields(form_data, *DAY_FIELDS)
        try:
            parse_range(typed)
        except InvalidData as error:
            self.problems = error.fields
            return None
        return rx.redirect(f"{REPORTS}?{urlencode(typed)}")


VIEW = ReportsState.content


def page() -> rx.Component:
    """Render the reports screen."""
    content = rx.fragment(
        period_picker(),
        rx.el.p(VIEW.days, class_name="o-report__days", data_testid="report-days"),
        key_figures(),
        sales_panel(),
        rx.el.div(
            product_ranking(_("Lo que más se vende"), VIEW.best, _("En estos días no se vendió nada.")),
            product_ranking(
                _("Sin ventas en 90 días"),
                VIEW.slow,
                _("No hay productos quietos."),
                _("Lo que hay en bodega y lleva más de 90 días en la tienda."),
            ),
            class_name="o-columns",
        ),
        rx.cond(
            VIEW.margin.products.length() > 0,
            product_ranking(
                _("Lo que más deja"),
                VIEW.margin.products,
                "",
                _("Precio sin IVA menos el costo que tenía cada unidad cuando se vendió."),
            ),
        ),
        tax_panel(),
        exports_panel(ReportsState),
    )
    return office_layout(
        ReportsState, REPORTS, TITLE, screen(ReportsState, content, skeleton()), class_name="o-report"
    )


def period_picker() -> rx.Component:
    """Render links to named periods, and a form for other days."""

    def day(name: str, label: str, value: Any) -> rx.Component:
        return office_field(
            ReportsState, "report", name, label, type="date", default_value=value, auto_complete="off"
        )

    links = (
        rx.el.a(
            text,
            href=f"{REPORTS}?periodo={name}",
            class_name="o-quick",
            custom_attrs={"aria-current": rx.cond(VIEW.name == name, "true", ABSENT)},
        )
        for name, text in NAMED_PERIODS
    )
    form = rx.el.form(
        day("desde", _("Desde"), VIEW.since),
        day("hasta", _("Hasta"), VIEW.until),
        rx.el.button(_("Ver"), type="submit", class_name="button button--dark button--small"),
        key=VIEW.days,
        no_validate=True,
        class_name="o-report__range",
        on_submit=ReportsState.choose,
    )
    return rx.el.div(
        rx.el.nav(*links, aria_label=_("Días"), class_name="o-quicks"), form, class_name="o-report__periods"
    )


def key_figures() -> rx.Component:
    """Render the key figures."""

    def figure(name: str, label: str, value: Any, detail: Any) -> rx.Component:
        return rx.el.div(
            rx.el.dt(label, class_name="o-tile__label"),
            rx.el.dd(rx.cond(value == "", "—", value), class_name="o-figure__number", data_testid=name),
            rx.el.dd(detail, class_name="o-tile__detail"),
            class_name="o-figure",
        )

    orders = rx.cond(VIEW.orders == 1, _("1 pedido"), _("{n} pedidos").format(n=grouped(VIEW.orders)))
    units = rx.cond(
        VIEW.stock_units == 1, _("1 unidad hoy"), _("{n} unidades hoy").format(n=grouped(VIEW.stock_units))
    )
    return rx.el.dl(
        figure(
            "report-net",
            _("Ventas netas"),
            VIEW.net,
            _("{sold} menos {refunded} devueltos").format(sold=VIEW.captured, refunded=VIEW.refunded),
        ),
        figure("report-average", _("Promedio por pedido"), VIEW.average, orders),
        figure("report-conversion", _("Carritos pagados"), VIEW.conversion, VIEW.conversion_note),
        figure("report-margin", _("Margen"), VIEW.margin.pesos, VIEW.margin.detail),
        figure(
            "report-stock",
            _("Valor de la bodega"),
            VIEW.stock_value,
            _("{units}, a precio de venta").format(units=units),
        ),
        class_name="o-figures",
    )


def sales_panel() -> rx.Component:
    """Render sales and refunds as a bar chart and as a table."""

    def column(bucket: ObjectVar[Bar]) -> rx.Component:
        return rx.el.div(
            rx.el.span(class_name="o-chart__bar", style={"--height": bucket.sold_height}),
            rx.el.span(
                class_name="o-chart__bar o-chart__bar--back", style={"--height": bucket.refunded_height}
            ),
            class_name="o-chart__column",
            title=f"{bucket.label}: {bucket.net}",
            key=bucket.label,
        )

    def row(bucket: ObjectVar[Bar]) -> rx.Component:
        return rx.el.tr(
            rx.el.th(bucket.label, scope="row"),
            rx.el.td(bucket.sold),
            rx.el.td(bucket.refunded),
            rx.el.td(bucket.net),
            key=bucket.label,
        )

    chart = rx.el.div(
        rx.el.div(rx.foreach(VIEW.bars, column), class_name="o-chart__columns"),
        rx.el.div(
            rx.el.span(VIEW.bars[0].label),
            rx.el.span(VIEW.bars[VIEW.bars.length() - 1].label),
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
        numbers_table(_("Ventas"), (_("Cuándo"), _("Vendido"), _("Devuelto"), _("Neto")), VIEW.bars, row),
    )
    nothing = rx.cond(
        VIEW.has_sold,
        empty_state("chart", _("Nada en estos días"), _("Prueba con otras fechas.")),
        invitation(
            "chart",
            _("Todavía no hay ventas"),
            _("La primera aparece aquí apenas te paguen."),
            action_link(_("Ver la tienda"), "/"),
        ),
    )
    return rx.el.section(
        rx.el.h2(_("Ventas"), class_name="o-section__title"),
        rx.cond(VIEW.has_money, rx.fragment(chart, table), nothing),
        class_name="o-panel",
    )


def numbers_table(caption: str, heads: tuple[str, ...], items: Any, row: Any) -> rx.Component:
    """Render a table that scrolls sideways if it is wider than the screen."""
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


def product_ranking(
    title: str, items: ArrayVar[list[RankedProduct]], nothing: str, note: str = ""
) -> rx.Component:
    """Render a ranking of products; each bar's width shows the product's share."""

    def row(product: ObjectVar[RankedProduct]) -> rx.Component:
        return rx.el.li(
            rx.el.span(product.title, class_name="o-rank__title"),
            rx.el.span(
                rx.cond(
                    product.units == 1, _("1 unidad"), _("{n} unidades").format(n=grouped(product.units))
                ),
                " · ",
                product.pesos,
                class_name="o-row__detail",
            ),
            rx.el.span(class_name="o-rank__bar", style={"--width": product.width}, aria_hidden="true"),
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


def tax_panel() -> rx.Component:
    """Render the IVA by rate: charged minus refunded, in exact pesos."""

    def row(tax_row: ObjectVar[TaxRow]) -> rx.Component:
        return rx.el.tr(
            rx.el.th(tax_row.label, scope="row"),
            rx.el.td(tax_row.base),
            rx.el.td(tax_row.tax),
            rx.el.td(tax_row.total),
            key=tax_row.label,
            data_kind=tax_row.kind,
            data_testid="tax-row",
        )

    return rx.el.section(
        rx.el.h2(_("IVA"), class_name="o-section__title"),
        rx.el.p(
            _("Lo cobrado menos lo devuelto en estos días, con la tarifa con la que se vendió."),
            class_name="o-row__detail",
        ),
        numbers_table(_("IVA por tarifa"), (_("Concepto"), _("Base"), _("IVA"), _("Total")), VIEW.tax, row),
        class_name="o-panel",
    )


def skeleton() -> rx.Component:
    """Render placeholders while the report loads."""
    figure = rx.el.div(
        skeleton_bar("60%"),
        skeleton_bar("80%", "1.75rem"),
        skeleton_bar("70%", "0.85em"),
        class_name="o-figure",
    )
    return rx.el.div(
        rx.el.div(
            skeleton_bar("18rem", "2.75rem"),
            skeleton_bar("100%", "4.5rem"),
            class_name="o-report__periods",
            aria_hidden="true",
        ),
        rx.el.p(skeleton_bar("14rem"), class_name="o-report__days"),
        rx.el.div(*(figure for _number in range(4)), class_name="o-figures"),
        rx.el.div(
            skeleton_bar("30%", "1.5rem"),
            skeleton_bar("100%", "12rem"),
            class_name="o-panel o-panel--waiting",
        ),
        aria_hidden="true",
    )
