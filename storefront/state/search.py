"""Suggestions while a shopper types (spec: Storefront view rules 2)."""

import reflex as rx

from backend.app import current_shop
from backend.catalog.browse import search
from backend.catalog.views import SearchHit
from storefront.state.frame import errors_as_notices
from storefront.state.handlers import checked_text, event

LONGEST_SEARCH = 80
PAUSE_MS = 40


class SearchState(rx.State):
    """The last search results, and the text they are for."""

    hits: rx.Field[list[SearchHit]] = rx.field(default_factory=list)
    answered: rx.Field[str] = rx.field("")

    @event(supersedes=True, debounce=PAUSE_MS)
    async def suggest(self, text: str) -> None:
        """Search for what has been typed so far. A later call replaces one that is still running."""
        async with errors_as_notices(self):
            text = checked_text(text, LONGEST_SEARCH)
            async with current_shop().database.read() as session:
                self.hits = await search(session, text)
            self.answered = text
