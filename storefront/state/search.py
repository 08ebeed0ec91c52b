"""Suggestions while a shopper types (spec: Storefront view rules 2)."""

import reflex as rx

from backend.app import current_shop
from backend.catalog.browse import search
from backend.catalog.views import SearchHit
from storefront.state.answers import a_text, problems_told
from storefront.state.events import event

LONGEST_SEARCH = 80
PAUSE_MS = 40


class SearchState(rx.State):
    """The last answer to what was typed, and the text it answers."""

    hits: rx.Field[list[SearchHit]] = rx.field(default_factory=list)
    answered: rx.Field[str] = rx.field("")

    @event(supersedes=True, debounce=PAUSE_MS)
    async def suggest(self, text: str) -> None:
        """Look for what has been typed so far. A later text takes the place of one still being looked for."""
        async with problems_told(self):
            text = a_text(text, LONGEST_SEARCH)
            async with current_shop().database.read() as session:
                self.hits = await search(session, text)
            self.answered = text
