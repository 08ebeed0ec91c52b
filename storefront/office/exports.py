"""Files of orders, toys, customers and movements: asking for one, how far it is, and fetching it."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.exports.models import FileFormat
from backend.office.exports import ExportView, KindOption
from storefront.components.forms import Once, select_field
from storefront.office.icons import icon
from storefront.office.state import answers

FORMATS = {FileFormat.XLSX: "Excel (XLSX)", FileFormat.CSV: "CSV"}


def exports(state: Any) -> rx.Component:
    """All of it. `state` is the screen's: it has `exports` and `kinds`, and a handler `prepare`."""

    def choice(name: str, label: str, options: list[rx.Component]) -> rx.Component:
        return select_field(
            label, options, element_id=f"export-{name}", problem=rx.Var.create(""), live="", name=name
        )

    def option(kind: ObjectVar[KindOption]) -> rx.Component:
        return rx.el.option(kind.title, value=kind.name, key=kind.name)

    form = rx.el.form(
        choice("kind", _("Qué"), [rx.foreach(state.kinds, option)]),
        choice("format", _("Formato"), [rx.el.option(text, value=one) for one, text in FORMATS.items()]),
        rx.el.button(
            _("Preparar archivo"),
            type="submit",
            class_name="button button--dark button--small",
            data_testid="export-prepare",
        ),
        class_name="o-report__range",
        on_submit=state.prepare,
    )
    return rx.el.section(
        rx.el.h2(_("Descargas"), class_name="o-section__title"),
        rx.el.p(
            _("Pedidos, ventas y movimientos de estos días; clientes y productos, todos."),
            class_name="o-row__detail",
        ),
        Once.create(form, answers=answers(state)),
        rx.el.ul(rx.foreach(state.exports, file), class_name="o-exports", aria_label=_("Archivos")),
        class_name="o-panel",
    )


def file(one: ObjectVar[ExportView]) -> rx.Component:
    """A file: how far it is, then the way to it."""
    return rx.el.li(
        rx.el.span(one.title, class_name="o-row__title"),
        rx.el.span(one.about, class_name="o-row__detail"),
        rx.cond(
            one.is_done,
            rx.el.a(
                icon("download", size=18),
                _("Descargar"),
                href=one.href,
                download="",
                class_name="button button--small button--quiet",
                custom_attrs={"reloadDocument": True},
                data_testid="export-fetch",
            ),
            rx.el.progress(
                value=one.done, max=one.total, class_name="o-bulk__progress", aria_label=one.title
            ),
        ),
        key=one.id,
        class_name="o-export",
        data_testid="export-row",
    )
