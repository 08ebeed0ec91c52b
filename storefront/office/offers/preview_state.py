"""What the forms of an offer and of a sale share: what one would change is looked at before it is stored."""

from dataclasses import fields
from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.texts import _
from backend.office.offers.form import CATEGORY_FIELD
from backend.promotions.rules import MOST_VALUES
from backend.staff.rights import Actor, Right
from storefront.office.state import OfficeScreen, office_event
from storefront.state.handlers import MAX_ID, checked_fields

NEW = "nueva"
"""The last part of the address of one that is not there yet."""
LONGEST = 200_000
"""Characters of a list of toys: `MOST_VALUES` of them, whatever they are called."""


class PreviewedForm(OfficeScreen, mixin=True):
    """One offer or sale, or a new one, and what its form would change."""

    preview: rx.Field[Any] = rx.field(None)
    """What the form that was looked at last would change: that, and nothing else, is what `save` stores."""

    _right: ClassVar[Right] = Right.READ_CATALOG
    _form: ClassVar[type]
    """The dataclass of what the form holds: texts, and the ids of `categories`."""
    _place: ClassVar[str]
    """The address below which each has its own."""
    _saved: ClassVar[str]
    """What is said once it is stored."""
    _looked_at: Any = None
    _seen: str = ""
    """The version that the form was made of, or that they were told of since."""

    async def _preview_of(self, session: Any, actor: Actor, form: Any) -> Any:
        """What the form would change."""
        raise NotImplementedError

    async def _store(self, session: Any, actor: Actor, form: Any) -> Any:
        """Store the form: its id, or what it would change now, where that is something else than what was seen."""
        raise NotImplementedError

    @office_event(Right.CHANGE_PROMOTIONS, is_press=False)
    async def look(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Show what the form would change."""
        names = [one.name for one in fields(self._form) if one.name != "categories"]
        typed = checked_fields(form_data, *names, longest=LONGEST, rows=MOST_VALUES)
        form = self._form(**typed, categories=_ticked(form_data))
        self._look_away()
        async with current_shop().database.read() as session:
            self.preview = await self._preview_of(session, actor, form)
        self._looked_at, self._seen = form, self.preview.version

    @office_event(Right.CHANGE_PROMOTIONS)
    async def save(self, actor: Actor) -> Any:
        """Store what was looked at."""
        if self._looked_at is None:
            self.preview = None
            self._tell(_("Mira otra vez qué cambia antes de guardar."), "problem")
            return None
        async with current_shop().database.transaction() as session:
            saved = await self._store(session, actor, self._looked_at)
        if not isinstance(saved, str):
            self.preview, self._seen = saved, saved.version
            self._tell(_("Algo cambió mientras mirabas. Revisa de nuevo."), "problem")
            return None
        self._looked_at = None  # pressed again, it is not stored twice
        if saved == self._id():
            await self._done(actor, self._saved)
            return None
        self._tell(self._saved)
        return rx.redirect(f"{self._place}/{saved}", replace=True)

    def _look_away(self) -> None:
        self.preview, self._looked_at, self.problems = None, None, {}

    def _id(self) -> str:
        """The id at the end of the address; empty for a new one."""
        last = super()._id()
        return "" if last == NEW else last


def _ticked(form_data: dict[str, str]) -> list[str]:
    names = [name for name, value in form_data.items() if name.startswith(CATEGORY_FIELD) and value == "on"]
    ids = [name.removeprefix(CATEGORY_FIELD) for name in names]
    return [one for one in ids if 0 < len(one) <= MAX_ID]
