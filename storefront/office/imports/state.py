"""State of the import screen: the newest import of the staff member, and the events of the screen."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.exports.service import request_export
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
from backend.imports.row_pages import PAGE_SIZE, RowList
from backend.imports.spreadsheet_parsing import MAX_ROWS
from backend.imports.stopping import continue_import, stop_import
from backend.news.topics import Topic
from backend.office.exports import ExportView, exports_view
from backend.office.imports import (
    LEFT_OUT,
    ImportView,
    UnfinishedView,
    import_view,
    unfinished_views,
)
from backend.staff.rights import Actor, Right
from storefront.office.state import OfficeScreen, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id

EXPORT_KIND = "import"
"""The kind of export that can be imported again unchanged."""
MAX_PAGE = MAX_ROWS // PAGE_SIZE


@dataclass(frozen=True, slots=True)
class ImportPage:
    """Content of the import screen: an import of the staff member, and their exports of all products.

    Attributes:
        current: the import that the staff member opened, or else their newest.
        unfinished: the other imports that are not finished.
        exports: the exports of all products.
        pages: number of the shown page of each list of rows, from 0, by the list's name.
        opened_id: id of the opened import; empty to show the newest.
    """

    current: ImportView | None
    unfinished: list[UnfinishedView]
    exports: list[ExportView]
    pages: dict[str, int] = field(default_factory=dict)
    opened_id: str = ""


class ImportState(OfficeScreen, KnownClientState):
    """State of the import screen: the opened import, or the staff member's newest one."""

    content: rx.Field[ImportPage | None] = rx.field(None)

    _right: ClassVar[Right] = Right.CHANGE_CATALOG
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.IMPORTS, Topic.EXPORTS})

    async def _read_content(self, actor: Actor) -> ImportPage:
        pages, opened_id = (self.content.pages, self.content.opened_id) if self.content else ({}, "")
        async with current_shop().database.read() as session:
            exports = await exports_view(session, actor, EXPORT_KIND) if actor.may(Right.READ_REPORTS) else []
            current = await import_view(session, actor, pages, opened_id)
            unfinished = await unfinished_views(session, actor, current.id if current else "")
            return ImportPage(current, unfinished, exports, pages, opened_id)

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def open_page(self, actor: Actor, kind: str, page: int) -> None:
        """Show a page of one of the import's lists. Pages are numbered from 0."""
        is_page = kind in set(RowList) and isinstance(page, int) and 0 <= page <= MAX_PAGE
        if self.content is not None and is_page:
            self.content = replace(self.content, pages={**self.content.pages, kind: page})
            await self._show(actor)

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def show_newest(self, actor: Actor) -> None:
        """Show the newest import after a spreadsheet was uploaded. The upload has already checked its rows."""
        self._open_import("")
        await self._show(actor)

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def check_pictures(self, actor: Actor, import_id: str) -> None:
        """Check the rows of an import again, after its pictures were uploaded. Then show the newest import."""
        await preview_import(current_shop().database, checked_id(import_id))
        self._open_import("")
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
        """Choose the product field that the file's column at `place` fills; `LEFT_OUT` for none."""
        if (shown := self._current_import()) is not None:
            chosen = "" if column == LEFT_OUT else column
            try:
                await choose_column(current_shop().database, actor, shown.id, int(place), chosen)
            except InvalidData as error:
                self._announce(error.staff_text or error.message, "problem")
            await self._show(actor)

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def drop_preview(self, actor: Actor) -> None:
        """Discard the staff member's imports that are not started yet, because a new upload was refused."""
        await discard_unstarted_imports(current_shop().database, actor)
        await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def begin(self, actor: Actor, form_data: dict[str, Any]) -> None:
        """Start the import as it was previewed.

        `confirm_losses` in the form confirms that values of existing products may be emptied or removed.
        """
        if (shown := self._current_import()) is not None:
            confirms_losses = bool(form_data.get("confirm_losses"))
            try:
                await start_import(current_shop().database, actor, shown.id, confirms_losses=confirms_losses)
            except InvalidData as error:
                self._announce(error.staff_text or _("No hay nada que importar."), "problem")
            except UnconfirmedLosses as error:
                self._announce(error.staff_text, "problem")
            else:
                self._open_import(shown.id)
                self._announce(_("Empezó. Puedes cerrar esta pantalla: sigue sola."))
            await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def discard_import(self, actor: Actor) -> None:
        """Discard the displayed import, which was not started."""
        if (shown := self._current_import()) is not None:
            await discard_import(current_shop().database, actor, shown.id)
            self._announce(_("No se importó nada."))
            await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def stop(self, actor: Actor) -> None:
        """Stop the displayed import after its current batch of rows. Written rows stay."""
        if (shown := self._current_import()) is not None:
            await stop_import(current_shop().database, actor, shown.id)
            self._announce(_("Se detuvo. Lo escrito queda; sigue cuando quieras."))
            await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def go_on(self, actor: Actor) -> None:
        """Continue the displayed import, which was stopped."""
        if (shown := self._current_import()) is not None:
            await self._continue(actor, shown.id)

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def open_import(self, actor: Actor, import_id: str) -> None:
        """Show another import that is not finished."""
        self._open_import(checked_id(import_id))
        await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def continue_other(self, actor: Actor, import_id: str) -> None:
        """Continue a stopped import that is not shown, and show it."""
        await self._continue(actor, checked_id(import_id))

    @office_event(Right.READ_REPORTS)
    async def prepare(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Request an export of all products. The form contains its `format`."""
        typed = checked_fields(form_data, "format")
        async with current_shop().database.transaction() as session:
            await request_export(session, actor, EXPORT_KIND, typed["format"])
        self._announce(_("El archivo se está preparando."))
        await self._show(actor)

    async def _continue(self, actor: Actor, import_id: str) -> None:
        await continue_import(current_shop().database, actor, import_id)
        self._open_import(import_id)
        self._announce(_("Sigue. Puedes cerrar esta pantalla."))
        await self._show(actor)

    def _open_import(self, import_id: str) -> None:
        """Show the import with this id, from the first page of each list; the newest import if the id is empty."""
        if self.content is not None:
            self.content = replace(self.content, pages={}, opened_id=import_id)

    def _current_import(self) -> ImportView | None:
        return self.content.current if self.content is not None else None


VIEW = ImportState.content
CURRENT_IMPORT = VIEW.current
