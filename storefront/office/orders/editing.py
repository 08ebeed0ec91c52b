"""Components of the screen «Cambiar el pedido», on which staff edit a paid order."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.orders.editing import EditLineView
from backend.order_edits.editing import MAX_REASON_LENGTH
from storefront.components.forms import SubmitOnce
from storefront.office.components.detail import back_link, fact_row, product_line_head, warning_note
from storefront.office.components.feedback import chip, screen
from storefront.office.components.forms import confirm_button, hidden_field, office_field
from storefront.office.components.sale import QUIET, shipping_options
from storefront.office.components.unit_steps import unit_steps
from storefront.office.components.variant_search import variant_search
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import ORDERS
from storefront.office.orders.editing_state import EditOrderState
from storefront.office.state import answer_number

TITLE = _("Cambiar el pedido")
VIEW = EditOrderState.content


def page() -> rx.Component:
    """Render the screen on which staff edit an order."""
    content = rx.el.div(
        back_link(_("Pedido {number}").format(number=VIEW.number), f"{ORDERS}/{VIEW.order_id}"),
        rx.cond(VIEW.refusal != "", warning_note(VIEW.refusal, "edit-refused")),
        rx.cond(VIEW.problem != "", warning_note(VIEW.problem, "edit-problem")),
        rx.cond(VIEW.refusal == "", search_panel()),
        lines_panel(),
        rx.cond(VIEW.refusal == "", shipping_panel()),
        rx.cond(VIEW.is_changed, totals_panel()),
        rx.cond(VIEW.edit_id != "", save_panel()),
        class_name="o-sell",
    )
    return office_layout(EditOrderState, ORDERS, TITLE, screen(EditOrderState, content), class_name="o-one")


def search_panel() -> rx.Component:
    """Render the search for a variant to add, or to put in place of a line."""
    replacing = rx.el.p(
        _("Elige por cuál cambias "),
        rx.el.b(EditOrderState.replaced_title),
        " ",
        rx.el.button(
            _("Mejor no"),
            type="button",
            on_click=EditOrderState.replace_line(""),
            class_name=QUIET,
        ),
        role="status",
        class_name="o-packing__note",
        data_testid="edit-replacing",
    )
    return rx.el.section(
        rx.cond(EditOrderState.replaced_id != "", replacing),
        variant_search(EditOrderState, "edit", data_testid="edit-search"),
        class_name="o-panel",
    )


def lines_panel() -> rx.Component:
    """Render the lines with their new quantities."""
    return rx.el.section(
        rx.el.ul(rx.foreach(VIEW.lines, edit_line), class_name="o-items"),
        class_name="o-panel",
        aria_label=_("Productos del pedido"),
    )


def edit_line(line: ObjectVar[EditLineView]) -> rx.Component:
    """Render a line: the product, its price, and the buttons that change its quantity or replace it."""
    steps = unit_steps(
        line,
        EditOrderState.set_quantity,
        rx.cond(
            ~line.is_new & (line.quantity > 0),
            rx.el.button(
                _("Cambiar por otro"),
                type="button",
                on_click=EditOrderState.replace_line(line.id),
                class_name=QUIET,
            ),
        ),
        is_minimum=line.quantity < 1,
    )
    return rx.el.li(
        product_line_head(line.picture, line.title, line.detail, line.unit_label),
        rx.el.span(line.total_label, class_name="o-item__total"),
        rx.el.div(
            rx.cond(line.note != "", chip(line.note, "wait")),
            rx.cond(VIEW.refusal == "", steps),
            rx.cond(line.problem != "", rx.el.span(line.problem, class_name="o-sell__short")),
            class_name="o-edit__change",
        ),
        key=line.id,
        class_name="o-item",
        data_testid="edit-line",
    )


def shipping_panel() -> rx.Component:
    """Render the order's shipping option, and the buttons that list others with prices and choose one."""
    choice = rx.el.div(
        rx.el.p(VIEW.shipping, data_testid="edit-shipping"),
        rx.cond(
            VIEW.former_shipping != "",
            rx.el.p(_("Antes: {name}").format(name=VIEW.former_shipping), class_name="o-row__detail"),
        ),
        rx.cond(
            VIEW.is_shipping_outdated,
            warning_note(
                _("Cambiaron los productos o la dirección: elige el envío otra vez."),
                "edit-shipping-outdated",
            ),
        ),
        shipping_options(EditOrderState),
        rx.el.button(
            icon("truck", size=20),
            _("Cambiar el envío"),
            type="button",
            class_name=QUIET,
            on_click=EditOrderState.list_shipping,
            data_testid="edit-shipping-change",
        ),
        rx.cond(
            VIEW.has_shipping_choice,
            rx.el.button(
                _("Dejar el envío de antes"),
                type="button",
                class_name=QUIET,
                on_click=EditOrderState.keep_shipping(VIEW.edit_id),
            ),
        ),
        class_name="o-sell__options",
    )
    return rx.el.section(
        rx.el.h2(_("Envío"), class_name="o-section__title"),
        SubmitOnce.create(
            rx.el.div(choice, class_name="o-sell__once"), answers=answer_number(EditOrderState)
        ),
        class_name="o-panel",
    )


def totals_panel() -> rx.Component:
    """Render the new totals and the difference."""
    return rx.el.section(
        rx.el.dl(
            rx.foreach(VIEW.totals, fact_row),
            rx.el.div(rx.el.dt(_("Total antes")), rx.el.dd(VIEW.before_label)),
            rx.el.div(rx.el.dt(_("Total")), rx.el.dd(VIEW.total_label), class_name="o-totals__all"),
            class_name="o-totals",
        ),
        rx.el.p(rx.el.b(VIEW.difference), data_testid="edit-difference"),
        rx.cond(VIEW.promise != "", rx.el.p(VIEW.promise)),
        class_name="o-panel",
    )


def save_panel() -> rx.Component:
    """Render the field for the reason, and the buttons that save and discard the edit."""
    form = rx.el.form(
        hidden_field("edit", VIEW.edit_id),
        hidden_field("total", VIEW.total.to_string()),
        office_field(
            EditOrderState,
            "edit",
            "reason",
            _("Por qué"),
            max_length=MAX_REASON_LENGTH,
            auto_complete="off",
            hint=_("Solo lo ve el equipo. Al comprador le llega un correo con lo que cambió."),
        ),
        rx.el.button(
            _("Guardar el cambio"),
            type="submit",
            disabled=~VIEW.can_save,
            class_name="button button--primary",
            data_testid="save",
        ),
        class_name="o-stock__receipt",
        no_validate=True,
        on_submit=EditOrderState.save,
    )
    return rx.el.section(
        SubmitOnce.create(
            rx.el.div(
                form,
                confirm_button(
                    _("Descartar el cambio"),
                    _("El pedido queda como estaba."),
                    _("Sí, descartarlo"),
                    EditOrderState.discard(VIEW.edit_id),
                ),
                class_name="o-sell__once",
            ),
            answers=answer_number(EditOrderState),
        ),
        class_name="o-panel",
    )
