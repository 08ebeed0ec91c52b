"""The products of the wishlist page.

The list of handles is stored only in the browser (spec: Storefront view rules 7).
"""

from collections.abc import Mapping

import reflex as rx

from backend.app import current_shop
from backend.catalog.storefront.page_content import MAX_WISHES, read_cards_by_handle
from backend.catalog.views import ProductCard
from storefront.live.open_pages import watch
from storefront.state.frame import errors_as_notices
from storefront.state.handlers import checked_texts, event

MAX_HANDLE_LENGTH = 200


class WishlistState(rx.State):
    """The products of the browser's wishlist.

    Attributes:
        moved_handles: current handles by former handle.
        gone_handles: handles of products that are no longer sold.
    """

    cards: rx.Field[list[ProductCard]] = rx.field(default_factory=list)
    moved_handles: rx.Field[dict[str, str]] = rx.field(default_factory=dict)
    gone_handles: rx.Field[list[str]] = rx.field(default_factory=list)
    is_loaded: rx.Field[bool] = rx.field(False)

    @event(supersedes=True)
    async def show_wishes(self, handles: list[str]) -> None:
        """Display the products with these handles, with their current data."""
        async with errors_as_notices(self):
            checked_handles = checked_texts(handles, MAX_WISHES, MAX_HANDLE_LENGTH)
            await self._load(checked_handles)
        self.is_loaded = True

    @event()
    async def refresh(self) -> None:
        """Reload the products after the browser has reconnected, because they may have changed in the meantime."""
        if not self.is_loaded:
            return
        async with errors_as_notices(self):
            await self._update()
        # writing it again keeps this state in Redis as long as the states that are written when a page connects
        self.is_loaded = True

    async def _update(self) -> None:
        await self._load([*(card.handle for card in self.cards), *self.gone_handles])

    async def _load(self, handles: list[str]) -> None:
        async with current_shop().database.read() as session:
            found = await read_cards_by_handle(session, handles)
        shown = unique_cards(found)
        if shown != self.cards:
            self.cards = shown
        self.moved_handles = {handle: card.handle for handle, card in found.items() if handle != card.handle}
        self.gone_handles = [handle for handle in handles if handle not in found]
        watch(self, shown)


def unique_cards(found: Mapping[str, ProductCard]) -> list[ProductCard]:
    """Return the cards without duplicates of a product."""
    return list({card.id: card for card in found.values()}.values())
