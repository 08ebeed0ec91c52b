"""Components of the order list (Pedidos): filters, rows, and actions on selected orders."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.listing import labels_of
from backend.office.orders.listing import (
    DAYS,
    DELIVERY,
    DISPATCH,
    MAX_TEXT_LENGTH,
    PAGE_SIZE,
    PAYMENT,
    OrderRow,
)
from backend.staff.rights import Right
from storefront.components.placeholders import skeleton_bar
from storefront.office.components.feedback import (
    action_link,
    chip,
    empty_list,
    invitation,
    no_matches,
    screen,
    state_chip,
)
from storefront.office.components.list_filters import ListFilters
from storefront.office.components.lists import office_list
from storefront.office.components.selection_bar import selection_bar
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import ORDERS
from storefront.office.orders.listing_state import DOCUMENTS, LABELS, SHIPPED, OrdersState, ResultView
from storefront.office.react_components import SELECTION, RowSelection
from storefront.office.state import answer_number, has_right

TITLE = _("Pedidos")
VIEW = OrdersState.content
FILTERS = ListFilters("orders", ORDERS, VIEW, OrdersState.apply_filters)


def page() -> rx.Component:
    """Render the order list."""
    nothing = empty_list(
        VIEW,
        no_matches(
            "receipt",
            _("Ningún pedido"),
            _("Con estos filtros no hay ninguno. Quita alguno, o espera el siguiente."),
            ORDERS,
        ),
        invitation(
            "receipt",
            _("Todavía no hay pedidos"),
            _("El primero aparece aquí apenas alguien compre. Haz tú una compra de prueba."),
            action_link(_("Ver la tienda"), "/"),
        ),
    )
    content = rx.fragment(
        filters(),
        results_panel(),
        office_list(
            OrdersState, VIEW.rows, order_row, nothing, label=TITLE, counts_new=True, wrap=selectable_rows
        ),
    )
    return office_layout(
        OrdersState, ORDERS, TITLE, screen(OrdersState, content, skeleton()), class_name="o-orders"
    )


def selectable_rows(listed: rx.Component) -> rx.Component:
    """Wrap the rows in a form with which staff select orders and act on them."""
    return RowSelection.create(
        rx.cond(VIEW.rows.length() > 0, select_all_box()),
        listed,
        orders_selection_bar(),
        class_name="o-choosing",
        answers=answer_number(OrdersState),
        on_act=OrdersState.run_action,
        on_print=OrdersState.announce_unprinted,
    )


def filters() -> rx.Component:
    """Render the search and the filters."""
    payment, dispatch = labels_of(PAYMENT), labels_of(DISPATCH)
    return FILTERS.bar(
        FILTERS.search(_("Buscar pedidos"), _("Número, nombre, teléfono, guía…"), MAX_TEXT_LENGTH),
        (
            (_("Por empacar"), "envio", "por-empacar"),
            (_("Esperando al banco"), "pago", "esperando"),
            (_("Hoy"), "fecha", "hoy"),
        ),
        FILTERS.form(
            _("Ver estos pedidos"),
            FILTERS.choice("fecha", _("Fecha"), _("Cualquier fecha"), DAYS),
            FILTERS.day("desde", _("Desde")),
            FILTERS.day("hasta", _("Hasta")),
            FILTERS.choice("pago", _("Pago"), _("Cualquier pago"), payment),
            FILTERS.choice("envio", _("Despacho"), _("Cualquier despacho"), dispatch),
            FILTERS.choice("entrega", _("Entrega"), _("Cualquier entrega"), DELIVERY),
        ),
    )


def select_all_box() -> rx.Component:
    """Render the checkbox that selects all shown rows."""
    return rx.el.label(
        rx.el.input(type="checkbox", special_props=[SELECTION.select_all], class_name="o-box"),
        rx.el.span(_("Elegir todos los que se ven")),
        class_name="o-every",
    )


def order_row(order: ObjectVar[OrderRow]) -> rx.Component:
    """Render an order: a checkbox to select it, its number, customer, total and status."""
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
                rx.el.span(order.customer_name, class_name="o-order__buyer"),
                class_name="o-order__who",
            ),
            rx.el.span(order.total_label, class_name="o-order__total"),
            rx.el.span(order.products, class_name="o-order__items"),
            rx.el.span(
                rx.cond(order.is_pickup, _("Recoge en tienda"), order.town),
                rx.cond(order.is_own, _(" · Entrega propia"), ""),
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
def orders_selection_bar() -> rx.Component:
    """Render the actions on the selected orders; visible while any is selected."""

    def action_button(action: str, shape: str, label: str) -> rx.Component:
        return rx.cond(
            has_right(Right.FULFILL),
            rx.el.button(
                icon(shape, size=18),
                label,
                type="submit",
                data_act=action,
                disabled=SELECTION.is_busy,
                class_name="button button--dark button--small",
            ),
        )

    def document_button(path: str, shape: str, label: str, **marks: str) -> rx.Component:
        attributes = {"formAction": f"{DOCUMENTS}/{path}", "formTarget": "_blank"}
        return rx.el.button(
            icon(shape, size=18),
            label,
            type="submit",
            custom_attrs=attributes,
            class_name="button button--quiet button--small",
            **marks,
        )

    return selection_bar(
        action_button(LABELS, "tag", _("Hacer guías")),
        document_button("order-labels", "print", _("Imprimir guías"), data_prints=""),
        document_button("packing-slips", "receipt", _("Listas de empaque")),
        action_button(SHIPPED, "truck", _("Marcar enviados")),
        rx.cond(
            has_right(Right.EXPORT_PERSONAL_DATA), document_button("order-exports", "download", _("Exportar"))
        ),
    )


def results_panel() -> rx.Component:
    """Render the result of the latest action for each order."""

    def result_item(result: ObjectVar[ResultView]) -> rx.Component:
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
        rx.el.ul(rx.foreach(OrdersState.results, result_item)),
        rx.cond(
            OrdersState.labels_path != "",
            rx.el.a(
                icon("print", size=18),
                _("Imprimir estas guías"),
                href=OrdersState.labels_path,
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
    """Render placeholders while the list loads."""
    row = rx.el.li(
        skeleton_bar("45%"),
        skeleton_bar("70%", "0.85em"),
        skeleton_bar("30%", "0.85em"),
        class_name="o-order o-order--waiting",
    )
    return rx.el.div(
        rx.el.div(
            skeleton_bar("100%", "2.75rem"),
            skeleton_bar("100%", "2.75rem"),
            skeleton_bar("6rem", "2.75rem"),
            class_name="o-filters",
        ),
        rx.el.div(class_name="o-fresh"),
        rx.el.div(skeleton_bar("12rem"), class_name="o-every"),
        rx.el.ul(*(row for _number in range(min(PAGE_SIZE, 8))), class_name="o-list"),
        aria_hidden="true",
    )
