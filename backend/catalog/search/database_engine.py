"""The shop's own search engine: finds words by prefix, ignores accents, case and small typos, best match first.

The index is stored in the database (`search_term`, `search_typo`), so all replicas find the same products, and no
database extension is needed. A query word matches terms that begin with it, are a form of it or are a synonym
(`query_words.py`). If no term matches, terms in the other grammatical gender are tried. Then terms of titles, brands
and categories that sound alike or have one typo are tried (two typos for words of eight letters or more; see
`typos.py`), unless the query requires exact matches.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from sqlalchemy import (
    ColumnElement,
    Select,
    Subquery,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal,
    literal_column,
    select,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import is_visible_category
from backend.catalog.derived_models import SearchTerm
from backend.catalog.models import (
    Category,
    Collection,
    Product,
    ProductCategory,
    Variant,
    featured_first_order,
    for_sale,
)
from backend.catalog.search.matches import Matches, intersect_matches
from backend.catalog.search.query_words import QueryTerm, other_gender, split_words, spoken_forms
from backend.catalog.search.typos import find_near_terms, find_sound_alikes, store_remainders
from backend.core.collation import AFTER_ANY_LETTER
from backend.core.db.database import planned_literal
from backend.core.db.tables import table_of

TITLE, BRAND, CATEGORY, COLLECTION, MATERIAL, SKU, DESCRIPTION = 16, 8, 6, 4, 3, 2, 1
AS_WRITTEN, FORM, BEGINNING, SYNONYM, SHORT_BEGINNING, TYPO = 8, 6, 4, 3, 2, 2
"""Factors of a score by kind of match. A product with a matching age scores like a synonym of its category."""
MIN_STRONG_PREFIX = 4
"""Minimum number of letters of a prefix that counts as `BEGINNING`; a shorter one is a `SHORT_BEGINNING`."""
MAX_SCORED = 1_000
"""With `only_best`, all matches of a term are scored if they are at most this many."""
_TERMS = table_of(SearchTerm)
_TERM_WITH_PREFIX = (
    select(_TERMS.c.term)
    .where(_TERMS.c.term >= bindparam("word"), _TERMS.c.term < bindparam("after"))
    .limit(literal_column("1"))
)
"""Query for one term that begins with `word`: it sorts at or after `word`, and before `after`."""

_Rows: TypeAlias = Sequence[Select[Any]]
"""Queries of `product_id` and `score`: the matches of one term."""
_Value: TypeAlias = Callable[[str], ColumnElement[Any]]


class DatabaseEngine:
    """The search engine in the shop's database (`backend.catalog.search.engine.SearchEngine`)."""

    async def index(self, session: AsyncSession, product_ids: Sequence[str]) -> None:
        """Update the index for these products if their words changed, and add missing remainders and sound keys."""
        current_weights: dict[str, dict[str, int]] = {}
        query = select(SearchTerm.product_id, SearchTerm.term, SearchTerm.weight)
        for product_id, term, weight in await session.execute(
            query.where(SearchTerm.product_id.in_(product_ids))
        ):
            current_weights.setdefault(product_id, {})[term] = weight
        new_weights: dict[str, dict[str, int]] = {}
        for product_id, texts in (await _read_texts(session, product_ids)).items():
            weights = new_weights[product_id] = {}
            for text, weight in texts:
                for word in split_words(text):
                    weights[word] = max(weights.get(word, 0), weight)
        changed = [one for one in product_ids if current_weights.get(one, {}) != new_weights.get(one, {})]
        if changed:
            await self.remove(session, changed)
        rows: list[dict[str, str | int]] = [
            {"term": term, "product_id": product_id, "weight": weight}
            for product_id in changed
            for term, weight in new_weights.get(product_id, {}).items()
        ]
        if rows:
            await session.execute(insert(SearchTerm), rows)
        names = {
            term for weights in new_weights.values() for term, weight in weights.items() if weight >= CATEGORY
        }
        if names:
            await store_remainders(session, names)

    async def remove(self, session: AsyncSession, product_ids: Sequence[str]) -> None:
        """Remove these products from the index."""
        await session.execute(delete(SearchTerm).where(SearchTerm.product_id.in_(product_ids)))

    async def find(
        self, session: AsyncSession, terms: Sequence[QueryTerm], *, only_best: bool = False
    ) -> Matches:
        """Return the products that match all terms.

        With `only_best`, only the products that `_choose_candidates` chooses are scored: a short prefix may match half
        of a large catalogue.
        """
        value = planned_literal if only_best else literal
        of_terms = [await _matching_rows(session, term, value) for term in terms]
        is_complete = True
        if only_best and of_terms:
            candidates, is_complete = await _choose_candidates(session, of_terms)
            if candidates is not None:
                of_terms = [_of_products(rows, candidates) for rows in of_terms]
        return Matches(intersect_matches([_best_scores(rows) for rows in of_terms]), is_complete)

    async def count(self, session: AsyncSession, terms: Sequence[QueryTerm]) -> int:
        """Return the number of products for sale that match all terms."""
        found = (await self.find(session, terms)).products
        query = select(func.count()).select_from(found).join(Product, Product.id == found.c.product_id)
        return (await session.execute(query.where(for_sale()))).scalar_one()


