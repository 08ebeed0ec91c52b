"""Suggestions while a shopper types (spec: Storefront view rules 2)."""

import reflex as rx

from backend.app import current_shop
from backend.catalog.search.query_words import SearchWords, search_words
from backend.catalog.search.suggestions import Places, places_of, read_places
from backend.catalog.storefront.page_content import search
from backend.catalog.views import SearchHit, SearchPlace
from storefront.state.frame import errors_as_notices
from storefront.state.handlers import checked_text, event

LONGEST_SEARCH = 80
"""Letters that are looked for."""
LONGEST_TYPED = 300
"""Letters that the field takes."""
PAUSE_MS = 40


def searched(text: str) -> str:
    """What is looked for of a text: its first letters, without a word that is cut."""
    if len(text) <= LONGEST_SEARCH:
        return text
    start = text[:LONGEST_SEARCH]
    whole = start if text[LONGEST_SEARCH].isspace() else start.rpartition(" ")[0]
    return whole.strip() or start


def words_of_shop() -> SearchWords:
    """What the search of the running shop knows of words."""
    return search_words(current_shop().settings.search_synonyms)


class SearchState(rx.State):
    """The last search results, and the text they are for."""

    hits: rx.Field[list[SearchHit]] = rx.field(default_factory=list)
    places: rx.Field[list[SearchPlace]] = rx.field(default_factory=list)
    answered: rx.Field[str] = rx.field("")

    @event(supersedes=True, debounce=PAUSE_MS)
    async def suggest(self, text: str) -> None:
        """Search for what has been typed so far. A later call replaces one that is still running."""
        async with errors_as_notices(self):
            text = checked_text(text, LONGEST_TYPED)
            wanted, words = searched(text), words_of_shop()
            async with current_shop().database.read() as session:
                self.hits = await search(session, wanted, words)
            self.places = places_of(await places_of_shop(), wanted, words)
            self.answered = text


async def places_of_shop() -> Places:
    """The categories and brands of the running shop, as they are now."""
    return await current_shop().catalog_version.cached("search places", _read)


async def _read() -> Places:
    async with current_shop().database.read() as session:
        return await read_places(session)
