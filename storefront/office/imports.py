"""Importar: a sheet of products with its pictures, what it would do, how far it is, and what was refused."""

from dataclasses import dataclass
from typing import Any, ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.error_texts import SESSION_ENDED
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.exports.service import ask_for
from backend.imports.confirmation import begin, drop, set_makes_places
from backend.imports.preview import look
from backend.imports.routes import PATH
from backend.imports.spreadsheet_parsing import MOST_ROWS
from backend.news.topics import Topic
from backend.office.exports import ExportView, exports_view
from backend.office.imports import ChangeView, ImportView, ProblemView, RowView, import_view
from backend.staff.rights import Actor, Right
from storefront.components.forms import Once
from storefront.components.react_components import on_text
from storefront.office.components.feedback import chip, screen
from storefront.office.exports import FORMATS, file
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.navigation import IMPORT, PRODUCTS
from storefront.office.state import OfficeScreen, answers, may, office_event
from storefront.reflex_ext.hooks import script
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id

TITLE = _("Importar")
KIND = "import"
"""The kind of file that comes back unchanged."""
TEXTS = {
    "choose": _("Elegir la hoja y las fotos"),
    "choose_more": _("Elegir fotos, un zip u otra hoja"),
    "rules": _(
        "Excel (.xlsx) o CSV, hasta 10 MB y {rows} filas. Las fotos: sueltas o en un zip de hasta 100 MB."
    ).format(rows=MOST_ROWS),
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
    """The newest import of whoever is signed in, and their files of all products."""

    current: ImportView | None
    exports: list[ExportView]


class ImportState(OfficeScreen, KnownClientState):
    """What was sent last, and how it stands."""

    content: rx.Field[ImportPage | None] = rx.field(None)

    _right: ClassVar[Right] = Right.CHANGE_CATALOG
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.IMPORTS, Topic.EXPORTS})

    async def _content(self, actor: Actor) -> ImportPage:
        async with current_shop().database.read() as session:
            exports = await exports_view(session, actor, KIND) if actor.may(Right.READ_REPORTS) else []
            return ImportPage(await import_view(session, actor), exports)

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def sent(self, actor: Actor, import_id: str) -> None:
        """A sheet or its pictures have come: look at its rows again."""
        await look(current_shop().database, checked_id(import_id))
        await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def make_places(self, actor: Actor, is_wanted: bool) -> None:
        """Have categories and collections made that the shop does not have, or not."""
        if (shown := self._current()) is not None:
            database = current_shop().database
            await set_makes_places(database, actor, shown.id, makes_places=is_wanted is True)
            await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def begin(self, actor: Actor) -> None:
        """Have it done, as it was shown."""
        if (shown := self._current()) is not None:
            try:
                await begin(current_shop().database, actor, shown.id)
            except InvalidData:
                self._tell(_("No hay nada que importar."), "problem")
            else:
                self._tell(_("Empezó. Puedes cerrar esta pantalla: sigue sola."))
            await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def drop(self, actor: Actor) -> None:
        """Import nothing of it."""
        if (shown := self._current()) is not None:
            await drop(current_shop().database, actor, shown.id)
            self._tell(_("No se importó nada."))
            await self._show(actor)

    @office_event(Right.READ_REPORTS)
    async def prepare(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Have a file of all products made. The form names its `format`."""
        typed = checked_fields(form_data, "format")
        async with current_shop().database.transaction() as session:
            await ask_for(session, actor, KIND, typed["format"])
        self._tell(_("El archivo se está preparando."))
        await self._show(actor)

    def _current(self) -> ImportView | None:
        return self.content.current if self.content is not None else None


class SheetDrop(rx.Component):
    """Takes the sheet and the pictures: see `assets/scripts/office/sheet.jsx`."""

    library = script("office/sheet")
    tag = "SheetDrop"
    texts: rx.Var[dict[str, str]]
    import_id: rx.Var[str]
    on_sent: rx.EventHandler[on_text]  # type: ignore[type-arg, valid-type]


SHOWN = ImportState.content
CURRENT = SHOWN.current


def page() -> rx.Component:
    """All of it."""
    content = rx.fragment(
        sending(), rx.cond(SHOWN.current, current()), rx.cond(may(Right.READ_REPORTS), taking_away())
    )
    return office(ImportState, IMPORT, TITLE, screen(ImportState, content))


def link(href: Any, shape: str, text: Any, test_id: str) -> rx.Component:
    """A way to a file."""
    return rx.el.a(
        icon(shape, size=18),
        text,
        href=href,
        download="",
        class_name=f"{BUTTON}button--quiet",
        custom_attrs={"reloadDocument": True},
        data_testid=test_id,
    )


def sending() -> rx.Component:
    """Where the sheet and the pictures are dropped."""
    is_open = SHOWN.current.is_not_none() & (CURRENT.status == "checked")
    return rx.el.section(
        rx.el.p(
            _("Envía tu hoja con sus fotos. Primero se ve qué cambia; nada se guarda antes de «Importar»."),
            class_name="o-row__detail",
        ),
        SheetDrop.create(
            texts=rx.Var.create(TEXTS),
            import_id=rx.cond(is_open, CURRENT.id, ""),
            on_sent=ImportState.sent,
        ),
        link(f"{PATH}/template", "download", _("Descargar la plantilla"), "import-template"),
        class_name="o-panel o-import",
    )


def current() -> rx.Component:
    """The import: what it would do, how far it is, or what came of it."""
    tone = rx.match(CURRENT.status, ("done", "good"), ("running", "wait"), "plain")
    status = rx.match(
        CURRENT.status,
        ("done", _("Importado")),
        ("running", _("Importando…")),
        _("Vista previa: nada guardado"),
    )
    return rx.el.section(
        rx.el.div(
            rx.el.h2(CURRENT.name, class_name="o-section__title"),
            chip(status, tone),
            class_name="o-bulk__head",
        ),
        rx.el.p(CURRENT.summary, class_name="o-row__title", role="status", data_testid="import-summary"),
        rx.cond(
            CURRENT.ignored != "",
            rx.el.p(_("Columnas que no se importan: "), CURRENT.ignored, class_name="o-row__detail"),
        ),
        rx.cond(
            CURRENT.status == "running",
            rx.el.progress(
                value=CURRENT.settled,
                max=CURRENT.total,
                class_name="o-bulk__progress",
                aria_label=CURRENT.name,
                data_testid="import-progress",
            ),
        ),
        rx.cond(CURRENT.status == "checked", Once.create(deciding(), answers=answers(ImportState))),
        rx.cond(CURRENT.problems.length() > 0, wrong()),
        rx.cond(CURRENT.rows.length() > 0, moving()),
        class_name="o-panel o-import",
        data_testid="import-current",
        data_status=CURRENT.status,
    )


def deciding() -> rx.Component:
    """Whether it is done."""
    label = rx.cond(
        CURRENT.wrong > 0,
        _("Importar {n} y dejar {wrong} por corregir").format(
            n=CURRENT.to_do.to_string(), wrong=CURRENT.wrong.to_string()
        ),
        _("Importar {n}").format(n=CURRENT.to_do.to_string()),
    )
    return rx.fragment(
        rx.cond(
            CURRENT.misses_places,
            rx.el.label(
                rx.el.input(
                    type="checkbox",
                    checked=CURRENT.makes_places,
                    on_change=ImportState.make_places,
                    class_name="o-box",
                    data_testid="import-places",
                ),
                rx.el.span(_("Crear las categorías y colecciones que faltan")),
                class_name="o-every",
            ),
        ),
        rx.el.div(
            rx.cond(
                CURRENT.to_do > 0,
                rx.el.button(
                    label,
                    type="button",
                    data_once="",
                    on_click=ImportState.begin,
                    class_name=f"{BUTTON}button--primary",
                    data_testid="import-begin",
                ),
                rx.el.p(_("No hay nada que importar.")),
            ),
            rx.el.button(
                _("Descartar"),
                type="button",
                data_once="",
                on_click=ImportState.drop,
                class_name=f"{BUTTON}button--quiet",
                data_testid="import-drop-it",
            ),
            class_name="o-import__ways",
        ),
    )


def wrong() -> rx.Component:
    """What is to be mended, by cell."""

    def line(one: ObjectVar[ProblemView]) -> rx.Component:
        return rx.el.li(
            rx.el.span(one.place, class_name="o-row__title"),
            rx.el.span(one.text, class_name="o-row__detail"),
            key=one.key,
            class_name="o-import__row",
            data_testid="import-problem",
        )

    title = rx.cond(CURRENT.status == "checked", _("Por corregir"), _("No se importó"))
    return rx.el.div(
        rx.el.h3(title, class_name="o-import__title"),
        rx.el.ul(rx.foreach(CURRENT.problems, line)),
        rx.cond(CURRENT.more_problems != "", rx.el.p(CURRENT.more_problems, class_name="o-row__detail")),
        rx.cond(
            CURRENT.status == "done",
            link(
                CURRENT.refused_href,
                "download",
                _("Descargar estas filas para corregirlas"),
                "import-refused",
            ),
        ),
    )


def moving() -> rx.Component:
    """What is new, and what changes from what to what."""

    def change(one: ObjectVar[ChangeView]) -> rx.Component:
        return rx.el.div(
            rx.el.dt(one.column),
            rx.el.dd(rx.el.del_(one.before), rx.el.span("→", aria_hidden="true"), rx.el.ins(one.after)),
            class_name="o-change",
        )

    def line(row: ObjectVar[RowView]) -> rx.Component:
        return rx.el.li(
            rx.el.details(
                rx.el.summary(
                    rx.el.span(row.title, class_name="o-row__title"),
                    rx.cond(row.is_new, chip(_("Nuevo"), "good"), chip(_("Cambia"), "wait")),
                    class_name="o-disclosure",
                ),
                rx.el.dl(rx.foreach(row.changes, change), class_name="o-changes"),
            ),
            key=row.line,
            class_name="o-import__row",
            data_testid="import-row",
        )

    title = rx.cond(CURRENT.status == "checked", _("Qué cambia"), _("Qué cambió"))
    return rx.el.div(
        rx.el.h3(title, class_name="o-import__title"),
        rx.el.ul(rx.foreach(CURRENT.rows, line)),
        rx.cond(CURRENT.more != "", rx.el.p(CURRENT.more, class_name="o-row__detail")),
        rx.cond(
            CURRENT.status != "checked",
            rx.el.a(_("Ver los productos"), href=PRODUCTS, class_name=f"{BUTTON}button--quiet"),
        ),
    )


def taking_away() -> rx.Component:
    """A file of all products, which comes back as it is."""
    buttons = [
        rx.el.button(
            text,
            type="button",
            data_once="",
            on_click=ImportState.prepare({"format": one.value}),
            class_name=f"{BUTTON}button--quiet",
            data_testid=f"import-export-{one.value}",
        )
        for one, text in FORMATS.items()
    ]
    return rx.el.section(
        rx.el.h2(_("Descargar lo que hay"), class_name="o-section__title"),
        rx.el.p(
            _(
                "Todos los productos con las columnas de la plantilla: cámbialos en tu hoja y envíala otra vez."
            ),
            class_name="o-row__detail",
        ),
        Once.create(rx.el.div(*buttons, class_name="o-import__ways"), answers=answers(ImportState)),
        rx.el.ul(rx.foreach(SHOWN.exports, file), class_name="o-exports", aria_label=_("Archivos")),
        class_name="o-panel o-import",
    )
