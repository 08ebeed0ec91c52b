"""Suggestions of categories and brands for a search, in addition to the products."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import category_tree
from backend.catalog.handles import brand_handle
from backend.catalog.models import Product, for_sale
from backend.catalog.search.query_intents import parse_search
from backend.catalog.search.query_words import QueryTerm, SearchWords, split_words
from backend.catalog.views import CategoryNode, SearchSuggestion

MIN_LETTERS = 2
MAX_PER_KIND = 2


@dataclass(frozen=True, slots=True)
class SuggestionSource:
    """All categories and brands that may be suggested."""

    categories: tuple[SearchSuggestion, ...]
    brands: tuple[SearchSuggestion, ...]


async def read_suggestion_source(session: AsyncSession) -> SuggestionSource:
    """Return the categories and the brands with a product for sale."""
    nodes = _flatten(await category_tree(session))
    return SuggestionSource(
        categories=tuple(
            SearchSuggestion("category", node.name, node.handle) for node in nodes if node.count
        ),
        brands=tuple(
            [SearchSuggestion("brand", name, brand_handle(name)) for name in await _brands(session)]
        ),
    )


def find_suggestions(source: SuggestionSource, text: str, words: SearchWords) -> list[SearchSuggestion]:
    """Return categories and brands whose name matches all words of the text.

    At most two of each are returned, the shortest names first.
    """
    terms = parse_search(text, words).query.query_terms if len(text.strip()) >= MIN_LETTERS else ()
    if not terms:
        return []
    return [
        place
        for kind in (source.categories, source.brands)
        for place in _shortest(
            [place for place in kind if all(_is_name_match(place.name, one) for one in terms)]
        )
    ]


def _shortest(candidates: Sequence[SearchSuggestion]) -> list[SearchSuggestion]:
    return sorted(candidates, key=lambda place: len(split_words(place.name)))[:MAX_PER_KIND]


def _is_name_match(name: str, terms: QueryTerm) -> bool:
    if not terms.word:
        return False
    accepted_words = terms.forms | terms.synonyms
    return any(word in accepted_words or word.startswith(terms.word) for word in split_words(name))


def _flatten(nodes: Sequence[CategoryNode]) -> list[CategoryNode]:
    return [candidates for node in nodes for candidates in (node, *_flatten(node.children))]


async def _brands(session: AsyncSession) -> list[str]:
    """Return the brands of the products for sale, with one index lookup for each brand."""
    first = select(func.min(Product.brand).label("brand")).where(Product.brand > "").cte(recursive=True)
    following = select(func.min(Product.brand)).where(Product.brand > first.c.brand).correlate(first)
    brands = first.union_all(
        select(following.scalar_subquery()).select_from(first).where(first.c.brand.is_not(None))
    )
    sold = select(Product.id).where(for_sale(), Product.brand == brands.c.brand).exists()
    return list((await session.execute(select(brands.c.brand).where(sold))).scalars())
