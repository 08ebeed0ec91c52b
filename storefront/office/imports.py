"""The import screen (Importar): upload a spreadsheet with pictures, preview, progress, and refused rows."""

from dataclasses import dataclass
from typing import Any, ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.error_texts import SESSION_ENDED
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.exports.service import request_export
from backend.imports.api.routes import PATH
from backend.imports.confirmation import (
    UnconfirmedLosses,
    discard_import,
    discard_unstarted_imports,
    set_makes_places,
    set_publishes,
    start_import,
)
from backend.imports.mapping_choice import choose_column
from backend.imports.preview import preview_import
from backend.imports.spreadsheet_parsing import MAX_ROWS
from backend.news.topics import Topic
from backend.office.exports import ExportView, exports_view
from backend.office.imports import (
    COLUMN_LABELS,
    LEFT_OUT,
    ChangeView,
    ChoiceView,
    ColumnView,
    ImportView,
    ProblemView,
    QuestionView,
    RowView,
    TextView,
    import_view,
)
from backend.staff.rights import Actor, Right
from storefront.components.forms import SubmitOnce
from storefront.components.react_components import on_text
from storefront.office.components.feedback import chip, screen
from storefront.office.exports import FORMATS, export_row
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import IMPORT, PRODUCTS
from storefront.office.state import OfficeScreen, answer_number, has_right, office_event
from storefront.reflex_ext.hooks import script
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id

TITLE = _("Importar")
EXPORT_KIND = "import"
"""The kind of export that can be imported again unchanged."""
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
BUTTON = "button button--small "


@dataclass(frozen=True, slots=True)
class ImportPage:
    """Content of the import screen: the newest import of the staff member, and their exports of all products."""

    current: ImportView | None
    exports: list[ExportView]


