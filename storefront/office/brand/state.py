"""State of the brand screen."""

import re
from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.content.areas import Area
from backend.content.brand_validation import COLOR_FIELDS
from backend.core.errors import InvalidData, NotFound
from backend.core.texts import _
from backend.media.brand_pictures import parse_brand_picture
from backend.office.content.brand_page import FIELDS, BrandPage, brand_page, read_brand_form
from backend.staff.rights import Actor, Right
from storefront.office.content.versioned_screen import VersionedScreen
from storefront.office.state import office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_texts

MAX_FIELD_LENGTH = 500
"""Maximum length of a field, in characters."""
PICTURES = ("logo", "icon")
SUGGESTED = re.compile(r"#[0-9a-f]{6}(?=\.$)")
"""The colour at the end of a problem: the nearest readable one."""


class BrandState(VersionedScreen, KnownClientState):
    """State of the brand screen: the brand, and the preview of its form."""

    content: rx.Field[BrandPage | None] = rx.field(None)
    pictures: rx.Field[dict[str, str]] = rx.field(default_factory=dict)
    """URLs of the pictures in the form, by field."""
    suggestions: rx.Field[dict[str, str]] = rx.field(default_factory=dict)
    """The nearest readable colour, by field."""

    _right: ClassVar[Right] = Right.READ_SETTINGS

    async def _read_content(self, actor: Actor) -> BrandPage:
        self._discard_edits()
        shop = current_shop()
        effective = await shop.effective_settings.now()
        async with shop.database.read() as session:
            content = await brand_page(session, actor, effective)
        self._seen_version = content.version
        self.pictures = {name: content.texts[name] for name in PICTURES}
        return content

    @office_event(Right.CHANGE_BRAND, supersedes=True)
    async def preview_edit(self, actor: Actor, form: dict[str, Any]) -> None:
        """Preview the form while a staff member edits it. Show only problems of colours: texts may be unfinished."""
        actor.require(Right.CHANGE_BRAND)
        typed = _parse_form(form)
        try:
            await self._preview_typed(typed)
        except InvalidData as error:
            self._show_problems({name: text for name, text in error.fields.items() if name in COLOR_FIELDS})

    @office_event(Right.CHANGE_BRAND)
    async def publish(self, actor: Actor, form: dict[str, Any]) -> None:
        """Publish the brand with the values of the form. If a value is invalid, show its problem instead."""
        typed = _parse_form(form)
        try:
            await self._preview_typed(typed)
        except InvalidData as error:
            self._show_problems(error.fields)
            raise
        await self._publish(actor)

    @office_event(Right.CHANGE_BRAND, is_press=False)
    async def use_logo(self, actor: Actor, urls: list[str]) -> None:
        """Put the uploaded logo into the form."""
        actor.require(Right.CHANGE_BRAND)
        self._use_picture("logo", urls)

    @office_event(Right.CHANGE_BRAND, is_press=False)
    async def use_icon(self, actor: Actor, urls: list[str]) -> None:
        """Put the uploaded icon into the form."""
        actor.require(Right.CHANGE_BRAND)
        self._use_picture("icon", urls)

    @office_event(Right.CHANGE_BRAND, is_press=False)
    async def remove_picture(self, actor: Actor, name: str) -> None:
        """Remove the logo or the icon from the form."""
        actor.require(Right.CHANGE_BRAND)
        if name not in PICTURES:
            raise InvalidData("not a picture")
        self.pictures = {**self.pictures, name: ""}

    @office_event(Right.CHANGE_BRAND)
    async def restore(self, actor: Actor, version: int) -> None:
        """Publish an earlier version of the brand again."""
        await self._restore(actor, version)

    @office_event(Right.CHANGE_BRAND)
    async def undo(self, actor: Actor, version: str) -> None:
        """Publish the previous version again. `version` is the number of that version."""
        await self._undo(actor, version)

    @office_event(Right.READ_SETTINGS, is_press=False)
    async def show_version(self, actor: Actor, version: int) -> None:
        """Preview an earlier version of the brand."""
        actor.require(Right.READ_SETTINGS)
        await self._show_version(version)

    @office_event(Right.CHANGE_BRAND, is_press=False)
    async def start_over(self, actor: Actor) -> None:
        """Show the published version and discard the form."""
        await self._show(actor)

    async def _preview_typed(self, typed: dict[str, str]) -> None:
        """Show the preview of the typed values.

        Raises:
            InvalidData: a value is invalid; `fields` has the errors.
        """
        if self.content is None:
            raise NotFound("the brand is not open")
        shop = current_shop()
        async with shop.database.read() as session:
            body = await read_brand_form(session, typed, await shop.effective_settings.now())
            await self._preview_form(session, body)
        self._show_problems({})

    def _show_problems(self, problems: dict[str, str]) -> None:
        self.problems = dict(problems)
        found = {name: SUGGESTED.search(text) for name, text in problems.items() if name in COLOR_FIELDS}
        self.suggestions = {name: match[0] for name, match in found.items() if match}

    def _use_picture(self, name: str, urls: list[str]) -> None:
        [url] = checked_texts(urls, 1, MAX_FIELD_LENGTH) or [""]
        if parse_brand_picture(url) is None:
            raise InvalidData("not a picture of the brand", fields={name: _("Sube la imagen otra vez.")})
        self.pictures = {**self.pictures, name: url}

    def _discard_edits(self) -> None:
        super()._discard_edits()
        self.suggestions = {}

    def _get_area(self) -> Area:
        return Area.BRAND


def _parse_form(form: object) -> dict[str, str]:
    """Parse the form of the brand.

    Raises:
        InvalidData: the values do not come from a form of this screen.
    """
    if not isinstance(form, dict):
        raise InvalidData("not a form")
    return checked_fields({name: form.get(name, "") for name in FIELDS}, *FIELDS, max_length=MAX_FIELD_LENGTH)
