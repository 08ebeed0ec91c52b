"""The import screen (Importar): upload a spreadsheet with pictures, preview, progress, and refused rows."""

import reflex as rx

from backend.core.error_texts import SESSION_ENDED
from backend.core.texts import _
from backend.imports.api.routes import PATH
from backend.imports.row_pages import RowList
from backend.imports.spreadsheet_parsing import MAX_ROWS
from backend.staff.rights import Right
from storefront.components.forms import SubmitOnce
from storefront.components.react_components import on_text
from storefront.office.components.feedback import chip, screen
from storefront.office.exports import FORMATS, export_row
from storefront.office.imports.mapping import mapping_panel
from storefront.office.imports.row_lists import (
    changes_list,
    download_link,
    once_button,
    pager,
    problems_list,
    text_list,
)
from storefront.office.imports.running import confirm_panel, progress_panel, unfinished_panel
from storefront.office.imports.state import CURRENT_IMPORT, VIEW, ImportState
from storefront.office.layout import office_layout
from storefront.office.navigation import IMPORT, REDIRECTS
from storefront.office.state import answer_number, has_right
from storefront.reflex_ext.hooks import script

TITLE = _("Importar")
TEXTS = {
    "choose": _("Elegir la hoja y las fotos"),
    "choose_more": _("Elegir fotos, un zip u otra hoja"),
    "rules": _(
        "Excel (.xlsx) o CSV, hasta 10 MB y {rows} filas. Las fotos: sueltas o en un zip de hasta 100 MB."
    ).format(rows=MAX_ROWS),
    "rules_more": _("Las fotos se llaman como en la hoja. También puedes arrastrarlas aquí."),
    "sending": _("Enviando…"),
    "pictures": _("{n} de {total} fotos"),
    "done": _("Todo llegó."),
    "other": _("no es una hoja, una foto ni un zip."),
    "one_sheet": _("Envía una sola hoja."),
    "sheet_first": _("Envía primero la hoja."),
    "more": _("Y {n} más."),
    "busy": _("La tienda está ocupada. Inténtalo en un momento."),
    "offline": _("Se cortó la conexión. Envíalo otra vez."),
    "stopped": _("No se envió."),
    "ended": SESSION_ENDED,
    "forbidden": _("Tu rol no permite hacer esto."),
    "too_large": _("Es demasiado grande."),
    "failed": _("No se pudo leer. Inténtalo otra vez."),
}


class SpreadsheetDrop(rx.Component):
    """The area where a spreadsheet and its pictures are dropped: see `assets/scripts/office/spreadsheet.jsx`."""

    library = script("office/spreadsheet")
    tag = "SpreadsheetDrop"
    texts: rx.Var[dict[str, str]]
    import_id: rx.Var[str]
    on_sent: rx.EventHandler[rx.event.no_args_event_spec]  # type: ignore[type-arg, valid-type]
    on_pictures_sent: rx.EventHandler[on_text]  # type: ignore[type-arg, valid-type]
    on_refused: rx.EventHandler[rx.event.no_args_event_spec]  # type: ignore[type-arg, valid-type]


def page() -> rx.Component:
    """Render the import screen."""
    content = rx.fragment(
        upload_panel(),
        rx.cond(VIEW.unfinished.length() > 0, unfinished_panel()),
        rx.cond(VIEW.current, import_panel()),
        rx.cond(has_right(Right.READ_REPORTS), export_panel()),
    )
    return office_layout(ImportState, IMPORT, TITLE, screen(ImportState, content))