async def _choose_candidates(
    session: AsyncSession, of_terms: Sequence[_Rows]
) -> tuple[Select[Any] | None, bool]:
    """Return a query of the ids of the products to score, and True if it finds all products that match.

    A product must match all terms. A term with at most `MAX_SCORED` matches is rare. If all terms are rare,
    the query is None: every match is scored. If only some terms are rare, the query selects the matches of
    the rarest one. If none is, it selects the first products for sale in the shop's order, and the first
    matches of the rarest term in the index: some matches may be missing.
    """
    counts = [await _count_up_to(session, rows, MAX_SCORED + 1) for rows in of_terms]
    if max(counts) <= MAX_SCORED:
        return None, True
    rarest = of_terms[counts.index(min(counts))]
    if min(counts) <= MAX_SCORED:
        return select(_in_one(rarest).c.product_id), True
    order = select(Product.id.label("product_id")).where(for_sale()).order_by(*featured_first_order())
    parts = [part.limit(planned_literal(MAX_SCORED)).subquery() for part in (order, *rarest)]
    return select(union_all(*(select(part.c.product_id) for part in parts)).subquery().c.product_id), False


async def _count_up_to(session: AsyncSession, rows: _Rows, maximum: int) -> int:
    some = [part.limit(planned_literal(maximum)).subquery() for part in rows]
    counts = [select(func.count()).select_from(part).scalar_subquery() for part in some]
    return min(maximum, sum((await session.execute(select(*counts))).one()))


def _of_products(rows: _Rows, product_ids: Select[Any]) -> _Rows:
    return [part.where(part.selected_columns.product_id.in_(product_ids)) for part in rows]


def _in_one(rows: _Rows) -> Subquery:
    return union_all(*rows).subquery() if len(rows) > 1 else rows[0].subquery()


def _best_scores(rows: _Rows) -> Subquery:
    """Return each product once, with the best of its scores."""
    found = _in_one(rows)
    best = func.max(found.c.score).label("score")
    return select(found.c.product_id, best).group_by(found.c.product_id).subquery()


async def _matching_rows(session: AsyncSession, term: QueryTerm, value: _Value) -> _Rows:
    """Return queries of `product_id` and `score`, with one row for each matching word or age of a product.

    `value` converts a word to an SQL parameter or literal.
    """
    if not term.ages:
        return await _rows_of_word(session, term, value)
    score = literal(CATEGORY * SYNONYM).label("score")
    of_age = select(Product.id.label("product_id"), score).where(for_sale(), Product.age_range.in_(term.ages))
    return [*(await _rows_of_word(session, term, value) if term.word else ()), of_age]


