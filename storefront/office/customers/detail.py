"""Cliente: who somebody is, what they bought and agreed to, and what the staff noted."""

from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.customers.notes import LONGEST_NOTE
from backend.office.customers.detail import NoteView, PlaceView
from backend.office.orders.listing import OrderRow
from storefront.components.forms import Once
from storefront.office.components.consents import consents_list
from storefront.office.components.detail import (
    BUTTON,
    detail_screen,
    fact,
    note_form,
    panel,
    skeleton,
    way_to_reach,
)
from storefront.office.components.feedback import state_chip
from storefront.office.components.forms import edit_form, office_field
from storefront.office.components.history import history
from storefront.office.customers.detail_state import CustomerState
from storefront.office.icons import icon
from storefront.office.navigation import CUSTOMERS, ORDERS
from storefront.office.state import answers

TITLE = _("Cliente")
SHOWN = CustomerState.content


def page() -> rx.Component:
    """One customer."""
    content = rx.fragment(
        head(),
        rx.el.div(
            rx.el.div(orders(), asked(), class_name="o-order__main"),
            rx.el.div(person(), addresses(), agreed(), taking(), class_name="o-order__side"),
            rx.el.div(
                Once.create(notes(), answers=answers(CustomerState), empties=CustomerState.noted),
                history(SHOWN.id),
                class_name="o-order__past",
            ),
            class_name="o-order__columns",
        ),
        Once.create(erasing(), answers=answers(CustomerState)),
    )
    title = rx.cond(CustomerState.content, SHOWN.name, TITLE)
    return detail_screen(CustomerState, title, (_("Clientes"), CUSTOMERS), content, skeleton())


def can(action: str) -> rx.Var[bool]:
    """Whether this can be done now."""
    return SHOWN.actions.contains(action)


def head() -> rx.Component:
    """Whether they have an account, and the same address without or with one."""

    def other(one: ArrayVar[tuple[str, str]]) -> rx.Component:
        return rx.el.a(one[1], href=f"{CUSTOMERS}/{one[0]}", key=one[0], class_name="o-link")

    return rx.el.div(
        state_chip(SHOWN.chip),
        rx.foreach(SHOWN.others, other),
        class_name="o-one__head",
        data_testid="customer-state",
    )


def person() -> rx.Component:
    """Who they are and how to reach them; for who may, a form that corrects it."""

    def line(name: str, label: str, **more: Any) -> rx.Component:
        known = getattr(SHOWN.fields, name)
        return office_field(CustomerState, "person", name, label, default_value=known, **more)

    form = edit_form(
        CustomerState,
        CustomerState.correct,
        line("first_name", _("Nombre")),
        line("last_name", _("Apellido")),
        line("phone", _("Celular"), type="tel", input_mode="tel", is_optional=True),
    )
    return panel(
        _("Quién es"),
        rx.el.p(SHOWN.email, class_name="o-consent__digest"),
        rx.cond(SHOWN.phone != "", rx.el.p(SHOWN.phone, class_name="o-row__detail")),
        rx.el.div(
            rx.cond(
                SHOWN.phone_path != "",
                rx.fragment(
                    way_to_reach(SHOWN.phone_path, "phone", _("Llamar")),
                    way_to_reach(
                        SHOWN.whatsapp_path, "chat", "WhatsApp", target="_blank", rel="noopener noreferrer"
                    ),
                ),
            ),
            way_to_reach(f"mailto:{SHOWN.email}", "mail", _("Correo")),
            class_name="o-one__next",
        ),
        rx.el.dl(rx.foreach(SHOWN.facts, fact), class_name="o-facts"),
        rx.cond(
            can("change"),
            rx.el.details(
                rx.el.summary(icon("edit", size=18), _("Corregir los datos"), class_name="o-disclosure"),
                rx.el.div(form, key=rx.Var.create(SHOWN.fields).to_string()),
            ),
        ),
        test_id="customer-person",
    )


def orders() -> rx.Component:
    """What they bought, the newest first."""

    def one(order: ObjectVar[OrderRow]) -> rx.Component:
        return rx.el.li(
            rx.el.a(
                rx.el.span(
                    rx.el.b(f"#{order.number} · {order.total_label}"),
                    rx.el.span(order.toys, class_name="o-row__detail"),
                    rx.el.span(order.placed_label, class_name="o-row__detail"),
                    class_name="o-return__what",
                ),
                rx.el.span(rx.foreach(order.chips, state_chip), class_name="o-return__chips"),
                href=f"{ORDERS}/{order.id}",
                class_name="o-row o-return",
            ),
            key=order.id,
            data_testid="customer-order",
        )

    others = rx.el.a(
        _("Ver los otros {n} en Pedidos").format(n=SHOWN.more_orders),
        href=f"{ORDERS}?q={SHOWN.email}",
        class_name="o-link",
    )
    return panel(
        _("Pedidos"),
        rx.cond(
            SHOWN.orders.length() > 0,
            rx.el.ul(rx.foreach(SHOWN.orders, one)),
            rx.el.p(_("Todavía no ha pedido nada."), class_name="o-row__detail"),
        ),
        rx.cond(SHOWN.more_orders > 0, others),
    )


