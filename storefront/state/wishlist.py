"""The wishlist page's products. Only the browser stores which ones (spec: Storefront view rules 7)."""

import reflex as rx

from backend.app import current_shop
from backend.catalog.browse import MAX_WISHES, cards
from backend.catalog.views import ProductCard
from storefront.live.open_pages import watch
from storefront.state.frame import errors_as_notices
from storefront.state.handlers import checked_texts, event

LONGEST_HANDLE = 200


class WishlistState(rx.State):
    """The products of the browser's wishlist."""

    cards: rx.Field[list[ProductCard]] = rx.field(default_factory=list)
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
            await self._load([card.handle for card in self.cards])
        # written again, so that in Redis it expires no earlier than the states that are written when a page connects
        self.is_known = True

    async def _update(self) -> None:
        await self._load([card.handle for card in self.cards])

    async def _load(self, handles: list[str]) -> None:
        async with current_shop().database.read() as session:
            found = await cards(session, handles)
        if found != self.cards:
            self.cards = found
        watch(self, found)
