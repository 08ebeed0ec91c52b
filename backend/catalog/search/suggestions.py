"""Categories and brands that a search may mean: suggested beside the toys."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import category_tree
from backend.catalog.handles import brand_handle
from backend.catalog.models import Product, for_sale
from backend.catalog.search.query_words import Asked, SearchWords, words_of
from backend.catalog.views import CategoryNode, SearchPlace

MIN_LETTERS = 2
MOST_OF_A_KIND = 2


@dataclass(frozen=True, slots=True)
class Places:
    """All that may be suggested, by their names."""

    categories: tuple[SearchPlace, ...]
    brands: tuple[SearchPlace, ...]


async def read_places(session: AsyncSession) -> Places:
    """The categories and the brands with something for sale."""
    nodes = _below(await category_tree(session))
    return Places(
        categories=tuple(SearchPlace("category", node.name, node.handle) for node in nodes if node.count),
        brands=tuple([SearchPlace("brand", name, brand_handle(name)) for name in await _brands(session)]),
    )


def places_of(places: Places, text: str, words: SearchWords) -> list[SearchPlace]:
    """Those whose names hold all that the text asks for, the shortest names first: two categories and two brands."""
    asked = words.understand(text).asked if len(text.strip()) >= MIN_LETTERS else ()
    if not asked:
        return []
    return [
        place
        for kind in (places.categories, places.brands)
        for place in _best([place for place in kind if all(_names(place.name, one) for one in asked)])
    ]


def _best(found: Sequence[SearchPlace]) -> list[SearchPlace]:
    return sorted(found, key=lambda place: len(words_of(place.name)))[:MOST_OF_A_KIND]


def _names(name: str, asked: Asked) -> bool:
    if not asked.word:
        return False
    meant = asked.forms | asked.synonyms
    return any(word in meant or word.startswith(asked.word) for word in words_of(name))


def _below(nodes: Sequence[CategoryNode]) -> list[CategoryNode]:
    return [found for node in nodes for found in (node, *_below(node.children))]


async def _brands(session: AsyncSession) -> list[str]:
    """The brands for sale: each is the first in the index after the one before, however many products each has."""
    first = select(func.min(Product.brand).label("brand")).where(Product.brand > "").cte(recursive=True)
    following = select(func.min(Product.brand)).where(Product.brand > first.c.brand).correlate(first)
    brands = first.union_all(
        select(following.scalar_subquery()).select_from(first).where(first.c.brand.is_not(None))
    )
    sold = select(Product.id).where(for_sale(), Product.brand == brands.c.brand).exists()
    return list((await session.execute(select(brands.c.brand).where(sold))).scalars())
