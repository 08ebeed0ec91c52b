"""The order's invoice and credit notes on the customer's page: number, code, PDF and XML."""

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.invoices.files import CUSTOMER_PATH, PDF, XML, CustomerInvoice
from storefront.pages.order.sections import section


def invoices_section(shown: ArrayVar[list[CustomerInvoice]], token: rx.Var[str]) -> rx.Component:
    """Build the section of invoice documents, if there are any. `token` gives access to their files."""
    content = rx.foreach(shown, lambda document: invoice_files(document, token))
    return rx.cond(shown.length() > 0, section(_("Factura electrónica"), content, name="factura"))


def invoice_files(document: ObjectVar[CustomerInvoice], token: rx.Var[str]) -> rx.Component:
    """Build an invoice document: its title, its code, and the links to its PDF and XML files."""

    def link(kind: str) -> rx.Component:
        return rx.el.a(
            kind.upper(),
            rx.el.span(" ", document.title, class_name="sr-only"),
            href=f"{CUSTOMER_PATH}/{document.id}/{kind}?token={token}",
            download="",
            class_name="button button--small button--quiet",
            custom_attrs={"reloadDocument": True},
            data_testid=f"invoice-{kind}",
        )

    return rx.el.div(
        rx.el.p(rx.el.b(document.title), class_name="order__invoice-title"),
        rx.el.p(document.code_name, " ", document.code, class_name="order__invoice-code"),
        rx.el.div(link(PDF), link(XML), class_name="order__invoice-files"),
        key=document.id,
        class_name="order__invoice",
        data_testid="order-invoice",
    )