def upload_panel() -> rx.Component:
    """Render the area where the spreadsheet and the pictures are dropped."""
    is_open = VIEW.current.is_not_none() & (CURRENT_IMPORT.status == "checked")
    return rx.el.section(
        rx.el.p(
            _("Envía tu hoja con sus fotos. Primero se ve qué cambia; nada se guarda antes de «Importar»."),
            class_name="o-row__detail",
        ),
        SpreadsheetDrop.create(
            texts=rx.Var.create(TEXTS),
            import_id=rx.cond(is_open, CURRENT_IMPORT.id, ""),
            on_sent=ImportState.show_newest,
            on_pictures_sent=ImportState.check_pictures,
            on_refused=ImportState.drop_preview,
        ),
        download_link(f"{PATH}/template", "download", _("Descargar la plantilla"), "import-template"),
        rx.el.p(
            _("¿Vienes de otra tienda? Los enlaces viejos pueden llevar a tus productos: "),
            rx.el.a(_("Direcciones anteriores"), href=REDIRECTS, class_name="o-link"),
            class_name="o-row__detail",
        ),
        class_name="o-panel o-import",
    )


def import_panel() -> rx.Component:
    """Render the current import: its preview, its progress, or its result."""
    tone = rx.match(CURRENT_IMPORT.status, ("done", "good"), ("running", "wait"), ("stopped", "bad"), "plain")
    return rx.el.section(
        rx.el.div(
            rx.el.h2(CURRENT_IMPORT.name, class_name="o-section__title"),
            chip(CURRENT_IMPORT.status_text, tone),
            class_name="o-bulk__head",
        ),
        rx.el.p(
            CURRENT_IMPORT.summary, class_name="o-row__title", role="status", data_testid="import-summary"
        ),
        rx.el.p(CURRENT_IMPORT.format, class_name="o-row__detail", data_testid="import-format"),
        rx.foreach(
            CURRENT_IMPORT.file_notes,
            lambda note: rx.el.p(note, class_name="o-row__detail", data_testid="import-file-note"),
        ),
        rx.cond(
            CURRENT_IMPORT.ignored != "",
            rx.el.p(_("Columnas que no se importan: "), CURRENT_IMPORT.ignored, class_name="o-row__detail"),
        ),
        rx.cond(
            (CURRENT_IMPORT.status == "running") | (CURRENT_IMPORT.status == "stopped"), progress_panel()
        ),
        rx.cond(
            (CURRENT_IMPORT.status == "checked") & (CURRENT_IMPORT.mapping.length() > 0), mapping_panel()
        ),
        rx.cond(
            CURRENT_IMPORT.status == "checked",
            SubmitOnce.create(
                rx.el.form(confirm_panel(), on_submit=ImportState.begin), answers=answer_number(ImportState)
            ),
        ),
        problems_list(),
        text_list(
            CURRENT_IMPORT.set_aside, CURRENT_IMPORT.set_aside_count, "import-set-aside", is_folded=True
        ),
        text_list(
            CURRENT_IMPORT.notes,
            CURRENT_IMPORT.notes_count,
            "import-notes",
            is_folded=True,
            end=pager(CURRENT_IMPORT.notes_pager, RowList.NOTES),
        ),
        rx.cond(CURRENT_IMPORT.rows.length() > 0, changes_list()),
        class_name="o-panel o-import",
        data_testid="import-current",
        data_status=CURRENT_IMPORT.status,
    )


def export_panel() -> rx.Component:
    """Render the buttons that export all products to a file that can be imported again."""
    buttons = [
        once_button(
            text,
            ImportState.prepare({"format": file_format.value}),
            "quiet",
            f"import-export-{file_format.value}",
        )
        for file_format, text in FORMATS.items()
    ]
    return rx.el.section(
        rx.el.h2(_("Descargar lo que hay"), class_name="o-section__title"),
        rx.el.p(
            _(
                "Todos los productos con las columnas de la plantilla: cámbialos en tu hoja y envíala otra vez."
            ),
            class_name="o-row__detail",
        ),
        SubmitOnce.create(
            rx.el.div(*buttons, class_name="o-import__ways"), answers=answer_number(ImportState)
        ),
        rx.el.ul(rx.foreach(VIEW.exports, export_row), class_name="o-exports", aria_label=_("Archivos")),
        class_name="o-panel o-import",
    )
