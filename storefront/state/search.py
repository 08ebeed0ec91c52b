"""Search suggestions while a customer types (spec: Storefront view rules 2)."""

from dataclasses import dataclass

import reflex as rx

from backend.app import current_shop
from backend.catalog.search.query_intents import HelpTopic, ShopperSearch, parse_search
from backend.catalog.search.query_words import SearchWords, search_words
from backend.catalog.search.suggestions import SuggestionSource, find_suggestions, read_suggestion_source
from backend.catalog.storefront.page_content import MIN_SEARCH_LETTERS, suggest_products
from backend.catalog.views import SearchHit, SearchSuggestion
from backend.core.texts import _
from backend.legal.texts import TITLES, LegalKind
from storefront.brand_icons import get_brand
from storefront.links import FIND_ORDER, PQRS, catalog_path, gift_path, legal_path
from storefront.state.frame import errors_as_notices
from storefront.state.handlers import checked_text, event

MAX_SEARCH_LENGTH = 80
"""Maximum letters of a search."""
MAX_INPUT_LENGTH = 300
"""Maximum number of letters that the search field accepts."""
SEARCH_DEBOUNCE_MS = 40
_LEGAL_TOPICS = {
    HelpTopic.WARRANTY: LegalKind.GUARANTEE,
    HelpTopic.RETURNS: LegalKind.WITHDRAWAL,
    HelpTopic.SHIPPING: LegalKind.SHIPPING,
    HelpTopic.TERMS: LegalKind.TERMS,
}


@dataclass(frozen=True, slots=True)
class HelpLink:
    """A page of the shop that may answer a search."""

    title: str
    path: str


def to_search_text(text: str) -> str:
    """Return the part of the text to search for: at most `MAX_SEARCH_LENGTH` characters, with only whole words."""
    if len(text) <= MAX_SEARCH_LENGTH:
        return text
    start = text[:MAX_SEARCH_LENGTH]
    whole = start if text[MAX_SEARCH_LENGTH].isspace() else start.rpartition(" ")[0]
    return whole.strip() or start


async def get_search_words() -> SearchWords:
    """Return the search vocabulary with the shop's own synonyms and words for its products."""
    goods = (await get_brand()).goods
    return search_words(current_shop().settings.search_synonyms).with_general_words(goods.one, goods.many)


def find_help_links(search: ShopperSearch) -> list[HelpLink]:
    """Return the pages that may answer the search, best first."""
    return [_help_link(topic, search) for topic in search.topics]


def _help_link(topic: HelpTopic, search: ShopperSearch) -> HelpLink:
    if topic is HelpTopic.GIFT_FINDER:
        ages = [term.ages for term in search.query.query_terms if term.ages]
        is_one_age = len(ages) == 1 and len(ages[0]) == 1
        return HelpLink(_("Encuentra un regalo"), gift_path(age=ages[0][0] if is_one_age else ""))
    if topic is HelpTopic.ORDER_LOOKUP:
        return HelpLink(_("Encuentra tu pedido"), FIND_ORDER)
    if topic is HelpTopic.OFFERS:
        return HelpLink(_("Con descuento"), catalog_path(sale="1"))
    if topic is HelpTopic.CLAIMS:
        return HelpLink(_("Peticiones, quejas, reclamos y sugerencias"), PQRS)
    kind = _LEGAL_TOPICS[topic]
    return HelpLink(TITLES[kind], legal_path(kind))


class SearchState(rx.State):
    """The latest suggestions, and the text that was searched.

    `near` are the products that match the text only in part; they are shown if `hits` is empty.
    """

    hits: rx.Field[list[SearchHit]] = rx.field(default_factory=list)
    near: rx.Field[list[SearchHit]] = rx.field(default_factory=list)
    help_links: rx.Field[list[HelpLink]] = rx.field(default_factory=list)
    places: rx.Field[list[SearchSuggestion]] = rx.field(default_factory=list)
    answered_text: rx.Field[str] = rx.field("")

    @event(supersedes=True, debounce=SEARCH_DEBOUNCE_MS)
    async def suggest(self, text: str) -> None:
        """Search for the text typed so far. A later call cancels a call that is still running."""
        async with errors_as_notices(self):
            text = checked_text(text, MAX_INPUT_LENGTH)
            search_text, words = to_search_text(text), await get_search_words()
            async with current_shop().database.read() as session:
                found = await suggest_products(session, search_text, words)
            self.hits, self.near = found.hits, found.near
            is_long_enough = len(search_text.strip()) >= MIN_SEARCH_LETTERS
            self.help_links = find_help_links(parse_search(search_text, words)) if is_long_enough else []
            self.places = find_suggestions(await get_search_places(), search_text, words)
            self.answered_text = text


async def get_search_places() -> SuggestionSource:
    """Return the current categories and brands of the running shop."""
    return await current_shop().catalog_version.read_cached("search places", _read_search_places)


async def _read_search_places() -> SuggestionSource:
    async with current_shop().database.read() as session:
        return await read_suggestion_source(session)
