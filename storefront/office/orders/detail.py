"""Pedido: one order, and what can be done with it now."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.orders.detail import LineView, ParcelView
from backend.office.orders.timeline import EventView, MailView
from backend.orders.admin.corrections import LONGEST_NOTE
from backend.staff.rights import Right
from storefront.components.forms import Once
from storefront.components.placeholders import bar
from storefront.office.components.detail import (
    BUTTON,
    detail_screen,
    fact,
    line_head,
    note_form,
    panel,
    skeleton,
)
from storefront.office.components.feedback import chip, state_chip
from storefront.office.components.forms import asked_twice
from storefront.office.components.history import history
from storefront.office.icons import icon
from storefront.office.navigation import ATTENTION, ORDERS, PACK
from storefront.office.orders.detail_sidebar import buyer, consents, destination, invoices, payment, returns
from storefront.office.orders.detail_state import SHOWN, OrderState, can
from storefront.office.state import answers, may

TITLE = _("Pedido")


def page() -> rx.Component:
    """One order."""
    content = rx.fragment(
        head(),
        rx.cond(SHOWN.is_held, hold()),
        Once.create(next_steps(), answers=answers(OrderState)),
        rx.el.div(
            rx.el.div(
                items(), Once.create(parcels(), answers=answers(OrderState)), class_name="o-order__main"
            ),
            rx.el.div(
                buyer(),
                destination(),
                payment(),
                invoices(),
                returns(),
                consents(),
                class_name="o-order__side",
            ),
            rx.el.div(
                story(),
                Once.create(mails(), answers=answers(OrderState)),
                history(SHOWN.id),
                class_name="o-order__past",
            ),
            class_name="o-order__columns",
        ),
        Once.create(canceling(), answers=answers(OrderState)),
    )
    title = rx.cond(OrderState.content, _("Pedido {number}").format(number=SHOWN.number), TITLE)
    waiting = skeleton(rx.el.div(bar("12rem", "2.75rem"), class_name="o-one__next"))
    return detail_screen(OrderState, title, (_("Pedidos"), ORDERS), content, waiting)


def head() -> rx.Component:
    """How it stands."""
    return rx.el.div(
        rx.foreach(SHOWN.chips, state_chip),
        rx.cond(SHOWN.is_pickup, chip(_("Recoge en tienda"))),
        rx.el.span(SHOWN.placed_label, class_name="o-row__detail"),
        class_name="o-one__head",
        data_testid="order-state",
    )


def hold() -> rx.Component:
    """Say that nothing is packed, and link to the decision."""
    return rx.el.div(
        rx.el.p(
            rx.el.b(_("El banco se contradice sobre el pago.")),
            " ",
            _("No se empaca nada hasta que alguien decida."),
        ),
        rx.el.a(_("Ver en Por resolver"), href=ATTENTION, class_name=f"{BUTTON}button--small button--dark"),
        role="status",
        class_name="o-packing__note",
        data_testid="order-held",
    )


def next_steps() -> rx.Component:
    """What is to be done next."""

    def step(action: str, shape: str, label: Any, on_click: Any, kind: str = "primary") -> rx.Component:
        button = rx.el.button(
            icon(shape, size=20),
            label,
            type="button",
            data_once="",
            on_click=on_click,
            class_name=f"{BUTTON}button--{kind}",
            data_testid=f"order-{action}",
        )
        return rx.cond(can(action), button)

    return rx.el.div(
        rx.cond(
            can("pack"),
            rx.el.a(
                icon("box", size=20),
                _("Empacar línea por línea"),
                href=f"{PACK}?pedido={SHOWN.id}",
                class_name=f"{BUTTON}button--dark",
            ),
        ),
        step("pack", "tag", rx.cond(SHOWN.is_pickup, _("Empacado"), _("Hacer la guía")), OrderState.pack),
        step("ship", "truck", _("Marcar enviado"), OrderState.ship),
        step("hand_over", "hands", _("Lo recogieron"), OrderState.deliver),
        rx.el.a(
            icon("receipt", size=20),
            _("Lista de empaque"),
            href=f"/admin/packing-slips?id={SHOWN.id}",
            target="_blank",
            custom_attrs={"reloadDocument": True},
            class_name=f"{BUTTON}button--quiet",
        ),
        class_name="o-one__next",
    )


def items() -> rx.Component:
    """What was bought."""

    def line(one: ObjectVar[LineView]) -> rx.Component:
        return rx.el.li(
            line_head(
                one.picture,
                one.title,
                one.detail,
                f"{one.quantity} × {one.unit_label}",
                rx.cond(
                    (one.packed > 0) & (one.packed < one.quantity),
                    _(" · empacados: {n}").format(n=one.packed),
                    "",
                ),
                rx.cond(one.withdrawn > 0, _(" · no se envían: {n}").format(n=one.withdrawn), ""),
            ),
            rx.el.span(one.total_label, class_name="o-item__total"),
            key=one.id,
            class_name="o-item",
            data_testid="order-line",
        )

    return panel(
        _("Juguetes"),
        rx.el.ul(rx.foreach(SHOWN.lines, line), class_name="o-items"),
        rx.el.dl(
            rx.foreach(SHOWN.totals, fact),
            rx.el.div(rx.el.dt(_("Total")), rx.el.dd(SHOWN.total_label), class_name="o-totals__all"),
            class_name="o-totals",
        ),
    )


def parcels() -> rx.Component:
    """What was packed, with its labels."""

    def parcel(one: ObjectVar[ParcelView]) -> rx.Component:
        undo = asked_twice(
            _("Anular la guía"),
            _("¿Anular esta guía? Las unidades vuelven a la bodega, guardadas para el pedido."),
            _("Sí, anularla"),
            OrderState.cancel_label(one.id),
        )
        return rx.el.li(
            rx.el.div(
                rx.el.b(rx.cond(one.guide != "", _("Guía {guide}").format(guide=one.guide), one.reference)),
                state_chip(one.chip),
                class_name="o-parcel__head",
            ),
            rx.cond(one.carrier != "", rx.el.p(one.carrier, class_name="o-row__detail")),
            rx.cond(one.problem != "", rx.el.p(one.problem, class_name="o-row__detail")),
            rx.cond(
                one.carrier_words != "",
                rx.el.p(
                    _("La transportadora dice: {words}").format(words=one.carrier_words),
                    class_name="o-row__detail",
                ),
            ),
            rx.el.div(
                rx.cond(
                    one.label_path != "",
                    rx.el.a(
                        icon("print", size=18),
                        _("Imprimir la guía"),
                        href=one.label_path,
                        target="_blank",
                        custom_attrs={"reloadDocument": True},
                        class_name=f"{BUTTON}button--dark",
                        data_testid="order-print",
                    ),
                ),
                rx.cond(
                    one.waits,
                    rx.el.a(_("Decidir en Por resolver"), href=ATTENTION, class_name=f"{BUTTON}button--dark"),
                ),
                rx.cond(may(Right.FULFILL) & one.can_cancel, undo),
                class_name="o-parcel__actions",
            ),
            key=one.id,
            class_name="o-parcel",
            data_testid="order-parcel",
        )

    return rx.cond(
        SHOWN.parcels.length() > 0, panel(_("Paquetes"), rx.el.ul(rx.foreach(SHOWN.parcels, parcel)))
    )


def mails() -> rx.Component:
    """What the buyer was written."""

    def mail(one: ObjectVar[MailView]) -> rx.Component:
        return rx.el.li(
            rx.el.span(
                rx.el.b(one.title),
                rx.el.span(
                    rx.cond(one.sent_label != "", one.sent_label, _("Aún no sale")),
                    class_name="o-row__detail",
                ),
                class_name="o-item__words",
            ),
            rx.cond(
                may(Right.FULFILL),
                rx.el.button(
                    _("Enviar otra vez"),
                    rx.el.span(": ", one.title, class_name="sr-only"),
                    type="button",
                    data_once="",
                    on_click=OrderState.send_mail(one.id),
                    class_name=f"{BUTTON}button--quiet",
                ),
            ),
            key=one.id,
            class_name="o-mail",
            data_testid="order-mail",
        )

    return rx.cond(SHOWN.mails.length() > 0, panel(_("Correos"), rx.el.ul(rx.foreach(SHOWN.mails, mail))))


def story() -> rx.Component:
    """What happened, the newest first, and a note for the others."""

    def event(one: ObjectVar[EventView]) -> rx.Component:
        return rx.el.li(
            rx.el.p(rx.el.b(one.title), rx.cond(one.by != "", " · ", ""), one.by),
            rx.cond(one.text != "", rx.el.p(one.text, class_name="o-event__text")),
            rx.el.p(one.when, class_name="o-row__detail"),
            key=one.id,
            class_name="o-event",
            data_tone=one.tone,
        )

    writing = note_form(OrderState, "order-note", LONGEST_NOTE)
    return panel(
        _("Qué ha pasado"),
        rx.cond(
            may(Right.FULFILL), Once.create(writing, answers=answers(OrderState), empties=OrderState.noted)
        ),
        rx.el.ol(rx.foreach(SHOWN.events, event), class_name="o-events", data_testid="order-events"),
    )


def canceling() -> rx.Component:
    """The way out, asked for twice."""
    ask = asked_twice(
        _("Cancelar el pedido"),
        _("¿Cancelar el pedido? Sus unidades vuelven a la venta y no se puede deshacer."),
        _("Sí, cancelarlo"),
        OrderState.cancel,
    )
    return rx.cond(can("cancel"), rx.el.div(ask, class_name="o-one__end"))
