"""Base state of the forms of offers and sales: a form is previewed before it is saved."""

from dataclasses import fields
from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.texts import _
from backend.office.offers.form import CATEGORY_FIELD
from backend.promotions.rules import MAX_VALUES
from backend.staff.rights import Actor, Right
from storefront.office.state import OfficeScreen, office_event
from storefront.state.handlers import MAX_ID_LENGTH, checked_fields

NEW = "nueva"
"""Ending of the address of a new offer or sale."""
MAX_FIELD_LENGTH = MAX_VALUES * (MAX_ID_LENGTH + 1)
"""Maximum length of a field in characters, which fits the ids of `MAX_VALUES` products."""


class PreviewedForm(OfficeScreen, mixin=True):
    """State of the screen of an existing or new offer or sale, with a preview of the changes in its form."""

    preview: rx.Field[Any] = rx.field(None)
    """Changes of the form that was previewed most recently; `save` stores exactly these."""

    _right: ClassVar[Right] = Right.READ_CATALOG
    _form_class: ClassVar[type]
    """The dataclass of the form's values: texts, and the ids of `categories`."""
    _base_path: ClassVar[str]
    """The address prefix of all offers or of all sales."""
    _saved_message: ClassVar[str]
    """The message after a successful save."""
    _previewed_form: Any = None
    _seen_version: str = ""
    """The version on which the form or the latest preview was based."""

    async def _read_preview(self, session: Any, actor: Actor, form: Any) -> Any:
        """Return the changes that the form would make."""
        raise NotImplementedError

    async def _save_form(self, session: Any, actor: Actor, form: Any) -> Any:
        """Save the values of the form, and return the id of the saved record.

        If saving would change other products or prices than the preview has shown, save nothing and return a new
        preview.
        """
        raise NotImplementedError

    @office_event(Right.CHANGE_PROMOTIONS, is_press=False)
    async def preview_changes(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Preview the changes of the form."""
        names = [field.name for field in fields(self._form_class) if field.name != "categories"]
        typed = checked_fields(form_data, *names, max_length=MAX_FIELD_LENGTH, max_rows=MAX_VALUES)
        form = self._form_class(**typed, categories=_ticked_categories(form_data))
        self._clear_preview()
        async with current_shop().database.read() as session:
            self.preview = await self._read_preview(session, actor, form)
        self._previewed_form, self._seen_version = form, self.preview.version

    @office_event(Right.CHANGE_PROMOTIONS)
    async def save(self, actor: Actor) -> Any:
        """Save the previewed form. If the data have changed since the preview, show a new preview instead."""
        if self._previewed_form is None:
            self.preview = None
            self._announce(_("Mira otra vez qué cambia antes de guardar."), "problem")
            return None
        async with current_shop().database.transaction() as session:
            saved = await self._save_form(session, actor, self._previewed_form)
        if not isinstance(saved, str):
            self.preview, self._seen_version = saved, saved.version
            self._announce(_("Algo cambió mientras mirabas. Revisa de nuevo."), "problem")
            return None
        self._previewed_form = None  # a second click must not save it twice
        if saved == self._id_in_url():
            await self._announce_done(actor, self._saved_message)
            return None
        self._announce(self._saved_message)
        return rx.redirect(f"{self._base_path}/{saved}", replace=True)

    def _clear_preview(self) -> None:
        self.preview, self._previewed_form, self.problems = None, None, {}

    def _id_in_url(self) -> str:
        """Return the id at the end of the address, or an empty string for a new offer or sale."""
        last = super()._id_in_url()
        return "" if last == NEW else last


def _ticked_categories(form_data: dict[str, str]) -> list[str]:
    names = [name for name, value in form_data.items() if name.startswith(CATEGORY_FIELD) and value == "on"]
    ids = [name.removeprefix(CATEGORY_FIELD) for name in names]
    return [category_id for category_id in ids if 0 < len(category_id) <= MAX_ID_LENGTH]
