"""Base of the screens that edit versioned content: a preview of the form is published, and versions are restored."""

from typing import Any

import reflex as rx

from backend.app import current_shop
from backend.content.areas import Area, Body, parse_body, to_stored_json
from backend.content.versions import (
    NO_VERSION,
    read_content,
    read_current_version,
    restore_content,
    save_content,
)
from backend.core.db.tables import JsonObject
from backend.core.errors import Conflict, InvalidData
from backend.core.texts import _
from backend.office.content.area_page import AreaPreview, PreviewRequest, preview_content
from backend.staff.actor_names import actor_names
from backend.staff.rights import Actor
from storefront.office.state import OfficeScreen
from storefront.state.handlers import checked_number

MAX_VERSION = 10**6


class VersionedScreen(OfficeScreen, mixin=True):
    """State of a screen that edits one content area: the preview of its form, and a conflicting version."""

    preview: rx.Field[AreaPreview | None] = rx.field(None)
    """Preview of the form; `_publish` stores exactly this."""
    other_version: rx.Field[AreaPreview | None] = rx.field(None)
    """The version that another staff member published in the meantime."""

    _previewed_form: JsonObject | None = None
    _seen_version: int = NO_VERSION

    def _get_area(self) -> Area:
        """Return the content area of the screen."""
        raise NotImplementedError

    async def _preview_form(self, session: Any, body: Body) -> None:
        """Show the preview of a valid form."""
        self.preview = await self._preview_body(session, body, _("Así va a quedar"))
        self._previewed_form = to_stored_json(body)

    async def _publish(self, actor: Actor) -> None:
        """Publish the previewed form."""
        if self._previewed_form is None:
            self.preview = None
            self._announce(_("Mira otra vez cómo va a quedar antes de publicar."), "problem")
            return
        area, before = self._get_area(), self._seen_version
        body = parse_body(area, self._previewed_form)
        try:
            async with current_shop().database.transaction() as session:
                saved = await save_content(session, actor, area, body, seen=before)
        except Conflict:
            await self._show_other_version()
            return
        await self._show(actor)
        if saved.version == before:
            self._announce(_("No cambiaste nada: sigue igual."))
        else:
            self._announce(_("Publicado: ya se ve en la tienda."), subject=f"{before}")

    async def _undo(self, actor: Actor, version: str) -> None:
        """Undo the latest publication: publish the version before it (number `version`) again."""
        if not (version.isascii() and version.isdigit() and len(version) < 7):
            raise InvalidData("not a version")
        await self._restore(actor, int(version))

    async def _show_version(self, version: int) -> None:
        """Preview an earlier version."""
        number = checked_number(version, NO_VERSION, MAX_VERSION)
        async with current_shop().database.read() as session:
            saved = await read_content(session, self._get_area(), number)
            title = _("Versión {version}").format(version=number)
            self.preview = await self._preview_body(session, saved.body, title, number)
        self._previewed_form = None

    async def _restore(self, actor: Actor, version: int) -> None:
        """Publish an earlier version again."""
        number, before = checked_number(version, NO_VERSION, MAX_VERSION), self._seen_version
        try:
            async with current_shop().database.transaction() as session:
                await restore_content(session, actor, self._get_area(), number, seen=before)
        except Conflict:
            await self._show_other_version()
            return
        await self._show(actor)
        self._announce(_("Volvió la versión {version}: ya se ve en la tienda.").format(version=number))

    async def _show_other_version(self) -> None:
        """Show the version that another staff member has just published.

        The preview stays. If it is published now, it replaces that version.
        """
        async with current_shop().database.read() as session:
            saved = await read_current_version(session, self._get_area())
            who = (await actor_names(session, {saved.saved_by or ""})).get(saved.saved_by or "", "")
            title = _("Lo que publicó {who} mientras tanto").format(who=who)
            self.other_version = await self._preview_body(session, saved.body, title, saved.version)
        self._seen_version = saved.version
        self._announce(_("Alguien publicó antes. Mira las dos versiones y decide."), "problem")

    async def _preview_body(self, session: Any, body: Body, title: str, version: int = -1) -> AreaPreview:
        shop = current_shop()
        looked = PreviewRequest(self._get_area(), body, title, version)
        return await preview_content(session, looked, shop.settings, await shop.effective_settings.now())

    def _discard_edits(self) -> None:
        """Discard the preview and the problems of the form."""
        self.preview, self.other_version, self.problems = None, None, {}
        self._previewed_form = None
