"""What the screen of an area shows, and what can be done there."""

from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.content.areas import MOST_SECTIONS, MOST_SLIDES, Area, Body, as_stored, read_body
from backend.content.versions import NOTHING, current_content, read_content, restore_content, save_content
from backend.core.db.tables import JsonObject
from backend.core.errors import Conflict, InvalidData, NotFound
from backend.core.texts import _
from backend.media.picture_urls import picture_address
from backend.media.picture_widths import uploaded_at
from backend.office.content.area_form import CELLS, TEXTS, AreaForm, AreaRow, read_form
from backend.office.content.area_page import AreaPage, AreaPreview, Looked, area_page, preview_of
from backend.staff.actor_names import names_of
from backend.staff.rights import Actor, Right
from storefront.office.navigation import AREAS
from storefront.office.state import OfficeScreen, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_number, checked_text, checked_texts

MOST_ROWS = MOST_SECTIONS + MOST_SLIDES
LONGEST = 4_000
"""Characters of a field: what is longer is no form of this screen."""
LONGEST_URL = 500
MOST_VERSIONS = 10**6


class AreaState(OfficeScreen, KnownClientState):
    """One area, and what was typed would look like."""

    content: rx.Field[AreaPage | None] = rx.field(None)
    added: rx.Field[list[AreaRow]] = rx.field(default_factory=list)
    """Pictures that were uploaded and are not published yet."""
    preview: rx.Field[AreaPreview | None] = rx.field(None)
    """What the form that was looked at last looks like: that, and nothing else, is what `publish` stores."""
    theirs: rx.Field[AreaPreview | None] = rx.field(None)
    """What somebody else published meanwhile."""

    _right: ClassVar[Right] = Right.READ_SETTINGS
    _looked_at: JsonObject | None = None
    _seen: int = NOTHING

    async def _content(self, actor: Actor) -> AreaPage:
        self._forget_edits()
        async with current_shop().database.read() as session:
            content = await area_page(session, actor, self._area())
        self._seen = content.version
        return content

    @office_event(Right.CHANGE_CONTENT, is_press=False)
    async def look(self, actor: Actor, form: dict[str, Any]) -> None:
        """Show what was typed as the shop would show it."""
        actor.require(Right.CHANGE_CONTENT)
        typed = _sent(form)
        self.preview, self._looked_at, self.problems = None, None, {}
        async with current_shop().database.read() as session:
            body = await read_form(session, self._area(), typed, self._shown().known)
            self.preview = await self._looks(session, body, _("Así va a quedar"))
        self._looked_at = as_stored(body)
        self._tell(_("Abajo ves cómo va a quedar. Publícalo ahí."))

    @office_event(Right.CHANGE_CONTENT)
    async def publish(self, actor: Actor) -> None:
        """Publish what was looked at."""
        if self._looked_at is None:
            self.preview = None
            self._tell(_("Mira otra vez cómo va a quedar antes de publicar."), "problem")
            return
        area, before = self._area(), self._seen
        body = read_body(area, self._looked_at)
        try:
            async with current_shop().database.transaction() as session:
                saved = await save_content(session, actor, area, body, seen=before)
        except Conflict:
            await self._show_theirs()
            return
        await self._show(actor)
        if saved.version == before:
            self._tell(_("No cambiaste nada: sigue igual."))
        else:
            self._tell(_("Publicado: ya se ve en la tienda."), subject=f"{before}")

    @office_event(Right.CHANGE_CONTENT)
    async def restore(self, actor: Actor, version: int) -> None:
        """Put an earlier version into force again."""
        await self._restore(actor, checked_number(version, NOTHING, MOST_VERSIONS))

    @office_event(Right.CHANGE_CONTENT)
    async def undo(self, actor: Actor, version: str) -> None:
        """Put the version into force again that was published over last."""
        if not (version.isascii() and version.isdigit() and len(version) < 7):
            raise InvalidData("not a version")
        await self._restore(actor, int(version))

    @office_event(Right.READ_SETTINGS, is_press=False)
    async def show_version(self, actor: Actor, version: int) -> None:
        """Show what an earlier version looks like."""
        actor.require(Right.READ_SETTINGS)
        number = checked_number(version, NOTHING, MOST_VERSIONS)
        async with current_shop().database.read() as session:
            saved = await read_content(session, self._area(), number)
            title = _("Versión {version}").format(version=number)
            self.preview = await self._looks(session, saved.body, title, number)
        self._looked_at = None

    @office_event(Right.CHANGE_CONTENT, is_press=False)
    async def add_pictures(self, actor: Actor, urls: list[str]) -> None:
        """Put pictures that were just uploaded into the form, a row each."""
        actor.require(Right.CHANGE_CONTENT)
        kind = self._shown().blank.kind if self._area() is Area.HOME else "picture"
        sent = [url for url in checked_texts(urls, MOST_SLIDES, LONGEST_URL) if uploaded_at(url)]
        first = len(self.added)
        rows = [
            AreaRow(f"added-{first + number}", kind, picture=url, src=picture_address(url), is_added=True)
            for number, url in enumerate(sent)
        ]
        self.added = [*self.added, *rows][:MOST_SLIDES]

    @office_event(Right.CHANGE_CONTENT, is_press=False)
    async def start_over(self, actor: Actor) -> None:
        """Show what is published, and forget what was typed."""
        await self._show(actor)

    async def _restore(self, actor: Actor, version: int) -> None:
        before = self._seen
        try:
            async with current_shop().database.transaction() as session:
                await restore_content(session, actor, self._area(), version, seen=before)
        except Conflict:
            await self._show_theirs()
            return
        await self._show(actor)
        self._tell(_("Volvió la versión {version}: ya se ve en la tienda.").format(version=version))

    async def _show_theirs(self) -> None:
        """Show what somebody else published. What was looked at stays, and can be published over it."""
        async with current_shop().database.read() as session:
            saved = await current_content(session, self._area())
            who = (await names_of(session, {saved.saved_by or ""})).get(saved.saved_by or "", "")
            title = _("Lo que publicó {who} mientras tanto").format(who=who)
            self.theirs = await self._looks(session, saved.body, title, saved.version)
        self._seen = saved.version
        self._tell(_("Alguien publicó antes. Mira las dos versiones y decide."), "problem")

    async def _looks(self, session: Any, body: Body, title: str, version: int = -1) -> AreaPreview:
        shop = current_shop()
        looked = Looked(self._area(), body, title, version)
        return await preview_of(session, looked, shop.settings, await shop.effective_settings.now())

    def _forget_edits(self) -> None:
        self.added, self.preview, self.theirs, self.problems = [], None, None, {}
        self._looked_at = None

    def _shown(self) -> AreaPage:
        if self.content is None:
            raise NotFound("no area is open")
        return self.content

    def _area(self) -> Area:
        """The area that the address names."""
        return area_at(self.router.url.path)


