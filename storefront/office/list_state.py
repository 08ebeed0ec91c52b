"""Base state of lists: the URL has the filters, and more rows load on demand. Live updates never move a row."""

from dataclasses import replace
from typing import Any, ClassVar
from urllib.parse import parse_qsl

import reflex as rx

from backend.office.listing import filters_url
from backend.staff.rights import Actor
from storefront.office.state import OfficeScreen, office_event
from storefront.state.handlers import checked_fields

MAX_PARAMETERS = 20


class OfficeList(OfficeScreen, mixin=True):
    """State of a list. Its `content` is a `ListView` with `rows`.

    A list implements `_read_page`, which reads one page of rows. A list that is updated live also implements
    `_read_current_rows`, which reads the displayed rows again. Its component is
    `storefront.office.components.lists.office_list`.
    """

    _filter_fields: ClassVar[tuple[str, ...]] = ()
    """The names of the filter fields in the address and in the form."""
    _max_length: ClassVar[int] = 100
    """Maximum length of a filter value, in characters."""
    _path: ClassVar[str]

    async def _read_page(self, actor: Actor, filters: dict[str, str], cursor: str = "") -> Any:
        """Return a page of the rows that match the filters, starting after the cursor."""
        raise NotImplementedError

    async def _read_current_rows(self, actor: Actor, shown: Any) -> tuple[dict[str, Any], int]:
        """Return the current values of the displayed rows, by row id, and the number of new rows."""
        raise NotImplementedError

    async def _read_content(self, actor: Actor) -> Any:
        query = parse_qsl(str(self.router.url.query), max_num_fields=MAX_PARAMETERS)
        return await self._read_page(actor, dict(query))

    def _is_other_list(self, content: Any) -> bool:
        """Return True if `content` has other filters than the displayed list; False if no list is displayed yet.

        If True, opened rows and unsaved input must be discarded. If False, they stay: for example, a reconnection has
        loaded the same list again.
        """
        shown = self._get_content()
        return shown is not None and shown.filters != content.filters

    async def _refresh(self, actor: Actor) -> None:
        """Update the shown rows in place, and count the new rows."""
        shown = self._get_content()
        if shown is None:
            return
        current_by_id, self.new_count = await self._read_current_rows(actor, shown)
        current = [current_by_id.get(row.id, row) for row in shown.rows]
        if current != shown.rows:
            self._set_content(replace(shown, rows=current))

    @office_event(is_press=False)
    async def load_more(self, actor: Actor) -> None:
        """Load the next rows."""
        shown = self._get_content()
        if shown is None or not shown.cursor:
            return
        next_page = await self._read_page(actor, shown.filters, shown.cursor)
        self._set_content(replace(shown, rows=[*shown.rows, *next_page.rows], cursor=next_page.cursor))

    @office_event(is_press=False)
    async def apply_filters(self, _actor: Actor, form: dict[str, Any]) -> Any:
        """Redirect to the list's address with the filters of a form."""
        return rx.redirect(filters_url(self._filters_from_form(form), self._path))

    def _filters_from_form(self, form: dict[str, Any]) -> dict[str, str]:
        """Return the filters of a form. A filter that has no field in the form keeps its current value."""
        typed = checked_fields(form, *self._filter_fields, max_length=self._max_length)
        current_filters = shown.filters if (shown := self._get_content()) else {}
        return {
            name: typed[name] if name in form else current_filters.get(name, "")
            for name in self._filter_fields
        }
