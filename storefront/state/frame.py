"""What stands around every page: the departments of the menu and what the shop says in passing."""

from dataclasses import dataclass

import reflex as rx

from backend.app import current_shop
from backend.catalog.categories import category_tree
from backend.catalog.views import CategoryNode
from backend.texts import _
from storefront.state.events import event
from storefront.state.numbers import next_number

FAILURE = _("Algo falló de nuestro lado. Inténtalo otra vez en un momento.")


@dataclass(frozen=True, slots=True)
class Notice:
    """A message to the shopper. `number` tells one from the next; `tone` is `problem` or `news`."""

    number: int = 0
    tone: str = "news"
    text: str = ""


class FrameState(rx.State):
    """The frame of the page."""

    departments: rx.Field[list[CategoryNode]] = rx.field(default_factory=list)
    notice: rx.Field[Notice] = rx.field(default_factory=Notice)

    @event()
    async def load_departments(self) -> None:
        """Read the menu's departments, as they are now."""
        async with current_shop().database.read() as session:
            departments = await category_tree(session)
        if departments != self.departments:
            self.departments = departments

    @event()
    def say_failure(self) -> None:
        """Tell that something unexpected went wrong."""
        say(self, FAILURE)


def say(frame: FrameState, text: str, tone: str = "problem") -> None:
    """Say something in passing."""
    frame.notice = Notice(next_number(frame.notice.number), tone, text)
