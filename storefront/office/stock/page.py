"""Components of the stock screen (Bodega)."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.stock.movements import REASONS, MovementView
from backend.office.stock.page import MAX_TEXT_LENGTH, ONLY, LocationView, StockRow
from backend.staff.rights import Right
from backend.warehouse.service import COUNT_REASONS
from storefront.components.forms import field, select_field
from storefront.office.components.feedback import (
    action_link,
    chip,
    empty_list,
    invitation,
    no_matches,
    screen,
)
from storefront.office.components.forms import office_field, office_select
from storefront.office.components.history import history_panel
from storefront.office.components.list_filters import ListFilters
from storefront.office.components.lists import fold_row, office_list, product_picture
from storefront.office.components.variant_search import variant_search
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import PRODUCTS, STOCK
from storefront.office.state import has_right
from storefront.office.stock.state import ReceiptLine, StockState
from storefront.reflex_ext.hooks import text_at
from storefront.reflex_ext.numbers import grouped

TITLE = _("Bodega")
VIEW = StockState.content
FILTERS = ListFilters("stock", STOCK, VIEW, StockState.apply_filters)


def page() -> rx.Component:
    """Render the inventory levels and the receipt in progress."""
    nothing = empty_list(
        VIEW,
        no_matches(
            "shelves",
            _("Nada en esta búsqueda"),
            _("Prueba con otro nombre o con el código de la caja."),
            STOCK,
        ),
        invitation(
            "shelves",
            _("La bodega está vacía"),
            _("Cada producto que crees o importes tiene aquí sus unidades."),
            action_link(_("Ver los productos"), PRODUCTS),
        ),
    )
    content = rx.fragment(
        rx.cond(has_right(Right.CHANGE_STOCK), receiving_panel()),
        filters(),
        office_list(StockState, VIEW.rows, stock_card, nothing, label=TITLE),
    )
    return office_layout(StockState, STOCK, TITLE, screen(StockState, content), undo=StockState.undo)


def receiving_panel() -> rx.Component:
    """Render the panel in which staff scan received goods and save their units."""
    return rx.el.details(
        rx.el.summary(
            rx.el.span(icon("download", size=20), _("Recibir mercancía"), class_name="o-stock__receive"),
            icon("down", size=20),
            class_name="o-audit__head",
            data_testid="stock-receive",
        ),
        rx.el.div(
            variant_search(StockState, "stock", data_testid="stock-code"),
            rx.cond(StockState.lines.length() > 0, receipt_form()),
            class_name="o-audit__body",
        ),
        class_name="o-panel o-stock__box",
    )


def receipt_form() -> rx.Component:
    """Render the form of the received lines, the location and the supplier."""

    def location_option(location: ObjectVar[LocationView]) -> rx.Component:
        return rx.el.option(location.name, value=location.id, key=location.id)

    def line(name: str, label: str) -> rx.Component:
        return office_field(StockState, "receipt", name, label, is_optional=True, auto_complete="off")

    where = office_select(
        StockState, "receipt", "location_id", _("Dónde"), [rx.foreach(VIEW.locations, location_option)]
    )
    return rx.el.form(
        rx.el.ul(rx.foreach(StockState.lines, receipt_line), class_name="o-stock__lines"),
        rx.el.div(
            where,
            line("supplier", _("Proveedor")),
            line("document", _("Factura o remisión")),
            class_name="o-stock__paper",
        ),
        rx.el.button(
            _("Guardar lo que llegó"),
            type="submit",
            class_name="button button--primary button--small",
            data_testid="save",
        ),
        no_validate=True,
        class_name="o-stock__receipt",
        on_submit=StockState.receive,
    )


def receipt_line(line: ObjectVar[ReceiptLine]) -> rx.Component:
    """Render a received line with its units."""
    name = f"units-{line.variant_id}"
    return rx.el.li(
        product_picture(line.picture),
        rx.el.span(
            line.title, rx.el.span(line.detail, class_name="o-row__detail"), class_name="o-stock__words"
        ),
        rx.el.input(
            name=name,
            default_value=line.units.to_string(),
            key=f"{line.variant_id}-{line.times_added}",
            on_blur=StockState.set_line_units(line.variant_id),
            input_mode="numeric",
            max_length=7,
            aria_label=_("Unidades de {toy}").format(toy=line.title),
            aria_invalid=rx.cond(text_at(StockState.problems, name), "true", "false"),
            auto_complete="off",
            class_name="o-stock__units",
        ),
        rx.el.button(
            icon("close", size=18),
            type="button",
            aria_label=_("Quitar {toy}").format(toy=line.title),
            class_name="o-stock__drop",
            on_click=StockState.remove_line(line.variant_id),
        ),
        class_name="o-stock__line",
        key=line.variant_id,
    )


def filters() -> rx.Component:
    """Render the search and the filters."""
    search = FILTERS.search(_("Buscar en la bodega"), _("Título, código o EAN…"), MAX_TEXT_LENGTH)
    return FILTERS.bar(search, [(label, "only", name) for name, label in ONLY.items()], None)


def stock_card(row: ObjectVar[StockRow]) -> rx.Component:
    """Render a variant's stock at a location and, when it is expanded, the form of a stock count and the movements."""
    return fold_row(
        rx.el.summary(
            product_picture(row.picture),
            rx.el.span(
                rx.el.span(row.title, class_name="o-row__title"),
                rx.el.span(row.detail, class_name="o-row__detail"),
                class_name="o-stock__words",
            ),
            rx.el.span(
                rx.el.b(grouped(row.free), class_name="o-stock__free"),
                rx.cond(
                    row.reserved > 0,
                    rx.el.span(
                        _("{n} apartadas").format(n=grouped(row.reserved)), class_name="o-row__detail"
                    ),
                    rx.el.span(_("libres"), class_name="o-row__detail"),
                ),
                rx.cond(
                    row.free <= 0,
                    chip(_("agotado"), "bad"),
                    rx.cond(row.is_low, chip(_("pocas"), "wait")),
                ),
                class_name="o-stock__count",
            ),
            class_name="o-stock__head",
            on_click=StockState.open_row(row.id),
            data_opens="",  # a click before the scripts are loaded waits for them
        ),
        rx.el.div(
            rx.cond(has_right(Right.CHANGE_STOCK), count_forms(row)),
            movement_list(row),
            history_panel(row.variant_id, "o-history__box"),
            class_name="o-audit__body",
        ),
        row_id=row.id,
        class_name="o-stock",
        data_testid="stock-row",
    )


