"""Side panels of an order's screen: customer, address, payment, returns, invoices and consents."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.invoices import InvoiceRow
from backend.office.returns.listing import ReturnRow
from backend.staff.rights import Right
from storefront.components.forms import town_field, town_panel
from storefront.office.components.consents import consents_list
from storefront.office.components.detail import BUTTON, contact_button, fact_row, panel
from storefront.office.components.feedback import state_chip
from storefront.office.components.forms import edit_form, office_field
from storefront.office.components.invoice_files import file_links
from storefront.office.icons import icon
from storefront.office.navigation import CUSTOMERS, INVOICES, NEW_RETURN, RETURNS
from storefront.office.orders.detail_state import VIEW, OrderState, is_allowed
from storefront.office.state import has_right
from storefront.reflex_ext.hooks import text_at


def customer_panel() -> rx.Component:
    """Render the customer and the links to contact them."""
    return panel(
        _("Quién compra"),
        rx.el.p(rx.el.b(VIEW.customer_name)),
        rx.cond(VIEW.document != "", rx.el.p(VIEW.document, class_name="o-row__detail")),
        rx.el.div(
            rx.cond(
                VIEW.phone_path != "",
                rx.fragment(
                    contact_button(
                        VIEW.phone_path,
                        "phone",
                        _("Llamar"),
                        rx.el.span(" ", VIEW.phone, class_name="sr-only"),
                    ),
                    contact_button(
                        VIEW.whatsapp_path, "chat", "WhatsApp", target="_blank", rel="noopener noreferrer"
                    ),
                ),
            ),
            rx.cond(VIEW.email != "", contact_button(f"mailto:{VIEW.email}", "mail", _("Correo"))),
            rx.cond(
                has_right(Right.READ_CUSTOMERS) & (VIEW.customer_id != ""),
                rx.el.a(
                    icon("customers", size=18),
                    _("Ver el cliente"),
                    href=f"{CUSTOMERS}/{VIEW.customer_id}",
                    class_name=f"{BUTTON}button--quiet",
                    data_testid="order-customer",
                ),
            ),
            class_name="o-one__next",
        ),
        rx.el.p(
            VIEW.phone,
            rx.cond((VIEW.phone != "") & (VIEW.email != ""), " · ", ""),
            VIEW.email,
            class_name="o-row__detail",
        ),
        test_id="order-buyer",
    )


@rx.memo
def order_towns_panel() -> rx.Component:
    """Render the municipalities that the search of the order's address form suggests."""
    return town_panel(OrderState.towns, lambda town: {"data_text": town.label})


def address_panel() -> rx.Component:
    """Render the shipping address. As long as no label exists, it has a form to correct the address."""
    address = VIEW.address

    def line(name: str, label: str, **more: Any) -> rx.Component:
        return office_field(OrderState, "address", name, label, default_value=getattr(address, name), **more)

    form = edit_form(
        OrderState,
        OrderState.correct,
        rx.el.input(type="hidden", name="version", value=address.version, read_only=True),
        line("first_name", _("Nombre")),
        line("last_name", _("Apellido")),
        line("phone", _("Celular"), type="tel", input_mode="tel"),
        town_field(
            _("Municipio"),
            OrderState.towns,
            OrderState.towns_for,
            OrderState.find_towns,
            order_towns_panel(),
            element_id="address-town",
            problem=text_at(OrderState.problems, "town"),
            live="",
            default_value=address.town,
        ),
        line("address", _("Dirección")),
        line("suburb", _("Barrio")),
        line("reference", _("Indicaciones"), is_optional=True),
    )
    return panel(
        rx.cond(VIEW.is_pickup, _("Recoge en tienda"), _("A dónde va")),
        rx.el.p(
            rx.el.b(VIEW.recipient, data_testid="order-recipient"),
            rx.cond(VIEW.recipient_phone != "", f" · {VIEW.recipient_phone}", ""),
        ),
        rx.cond(
            ~VIEW.is_pickup,
            rx.el.address(
                rx.foreach(VIEW.address_lines, lambda text: rx.el.p(text, key=text)), class_name="o-address"
            ),
        ),
        rx.el.p(VIEW.shipping_name, class_name="o-row__detail"),
        rx.cond(
            VIEW.delivery_note != "",
            rx.el.p(VIEW.delivery_note, class_name="o-row__detail", data_testid="order-delivery-note"),
        ),
        rx.cond(
            VIEW.promise != "",
            rx.el.p(VIEW.promise, class_name="o-row__detail", data_testid="order-promise"),
        ),
        rx.cond(
            VIEW.gift_message != "",
            rx.el.div(
                rx.el.b(_("Mensaje de regalo")),
                rx.el.p(VIEW.gift_message, class_name="o-event__text", data_testid="order-gift"),
                class_name="o-packing__note",
            ),
        ),
        rx.cond(
            is_allowed("correct"),
            rx.el.details(
                rx.el.summary(
                    icon("edit", size=18),
                    rx.cond(VIEW.is_pickup, _("Corregir los datos"), _("Corregir la dirección")),
                    class_name="o-disclosure",
                ),
                rx.el.div(form, key=address.version),
            ),
        ),
        test_id="order-address",
    )


