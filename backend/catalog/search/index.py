"""Search for products by words: prefix match, without accents and case, tolerant of small typos, best match first.

The index is stored in the database (`search_term`, `search_typo`), so all replicas find the same products, and no
database extension is needed. A query word matches terms that begin with it, are a form of it or are a synonym
(`query_words.py`). If no term matches, terms in the other grammatical gender are tried. Then terms of titles, brands
and categories with one typo are tried (two typos for words of eight letters or more).

To find typos, `search_typo` stores the remainders of these terms: the texts that are left after leaving out one or
two letters. Words that differ by a typo have a remainder in common.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    Subquery,
    bindparam,
    case,
    delete,
    false,
    func,
    insert,
    literal,
    literal_column,
    select,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import hidden_category_ids
from backend.catalog.derived_models import ProductTerm, SearchTerm, SearchTypo
from backend.catalog.models import Category, Collection, Product, ProductCategory, Variant, for_sale
from backend.catalog.search.query_words import (
    MAX_TERM_LENGTH,
    QueryTerm,
    SearchWords,
    other_gender,
    search_words,
    split_words,
)
from backend.core.collation import AFTER_ANY_LETTER
from backend.core.db.tables import insert_into, table_of

MIN_TYPO_LENGTH = 4
MIN_TWO_TYPOS_LENGTH = 8
TITLE, BRAND, CATEGORY, COLLECTION, MATERIAL, SKU, DESCRIPTION = 16, 8, 6, 4, 3, 2, 1
AS_WRITTEN, FORM, BEGINNING, SYNONYM, SHORT_BEGINNING, TYPO = 8, 6, 4, 3, 2, 2
"""Factors of a score by kind of match. A product with a matching age scores like a synonym of its category."""
MIN_STRONG_PREFIX = 4
"""Minimum number of letters of a prefix that counts as `BEGINNING`; a shorter one is a `SHORT_BEGINNING`."""
SCORE_PER_WORD = 100_000
"""Score for each matched word. A product that matches more words always comes before one that matches fewer."""
_TERMS = table_of(SearchTerm)
_TERM_WITH_PREFIX = (
    select(_TERMS.c.term)
    .where(_TERMS.c.term >= bindparam("word"), _TERMS.c.term < bindparam("after"))
    .limit(literal_column("1"))
)
"""Query for a term that begins with the word: such terms sort before `after`."""


def get_max_typos(word: str) -> int:
    """Return the number of wrong letters that are tolerated in the word."""
    if len(word) < MIN_TYPO_LENGTH:
        return 0
    return 2 if len(word) >= MIN_TWO_TYPOS_LENGTH else 1


def make_remainders(word: str) -> set[str]:
    """Return the word and its remainders: the word with up to `get_max_typos` letters left out."""
    return {
        "".join(letter for place, letter in enumerate(word) if place not in left_out)
        for count in range(get_max_typos(word) + 1)
        for left_out in combinations(range(len(word)), count)
    }


def staff_terms(title: str, handle: str, codes: Iterable[str]) -> set[str]:
    """Return the words by which staff find a product.

    These are the words of title and handle, and the product's codes, whole and in parts.
    """
    terms = {*split_words(title), *split_words(handle)}
    for code in codes:
        parts = split_words(code)
        terms.update(parts, ["".join(parts)[:MAX_TERM_LENGTH]] if parts else [])
    return terms


async def index_products(session: AsyncSession, product_ids: Sequence[str]) -> None:
    """Update the search index for these products if their words changed.

    The customers' index contains only products for sale. The staff's index contains all products that are not
    deleted.
    """
    await _index_for_staff(session, product_ids)
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
    if not changed:
        return
    await session.execute(delete(SearchTerm).where(SearchTerm.product_id.in_(changed)))
    rows: list[dict[str, str | int]] = [
        {"term": term, "product_id": product_id, "weight": weight}
        for product_id in changed
        for term, weight in new_weights.get(product_id, {}).items()
    ]
    if not rows:
        return
    await session.execute(insert(SearchTerm), rows)
    names = {
        term
        for product_id in changed
        for term, weight in new_weights.get(product_id, {}).items()
        if weight >= CATEGORY
    }
    new = await _new_terms(session, names)
    typos = [{"remains": left, "term": term} for term in new for left in make_remainders(term)]
    if typos:
        await _insert_missing_typos(session, typos)


async def _index_for_staff(session: AsyncSession, product_ids: Sequence[str]) -> None:
    await session.execute(delete(ProductTerm).where(ProductTerm.product_id.in_(product_ids)))
    not_deleted = select(Product.id, Product.title, Product.handle).where(
        Product.id.in_(product_ids), Product.deleted_at.is_(None)
    )
    products = (await session.execute(not_deleted)).all()
    codes: dict[str, list[str]] = {product_id: [] for product_id, _title, _handle in products}
    variants = select(Variant.product_id, Variant.sku, Variant.ean).where(Variant.product_id.in_(codes))
    for product_id, sku, ean in await session.execute(variants):
        codes[product_id] += [code for code in (sku, ean) if code]
    rows = [
        {"term": term, "product_id": product_id}
        for product_id, title, handle in products
        for term in staff_terms(title, handle, codes[product_id])
    ]
    if rows:
        await session.execute(insert(ProductTerm), rows)


async def _new_terms(session: AsyncSession, terms: set[str]) -> set[str]:
    """Return the terms whose remainders are not stored yet.

    The remainders of a term are stored if the table has the row whose remainder is the whole term.
    """
    query = select(SearchTypo.term).where(
        SearchTypo.remains.in_(terms), SearchTypo.term == SearchTypo.remains
    )
    return terms - set((await session.execute(query)).scalars())


async def _insert_missing_typos(session: AsyncSession, typos: list[dict[str, str]]) -> None:
    statement = insert_into(SearchTypo).on_conflict_do_nothing()
    await session.execute(statement, sorted(typos, key=lambda row: (row["remains"], row["term"])))


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
        .where(ProductCategory.product_id.in_(texts), Category.id.not_in(hidden_category_ids()))
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


async def find_matches(session: AsyncSession, text: str, words: SearchWords | None = None) -> Subquery | None:
    """Return the products that match all words of the text, as a subquery of `product_id` and `score`.

    Return None for an empty text. If a word has no match, or if the text contains no words, the subquery finds
    nothing.
    """
    if not text.strip():
        return None
    query = (words or search_words()).parse_query(text)
    return intersect_matches(await find_matches_by_term(session, query.query_terms))


async def find_matches_by_term(session: AsyncSession, terms: Iterable[QueryTerm]) -> list[Subquery]:
    """Return the matching products for each term, as subqueries of `product_id` and `score`."""
    return [await _matches_of_term(session, term) for term in terms]


def excluded_products(terms: Iterable[str]) -> Select[Any]:
    """Return the ids of the products with one of the terms, except those that also have the word "sin" ("without")."""
    without = select(SearchTerm.product_id).where(SearchTerm.term == literal("sin"))
    query = select(SearchTerm.product_id).where(SearchTerm.term.in_(sorted(terms)))
    return query.where(SearchTerm.product_id.not_in(without))


def intersect_matches(subqueries: Sequence[Subquery], bonuses: Sequence[Subquery] = ()) -> Subquery:
    """Return the products that are in all of the subqueries. Those that are in `bonuses` too have a higher score."""
    if not subqueries:
        return select(SearchTerm.product_id, literal(0).label("score")).where(false()).subquery("found")
    first, *others = subqueries
    score: ColumnElement[int] = sum((other.c.score for other in others), first.c.score)
    for bonus in bonuses:
        score += func.coalesce(bonus.c.score, 0)
    query = select(first.c.product_id.label("product_id"), score.label("score"))
    for other in others:
        query = query.join(other, other.c.product_id == first.c.product_id)
    for bonus in bonuses:
        query = query.outerjoin(bonus, bonus.c.product_id == first.c.product_id)
    return query.subquery("found")


def near_matches(subqueries: Sequence[Subquery]) -> Subquery:
    """Return the products that match at least one of the subqueries.

    The more subqueries match, the higher is the score.
    """
    if not subqueries:
        return intersect_matches(subqueries)
    found = union_all(*(select(each.c.product_id, each.c.score) for each in subqueries)).subquery()
    score = func.count() * SCORE_PER_WORD + func.sum(found.c.score)
    return select(found.c.product_id, score.label("score")).group_by(found.c.product_id).subquery("found")


async def _matches_of_term(session: AsyncSession, term_query: QueryTerm) -> Subquery:
    if not term_query.ages:
        return (await _matches_of_word(session, term_query)).subquery()
    of_age = select(Product.id.label("product_id"), literal(CATEGORY * SYNONYM).label("score")).where(
        for_sale(), Product.age_range.in_(term_query.ages)
    )
    if not term_query.word:
        return of_age.subquery()
    either = union_all(await _matches_of_word(session, term_query), of_age).subquery()
    return (
        select(either.c.product_id, func.max(either.c.score).label("score"))
        .group_by(either.c.product_id)
        .subquery()
    )


async def _matches_of_word(session: AsyncSession, term_query: QueryTerm) -> Select[Any]:
    term = _TERMS.c.term
    begins = (term >= term_query.word) & (term < term_query.word + AFTER_ANY_LETTER)
    is_form_or_synonym = term.in_(sorted(term_query.forms | term_query.synonyms))
    hit: ColumnElement[bool] = begins | is_form_or_synonym
    worth: ColumnElement[int] = case(
        (term == term_query.word, AS_WRITTEN),
        (term.in_(sorted(term_query.forms)), FORM),
        (begins, BEGINNING if len(term_query.word) >= MIN_STRONG_PREFIX else SHORT_BEGINNING),
        else_=SYNONYM,
    )
    begun = await session.execute(
        _TERM_WITH_PREFIX, {"word": term_query.word, "after": term_query.word + AFTER_ANY_LETTER}
    )
    is_found = (
        begun.first() or (await session.execute(select(term).where(is_form_or_synonym).limit(1))).first()
    )
    is_name = term_query.is_name
    if not is_found and (other := await _other_gender_term(session, term_query.word)):
        hit, worth = term == other, literal(TYPO)
    elif not is_found and (near_terms := await _terms_near(session, term_query.word)):
        hit, worth, is_name = term.in_(near_terms), literal(TYPO), True
    if is_name:
        hit &= _TERMS.c.weight >= CATEGORY
    score = func.max(_TERMS.c.weight * worth).label("score")
    return select(_TERMS.c.product_id, score).where(hit).group_by(_TERMS.c.product_id)


async def _other_gender_term(session: AsyncSession, word: str) -> str | None:
    """Return the word in its other grammatical gender if the index has it."""
    other = other_gender(word)
    is_there = select(SearchTerm.term).where(SearchTerm.term == other).limit(1)
    return other if other != word and (await session.execute(is_there)).first() else None


async def _terms_near(session: AsyncSession, word: str) -> list[str]:
    """Return the terms that differ from a word by a typo; short words have none.

    A term may have been deleted from the titles, brands and categories since its remainders were stored.
    """
    if not get_max_typos(word):
        return []
    close = select(SearchTypo.term).where(SearchTypo.remains.in_(make_remainders(word))).distinct()
    return [
        term
        for term in (await session.execute(close)).scalars()
        if is_within_distance(word, term, get_max_typos(word))
    ]


def is_within_distance(one: str, other: str, limit: int) -> bool:
    """Return True if the words' edit distance is at most `limit`; a swap of neighbouring letters is one edit."""
    if abs(len(one) - len(other)) > limit:
        return False
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1] <= limit
