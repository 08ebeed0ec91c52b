"""The wishlist page's products. Only the browser stores which ones (spec: Storefront view rules 7)."""

from collections.abc import Mapping

import reflex as rx

from backend.app import current_shop
from backend.catalog.storefront.page_content import MAX_WISHES, cards
from backend.catalog.views import ProductCard
from storefront.live.open_pages import watch
from storefront.state.frame import errors_as_notices
from storefront.state.handlers import checked_texts, event

LONGEST_HANDLE = 200


class WishlistState(rx.State):
    """The products of the browser's wishlist.

    `moved`: the handles of now of wishes that name a former one. `gone`: the wishes that are not sold any more.
    """

    cards: rx.Field[list[ProductCard]] = rx.field(default_factory=list)
    moved: rx.Field[dict[str, str]] = rx.field(default_factory=dict)
    gone: rx.Field[list[str]] = rx.field(default_factory=list)
    is_known: rx.Field[bool] = rx.field(False)

    @event(supersedes=True)
    async def show(self, handles: list[str]) -> None:
        """Show these products as they are now."""
        async with errors_as_notices(self):
            wanted = checked_texts(handles, MAX_WISHES, LONGEST_HANDLE)
            await self._load(wanted)
        self.is_known = True

    @event()
    async def refresh(self) -> None:
        """Show the products as they are now: the browser has connected again, and they may have changed meanwhile."""
        if not self.is_known:
            return
        async with errors_as_notices(self):
            await self._update()
        # written again, so that in Redis it expires no earlier than the states that are written when a page connects
        self.is_known = True

    async def _update(self) -> None:
        await self._load([*(card.handle for card in self.cards), *self.gone])

    async def _load(self, handles: list[str]) -> None:
        async with current_shop().database.read() as session:
            found = await cards(session, handles)
        shown = different(found)
        if shown != self.cards:
            self.cards = shown
        self.moved = {handle: card.handle for handle, card in found.items() if handle != card.handle}
        self.gone = [handle for handle in handles if handle not in found]
        watch(self, shown)


def different(found: Mapping[str, ProductCard]) -> list[ProductCard]:
    """The cards, each product's once."""
    return list({card.id: card for card in found.values()}.values())
