"""Toys that a page offers beside its own: what this browser looked at last, and what the shop puts forward."""

import reflex as rx

from backend.app import current_shop
from backend.catalog.storefront.page_content import cards, new_or_featured_cards
from backend.catalog.views import ProductCard
from storefront.live.open_pages import watch
from storefront.state.frame import errors_as_notices
from storefront.state.handlers import checked_texts, event
from storefront.state.wishlist import LONGEST_HANDLE

OFFERED = 4
MOST_VIEWED = 12


class ToysState(rx.State, mixin=True):
    """Toys, and whether the server was asked for them."""

    cards: rx.Field[list[ProductCard]] = rx.field(default_factory=list)
    is_known: rx.Field[bool] = rx.field(False)

    def _show(self, found: list[ProductCard]) -> None:
        if found != self.cards:
            self.cards = found
        watch(self, found)


class OfferedState(ToysState, rx.State):
    """What the shop puts forward, for pages that have nothing to show."""

    @event(supersedes=True)
    async def offer(self) -> None:
        """Show toys that can be bought."""
        async with errors_as_notices(self):
            await self._load()
        self.is_known = True

    async def _update(self) -> None:
        await self._load()

    async def _load(self) -> None:
        async with current_shop().database.read() as session:
            self._show(await new_or_featured_cards(session, OFFERED))


class ViewedState(ToysState, rx.State):
    """What this browser looked at before. Only the browser stores which toys."""

    @event(supersedes=True)
    async def show(self, handles: list[str]) -> None:
        """Show these products as they are now."""
        async with errors_as_notices(self):
            await self._load(checked_texts(handles, MOST_VIEWED, LONGEST_HANDLE))
        self.is_known = True

    async def _update(self) -> None:
        await self._load([card.handle for card in self.cards])

    async def _load(self, handles: list[str]) -> None:
        async with current_shop().database.read() as session:
            found = await cards(session, handles)
        # by a former handle it may be the page's own toy, which the browser has left out by the handle of now
        self._show([card for handle, card in found.items() if card.handle == handle])
