"""The order's invoice and credit notes on the page of its buyer: number, code, PDF and XML."""

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.invoices.files import BUYERS, PDF, XML, BuyersInvoice
from storefront.pages.order.sections import section


def invoices(shown: ArrayVar[list[BuyersInvoice]], token: rx.Var[str]) -> rx.Component:
    """All of them; nothing while none was made. `token` opens their files."""
    content = rx.foreach(shown, lambda one: invoice(one, token))
    return rx.cond(shown.length() > 0, section(_("Factura electrónica"), content, name="factura"))


def invoice(one: ObjectVar[BuyersInvoice], token: rx.Var[str]) -> rx.Component:
    """A document and its files."""

    def link(kind: str) -> rx.Component:
        return rx.el.a(
            kind.upper(),
            rx.el.span(" ", one.title, class_name="sr-only"),
            href=f"{BUYERS}/{one.id}/{kind}?token={token}",
            download="",
            class_name="button button--small button--quiet",
            custom_attrs={"reloadDocument": True},
            data_testid=f"invoice-{kind}",
        )

    return rx.el.div(
        rx.el.p(rx.el.b(one.title), class_name="order__invoice-title"),
        rx.el.p(one.code_name, " ", one.code, class_name="order__invoice-code"),
        rx.el.div(link(PDF), link(XML), class_name="order__invoice-files"),
        key=one.id,
        class_name="order__invoice",
        data_testid="order-invoice",
    )
