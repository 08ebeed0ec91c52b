"""Components of a customer's screen (Cliente): contact, orders, consents and staff notes."""

from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.customers.notes import MAX_NOTE_LENGTH
from backend.office.customers.detail import KnownAddress, NoteView
from backend.office.orders.listing import OrderRow
from storefront.components.forms import SubmitOnce
from storefront.office.components.consents import consents_list
from storefront.office.components.detail import (
    BUTTON,
    contact_button,
    detail_screen,
    fact_row,
    note_form,
    panel,
    skeleton,
)
from storefront.office.components.feedback import state_chip
from storefront.office.components.forms import edit_form, office_field
from storefront.office.components.history import history_panel
from storefront.office.customers.detail_state import CustomerState
from storefront.office.icons import icon
from storefront.office.navigation import CUSTOMERS, ORDERS
from storefront.office.state import answer_number
from storefront.reflex_ext.numbers import grouped

TITLE = _("Cliente")
VIEW = CustomerState.content


def page() -> rx.Component:
    """Render the customer's screen."""
    content = rx.fragment(
        status_line(),
        rx.el.div(
            rx.el.div(orders_panel(), pqrs_panel(), class_name="o-order__main"),
            rx.el.div(
                contact_panel(),
                addresses_panel(),
                consents_panel(),
                data_export_panel(),
                class_name="o-order__side",
            ),
            rx.el.div(
                SubmitOnce.create(
                    notes_panel(), answers=answer_number(CustomerState), empties=CustomerState.note_count
                ),
                history_panel(VIEW.id),
                class_name="o-order__past",
            ),
            class_name="o-order__columns",
        ),
        SubmitOnce.create(erasure_panel(), answers=answer_number(CustomerState)),
    )
    title = rx.cond(CustomerState.content, VIEW.name, TITLE)
    return detail_screen(CustomerState, title, (_("Clientes"), CUSTOMERS), content, skeleton())


def is_allowed(action: str) -> rx.Var[bool]:
    """Return a variable that is True if the staff member may do this to the customer now."""
    return VIEW.actions.contains(action)


def status_line() -> rx.Component:
    """Render the account status, and links to other customer records with the same e-mail address."""

    def record_link(record: ArrayVar[tuple[str, str]]) -> rx.Component:
        return rx.el.a(record[1], href=f"{CUSTOMERS}/{record[0]}", key=record[0], class_name="o-link")

    return rx.el.div(
        state_chip(VIEW.chip),
        rx.foreach(VIEW.others, record_link),
        class_name="o-one__head",
        data_testid="customer-state",
    )


def contact_panel() -> rx.Component:
    """Render the contact data. Staff with the right to change them get a form."""

    def line(name: str, label: str, **more: Any) -> rx.Component:
        value = getattr(VIEW.fields, name)
        return office_field(CustomerState, "person", name, label, default_value=value, **more)

    form = edit_form(
        CustomerState,
        CustomerState.correct,
        line("first_name", _("Nombre")),
        line("last_name", _("Apellido")),
        line("phone", _("Celular"), type="tel", input_mode="tel", is_optional=True),
    )
    return panel(
        _("Quién es"),
        rx.el.p(VIEW.email, class_name="o-consent__digest"),
        rx.cond(VIEW.phone != "", rx.el.p(VIEW.phone, class_name="o-row__detail")),
        rx.el.div(
            rx.cond(
                VIEW.phone_path != "",
                rx.fragment(
                    contact_button(VIEW.phone_path, "phone", _("Llamar")),
                    contact_button(
                        VIEW.whatsapp_path, "chat", "WhatsApp", target="_blank", rel="noopener noreferrer"
                    ),
                ),
            ),
            contact_button(f"mailto:{VIEW.email}", "mail", _("Correo")),
            class_name="o-one__next",
        ),
        rx.el.dl(rx.foreach(VIEW.facts, fact_row), class_name="o-facts"),
        rx.cond(
            is_allowed("change"),
            rx.el.details(
                rx.el.summary(icon("edit", size=18), _("Corregir los datos"), class_name="o-disclosure"),
                rx.el.div(form, key=rx.Var.create(VIEW.fields).to_string()),
            ),
        ),
        test_id="customer-person",
    )


