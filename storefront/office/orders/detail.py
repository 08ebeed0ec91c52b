"""Components of an order's screen (Pedido)."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.orders.detail import LineView, ParcelView
from backend.office.orders.timeline import EventView, MailView
from backend.orders.admin.corrections import MAX_NOTE_LENGTH
from backend.staff.rights import Right
from storefront.components.forms import SubmitOnce, field_problem
from storefront.components.placeholders import skeleton_bar
from storefront.office.components.detail import (
    BUTTON,
    detail_screen,
    fact_row,
    note_form,
    panel,
    product_line_head,
    skeleton,
)
from storefront.office.components.feedback import chip, state_chip
from storefront.office.components.forms import confirm_button
from storefront.office.components.history import history_panel
from storefront.office.icons import icon
from storefront.office.navigation import ATTENTION, EDIT_ORDER, EXCHANGE, ORDERS, PACK
from storefront.office.orders.detail_sidebar import (
    address_panel,
    consents_panel,
    customer_panel,
    invoices_panel,
    payment_panel,
    returns_panel,
)
from storefront.office.orders.detail_state import VIEW, OrderState, is_allowed
from storefront.office.orders.difference import difference_panel
from storefront.office.state import answer_number, has_right
from storefront.reflex_ext.hooks import text_at
from storefront.reflex_ext.numbers import grouped

TITLE = _("Pedido")


def page() -> rx.Component:
    """Render the order's screen."""
    content = rx.fragment(
        status_line(),
        rx.cond(VIEW.is_held & (VIEW.difference.kind != "owed"), hold_notice()),
        rx.cond(VIEW.difference.kind != "", difference_panel()),
        SubmitOnce.create(action_buttons(), answers=answer_number(OrderState)),
        rx.el.div(
            rx.el.div(
                lines_panel(),
                SubmitOnce.create(parcels_panel(), answers=answer_number(OrderState)),
                class_name="o-order__main",
            ),
            rx.el.div(
                customer_panel(),
                address_panel(),
                payment_panel(),
                invoices_panel(),
                returns_panel(),
                consents_panel(),
                class_name="o-order__side",
            ),
            rx.el.div(
                timeline_panel(),
                SubmitOnce.create(mails_panel(), answers=answer_number(OrderState)),
                history_panel(VIEW.id),
                class_name="o-order__past",
            ),
            class_name="o-order__columns",
        ),
        SubmitOnce.create(cancel_panel(), answers=answer_number(OrderState)),
    )
    title = rx.cond(OrderState.content, _("Pedido {number}").format(number=VIEW.number), TITLE)
    waiting = skeleton(rx.el.div(skeleton_bar("12rem", "2.75rem"), class_name="o-one__next"))
    return detail_screen(OrderState, title, (_("Pedidos"), ORDERS), content, waiting)


def status_line() -> rx.Component:
    """Render the order's status and date."""
    return rx.el.div(
        rx.foreach(VIEW.chips, state_chip),
        rx.cond(VIEW.is_pickup, chip(_("Recoge en tienda"))),
        rx.cond(VIEW.is_own, chip(_("Entrega propia"))),
        rx.el.span(VIEW.placed_label, class_name="o-row__detail"),
        class_name="o-one__head",
        data_testid="order-state",
    )


def hold_notice() -> rx.Component:
    """Render a notice that the order must not be packed, with a link to the screen where staff decide about it."""
    return rx.el.div(
        rx.el.p(
            rx.el.b(_("El pago espera una decisión.")),
            " ",
            _("No se empaca nada hasta que alguien decida."),
        ),
        rx.el.a(_("Ver en Por resolver"), href=ATTENTION, class_name=f"{BUTTON}button--small button--dark"),
        role="status",
        class_name="o-packing__note",
        data_testid="order-held",
    )


