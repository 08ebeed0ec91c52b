"""Form that pays the difference of an edited order, on the page of its payment link."""

from typing import Any

import reflex as rx

from backend.core.texts import _
from backend.payment.providers.pse.payer import DOCUMENT_TYPES
from storefront.components.forms import BUSY, SubmitOnce, field, select_field, spinner_or_icon
from storefront.components.icons import icon
from storefront.reflex_ext.hooks import text_at


def difference_form(state: Any, view: Any) -> rx.Component:
    """Build the order's number, the amount of the difference, and the form that opens the bank's page.

    If the payment was started already, a link back to the bank's page is displayed instead of the form.
    """
    bank = select_field(
        _("Banco"),
        (
            rx.el.option(_("Elige tu banco"), value=""),
            rx.foreach(state.banks, lambda one: rx.el.option(one.label, value=one.value, key=one.value)),
        ),
        element_id="pay-bank",
        problem=text_at(state.problems, "bank"),
        name="bank",
        data_testid="bank-select",
    )
    form = rx.el.form(
        rx.el.input(type="hidden", name="token", value=view.token, read_only=True),
        rx.el.input(type="hidden", name="amount", value=view.owed.to_string(), read_only=True),
        rx.cond(state.banks_problem != "", rx.el.p(state.banks_problem, class_name="alert", role="alert")),
        bank,
        rx.cond(view.needs_document, document_fields(state)),
        rx.el.button(
            spinner_or_icon("bank", BUSY),
            _("Pagar "),
            view.total_label,
            type="submit",
            class_name="button button--primary",
            data_testid="pay-difference",
        ),
        class_name="account-form",
        no_validate=True,
        on_submit=state.pay_difference,
    )
    return rx.el.div(
        rx.el.p(_("Pedido "), view.order_number, class_name="account__soft"),
        rx.el.p(_("Diferencia por pagar: "), rx.el.b(view.total_label, data_testid="pay-total")),
        rx.el.p(
            _("Cambiamos tu pedido como lo acordamos contigo. Cuando el banco la apruebe, lo empacamos.")
        ),
        rx.cond(
            view.bank_url != "",
            rx.el.a(
                icon("bank", size=20),
                _("Volver a mi banco"),
                href=view.bank_url,
                class_name="button button--dark",
                custom_attrs={"reloadDocument": True},
                data_testid="go-to-bank",
            ),
            SubmitOnce.create(rx.el.div(form), answers=state.answers),
        ),
        class_name="pay__sale",
        on_mount=state.load_banks,
        data_testid="pay-form",
    )


def document_fields(state: Any) -> rx.Component:
    """Build the fields of the payer's identity document, for an order that has none."""
    kinds = [rx.el.option(kind.label, value=code) for code, kind in DOCUMENT_TYPES.items()]
    return rx.fragment(
        select_field(
            _("Documento"),
            kinds,
            element_id="pay-doc_type",
            problem=text_at(state.problems, "doc_type"),
            name="doc_type",
        ),
        field(
            "doc_number",
            _("Número"),
            element_id="pay-doc_number",
            problem=text_at(state.problems, "doc_number"),
            auto_complete="off",
        ),
    )