class ImportState(OfficeScreen, KnownClientState):
    """The newest import and its status."""

    content: rx.Field[ImportPage | None] = rx.field(None)

    _right: ClassVar[Right] = Right.CHANGE_CATALOG
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.IMPORTS, Topic.EXPORTS})

    async def _read_content(self, actor: Actor) -> ImportPage:
        async with current_shop().database.read() as session:
            exports = await exports_view(session, actor, EXPORT_KIND) if actor.may(Right.READ_REPORTS) else []
            return ImportPage(await import_view(session, actor), exports)

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def read_upload(self, actor: Actor, import_id: str) -> None:
        """Read the spreadsheet's rows, after the spreadsheet or its pictures were uploaded."""
        await preview_import(current_shop().database, checked_id(import_id))
        await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def choose_makes_places(self, actor: Actor, is_wanted: bool) -> None:
        """Choose whether the import creates missing categories and collections."""
        if (shown := self._current_import()) is not None:
            database = current_shop().database
            await set_makes_places(database, actor, shown.id, makes_places=is_wanted is True)
            await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def choose_publishes(self, actor: Actor, is_wanted: bool) -> None:
        """Choose whether new products without a status are published."""
        if (shown := self._current_import()) is not None:
            await set_publishes(current_shop().database, actor, shown.id, publishes=is_wanted is True)
            await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def choose_column(self, actor: Actor, place: int, column: str) -> None:
        """Take a column of the file for one of the importer's columns."""
        if (shown := self._current_import()) is not None:
            chosen = "" if column == LEFT_OUT else column
            try:
                await choose_column(current_shop().database, actor, shown.id, int(place), chosen)
            except InvalidData as error:
                self._announce(error.staff_text or error.message, "problem")
            await self._show(actor)

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def drop_preview(self, actor: Actor) -> None:
        """Discard the preview: a file that replaces it was refused."""
        await discard_unstarted_imports(current_shop().database, actor)
        await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def begin(self, actor: Actor, form_data: dict[str, Any]) -> None:
        """Start the import as it was previewed. The form contains `confirm_losses` if losses are confirmed."""
        if (shown := self._current_import()) is not None:
            confirms_losses = bool(form_data.get("confirm_losses"))
            try:
                await start_import(current_shop().database, actor, shown.id, confirms_losses=confirms_losses)
            except InvalidData as error:
                self._announce(error.staff_text or _("No hay nada que importar."), "problem")
            except UnconfirmedLosses as error:
                self._announce(error.staff_text, "problem")
            else:
                self._announce(_("Empezó. Puedes cerrar esta pantalla: sigue sola."))
            await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def discard_import(self, actor: Actor) -> None:
        """Discard the import."""
        if (shown := self._current_import()) is not None:
            await discard_import(current_shop().database, actor, shown.id)
            self._announce(_("No se importó nada."))
            await self._show(actor)

    @office_event(Right.READ_REPORTS)
    async def prepare(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Request an export of all products. The form contains its `format`."""
        typed = checked_fields(form_data, "format")
        async with current_shop().database.transaction() as session:
            await request_export(session, actor, EXPORT_KIND, typed["format"])
        self._announce(_("El archivo se está preparando."))
        await self._show(actor)

    def _current_import(self) -> ImportView | None:
        return self.content.current if self.content is not None else None


class SpreadsheetDrop(rx.Component):
    """The area where a spreadsheet and its pictures are dropped: see `assets/scripts/office/spreadsheet.jsx`."""

    library = script("office/spreadsheet")
    tag = "SpreadsheetDrop"
    texts: rx.Var[dict[str, str]]
    import_id: rx.Var[str]
    on_sent: rx.EventHandler[on_text]  # type: ignore[type-arg, valid-type]
    on_refused: rx.EventHandler[rx.event.no_args_event_spec]  # type: ignore[type-arg, valid-type]


VIEW = ImportState.content
CURRENT_IMPORT = VIEW.current


def page() -> rx.Component:
    """Render the import screen."""
    content = rx.fragment(
        upload_panel(),
        rx.cond(VIEW.current, import_panel()),
        rx.cond(has_right(Right.READ_REPORTS), export_panel()),
    )
    return office_layout(ImportState, IMPORT, TITLE, screen(ImportState, content))


def download_link(href: Any, shape: str, text: Any, test_id: str) -> rx.Component:
    """Render a link that downloads a file."""
    return rx.el.a(
        icon(shape, size=18),
        text,
        href=href,
        download="",
        class_name=f"{BUTTON}button--quiet",
        custom_attrs={"reloadDocument": True},
        data_testid=test_id,
    )


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
            on_sent=ImportState.read_upload,
            on_refused=ImportState.drop_preview,
        ),
        download_link(f"{PATH}/template", "download", _("Descargar la plantilla"), "import-template"),
        class_name="o-panel o-import",
    )


def import_panel() -> rx.Component:
    """Render the current import: its preview, its progress, or its result."""
    tone = rx.match(CURRENT_IMPORT.status, ("done", "good"), ("running", "wait"), "plain")
    status = rx.match(
        CURRENT_IMPORT.status,
        ("done", _("Importado")),
        ("running", _("Importando…")),
        _("Vista previa: nada guardado"),
    )
    return rx.el.section(
        rx.el.div(
            rx.el.h2(CURRENT_IMPORT.name, class_name="o-section__title"),
            chip(status, tone),
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
            CURRENT_IMPORT.status == "running",
            rx.el.progress(
                value=CURRENT_IMPORT.settled,
                max=CURRENT_IMPORT.total,
                class_name="o-bulk__progress",
                aria_label=CURRENT_IMPORT.name,
                data_testid="import-progress",
            ),
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
        rx.cond(CURRENT_IMPORT.problems.length() > 0, problems_list()),
        text_list(
            CURRENT_IMPORT.set_aside, CURRENT_IMPORT.set_aside_count, "import-set-aside", is_folded=True
        ),
        text_list(CURRENT_IMPORT.notes, CURRENT_IMPORT.notes_count, "import-notes", is_folded=True),
        rx.cond(CURRENT_IMPORT.rows.length() > 0, changes_list()),
        class_name="o-panel o-import",
        data_testid="import-current",
        data_status=CURRENT_IMPORT.status,
    )


def confirm_panel() -> rx.Component:
    """Render the buttons that run or discard the import."""
    label = rx.cond(
        CURRENT_IMPORT.refused > 0,
        _("Importar {n} y dejar {wrong} por corregir").format(
            n=CURRENT_IMPORT.to_write.to_string(), wrong=CURRENT_IMPORT.refused.to_string()
        ),
        _("Importar {n}").format(n=CURRENT_IMPORT.to_write.to_string()),
    )
    return rx.fragment(
        rx.foreach(
            CURRENT_IMPORT.pictures,
            lambda text: rx.el.p(text, class_name="o-row__detail", data_testid="import-pictures"),
        ),
        text_list(CURRENT_IMPORT.codes, _("Códigos que cambian"), "import-codes"),
        rx.cond(
            CURRENT_IMPORT.losses != "",
            rx.el.div(
                rx.el.p(
                    rx.el.b(_("Se vacía o se quita: ")),
                    CURRENT_IMPORT.losses,
                    data_testid="import-losses",
                ),
                rx.el.label(
                    rx.el.input(
                        type="checkbox",
                        name="confirm_losses",
                        required=True,
                        key=CURRENT_IMPORT.losses,
                        class_name="o-box",
                        data_testid="import-confirm-losses",
                    ),
                    rx.el.span(_("Sí, quitarlo de la tienda")),
                    class_name="o-every",
                ),
            ),
        ),
        rx.cond(
            CURRENT_IMPORT.misses_places,
            tick(
                _("Crear las categorías, colecciones, etiquetas y tipos que faltan"),
                CURRENT_IMPORT.makes_places,
                ImportState.choose_makes_places,
                "import-places",
            ),
        ),
        rx.cond(
            CURRENT_IMPORT.new_count > 0,
            tick(
                _("Publicar los juguetes nuevos. Sin marcar, quedan ocultos."),
                CURRENT_IMPORT.publishes,
                ImportState.choose_publishes,
                "import-publish",
            ),
        ),
        rx.el.div(
            rx.cond(
                CURRENT_IMPORT.to_write > 0,
                rx.el.button(
                    label,
                    type="submit",
                    class_name=f"{BUTTON}button--primary",
                    data_testid="import-run",
                ),
                rx.el.p(_("No hay nada que importar.")),
            ),
            rx.el.button(
                _("Descartar"),
                type="button",
                data_once="",
                on_click=ImportState.discard_import,
                class_name=f"{BUTTON}button--quiet",
                data_testid="import-drop-it",
            ),
            class_name="o-import__ways",
        ),
    )


def mapping_panel() -> rx.Component:
    """Render the columns of an unknown list; above them the questions that a person must answer."""

    def choice(view: ObjectVar[ChoiceView]) -> rx.Component:
        return rx.el.button(
            rx.el.span(view.heading, class_name="o-row__title"),
            rx.el.span(view.samples, class_name="o-row__detail"),
            type="button",
            on_click=ImportState.choose_column(view.place, view.column),
            class_name=f"{BUTTON}button--quiet o-import__choice",
            data_testid="import-column-choice",
        )

    def question(view: ObjectVar[QuestionView]) -> rx.Component:
        return rx.el.fieldset(
            rx.el.legend(view.text, class_name="o-import__title"),
            rx.foreach(view.choices, choice),
            key=view.key,
            class_name="o-import__ways",
            data_testid="import-question",
        )

    def row(view: ObjectVar[ColumnView]) -> rx.Component:
        return rx.el.li(
            rx.el.label(
                rx.el.span(view.heading, class_name="o-row__title"),
                rx.el.span(view.samples, class_name="o-row__detail"),
                rx.el.select(
                    *(rx.el.option(label, value=name) for name, label in COLUMN_LABELS.items()),
                    value=view.column,
                    on_change=lambda column: ImportState.choose_column(view.place, column),
                    class_name="field__input",
                    data_testid="import-column",
                ),
                class_name="o-import__column",
            ),
            key=view.place,
            class_name="o-import__row",
        )

    return rx.el.div(
        rx.foreach(CURRENT_IMPORT.questions, question),
        rx.el.details(
            rx.el.summary(_("Qué es cada columna de tu lista"), class_name="o-disclosure"),
            rx.el.ul(rx.foreach(CURRENT_IMPORT.mapping, row)),
        ),
        data_testid="import-mapping",
    )


def tick(text: str, checked: Any, on_change: Any, test_id: str) -> rx.Component:
    """Render a box that changes the preview."""
    return rx.el.label(
        rx.el.input(
            type="checkbox", checked=checked, on_change=on_change, class_name="o-box", data_testid=test_id
        ),
        rx.el.span(text),
        class_name="o-every",
    )


def text_list(views: Any, title: Any, test_id: str, *, is_folded: bool = False) -> rx.Component:
    """Render sentences about parts of the file below a title; nothing without any."""

    def line(view: ObjectVar[TextView]) -> rx.Component:
        return rx.el.li(
            rx.el.span(view.place, class_name="o-row__title"),
            rx.el.span(view.text, class_name="o-row__detail"),
            key=view.key,
            class_name="o-import__row",
            data_testid=test_id,
        )

    items = rx.el.ul(rx.foreach(views, line))
    if is_folded:
        block = rx.el.details(rx.el.summary(title, class_name="o-disclosure"), items)
    else:
        block = rx.el.div(rx.el.h3(title, class_name="o-import__title"), items)
    return rx.cond(views.length() > 0, block)


def problems_list() -> rx.Component:
    """Render the problems by cell."""

    def line(problem: ObjectVar[ProblemView]) -> rx.Component:
        return rx.el.li(
            rx.el.span(problem.place, class_name="o-row__title"),
            rx.el.span(problem.text, class_name="o-row__detail"),
            key=problem.key,
            class_name="o-import__row",
            data_testid="import-problem",
        )

    title = rx.cond(CURRENT_IMPORT.status == "checked", _("Por corregir"), _("No se importó"))
    return rx.el.div(
        rx.el.h3(title, class_name="o-import__title"),
        rx.el.ul(rx.foreach(CURRENT_IMPORT.problems, line)),
        rx.cond(
            CURRENT_IMPORT.more_problems != "",
            rx.el.p(CURRENT_IMPORT.more_problems, class_name="o-row__detail"),
        ),
        rx.cond(
            CURRENT_IMPORT.status != "running",
            download_link(
                CURRENT_IMPORT.refused_href,
                "download",
                _("Descargar estas filas para corregirlas"),
                "import-refused",
            ),
        ),
    )


def changes_list() -> rx.Component:
    """Render the new products and the changed values."""

    def change(view: ObjectVar[ChangeView]) -> rx.Component:
        return rx.el.div(
            rx.el.dt(view.column),
            rx.el.dd(rx.el.del_(view.before), rx.el.span("→", aria_hidden="true"), rx.el.ins(view.after)),
            class_name="o-change",
        )

    def line(row: ObjectVar[RowView]) -> rx.Component:
        return rx.el.li(
            rx.el.details(
                rx.el.summary(
                    rx.el.span(row.title, class_name="o-row__title"),
                    rx.cond(row.is_new, chip(_("Nuevo"), "good"), chip(_("Cambia"), "wait")),
                    rx.cond(row.losses != "", chip(_("Pierde: {losses}").format(losses=row.losses), "bad")),
                    class_name="o-disclosure",
                ),
                rx.el.dl(rx.foreach(row.changes, change), class_name="o-changes"),
            ),
            key=row.line,
            class_name="o-import__row",
            data_testid="import-row",
        )

    title = rx.cond(CURRENT_IMPORT.status == "checked", _("Qué cambia"), _("Qué cambió"))
    return rx.el.div(
        rx.el.h3(title, class_name="o-import__title"),
        rx.el.ul(rx.foreach(CURRENT_IMPORT.rows, line)),
        rx.cond(CURRENT_IMPORT.more != "", rx.el.p(CURRENT_IMPORT.more, class_name="o-row__detail")),
        rx.cond(
            CURRENT_IMPORT.status != "checked",
            rx.el.a(_("Ver los productos"), href=PRODUCTS, class_name=f"{BUTTON}button--quiet"),
        ),
    )


def export_panel() -> rx.Component:
    """Render the buttons that export all products in the format of an import."""
    buttons = [
        rx.el.button(
            text,
            type="button",
            data_once="",
            on_click=ImportState.prepare({"format": file_format.value}),
            class_name=f"{BUTTON}button--quiet",
            data_testid=f"import-export-{file_format.value}",
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
