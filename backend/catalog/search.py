"""Finding products by words: every word, as a prefix, accents and case ignored, small typos forgiven, best first.

The index lives in the database (`search_term`, `search_typo`), so every replica finds the same, and it needs no
extension. A word of the query first looks for terms that begin with it; only when there is none are terms looked for
that are one letter off (two, in words of eight letters and more). Two words are that close when they share what is left
of them after leaving letters out, so `search_typo` stores those remains for every term.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import combinations

from sqlalchemy import ColumnElement, Subquery, case, delete, false, func, insert, literal, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import (
    Category,
    Product,
    ProductCategory,
    ProductTerm,
    SearchTerm,
    SearchTypo,
    Variant,
    for_sale,
)
from backend.words import fold

MIN_TYPO_LENGTH = 4
TWO_TYPOS_LENGTH = 8
MAX_QUERY_WORDS = 8
MAX_TERM_LENGTH = 40
TITLE, BRAND, CATEGORY, SKU, DESCRIPTION = 16, 8, 6, 2, 1
AFTER_ANY_LETTER = "\U0010ffff"


def words_of(text: str) -> list[str]:
    """The folded words of the text, in their order, each once."""
    return list(dict.fromkeys(word[:MAX_TERM_LENGTH] for word in re.findall(r"[a-z0-9]+", fold(text))))


def typo_distance(word: str) -> int:
    """How many letters of the word may be wrong for it still to be found."""
    if len(word) < MIN_TYPO_LENGTH:
        return 0
    return 2 if len(word) >= TWO_TYPOS_LENGTH else 1


def remains(word: str) -> set[str]:
    """The word, and what remains of it without as many letters as may be wrong."""
    return {
        "".join(letter for place, letter in enumerate(word) if place not in gone)
        for count in range(typo_distance(word) + 1)
        for gone in combinations(range(len(word)), count)
    }


def staff_terms(title: str, handle: str, codes: Iterable[str]) -> set[str]:
    """The words by which staff find a product: those of its title and handle, and its codes, whole and in parts."""
    terms = {*words_of(title), *words_of(handle)}
    for code in codes:
        parts = words_of(code)
        terms.update(parts, ["".join(parts)[:MAX_TERM_LENGTH]] if parts else [])
    return terms


async def index_products(session: AsyncSession, product_ids: Sequence[str]) -> None:
    """Index these products anew. Those that are not for sale are removed from the shoppers' index.

    The staff's index keeps all but those that are deleted.
    """
    await _index_for_staff(session, product_ids)
    await session.execute(delete(SearchTerm).where(SearchTerm.product_id.in_(product_ids)))
    rows: list[dict[str, str | int]] = []
    for product_id, texts in (await _texts_of(session, product_ids)).items():
        weights: dict[str, int] = {}
        for text, weight in texts:
            for word in words_of(text):
                weights[word] = max(weights.get(word, 0), weight)
        rows += [
            {"term": term, "product_id": product_id, "weight": weight} for term, weight in weights.items()
        ]
    if not rows:
        return
    await session.execute(insert(SearchTerm), rows)
    new = await _new_terms(session, {str(row["term"]) for row in rows})
    typos = [{"remains": left, "term": term} for term in new for left in remains(term)]
    if typos:
        await _insert_missing_typos(session, typos)


async def _index_for_staff(session: AsyncSession, product_ids: Sequence[str]) -> None:
    await session.execute(delete(ProductTerm).where(ProductTerm.product_id.in_(product_ids)))
    kept = select(Product.id, Product.title, Product.handle).where(
        Product.id.in_(product_ids), Product.deleted_at.is_(None)
    )
    products = (await session.execute(kept)).all()
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
    """Those of the terms whose remains are not stored yet: a word is among its own remains."""
    query = select(SearchTypo.term).where(
        SearchTypo.remains.in_(terms), SearchTypo.term == SearchTypo.remains
    )
    return terms - set((await session.execute(query)).scalars())


async def _insert_missing_typos(session: AsyncSession, typos: list[dict[str, str]]) -> None:
    dialect = session.get_bind().dialect.name
    statement = (
        (postgresql if dialect == "postgresql" else sqlite).insert(SearchTypo).on_conflict_do_nothing()
    )
    await session.execute(statement, sorted(typos, key=lambda row: (row["remains"], row["term"])))


async def _texts_of(session: AsyncSession, product_ids: Sequence[str]) -> dict[str, list[tuple[str, int]]]:
    texts: dict[str, list[tuple[str, int]]] = {}
    products = await session.execute(select(Product).where(Product.id.in_(product_ids), for_sale()))
    for product in products.scalars():
        texts[product.id] = [
            (product.title, TITLE),
            (product.brand, BRAND),
            (f"{product.subtitle} {product.description}", DESCRIPTION),
        ]
    skus = await session.execute(select(Variant.product_id, Variant.sku).where(Variant.product_id.in_(texts)))
    for product_id, sku in skus:
        texts[product_id].append((sku or "", SKU))
    names = await session.execute(
        select(ProductCategory.product_id, Category.name)
        .join(Category, Category.id == ProductCategory.category_id)
        .where(ProductCategory.product_id.in_(texts))
    )
    for product_id, name in names:
        texts[product_id].append((name, CATEGORY))
    return texts


async def matches(session: AsyncSession, text: str) -> Subquery | None:
    """The products that every word of the text finds, as a subquery of `product_id` and `score`.

    None when there is no text. A word that finds nothing makes the whole result empty; so does a text without words.
    """
    if not text.strip():
        return None
    words = words_of(text)[:MAX_QUERY_WORDS]
    if not words:
        return select(SearchTerm.product_id, literal(0).label("score")).where(false()).subquery("found")
    found = [_matches_of_word(word, await _terms_near(session, word)) for word in words]
    first, *others = found
    score = sum((other.c.score for other in others), first.c.score)
    query = select(first.c.product_id.label("product_id"), score.label("score"))
    for other in others:
        query = query.join(other, other.c.product_id == first.c.product_id)
    return query.subquery("found")


def _matches_of_word(word: str, near: Iterable[str]) -> Subquery:
    hit: ColumnElement[bool]
    worth: ColumnElement[int]
    if near := list(near):
        hit, worth = SearchTerm.term.in_(near), literal(1)
    else:
        hit = (SearchTerm.term >= word) & (SearchTerm.term < word + AFTER_ANY_LETTER)
        worth = case((SearchTerm.term == word, 4), else_=2)
    return (
        select(SearchTerm.product_id, func.max(SearchTerm.weight * worth).label("score"))
        .where(hit)
        .group_by(SearchTerm.product_id)
        .subquery()
    )


async def _terms_near(session: AsyncSession, word: str) -> list[str]:
    """The terms a typo away from the word; none when a term begins with the word, or the word is too short to tell."""
    if not typo_distance(word):
        return []
    prefix = (
        select(SearchTerm.term)
        .where(SearchTerm.term >= word, SearchTerm.term < word + AFTER_ANY_LETTER)
        .limit(1)
    )
    if (await session.execute(prefix)).first():
        return []
    close = select(SearchTypo.term).where(SearchTypo.remains.in_(remains(word))).distinct()
    return [
        term for term in (await session.execute(close)).scalars() if within(word, term, typo_distance(word))
    ]


def within(one: str, other: str, limit: int) -> bool:
    """Whether at most `limit` letters were added, dropped, changed or swapped with a neighbour between the words."""
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
