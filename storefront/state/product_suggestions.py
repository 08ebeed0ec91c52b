"""Products that a page suggests: products viewed recently in this browser, and products that the shop features."""

import reflex as rx

from backend.app import current_shop
from backend.catalog.storefront.page_content import new_or_featured_cards, read_cards_by_handle
from backend.catalog.views import ProductCard
from storefront.live.open_pages import watch
from storefront.state.frame import errors_as_notices
from storefront.state.handlers import checked_texts, event
from storefront.state.wishlist import MAX_HANDLE_LENGTH

SUGGESTED_COUNT = 4
MAX_VIEWED = 12


class ProductListState(rx.State, mixin=True):
    """A list of products, and whether it has been loaded."""

    cards: rx.Field[list[ProductCard]] = rx.field(default_factory=list)
    is_loaded: rx.Field[bool] = rx.field(False)

    def _show_cards(self, found: list[ProductCard]) -> None:
        if found != self.cards:
            self.cards = found
        watch(self, found)


class SuggestedProductsState(ProductListState, rx.State):
    """New or featured products, for pages that have nothing to display."""

    @event(supersedes=True)
    async def load_suggestions(self) -> None:
        """Load products that can be bought."""
        async with errors_as_notices(self):
            await self._load()
        self.is_loaded = True

    async def _update(self) -> None:
        await self._load()

    async def _load(self) -> None:
        async with current_shop().database.read() as session:
            self._show_cards(await new_or_featured_cards(session, SUGGESTED_COUNT))


class ViewedProductsState(ProductListState, rx.State):
    """Products that were viewed in this browser. The list of their handles is stored only in the browser."""

    @event(supersedes=True)
    async def show_viewed(self, handles: list[str]) -> None:
        """Display the products with these handles, with their current data."""
        async with errors_as_notices(self):
            await self._load(checked_texts(handles, MAX_VIEWED, MAX_HANDLE_LENGTH))
        self.is_loaded = True

    async def _update(self) -> None:
        await self._load([card.handle for card in self.cards])

    async def _load(self, handles: list[str]) -> None:
        async with current_shop().database.read() as session:
            found = await read_cards_by_handle(session, handles)
        # a former handle may belong to the page's own product, which the browser excludes by its current handle only
        self._show_cards([card for handle, card in found.items() if card.handle == handle])
