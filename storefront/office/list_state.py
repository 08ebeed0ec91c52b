"""The state of a list: it shows what its address asks for, more of it on demand, and no row moves by itself."""

from dataclasses import replace
from typing import Any, ClassVar
from urllib.parse import parse_qsl

import reflex as rx

from backend.office.listing import address_with
from backend.staff.rights import Actor
from storefront.office.state import OfficeScreen, office_event
from storefront.state.handlers import checked_fields

MAX_PARAMETERS = 20


class OfficeList(OfficeScreen, mixin=True):
    """The state of a list. Its `content` is a `ListView` with `rows`.

    A list reads its page in `_page`; one with topics says in `_rows_again` how its rows are now. Its component is
    `storefront.office.components.lists.office_list`.
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    """The fields of its filters, as the address and the form name them."""
    _longest: ClassVar[int] = 100
    """Characters of a filter."""
    _place: ClassVar[str]

    async def _page(self, actor: Actor, asked: dict[str, str], cursor: str = "") -> Any:
        """Return the view of the rows that are asked for, from the cursor on."""
        raise NotImplementedError

    async def _rows_again(self, actor: Actor, shown: Any) -> tuple[dict[str, Any], int]:
        """Return the shown rows as they are now, by id, and how many rows are new."""
        raise NotImplementedError

    async def _content(self, actor: Actor) -> Any:
        asked = parse_qsl(str(self.router.url.query), max_num_fields=MAX_PARAMETERS)
        return await self._page(actor, dict(asked))

    async def _refresh(self, actor: Actor) -> None:
        """Show the rows as they are now, each in its place, and say how many are new."""
        shown = self._shown()
        if shown is None:
            return
        again, self.fresh = await self._rows_again(actor, shown)
        current = [again.get(row.id, row) for row in shown.rows]
        if current != shown.rows:
            self._put(replace(shown, rows=current))

    @office_event(is_press=False)
    async def more(self, actor: Actor) -> None:
        """Show the next rows too."""
        shown = self._shown()
        if shown is None or not shown.cursor:
            return
        following = await self._page(actor, shown.asked, shown.cursor)
        self._put(replace(shown, rows=[*shown.rows, *following.rows], cursor=following.cursor))

    @office_event(is_press=False)
    async def ask(self, _actor: Actor, form: dict[str, Any]) -> Any:
        """Go to the address of the list with the filters of a form."""
        return rx.redirect(address_with(self._asked_now(form), self._place))

    def _asked_now(self, form: dict[str, Any]) -> dict[str, str]:
        """Return the filters of a form; those that it has no field for stay as they are."""
        typed = checked_fields(form, *self._fields, longest=self._longest)
        kept = shown.asked if (shown := self._shown()) else {}
        return {name: typed[name] if name in form else kept.get(name, "") for name in self._fields}
