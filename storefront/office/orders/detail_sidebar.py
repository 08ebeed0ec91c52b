"""Beside one order: who buys, where it goes, and how it is paid."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.invoices import InvoiceRow
from backend.office.returns.listing import ReturnRow
from backend.staff.rights import Right
from storefront.components.forms import town_field, town_panel
from storefront.office.components.consents import consents_list
from storefront.office.components.detail import BUTTON, fact, panel, way_to_reach
from storefront.office.components.feedback import state_chip
from storefront.office.components.forms import edit_form, office_field
from storefront.office.components.invoice_files import file_links
from storefront.office.icons import icon
from storefront.office.navigation import CUSTOMERS, INVOICES, NEW_RETURN, RETURNS
from storefront.office.orders.detail_state import SHOWN, OrderState, can
from storefront.office.state import may
from storefront.reflex_ext.hooks import text_at


def buyer() -> rx.Component:
    """Who bought it, and how to reach them."""
    return panel(
        _("Quién compra"),
        rx.el.p(rx.el.b(SHOWN.buyer)),
        rx.cond(SHOWN.document != "", rx.el.p(SHOWN.document, class_name="o-row__detail")),
        rx.el.div(
            rx.cond(
                SHOWN.phone_path != "",
                rx.fragment(
                    way_to_reach(
                        SHOWN.phone_path,
                        "phone",
                        _("Llamar"),
                        rx.el.span(" ", SHOWN.phone, class_name="sr-only"),
                    ),
                    way_to_reach(
                        SHOWN.whatsapp_path, "chat", "WhatsApp", target="_blank", rel="noopener noreferrer"
                    ),
                ),
            ),
            rx.cond(SHOWN.email != "", way_to_reach(f"mailto:{SHOWN.email}", "mail", _("Correo"))),
            rx.cond(
                may(Right.READ_CUSTOMERS) & (SHOWN.customer_id != ""),
                rx.el.a(
                    icon("customers", size=18),
                    _("Ver el cliente"),
                    href=f"{CUSTOMERS}/{SHOWN.customer_id}",
                    class_name=f"{BUTTON}button--quiet",
                    data_testid="order-customer",
                ),
            ),
            class_name="o-one__next",
        ),
        rx.el.p(
            SHOWN.phone,
            rx.cond((SHOWN.phone != "") & (SHOWN.email != ""), " · ", ""),
            SHOWN.email,
            class_name="o-row__detail",
        ),
        test_id="order-buyer",
    )


@rx.memo
def order_towns_panel() -> rx.Component:
    """The municipalities to pick from."""
    return town_panel(OrderState.towns, lambda town: {"data_text": town.label})


def destination() -> rx.Component:
    """Where it goes, and a form for a better address while nothing has a label."""
    address = SHOWN.address

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
        rx.cond(SHOWN.is_pickup, _("Recoge en tienda"), _("A dónde va")),
        rx.el.p(rx.el.b(SHOWN.recipient)),
        rx.el.address(
            rx.foreach(SHOWN.address_lines, lambda text: rx.el.p(text, key=text)), class_name="o-address"
        ),
        rx.el.p(SHOWN.shipping_name, class_name="o-row__detail"),
        rx.cond(
            SHOWN.gift_message != "",
            rx.el.div(
                rx.el.b(_("Mensaje de regalo")),
                rx.el.p(SHOWN.gift_message, class_name="o-event__text", data_testid="order-gift"),
                class_name="o-packing__note",
            ),
        ),
        rx.cond(
            can("correct"),
            rx.el.details(
                rx.el.summary(icon("edit", size=18), _("Corregir la dirección"), class_name="o-disclosure"),
                rx.el.div(form, key=address.version),
            ),
        ),
        test_id="order-address",
    )


def payment() -> rx.Component:
    """How it is paid."""
    paid = SHOWN.payment
    return panel(
        _("Pago"),
        rx.el.p(state_chip(paid.chip), " ", paid.way, class_name="o-paid"),
        rx.cond(
            paid.difference != "",
            rx.el.p(rx.el.b(paid.difference), class_name="o-packing__note", data_testid="order-difference"),
        ),
        rx.el.dl(rx.foreach(paid.facts, fact), class_name="o-facts"),
        rx.cond(
            paid.refunded_label != "", rx.el.p(_("Devuelto: {amount}").format(amount=paid.refunded_label))
        ),
        test_id="order-payment",
    )


def returns() -> rx.Component:
    """What was asked back of it, and the way to open another return."""

    def one(row: ObjectVar[ReturnRow]) -> rx.Component:
        return rx.el.li(
            rx.el.a(row.kind, " ", row.number, href=f"{RETURNS}/{row.id}", class_name="o-link"),
            rx.foreach(row.chips, state_chip),
            key=row.id,
        )

    opening = rx.el.a(
        icon("undo", size=18),
        _("Abrir una devolución"),
        href=f"{NEW_RETURN}?pedido={SHOWN.id}",
        class_name=f"{BUTTON}button--quiet",
        data_testid="order-return",
    )
    return rx.cond(
        can("return") | (SHOWN.returns.length() > 0),
        panel(
            _("Devoluciones"),
            rx.el.ul(rx.foreach(SHOWN.returns, one), class_name="o-links"),
            rx.cond(can("return"), opening),
            test_id="order-returns",
        ),
    )


def invoices() -> rx.Component:
    """Its invoice and its credit notes."""

    def one(row: ObjectVar[InvoiceRow]) -> rx.Component:
        return rx.el.li(
            rx.el.a(row.title, href=f"{INVOICES}?q={SHOWN.number}", class_name="o-link"),
            state_chip(row.chip),
            file_links(row),
            key=row.id,
        )

    return rx.cond(
        SHOWN.invoices.length() > 0,
        panel(
            _("Facturas"),
            rx.el.ul(rx.foreach(SHOWN.invoices, one), class_name="o-links"),
            test_id="order-invoices",
        ),
    )


def consents() -> rx.Component:
    """What the buyer agreed to, with its proof."""
    return rx.cond(
        SHOWN.consents.length() > 0,
        panel(
            _("Lo que aceptó"),
            consents_list(SHOWN.consents),
            test_id="order-consents",
        ),
    )
