"""Panel on an order's screen: the difference of an edit that the customer must pay, or the shop must give back."""

from typing import Any

import reflex as rx

from backend.core.texts import _
from backend.office.orders.editing import receipt_methods
from storefront.components.forms import SubmitOnce
from storefront.office.components.detail import BUTTON, contact_button
from storefront.office.components.forms import hidden_field, office_select
from storefront.office.components.sale import reference_field
from storefront.office.orders.detail_state import VIEW, OrderState, is_allowed
from storefront.office.state import answer_number


def difference_panel() -> rx.Component:
    """Render the amount of the difference, its payment link, and the form that records its payment or refund."""
    is_owed = VIEW.difference.kind == "owed"
    return rx.el.section(
        rx.el.h2(
            rx.cond(is_owed, _("Falta pagar la diferencia"), _("Hay que devolver la diferencia")),
            class_name="o-section__title",
        ),
        rx.el.p(
            rx.el.b(VIEW.difference.amount_label),
            " · ",
            rx.cond(
                is_owed,
                _("El pedido cambió y cuesta más. No se empaca hasta que el comprador pague."),
                _("El pedido cambió y cuesta menos."),
            ),
        ),
        rx.cond(is_owed, _payment_link()),
        rx.cond(is_allowed("receive"), _receipt_form(_("Anotar el pago"), OrderState.receive)),
        rx.cond(is_allowed("give_back"), _receipt_form(_("Ya la devolví"), OrderState.give_back)),
        class_name="o-panel o-section",
        role="status",
        data_testid="order-edit-difference",
    )


def _payment_link() -> rx.Component:
    """Render the payment link of the difference, and the button that sends it by WhatsApp."""
    return rx.el.div(
        rx.el.input(
            value=VIEW.difference.url,
            read_only=True,
            aria_label=_("Enlace de pago"),
            class_name="field__input",
            data_testid="difference-url",
        ),
        rx.cond(
            VIEW.difference.whatsapp_path != "",
            contact_button(
                VIEW.difference.whatsapp_path,
                "chat",
                _("Enviarlo por WhatsApp"),
                target="_blank",
                rel="noopener noreferrer",
            ),
        ),
        class_name="o-sell__done",
    )


def _receipt_form(label: str, on_submit: Any) -> rx.Component:
    methods = [rx.el.option(name, value=value) for value, name in receipt_methods()]
    form = rx.el.form(
        hidden_field("amount", VIEW.difference.amount.to_string()),
        office_select(OrderState, "difference", "method", _("Cómo"), methods),
        reference_field(
            OrderState, "difference", _("El número de la transferencia, del datáfono o del recibo.")
        ),
        rx.el.button(label, type="submit", class_name=f"{BUTTON}button--dark", data_testid="difference-save"),
        class_name="o-sell__form",
        no_validate=True,
        on_submit=on_submit,
    )
    return SubmitOnce.create(rx.el.div(form), answers=answer_number(OrderState))