def action_buttons() -> rx.Component:
    """Render the buttons of the actions that are possible now."""

    def step_button(
        action: str, shape: str, label: Any, on_click: Any, kind: str = "primary"
    ) -> rx.Component:
        button = rx.el.button(
            icon(shape, size=20),
            label,
            type="button",
            data_once="",
            on_click=on_click,
            class_name=f"{BUTTON}button--{kind}",
            data_testid=f"order-{action}",
        )
        return rx.cond(is_allowed(action), button)

    def screen_link(action: str, shape: str, label: str, path: str) -> rx.Component:
        link = rx.el.a(
            icon(shape, size=20),
            label,
            href=f"{path}?pedido={VIEW.id}",
            class_name=f"{BUTTON}button--quiet",
            data_testid=f"order-{action}",
        )
        return rx.cond(is_allowed(action), link)

    return rx.el.div(
        rx.cond(
            is_allowed("pack"),
            rx.el.a(
                icon("box", size=20),
                _("Empacar línea por línea"),
                href=f"{PACK}?pedido={VIEW.id}",
                class_name=f"{BUTTON}button--dark",
            ),
        ),
        step_button(
            "pack", "tag", rx.cond(VIEW.needs_label, _("Hacer la guía"), _("Empacado")), OrderState.pack
        ),
        step_button(
            "ship",
            "truck",
            rx.cond(VIEW.is_own, _("Salió a entregar"), _("Marcar enviado")),
            OrderState.ship,
        ),
        screen_link("edit", "edit", _("Cambiar el pedido"), EDIT_ORDER),
        screen_link("exchange", "undo", _("Hacer un cambio"), EXCHANGE),
        step_button("hand_over", "hands", _("Lo recogieron"), OrderState.deliver),
        rx.el.a(
            icon("receipt", size=20),
            _("Lista de empaque"),
            href=f"/admin/packing-slips?id={VIEW.id}",
            target="_blank",
            custom_attrs={"reloadDocument": True},
            class_name=f"{BUTTON}button--quiet",
        ),
        class_name="o-one__next",
    )


def lines_panel() -> rx.Component:
    """Render the order lines and the totals."""

    def line(view: ObjectVar[LineView]) -> rx.Component:
        return rx.el.li(
            product_line_head(
                view.picture,
                view.title,
                view.detail,
                f"{view.quantity} × {view.unit_label}",
                rx.cond(
                    (view.packed > 0) & (view.packed < view.quantity),
                    _(" · empacados: {n}").format(n=grouped(view.packed)),
                    "",
                ),
                rx.cond(
                    view.withdrawn > 0, _(" · no se entregan: {n}").format(n=grouped(view.withdrawn)), ""
                ),
            ),
            rx.el.span(view.total_label, class_name="o-item__total"),
            key=view.id,
            class_name="o-item",
            data_testid="order-line",
        )

    return panel(
        _("Productos"),
        rx.el.ul(rx.foreach(VIEW.lines, line), class_name="o-items"),
        rx.el.dl(
            rx.foreach(VIEW.totals, fact_row),
            rx.el.div(rx.el.dt(_("Total")), rx.el.dd(VIEW.total_label), class_name="o-totals__all"),
            class_name="o-totals",
        ),
    )


def parcels_panel() -> rx.Component:
    """Render the fulfillments with their labels."""

    def parcel_item(view: ObjectVar[ParcelView]) -> rx.Component:
        undo = confirm_button(
            rx.cond(VIEW.needs_label, _("Anular la guía"), _("Desempacar")),
            rx.cond(
                VIEW.needs_label,
                _("¿Anular esta guía? Las unidades vuelven a la bodega, guardadas para el pedido."),
                _("¿Desempacar? Las unidades vuelven a la bodega, guardadas para el pedido."),
            ),
            rx.cond(VIEW.needs_label, _("Sí, anularla"), _("Sí, desempacar")),
            OrderState.cancel_label(view.id),
        )
        return rx.el.li(
            rx.el.div(
                rx.el.b(
                    rx.cond(view.guide != "", _("Guía {guide}").format(guide=view.guide), view.reference)
                ),
                state_chip(view.chip),
                rx.cond(view.is_test, chip(_("Guía de prueba: nadie recoge el paquete"), "bad")),
                class_name="o-parcel__head",
            ),
            rx.cond(view.carrier != "", rx.el.p(view.carrier, class_name="o-row__detail")),
            rx.cond(view.problem != "", rx.el.p(view.problem, class_name="o-row__detail")),
            rx.cond(
                view.carrier_words != "",
                rx.el.p(
                    _("La transportadora dice: {words}").format(words=view.carrier_words),
                    class_name="o-row__detail",
                ),
            ),
            rx.el.div(
                rx.cond(
                    view.label_path != "",
                    rx.el.a(
                        icon("print", size=18),
                        _("Imprimir la guía"),
                        href=view.label_path,
                        target="_blank",
                        custom_attrs={"reloadDocument": True},
                        class_name=f"{BUTTON}button--dark",
                        data_testid="order-print",
                    ),
                ),
                rx.cond(
                    view.waits,
                    rx.el.a(_("Decidir en Por resolver"), href=ATTENTION, class_name=f"{BUTTON}button--dark"),
                ),
                rx.cond(has_right(Right.FULFILL) & view.can_cancel, undo),
                class_name="o-parcel__actions",
            ),
            rx.cond(has_right(Right.FULFILL) & view.can_deliver, delivered_form(view)),
            key=view.id,
            class_name="o-parcel",
            data_testid="order-parcel",
        )

    return rx.cond(
        VIEW.parcels.length() > 0, panel(_("Paquetes"), rx.el.ul(rx.foreach(VIEW.parcels, parcel_item)))
    )