def orders_panel() -> rx.Component:
    """Render the customer's orders, the newest first."""

    def order_item(order: ObjectVar[OrderRow]) -> rx.Component:
        return rx.el.li(
            rx.el.a(
                rx.el.span(
                    rx.el.b(f"#{order.number} · {order.total_label}"),
                    rx.el.span(order.products, class_name="o-row__detail"),
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
        _("Ver los otros {n} en Pedidos").format(n=grouped(VIEW.more_orders)),
        href=f"{ORDERS}?q={VIEW.email}",
        class_name="o-link",
    )
    return panel(
        _("Pedidos"),
        rx.cond(
            VIEW.orders.length() > 0,
            rx.el.ul(rx.foreach(VIEW.orders, order_item)),
            rx.el.p(_("Todavía no ha pedido nada."), class_name="o-row__detail"),
        ),
        rx.cond(VIEW.more_orders > 0, others),
    )


def pqrs_panel() -> rx.Component:
    """Render the customer's PQRS requests."""
    return rx.cond(
        VIEW.pqrs.length() > 0,
        panel(_("PQRS"), rx.el.dl(rx.foreach(VIEW.pqrs, fact_row), class_name="o-facts")),
    )


def addresses_panel() -> rx.Component:
    """Render the customer's addresses."""

    def address_item(place: ObjectVar[KnownAddress]) -> rx.Component:
        return rx.el.li(
            rx.el.p(rx.el.b(place.source)),
            rx.el.address(
                rx.foreach(place.lines, lambda text: rx.el.p(text, key=text)), class_name="o-address"
            ),
            key=place.source,
        )

    return rx.cond(
        VIEW.addresses.length() > 0,
        panel(_("Direcciones"), rx.el.ul(rx.foreach(VIEW.addresses, address_item), class_name="o-consents")),
    )


def consents_panel() -> rx.Component:
    """Render the customer's consents with their proofs."""
    return panel(
        _("Lo que aceptó"),
        rx.cond(
            VIEW.consents.length() > 0,
            consents_list(VIEW.consents),
            rx.el.p(_("No hay autorizaciones guardadas."), class_name="o-row__detail"),
        ),
        test_id="customer-consents",
    )


def data_export_panel() -> rx.Component:
    """Render the links that export the customer's personal data."""

    def file_link(kind: str, label: str, style: str) -> rx.Component:
        return rx.el.a(
            icon("download", size=18),
            label,
            href=f"/admin/customers/{VIEW.id}/export?format={kind}",
            custom_attrs={"reloadDocument": True},
            class_name=f"{BUTTON}button--{style}",
            data_testid=f"customer-export-{kind}",
        )

    prove = rx.el.p(
        _("Para descargarlos entra otra vez con el código de tu teléfono."), class_name="o-row__detail"
    )
    return rx.cond(
        is_allowed("export") | is_allowed("prove"),
        panel(
            _("Sus datos"),
            rx.el.p(_("Todo lo que la tienda guarda de esta persona."), class_name="o-row__detail"),
            rx.cond(
                is_allowed("export"),
                rx.el.div(
                    file_link("csv", _("Hoja de cálculo"), "dark"),
                    file_link("json", _("Para programas"), "quiet"),
                    class_name="o-one__next",
                ),
                prove,
            ),
        ),
    )


def erasure_panel() -> rx.Component:
    """Render the form that deletes the customer's personal data, or the reasons why they cannot be deleted now."""
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
        rx.el.ul(rx.foreach(VIEW.obstacles, lambda text: rx.el.li(text, key=text))),
    )
    return rx.cond(
        is_allowed("erase"),
        panel(
            _("Suprimir sus datos"),
            rx.cond(VIEW.obstacles.length() > 0, in_the_way, form),
            test_id="customer-erasing",
        ),
    )


def notes_panel() -> rx.Component:
    """Render the staff notes, and a form for another note."""

    def note_item(note: ObjectVar[NoteView]) -> rx.Component:
        return rx.el.li(
            rx.el.p(note.text, class_name="o-event__text"),
            rx.el.p(
                note.author, rx.cond(note.author != "", " · ", ""), note.when, class_name="o-row__detail"
            ),
            key=note.id,
            class_name="o-event",
            data_tone="note",
        )

    writing = note_form(CustomerState, "customer-note", MAX_NOTE_LENGTH)
    return panel(
        _("Notas"),
        rx.cond(is_allowed("change"), writing),
        rx.cond(
            VIEW.notes.length() > 0,
            rx.el.ol(rx.foreach(VIEW.notes, note_item), class_name="o-events", data_testid="customer-notes"),
            rx.el.p(_("Ninguna nota."), class_name="o-row__detail"),
        ),
    )