def asked() -> rx.Component:
    """What they asked by the form."""
    return rx.cond(
        SHOWN.pqrs.length() > 0,
        panel(_("PQRS"), rx.el.dl(rx.foreach(SHOWN.pqrs, fact), class_name="o-facts")),
    )


def addresses() -> rx.Component:
    """Where their toys went."""

    def one(place: ObjectVar[PlaceView]) -> rx.Component:
        return rx.el.li(
            rx.el.p(rx.el.b(place.source)),
            rx.el.address(
                rx.foreach(place.lines, lambda text: rx.el.p(text, key=text)), class_name="o-address"
            ),
            key=place.source,
        )

    return rx.cond(
        SHOWN.addresses.length() > 0,
        panel(_("Direcciones"), rx.el.ul(rx.foreach(SHOWN.addresses, one), class_name="o-consents")),
    )


def agreed() -> rx.Component:
    """What they agreed to, with its proof."""
    return panel(
        _("Lo que aceptó"),
        rx.cond(
            SHOWN.consents.length() > 0,
            consents_list(SHOWN.consents),
            rx.el.p(_("No hay autorizaciones guardadas."), class_name="o-row__detail"),
        ),
        test_id="customer-consents",
    )


def taking() -> rx.Component:
    """The file with all that is held on them."""

    def file(kind: str, label: str, style: str) -> rx.Component:
        return rx.el.a(
            icon("download", size=18),
            label,
            href=f"/admin/customers/{SHOWN.id}/export?format={kind}",
            custom_attrs={"reloadDocument": True},
            class_name=f"{BUTTON}button--{style}",
            data_testid=f"customer-export-{kind}",
        )

    prove = rx.el.p(
        _("Para descargarlos entra otra vez con el código de tu teléfono."), class_name="o-row__detail"
    )
    return rx.cond(
        can("export") | can("prove"),
        panel(
            _("Sus datos"),
            rx.el.p(_("Todo lo que la tienda guarda de esta persona."), class_name="o-row__detail"),
            rx.cond(
                can("export"),
                rx.el.div(
                    file("csv", _("Hoja de cálculo"), "dark"),
                    file("json", _("Para programas"), "quiet"),
                    class_name="o-one__next",
                ),
                prove,
            ),
        ),
    )


def erasing() -> rx.Component:
    """What is in the way of deleting their data, or the form that does it."""
    form = rx.el.form(
        rx.el.p(
            _(
                "Borra su cuenta, direcciones, notas y lo que escribió. De sus pedidos pagados queda lo que la factura "
                "necesita, por diez años. No se puede deshacer."
            )
        ),
        office_field(
            CustomerState,
            "erase",
            "email",
            _("Escribe su correo para confirmar"),
            type="email",
            auto_complete="off",
        ),
        rx.el.button(
            _("Suprimir para siempre"),
            type="submit",
            class_name=f"{BUTTON}button--dark",
            data_testid="customer-erase",
        ),
        no_validate=True,
        class_name="o-form",
        on_submit=CustomerState.erase,
    )
    in_the_way = rx.fragment(
        rx.el.p(_("Todavía no se puede: primero hay que terminar esto.")),
        rx.el.ul(rx.foreach(SHOWN.obstacles, lambda text: rx.el.li(text, key=text))),
    )
    return rx.cond(
        can("erase"),
        panel(
            _("Suprimir sus datos"),
            rx.cond(SHOWN.obstacles.length() > 0, in_the_way, form),
            test_id="customer-erasing",
        ),
    )


def notes() -> rx.Component:
    """What the staff wrote, and a form for another note."""

    def one(note: ObjectVar[NoteView]) -> rx.Component:
        return rx.el.li(
            rx.el.p(note.text, class_name="o-event__text"),
            rx.el.p(note.by, rx.cond(note.by != "", " · ", ""), note.when, class_name="o-row__detail"),
            key=note.id,
            class_name="o-event",
            data_tone="note",
        )

    writing = note_form(CustomerState, "customer-note", LONGEST_NOTE)
    return panel(
        _("Notas"),
        rx.cond(can("change"), writing),
        rx.cond(
            SHOWN.notes.length() > 0,
            rx.el.ol(rx.foreach(SHOWN.notes, one), class_name="o-events", data_testid="customer-notes"),
            rx.el.p(_("Ninguna nota."), class_name="o-row__detail"),
        ),
    )
