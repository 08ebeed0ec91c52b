"""State of a content area's screen."""

from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.content.areas import MAX_SECTIONS, MAX_SLIDES, Area
from backend.core.errors import InvalidData, NotFound
from backend.core.texts import _
from backend.media.picture_urls import encode_picture_url
from backend.media.picture_widths import parse_uploaded_picture
from backend.office.content.area_form import CELLS, TEXTS, AreaForm, AreaRow, read_form
from backend.office.content.area_page import AreaPage, area_page
from backend.staff.rights import Actor, Right
from storefront.office.content.versioned_screen import VersionedScreen
from storefront.office.navigation import AREAS
from storefront.office.state import office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_text, checked_texts

MAX_ROWS = MAX_SECTIONS + MAX_SLIDES
MAX_FIELD_LENGTH = 4_000
"""Maximum length of a field, in characters."""
MAX_URL_LENGTH = 500


class AreaState(VersionedScreen, KnownClientState):
    """State of the screen of one content area: its content, and the preview of its form."""

    content: rx.Field[AreaPage | None] = rx.field(None)
    added_rows: rx.Field[list[AreaRow]] = rx.field(default_factory=list)
    """Uploaded pictures that are not published yet."""

    _right: ClassVar[Right] = Right.READ_SETTINGS

    async def _read_content(self, actor: Actor) -> AreaPage:
        self._discard_edits()
        async with current_shop().database.read() as session:
            content = await area_page(session, actor, self._get_area())
        self._seen_version = content.version
        return content

    @office_event(Right.CHANGE_CONTENT, is_press=False)
    async def preview_changes(self, actor: Actor, form: dict[str, Any]) -> None:
        """Preview the form as the shop would show it."""
        actor.require(Right.CHANGE_CONTENT)
        typed = _parse_form(form)
        self.preview, self._previewed_form, self.problems = None, None, {}
        async with current_shop().database.read() as session:
            body = await read_form(session, self._get_area(), typed)
            await self._preview_form(session, body)
        self._announce(_("Abajo ves cómo va a quedar. Publícalo ahí."))

    @office_event(Right.CHANGE_CONTENT)
    async def publish(self, actor: Actor) -> None:
        """Publish the previewed form."""
        await self._publish(actor)

    @office_event(Right.CHANGE_CONTENT)
    async def restore(self, actor: Actor, version: int) -> None:
        """Publish an earlier version of the content again."""
        await self._restore(actor, version)

    @office_event(Right.CHANGE_CONTENT)
    async def undo(self, actor: Actor, version: str) -> None:
        """Undo the latest publication: publish the version before it (number `version`) again."""
        await self._undo(actor, version)

    @office_event(Right.READ_SETTINGS, is_press=False)
    async def show_version(self, actor: Actor, version: int) -> None:
        """Preview an earlier version of the content."""
        actor.require(Right.READ_SETTINGS)
        await self._show_version(version)

    @office_event(Right.CHANGE_CONTENT, is_press=False)
    async def add_pictures(self, actor: Actor, urls: list[str]) -> None:
        """Add the uploaded pictures to the form, one row each."""
        actor.require(Right.CHANGE_CONTENT)
        kind = self._get_content().blank.kind if self._get_area() is Area.HOME else "picture"
        sent = [url for url in checked_texts(urls, MAX_SLIDES, MAX_URL_LENGTH) if parse_uploaded_picture(url)]
        first = len(self.added_rows)
        rows = [
            AreaRow(f"added-{first + number}", kind, picture=url, src=encode_picture_url(url), is_added=True)
            for number, url in enumerate(sent)
        ]
        self.added_rows = [*self.added_rows, *rows][:MAX_SLIDES]

    @office_event(Right.CHANGE_CONTENT, is_press=False)
    async def start_over(self, actor: Actor) -> None:
        """Show the published version and discard the form."""
        await self._show(actor)

    def _discard_edits(self) -> None:
        super()._discard_edits()
        self.added_rows = []

    def _get_content(self) -> AreaPage:
        if self.content is None:
            raise NotFound("no area is open")
        return self.content

    def _get_area(self) -> Area:
        """Return the content area in the URL."""
        return find_area(self.router.url.path)


def find_area(path: str) -> Area:
    """Return the content area of the screen with this path.

    Raises:
        NotFound: there is no content area with this path.
    """
    name = path.rstrip("/").rpartition("/")[2]
    if name not in AREAS:
        raise NotFound(f"There is no content {name}")
    return AREAS[name]


def _parse_form(form: object) -> AreaForm:
    """Parse the form of a content area.

    Raises:
        InvalidData: the values do not come from a form of this screen.
    """
    if not isinstance(form, dict):
        raise InvalidData("not a form")
    texts = checked_fields({name: form.get(name, "") for name in TEXTS}, *TEXTS, max_length=MAX_FIELD_LENGTH)
    keys = _parse_column(form, "row")
    columns = {name: _parse_column(form, f"cell_{name}") for name in CELLS}
    if len(set(keys)) < len(keys) or any(len(column) != len(keys) for column in columns.values()):
        raise InvalidData("the columns have different lengths")
    rows: list[AreaRow] = []
    for number, key in enumerate(keys):
        cells: dict[str, Any] = {name: column[number] for name, column in columns.items()}
        rows.append(AreaRow(key, **cells))
    return AreaForm(texts, rows)


def _parse_column(form: dict[Any, Any], name: str) -> list[str]:
    values = form.get(name, [])
    if not isinstance(values, list) or len(values) > MAX_ROWS:
        raise InvalidData("not a list")
    return [checked_text(value, MAX_FIELD_LENGTH) for value in values]