def payment_panel() -> rx.Component:
    """Render the payment: its status, method, facts, and refunded amount."""
    paid = VIEW.payment
    return panel(
        _("Pago"),
        rx.el.p(state_chip(paid.chip), " ", paid.method, class_name="o-paid"),
        rx.cond(
            paid.difference != "",
            rx.el.p(rx.el.b(paid.difference), class_name="o-packing__note", data_testid="order-difference"),
        ),
        rx.cond(
            paid.unused != "",
            rx.el.p(rx.el.b(paid.unused), class_name="o-packing__note", data_testid="order-unused"),
        ),
        rx.el.dl(rx.foreach(paid.facts, fact_row), class_name="o-facts"),
        rx.cond(
            paid.refunded_label != "", rx.el.p(_("Devuelto: {amount}").format(amount=paid.refunded_label))
        ),
        test_id="order-payment",
    )


def returns_panel() -> rx.Component:
    """Render the order's returns, and a link to open a new return."""

    def return_item(row: ObjectVar[ReturnRow]) -> rx.Component:
        return rx.el.li(
            rx.el.a(row.kind, " ", row.number, href=f"{RETURNS}/{row.id}", class_name="o-link"),
            rx.foreach(row.chips, state_chip),
            key=row.id,
        )

    opening = rx.el.a(
        icon("undo", size=18),
        _("Abrir una devolución"),
        href=f"{NEW_RETURN}?pedido={VIEW.id}",
        class_name=f"{BUTTON}button--quiet",
        data_testid="order-return",
    )
    return rx.cond(
        is_allowed("return") | (VIEW.returns.length() > 0),
        panel(
            _("Devoluciones"),
            rx.el.ul(rx.foreach(VIEW.returns, return_item), class_name="o-links"),
            rx.cond(is_allowed("return"), opening),
            test_id="order-returns",
        ),
    )


def invoices_panel() -> rx.Component:
    """Render the order's invoice and credit notes, if there are any."""

    def invoice_item(row: ObjectVar[InvoiceRow]) -> rx.Component:
        return rx.el.li(
            rx.el.a(row.title, href=f"{INVOICES}?q={VIEW.number}", class_name="o-link"),
            state_chip(row.chip),
            file_links(row),
            key=row.id,
        )

    return rx.cond(
        VIEW.invoices.length() > 0,
        panel(
            _("Facturas"),
            rx.el.ul(rx.foreach(VIEW.invoices, invoice_item), class_name="o-links"),
            test_id="order-invoices",
        ),
    )


def consents_panel() -> rx.Component:
    """Render the customer's consents with their proofs."""
    return rx.cond(
        VIEW.consents.length() > 0,
        panel(
            _("Lo que aceptó"),
            consents_list(VIEW.consents),
            test_id="order-consents",
        ),
    )