def delivered_form(view: ObjectVar[ParcelView]) -> rx.Component:
    """Render the form that records a delivery of a parcel, for carriers that do not report it."""
    name = f"delivered-{view.id}"
    return rx.el.details(
        rx.el.summary(_("Marcar como entregado"), class_name="o-disclosure", data_testid="order-delivered"),
        rx.el.form(
            rx.el.input(type="hidden", name="fulfillment", value=view.id),
            rx.el.label(_("¿Cómo sabes que llegó?"), html_for=name, class_name="field__label"),
            rx.el.input(
                id=name,
                name="reason",
                max_length=MAX_NOTE_LENGTH,
                placeholder=_("El comprador lo confirmó por WhatsApp"),
                class_name="field__input",
                custom_attrs={"aria-describedby": f"{name}-problem"},
            ),
            field_problem(name, text_at(OrderState.problems, "reason"), ""),
            rx.el.button(_("Ya llegó"), type="submit", class_name=f"{BUTTON}button--dark"),
            class_name="o-note",
            on_submit=OrderState.deliver_parcel,
        ),
    )


def mails_panel() -> rx.Component:
    """Render the mails sent to the customer."""

    def mail_item(view: ObjectVar[MailView]) -> rx.Component:
        return rx.el.li(
            rx.el.span(
                rx.el.b(view.title),
                rx.el.span(
                    rx.cond(view.sent_label != "", view.sent_label, _("Aún no sale")),
                    class_name="o-row__detail",
                ),
                class_name="o-item__words",
            ),
            rx.cond(
                has_right(Right.FULFILL),
                rx.el.button(
                    _("Enviar otra vez"),
                    rx.el.span(": ", view.title, class_name="sr-only"),
                    type="button",
                    data_once="",
                    on_click=OrderState.send_mail(view.id),
                    class_name=f"{BUTTON}button--quiet",
                ),
            ),
            key=view.id,
            class_name="o-mail",
            data_testid="order-mail",
        )

    return rx.cond(VIEW.mails.length() > 0, panel(_("Correos"), rx.el.ul(rx.foreach(VIEW.mails, mail_item))))


def timeline_panel() -> rx.Component:
    """Render the order's timeline, newest event first, and a form for a staff note."""

    def event_item(view: ObjectVar[EventView]) -> rx.Component:
        return rx.el.li(
            rx.el.p(rx.el.b(view.title), rx.cond(view.actor_name != "", " · ", ""), view.actor_name),
            rx.cond(view.text != "", rx.el.p(view.text, class_name="o-event__text")),
            rx.el.p(view.when, class_name="o-row__detail"),
            key=view.id,
            class_name="o-event",
            data_tone=view.tone,
        )

    writing = note_form(OrderState, "order-note", MAX_NOTE_LENGTH)
    return panel(
        _("Qué ha pasado"),
        rx.cond(
            has_right(Right.FULFILL),
            SubmitOnce.create(writing, answers=answer_number(OrderState), empties=OrderState.note_count),
        ),
        rx.el.ol(rx.foreach(VIEW.events, event_item), class_name="o-events", data_testid="order-events"),
    )


def cancel_panel() -> rx.Component:
    """Render the cancel button, which asks for confirmation."""
    ask = confirm_button(
        _("Cancelar el pedido"),
        _("¿Cancelar el pedido? Sus unidades vuelven a la venta y no se puede deshacer."),
        _("Sí, cancelarlo"),
        OrderState.cancel,
    )
    return rx.cond(is_allowed("cancel"), rx.el.div(ask, class_name="o-one__end"))
