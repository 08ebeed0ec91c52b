"""Search suggestions while a customer types (spec: Storefront view rules 2)."""

import reflex as rx

from backend.app import current_shop
from backend.catalog.search.query_words import SearchWords, search_words
from backend.catalog.search.suggestions import SuggestionSource, find_suggestions, read_suggestion_source
from backend.catalog.storefront.page_content import suggest_products
from backend.catalog.views import SearchHit, SearchSuggestion
from storefront.state.frame import errors_as_notices
from storefront.state.handlers import checked_text, event

MAX_SEARCH_LENGTH = 80
"""Maximum letters of a search."""
MAX_INPUT_LENGTH = 300
"""Maximum letters that the field accepts."""
SEARCH_DEBOUNCE_MS = 40


def to_search_text(text: str) -> str:
    """Return the part of the text to search for: at most `MAX_SEARCH_LENGTH` characters, with only whole words."""
    if len(text) <= MAX_SEARCH_LENGTH:
        return text
    start = text[:MAX_SEARCH_LENGTH]
    whole = start if text[MAX_SEARCH_LENGTH].isspace() else start.rpartition(" ")[0]
    return whole.strip() or start


def get_search_words() -> SearchWords:
    """Return the search vocabulary of the running shop, with its synonyms."""
    return search_words(current_shop().settings.search_synonyms)


class SearchState(rx.State):
    """The latest suggestions, and the text that was searched."""

    hits: rx.Field[list[SearchHit]] = rx.field(default_factory=list)
    places: rx.Field[list[SearchSuggestion]] = rx.field(default_factory=list)
    answered_text: rx.Field[str] = rx.field("")

    @event(supersedes=True, debounce=SEARCH_DEBOUNCE_MS)
    async def suggest(self, text: str) -> None:
        """Search for the text typed so far. A later call cancels a call that is still running."""
        async with errors_as_notices(self):
            text = checked_text(text, MAX_INPUT_LENGTH)
            search_text, words = to_search_text(text), get_search_words()
            async with current_shop().database.read() as session:
                self.hits = await suggest_products(session, search_text, words)
            self.places = find_suggestions(await get_search_places(), search_text, words)
            self.answered_text = text


async def get_search_places() -> SuggestionSource:
    """Return the current categories and brands of the running shop."""
    return await current_shop().catalog_version.read_cached("search places", _read_search_places)


async def _read_search_places() -> SuggestionSource:
    async with current_shop().database.read() as session:
        return await read_suggestion_source(session)
