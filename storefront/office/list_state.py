"""What the screens of long lists share: the list is what the address asks for, and no row moves by itself."""

from dataclasses import replace
from typing import Any, ClassVar
from urllib.parse import parse_qsl

import reflex as rx

from backend.office.list_filters import address_with
from backend.staff.rights import Actor
from storefront.office.state import OfficeScreen, office_event
from storefront.state.handlers import checked_fields

MOST_PARAMETERS = 20


class PagedScreen(OfficeScreen, mixin=True):
    """The state of rows that are read page by page. Its `content` has `rows` and a `cursor` (empty at the end)."""

    async def _next_page(self, actor: Actor, shown: Any) -> Any:
        """What follows after what is shown."""
        raise NotImplementedError

    @office_event(is_press=False)
    async def more(self, actor: Actor) -> None:
        """Show the next rows too."""
        shown = self._shown()
        if shown is None or not shown.cursor:
            return
        following = await self._next_page(actor, shown)
        self._put(replace(shown, rows=[*shown.rows, *following.rows], cursor=following.cursor))


class ShowsFresh(OfficeScreen, mixin=True):
    """The state of rows that says how many are new, and shows them when somebody asks."""

    @office_event(is_press=False)
    async def show_fresh(self, actor: Actor) -> None:
        """Show what is new."""
        await self._show(actor)


class OfficeList(PagedScreen, mixin=True):
    """The state of a list. Its `content` has what was `asked` too, and `newest` if it says what is new."""

    _fields: ClassVar[tuple[str, ...]]
    """What can be asked for, as the address and the form name it."""
    _longest: ClassVar[int]
    """Characters of what is asked for."""
    _place: ClassVar[str]

    async def _page(self, actor: Actor, asked: dict[str, str], cursor: str = "") -> Any:
        """The rows that are asked for, from the cursor on."""
        raise NotImplementedError

    async def _rows_again(self, actor: Actor, shown: Any) -> tuple[dict[str, Any], int]:
        """How the shown rows stand now, by id, and how many have come since they were read."""
        raise NotImplementedError

    async def _content(self, actor: Actor) -> Any:
        return await self._page(actor, self._asked_for())

    async def _next_page(self, actor: Actor, shown: Any) -> Any:
        return await self._page(actor, shown.asked, shown.cursor)

    async def _refresh(self, actor: Actor) -> None:
        """No row moves: those that are there show how they stand now, and how many are new is said."""
        shown = self._shown()
        if shown is None:
            return
        again, self.fresh = await self._rows_again(actor, shown)
        current = [again.get(row.id, row) for row in shown.rows]
        if current != shown.rows:
            self._put(replace(shown, rows=current))

    @office_event(is_press=False)
    async def ask(self, _actor: Actor, form: dict[str, Any]) -> Any:
        """Ask for other rows: the address says which."""
        return rx.redirect(address_with(self._asked_now(form), self._place))

    def _asked_for(self) -> dict[str, str]:
        """What the address asks for."""
        return dict(parse_qsl(str(self.router.url.query), max_num_fields=MOST_PARAMETERS))

    def _asked_now(self, form: dict[str, Any]) -> dict[str, str]:
        """What a form asks for. What it does not name stays as it is."""
        typed = checked_fields(form, *self._fields, longest=self._longest)
        kept = shown.asked if (shown := self._shown()) else {}
        return {name: typed[name] if name in form else kept.get(name, "") for name in self._fields}
