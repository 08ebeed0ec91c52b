"""The panel of file exports: request a file, follow its progress, and download it."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.exports.models import FileFormat
from backend.office.exports import ExportView, KindOption
from storefront.components.forms import SubmitOnce, select_field
from storefront.office.icons import icon
from storefront.office.state import answer_number

FORMATS = {FileFormat.XLSX: "Excel (XLSX)", FileFormat.CSV: "CSV"}


def exports_panel(state: Any) -> rx.Component:
    """Render the panel of file exports. `state` must have `exports_panel`, `kinds` and an event handler `prepare`."""

    def choice(name: str, label: str, options: list[rx.Component]) -> rx.Component:
        return select_field(
            label, options, element_id=f"export-{name}", problem=rx.Var.create(""), live="", name=name
        )

    def option(kind: ObjectVar[KindOption]) -> rx.Component:
        return rx.el.option(kind.title, value=kind.name, key=kind.name)

    form = rx.el.form(
        choice("kind", _("Qué"), [rx.foreach(state.kinds, option)]),
        choice(
            "format",
            _("Formato"),
            [rx.el.option(text, value=file_format) for file_format, text in FORMATS.items()],
        ),
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
        SubmitOnce.create(form, answers=answer_number(state)),
        rx.el.ul(rx.foreach(state.exports, export_row), class_name="o-exports", aria_label=_("Archivos")),
        class_name="o-panel",
    )


def export_row(view: ObjectVar[ExportView]) -> rx.Component:
    """Render an export: its progress, and then the link to download the file."""
    return rx.el.li(
        rx.el.span(view.title, class_name="o-row__title"),
        rx.el.span(view.about, class_name="o-row__detail"),
        rx.cond(
            view.is_done,
            rx.el.a(
                icon("download", size=18),
                _("Descargar"),
                href=view.href,
                download="",
                class_name="button button--small button--quiet",
                custom_attrs={"reloadDocument": True},
                data_testid="export-fetch",
            ),
            rx.el.progress(
                value=view.done, max=view.total, class_name="o-bulk__progress", aria_label=view.title
            ),
        ),
        key=view.id,
        class_name="o-export",
        data_testid="export-row",
    )