def area_at(path: str) -> Area:
    """The area of a screen's address.

    Raises:
        NotFound: there is none.
    """
    name = path.rstrip("/").rpartition("/")[2]
    if name not in AREAS:
        raise NotFound(f"There is no content {name}")
    return AREAS[name]


def _sent(form: object) -> AreaForm:
    """What the browser sent.

    Raises:
        InvalidData: it is no form of this screen.
    """
    if not isinstance(form, dict):
        raise InvalidData("not a form")
    texts = checked_fields({name: form.get(name, "") for name in TEXTS}, *TEXTS, longest=LONGEST)
    keys = _column(form, "row")
    columns = {name: _column(form, f"cell_{name}") for name in CELLS}
    if len(set(keys)) < len(keys) or any(len(column) != len(keys) for column in columns.values()):
        raise InvalidData("not a table")
    rows: list[AreaRow] = []
    for number, key in enumerate(keys):
        cells: dict[str, Any] = {name: column[number] for name, column in columns.items()}
        rows.append(AreaRow(key, **cells))
    return AreaForm(texts, rows)


def _column(form: dict[Any, Any], name: str) -> list[str]:
    values = form.get(name, [])
    if not isinstance(values, list) or len(values) > MOST_ROWS:
        raise InvalidData("not a list")
    return [checked_text(value, LONGEST) for value in values]
