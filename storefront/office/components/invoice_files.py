"""Links to the PDF and the XML of an invoice."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.office.invoices import InvoiceRow
from storefront.office.icons import icon


def file_links(row: ObjectVar[InvoiceRow]) -> rx.Component:
    """Render the links to the invoice's files, if it has any."""

    def file_link(name: str, href: Any) -> rx.Component:
        return rx.el.a(
            icon("download", size=18),
            name,
            rx.el.span(" ", row.title, class_name="sr-only"),
            href=href,
            download="",
            class_name="button button--small button--quiet",
            custom_attrs={"reloadDocument": True},
            data_testid=f"invoice-{name.lower()}",
        )

    return rx.cond(
        row.pdf_href != "",
        rx.el.span(
            file_link("PDF", row.pdf_href), file_link("XML", row.xml_href), class_name="o-invoice__files"
        ),
    )