def count_forms(row: ObjectVar[StockRow]) -> rx.Component:
    """Render the form of a stock count, and the form of the low-stock threshold."""
    reasons = [rx.el.option(REASONS[reason], value=reason) for reason in COUNT_REASONS]

    def number(name: str, label: str, value: Any, problem: rx.Var[str]) -> rx.Component:
        return field(
            name,
            label,
            element_id=f"{row.id}-{name}",
            problem=problem,
            live="",
            default_value=value,
            input_mode="numeric",
            auto_complete="off",
        )

    none = text_at(StockState.problems, "none")
    wrong = rx.cond(StockState.open_row_key == row.id, text_at(StockState.problems, "counted"), "")
    count = rx.el.form(
        rx.el.input(type="hidden", name="key", value=row.id, read_only=True),
        rx.el.input(type="hidden", name="seen", value=row.stocked, read_only=True),
        number("counted", _("Contaste"), row.stocked.to_string(), wrong),
        select_field(
            _("Motivo"), reasons, element_id=f"{row.id}-reason", problem=none, live="", name="reason"
        ),
        field(
            "note",
            _("Nota"),
            element_id=f"{row.id}-note",
            problem=none,
            is_optional=True,
            live="",
            auto_complete="off",
        ),
        rx.el.button(_("Guardar conteo"), type="submit", class_name="button button--primary button--small"),
        key=f"count-{row.stocked}",
        class_name="o-stock__form",
        no_validate=True,
        on_submit=StockState.correct,
    )
    low = rx.el.form(
        rx.el.input(type="hidden", name="key", value=row.id, read_only=True),
        number("low_at", _("Avisar cuando queden"), row.low_at.to_string(), none),
        rx.el.button(_("Guardar aviso"), type="submit", class_name="button button--quiet button--small"),
        key=f"low-{row.low_at}",
        class_name="o-stock__form",
        no_validate=True,
        on_submit=StockState.change_low_stock,
    )
    return rx.fragment(count, low)


def movement_list(row: ObjectVar[StockRow]) -> rx.Component:
    """Render the stock movements of the open row."""

    def movement_row(movement: ObjectVar[MovementView]) -> rx.Component:
        delta = movement.delta
        return rx.el.li(
            rx.el.b(rx.cond(delta > 0, f"+{grouped(delta)}", grouped(delta)), class_name="o-stock__delta"),
            rx.el.span(
                rx.el.span(movement.reason, " · ", _("quedaron {n}").format(n=grouped(movement.stocked))),
                rx.cond(movement.about != "", rx.el.span(movement.about, class_name="o-row__detail")),
                rx.el.span(movement.actor_name, " · ", movement.moment_label, class_name="o-row__detail"),
                class_name="o-stock__words",
            ),
            class_name="o-stock__moved",
            key=movement.id,
        )

    return rx.cond(
        StockState.open_row_key == row.id,
        rx.cond(
            StockState.movements.length() > 0,
            rx.el.ol(
                rx.foreach(StockState.movements, movement_row),
                class_name="o-stock__movements",
                data_testid="movements",
            ),
            rx.el.p(_("Todavía no se ha movido nada."), class_name="o-row__detail"),
        ),
    )
