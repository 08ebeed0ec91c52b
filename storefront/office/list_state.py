"""What the screens of long lists share: the list is what the address asks for, and no row moves by itself."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

from backend.staff.rights import Actor
from storefront.office.state import OfficeScreen
from storefront.state.handlers import checked_fields

MOST_PARAMETERS = 20


class OfficeList(OfficeScreen, mixin=True):
    """The state of a list. Its `content` has `rows`, a `cursor` (empty at the end), `newest` and what was `asked`."""

    async def _page(self, actor: Actor, asked: dict[str, str], cursor: str = "") -> Any:
        """The rows that are asked for, from the cursor on."""
        raise NotImplementedError

    async def _rows_again(self, actor: Actor, shown: Any) -> tuple[dict[str, Any], int]:
        """How the shown rows stand now, by id, and how many have come since they were read."""
        raise NotImplementedError

    async def _content(self, actor: Actor) -> Any:
        return await self._page(actor, self._asked_for())

    async def _refresh(self, actor: Actor) -> None:
        """No row moves: those that are there show how they stand now, and how many are new is said."""
        shown = self._shown()
        if shown is None:
            return
        again, self.fresh = await self._rows_again(actor, shown)
        current = [again.get(row.id, row) for row in shown.rows]
        if current != shown.rows:
            self._put(replace(shown, rows=current))

    async def _add_rows(self, actor: Actor) -> None:
        """Show the next rows too."""
        shown = self._shown()
        if shown is None or not shown.cursor:
            return
        following = await self._page(actor, shown.asked, shown.cursor)
        self._put(replace(shown, rows=[*shown.rows, *following.rows], cursor=following.cursor))

    def _asked_for(self) -> dict[str, str]:
        """What the address asks for."""
        return dict(parse_qsl(str(self.router.url.query), max_num_fields=MOST_PARAMETERS))

    def _asked_now(self, form: dict[str, Any], names: Iterable[str], longest: int) -> dict[str, str]:
        """What a form asks for. What it does not name stays as it is."""
        typed = checked_fields(form, *names, longest=longest)
        kept = shown.asked if (shown := self._shown()) else {}
        return {name: typed[name] if name in form else kept.get(name, "") for name in names}