async def _rows_of_word(session: AsyncSession, query_term: QueryTerm, value: _Value) -> _Rows:
    term, word = _TERMS.c.term, query_term.word
    forms = sorted(query_term.forms)
    parts: list[tuple[ColumnElement[bool], ColumnElement[int]]] = []
    if word:
        begins = (term >= value(word)) & (term < value(word + AFTER_ANY_LETTER))
        beginning = BEGINNING if len(word) >= MIN_STRONG_PREFIX else SHORT_BEGINNING
        parts.append((begins, case((term == word, AS_WRITTEN), (term.in_(forms), FORM), else_=beginning)))
    # a separate condition: with an OR, the database would read the whole range of the prefix
    others = [one for one in query_term.forms | query_term.synonyms if not word or not one.startswith(word)]
    is_other = term.in_(sorted(others))
    if others:
        parts.append((is_other, case((term.in_(forms), FORM), else_=SYNONYM)))
    is_name = query_term.is_name
    if word and not await _has_terms(session, word, is_other):
        if other := await _other_gender_term(session, word):
            parts = [(term == other, literal(TYPO))]
        elif not query_term.is_exact:
            alike = query_term.sound_synonyms | await find_sound_alikes(session, spoken_forms(word))
            if near_terms := alike.union(await find_near_terms(session, word)):
                worth = case((term.in_(sorted(alike)), SYNONYM), else_=TYPO)
                parts, is_name = [(term.in_(sorted(near_terms)), worth)], True
    if is_name:
        parts = [(hit & (_TERMS.c.weight >= CATEGORY), worth) for hit, worth in parts]
    return [
        select(_TERMS.c.product_id, (_TERMS.c.weight * worth).label("score")).where(hit)
        for hit, worth in parts
    ]


async def _has_terms(session: AsyncSession, word: str, is_other: ColumnElement[bool]) -> bool:
    """Return True if a term of the index begins with the word, or meets the SQL condition `is_other`."""
    begun = await session.execute(_TERM_WITH_PREFIX, {"word": word, "after": word + AFTER_ANY_LETTER})
    if begun.first():
        return True
    return bool((await session.execute(select(_TERMS.c.term).where(is_other).limit(1))).first())


async def _other_gender_term(session: AsyncSession, word: str) -> str | None:
    """Return the word in its other grammatical gender; None if the index does not contain it."""
    other = other_gender(word)
    is_there = select(SearchTerm.term).where(SearchTerm.term == other).limit(1)
    return other if other != word and (await session.execute(is_there)).first() else None


async def _read_texts(session: AsyncSession, product_ids: Sequence[str]) -> dict[str, list[tuple[str, int]]]:
    texts: dict[str, list[tuple[str, int]]] = {}
    products = await session.execute(select(Product).where(Product.id.in_(product_ids), for_sale()))
    for product in products.scalars():
        texts[product.id] = [
            (product.title, TITLE),
            (product.brand, BRAND),
            (product.material or "", MATERIAL),
            (f"{product.subtitle} {product.description}", DESCRIPTION),
        ]
    skus = await session.execute(select(Variant.product_id, Variant.sku).where(Variant.product_id.in_(texts)))
    for product_id, sku in skus:
        texts[product_id].append((sku or "", SKU))
    names = await session.execute(
        select(ProductCategory.product_id, Category.name)
        .join(Category, Category.id == ProductCategory.category_id)
        .where(ProductCategory.product_id.in_(texts), is_visible_category())
    )
    for product_id, name in names:
        texts[product_id].append((name, CATEGORY))
    titles = await session.execute(
        select(Product.id, Collection.title)
        .join(Collection, Collection.id == Product.collection_id)
        .where(Product.id.in_(texts), Collection.is_active)
    )
    for product_id, title in titles:
        texts[product_id].append((title, COLLECTION))
    return texts
