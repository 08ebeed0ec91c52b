"""Pedidos: the orders, the newest first, with filters, and what is done with several of them at once."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.listing import labels_of
from backend.office.orders.listing import (
    DAYS,
    DELIVERY,
    DISPATCH,
    LONGEST_TEXT,
    MOST_ROWS,
    PAYMENT,
    OrderRow,
)
from backend.staff.rights import Right
from storefront.components.placeholders import bar
from storefront.office.components.feedback import chip, empty, screen, state_chip
from storefront.office.components.list_filters import Finding
from storefront.office.components.lists import office_list
from storefront.office.components.selection_bar import chosen_rows
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.navigation import ORDERS
from storefront.office.orders.listing_state import DOCUMENTS, LABELS, SHIPPED, OrdersState, ResultView
from storefront.office.react_components import CHOSEN, Choosing
from storefront.office.state import answers, may

TITLE = _("Pedidos")
SHOWN = OrdersState.content
FINDING = Finding("orders", ORDERS, SHOWN, OrdersState.ask)


def page() -> rx.Component:
    """The orders."""
    nothing = empty(
        "receipt",
        _("Ningún pedido"),
        _("Con estos filtros no hay ninguno. Quita alguno, o espera el siguiente."),
    )
    content = rx.fragment(
        filters(),
        results(),
        office_list(
            OrdersState, SHOWN.rows, order_row, nothing, label=TITLE, counts_new=True, around=choosing
        ),
    )
    return office(OrdersState, ORDERS, TITLE, screen(OrdersState, content, skeleton()), class_name="o-orders")


def choosing(listed: rx.Component) -> rx.Component:
    """Wrap the rows in what chooses several and acts on them."""
    return Choosing.create(
        rx.cond(SHOWN.rows.length() > 0, every()),
        listed,
        chosen_bar(),
        class_name="o-choosing",
        answers=answers(OrdersState),
        on_act=OrdersState.act,
        on_print=OrdersState.printing,
    )


def filters() -> rx.Component:
    """Which orders."""
    payment, dispatch = labels_of(PAYMENT), labels_of(DISPATCH)
    return FINDING.bar(
        FINDING.search(_("Buscar pedidos"), _("Número, nombre, teléfono, guía…"), LONGEST_TEXT),
        (
            (_("Por empacar"), "envio", "por-empacar"),
            (_("Esperando al banco"), "pago", "esperando"),
            (_("Hoy"), "fecha", "hoy"),
        ),
        FINDING.form(
            _("Ver estos pedidos"),
            FINDING.choice("fecha", _("Fecha"), _("Cualquier fecha"), DAYS),
            FINDING.day("desde", _("Desde")),
            FINDING.day("hasta", _("Hasta")),
            FINDING.choice("pago", _("Pago"), _("Cualquier pago"), payment),
            FINDING.choice("envio", _("Despacho"), _("Cualquier despacho"), dispatch),
            FINDING.choice("entrega", _("Entrega"), _("Cualquier entrega"), DELIVERY),
        ),
    )


def every() -> rx.Component:
    """Chooses all rows that are shown."""
    return rx.el.label(
        rx.el.input(type="checkbox", special_props=[CHOSEN.every], class_name="o-box"),
        rx.el.span(_("Elegir todos los que se ven")),
        class_name="o-every",
    )


def order_row(order: ObjectVar[OrderRow]) -> rx.Component:
    """An order: who, what, how much, and how it stands; and a box to choose it."""
    return rx.el.li(
        rx.el.label(
            rx.el.input(
                type="checkbox",
                name="id",
                value=order.id,
                data_chooses="",
                class_name="o-box",
                aria_label=_("Elegir el pedido {number}").format(number=order.number),
            ),
            class_name="o-order__choose",
        ),
        rx.el.a(
            rx.el.span(
                rx.el.b(f"#{order.number}", class_name="o-order__number"),
                rx.el.span(order.buyer, class_name="o-order__buyer"),
                class_name="o-order__who",
            ),
            rx.el.span(order.total_label, class_name="o-order__total"),
            rx.el.span(order.toys, class_name="o-order__items"),
            rx.el.span(
                rx.cond(order.is_pickup, _("Recoge en tienda"), order.town),
                " · ",
                order.placed_label,
                class_name="o-order__when",
            ),
            rx.el.span(rx.foreach(order.chips, state_chip), class_name="o-order__chips"),
            href=f"{ORDERS}/{order.id}",
            class_name="o-order__link",
            data_opens_row="",
        ),
        id=rx.Var.create(order.id),
        key=order.id,
        data_row="",
        data_testid="order-row",
        class_name="o-order",
    )


@rx.memo
def chosen_bar() -> rx.Component:
    """What can be done with all that are chosen; there while any is."""

    def act(action: str, shape: str, label: str) -> rx.Component:
        return rx.cond(
            may(Right.FULFILL),
            rx.el.button(
                icon(shape, size=18),
                label,
                type="submit",
                data_act=action,
                disabled=CHOSEN.is_busy,
                class_name="button button--dark button--small",
            ),
        )

    def document(path: str, shape: str, label: str, **marks: str) -> rx.Component:
        attributes = {"formAction": f"{DOCUMENTS}/{path}", "formTarget": "_blank"}
        return rx.el.button(
            icon(shape, size=18),
            label,
            type="submit",
            custom_attrs=attributes,
            class_name="button button--quiet button--small",
            **marks,
        )

    return chosen_rows(
        act(LABELS, "tag", _("Hacer guías")),
        document("order-labels", "print", _("Imprimir guías"), data_prints=""),
        document("packing-slips", "receipt", _("Listas de empaque")),
        act(SHIPPED, "truck", _("Marcar enviados")),
        rx.cond(may(Right.EXPORT_PERSONAL_DATA), document("order-exports", "download", _("Exportar"))),
    )


def results() -> rx.Component:
    """What came of each order of the last thing that was done."""

    def one(result: ObjectVar[ResultView]) -> rx.Component:
        return rx.el.li(
            rx.el.a(result.title, href=f"{ORDERS}/{result.order_id}", class_name="o-result__title"),
            chip(result.text, result.tone),
            class_name="o-result",
            key=result.order_id,
        )

    panel = rx.el.section(
        rx.el.div(
            rx.el.h2(_("Qué pasó"), class_name="o-section__title"),
            rx.el.button(
                icon("close", size=18),
                type="button",
                class_name="icon-button",
                aria_label=_("Cerrar"),
                on_click=OrdersState.close_results,
            ),
            class_name="o-section__head",
        ),
        rx.el.ul(rx.foreach(OrdersState.results, one)),
        rx.cond(
            OrdersState.printable != "",
            rx.el.a(
                icon("print", size=18),
                _("Imprimir estas guías"),
                href=OrdersState.printable,
                target="_blank",
                class_name="button button--primary button--small",
                custom_attrs={"reloadDocument": True},
            ),
        ),
        class_name="o-panel o-results",
        data_testid="results",
    )
    return rx.cond(OrdersState.results.length() > 0, panel)


def skeleton() -> rx.Component:
    """What holds the place of all this."""
    row = rx.el.li(
        bar("45%"), bar("70%", "0.85em"), bar("30%", "0.85em"), class_name="o-order o-order--waiting"
    )
    return rx.el.div(
        rx.el.div(
            bar("100%", "2.75rem"), bar("100%", "2.75rem"), bar("6rem", "2.75rem"), class_name="o-filters"
        ),
        rx.el.div(class_name="o-fresh"),
        rx.el.div(bar("12rem"), class_name="o-every"),
        rx.el.ul(*(row for _place in range(min(MOST_ROWS, 8))), class_name="o-list"),
        aria_hidden="true",
    )
