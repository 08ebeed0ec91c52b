"""What Bodega looks like."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.stock.movements import REASONS, MovementView
from backend.office.stock.page import MAX_TEXT_LENGTH, ONLY, LocationView, StockRow
from backend.staff.rights import Right
from backend.warehouse.service import CORRECTING
from storefront.components.forms import field, select_field
from storefront.office.components.feedback import chip, empty, screen
from storefront.office.components.forms import office_field, office_select
from storefront.office.components.history import history
from storefront.office.components.list_filters import Finding
from storefront.office.components.lists import fold_row, office_list
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.navigation import STOCK
from storefront.office.state import may
from storefront.office.stock.state import Line, StockState
from storefront.reflex_ext.hooks import text_at

TITLE = _("Bodega")
SHOWN = StockState.content
FINDING = Finding("stock", STOCK, SHOWN, StockState.ask)


def page() -> rx.Component:
    """What is stocked there, and what is being received."""
    nothing = empty(
        "shelves", _("Nada en esta búsqueda"), _("Prueba con otro nombre o con el código de la caja.")
    )
    content = rx.fragment(
        rx.cond(may(Right.CHANGE_STOCK), receiving()),
        filters(),
        office_list(StockState, SHOWN.rows, card, nothing, label=TITLE),
    )
    return office(StockState, STOCK, TITLE, screen(StockState, content), undo=StockState.undo)


def receiving() -> rx.Component:
    """Scan or type what came, say how many, and save it all at once."""
    scan = rx.el.form(
        office_field(
            StockState,
            "stock",
            "code",
            _("Escanea el código o escribe el nombre"),
            auto_complete="off",
            enter_key_hint="done",
            data_testid="stock-code",
        ),
        rx.el.button(_("Agregar"), type="submit", class_name="button button--small button--dark"),
        class_name="o-stock__scan",
        no_validate=True,
        reset_on_submit=True,
        on_submit=StockState.scan,
    )
    return rx.el.details(
        rx.el.summary(
            rx.el.span(icon("download", size=20), _("Recibir mercancía"), class_name="o-stock__receive"),
            icon("down", size=20),
            class_name="o-audit__head",
            data_testid="stock-receive",
        ),
        rx.el.div(
            scan,
            rx.cond(
                StockState.matches.length() > 0,
                rx.el.ul(rx.foreach(StockState.matches, match), class_name="o-stock__matches"),
            ),
            rx.cond(StockState.lines.length() > 0, receipt()),
            class_name="o-audit__body",
        ),
        class_name="o-panel o-stock__box",
    )


def match(row: ObjectVar[StockRow]) -> rx.Component:
    """One that a text may mean."""
    return rx.el.li(
        rx.el.button(
            picture(row.picture),
            rx.el.span(
                row.title, rx.el.span(row.detail, class_name="o-row__detail"), class_name="o-stock__words"
            ),
            type="button",
            class_name="o-stock__match",
            on_click=StockState.choose(row.variant_id),
        ),
        key=row.variant_id,
    )


def receipt() -> rx.Component:
    """What came, and from whom."""

    def place(one: ObjectVar[LocationView]) -> rx.Component:
        return rx.el.option(one.name, value=one.id, key=one.id)

    def line(name: str, label: str) -> rx.Component:
        return office_field(StockState, "receipt", name, label, is_optional=True, auto_complete="off")

    where = office_select(
        StockState, "receipt", "location_id", _("Dónde"), [rx.foreach(SHOWN.locations, place)]
    )
    return rx.el.form(
        rx.el.ul(rx.foreach(StockState.lines, came), class_name="o-stock__lines"),
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


def came(line: ObjectVar[Line]) -> rx.Component:
    """A toy that came: how many."""
    name = f"units-{line.variant_id}"
    return rx.el.li(
        picture(line.picture),
        rx.el.span(
            line.title, rx.el.span(line.detail, class_name="o-row__detail"), class_name="o-stock__words"
        ),
        rx.el.input(
            name=name,
            default_value=line.units.to_string(),
            key=f"{line.variant_id}-{line.added}",
            on_blur=StockState.note_units(line.variant_id),
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
            on_click=StockState.drop(line.variant_id),
        ),
        class_name="o-stock__line",
        key=line.variant_id,
    )


def filters() -> rx.Component:
    """Which rows."""
    search = FINDING.search(_("Buscar en la bodega"), _("Título, código o EAN…"), MAX_TEXT_LENGTH)
    return FINDING.bar(search, [(label, "only", name) for name, label in ONLY.items()], None)


def picture(url: rx.Var[str]) -> rx.Component:
    """A toy's picture, or its place."""
    return rx.cond(
        url != "",
        rx.el.img(src=url, alt="", loading="lazy", width="44", height="44", class_name="o-thumb"),
        rx.el.span(class_name="o-thumb", aria_hidden="true"),
    )


def card(row: ObjectVar[StockRow]) -> rx.Component:
    """A toy and its units; opened, counting it and its movements."""
    return fold_row(
        rx.el.summary(
            picture(row.picture),
            rx.el.span(
                rx.el.span(row.title, class_name="o-row__title"),
                rx.el.span(row.detail, class_name="o-row__detail"),
                class_name="o-stock__words",
            ),
            rx.el.span(
                rx.el.b(row.free, class_name="o-stock__free"),
                rx.cond(
                    row.reserved > 0,
                    rx.el.span(_("{n} apartadas").format(n=row.reserved), class_name="o-row__detail"),
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
            data_opens="",  # pressed before the scripts are there, it waits for them
        ),
        rx.el.div(
            rx.cond(may(Right.CHANGE_STOCK), counting(row)),
            movements(row),
            history(row.variant_id, "o-history__box"),
            class_name="o-audit__body",
        ),
        row_id=row.id,
        class_name="o-stock",
        data_testid="stock-row",
    )


def counting(row: ObjectVar[StockRow]) -> rx.Component:
    """How many were counted and why it differs; and when the toy counts as running out."""
    reasons = [rx.el.option(REASONS[reason], value=reason) for reason in CORRECTING]

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
    wrong = rx.cond(StockState.opened == row.id, text_at(StockState.problems, "counted"), "")
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
        on_submit=StockState.set_low,
    )
    return rx.fragment(count, low)


def movements(row: ObjectVar[StockRow]) -> rx.Component:
    """What came and left."""

    def moved(one: ObjectVar[MovementView]) -> rx.Component:
        delta = one.delta
        return rx.el.li(
            rx.el.b(rx.cond(delta > 0, f"+{delta}", f"{delta}"), class_name="o-stock__delta"),
            rx.el.span(
                rx.el.span(one.reason, " · ", _("quedaron {n}").format(n=one.stocked)),
                rx.cond(one.about != "", rx.el.span(one.about, class_name="o-row__detail")),
                rx.el.span(one.who, " · ", one.moment_label, class_name="o-row__detail"),
                class_name="o-stock__words",
            ),
            class_name="o-stock__moved",
            key=one.id,
        )

    return rx.cond(
        StockState.opened == row.id,
        rx.cond(
            StockState.movements.length() > 0,
            rx.el.ol(
                rx.foreach(StockState.movements, moved),
                class_name="o-stock__movements",
                data_testid="movements",
            ),
            rx.el.p(_("Todavía no se ha movido nada."), class_name="o-row__detail"),
        ),
    )
