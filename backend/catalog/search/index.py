"""Finding products by words: every word, as a prefix, accents and case ignored, small typos forgiven, best first.

The index lives in the database (`search_term`, `search_typo`), so every replica finds the same, and it needs no
extension. A word of the query looks for terms that begin with it, are a form of it or mean the same
(`query_words.py`); only when there is none are terms looked for of the other gender, and then those that are one
letter off (two, in words of eight letters and more). Two words are that close when they share what is left of them
after leaving letters out, so `search_typo` stores those remains for every term.
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

from backend.catalog.derived_models import ProductTerm, SearchTerm, SearchTypo
from backend.catalog.models import Category, Collection, Product, ProductCategory, Variant, for_sale
from backend.catalog.search.query_words import (
    MAX_TERM_LENGTH,
    Asked,
    SearchWords,
    Understood,
    other_gender,
    search_words,
    words_of,
)
from backend.core.collation import AFTER_ANY_LETTER
from backend.core.db.tables import insert_into, table_of

MIN_TYPO_LENGTH = 4
TWO_TYPOS_LENGTH = 8
TITLE, BRAND, CATEGORY, COLLECTION, SKU, DESCRIPTION = 16, 8, 6, 4, 2, 1
AS_WRITTEN, FORM, BEGINNING, SYNONYM, SHORT_BEGINNING, TYPO = 8, 6, 4, 3, 2, 2
"""How much a term is worth by how it answers the word; an age counts like a category."""
LONG_BEGINNING = 4
"""Letters. The beginning of a word is a guess, and a weak one where it is shorter."""
A_WORD_MORE = 100_000
"""What holds one more of the words goes before whatever holds fewer, however well."""
_TERMS = table_of(SearchTerm)
_BEGUN = (
    select(_TERMS.c.term)
    .where(_TERMS.c.term >= bindparam("word"), _TERMS.c.term < bindparam("after"))
    .limit(literal_column("1"))
)
"""A term that begins with the word, which all that lies before `after` does."""


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
    """Index these products anew, where their words have changed. Those that are not for sale leave the shoppers' index.

    The staff's index keeps all but those that are deleted.
    """
    await _index_for_staff(session, product_ids)
    known: dict[str, dict[str, int]] = {}
    query = select(SearchTerm.product_id, SearchTerm.term, SearchTerm.weight)
    for product_id, term, weight in await session.execute(
        query.where(SearchTerm.product_id.in_(product_ids))
    ):
        known.setdefault(product_id, {})[term] = weight
    wanted: dict[str, dict[str, int]] = {}
    for product_id, texts in (await _texts_of(session, product_ids)).items():
        weights = wanted[product_id] = {}
        for text, weight in texts:
            for word in words_of(text):
                weights[word] = max(weights.get(word, 0), weight)
    changed = [one for one in product_ids if known.get(one, {}) != wanted.get(one, {})]
    if not changed:
        return
    await session.execute(delete(SearchTerm).where(SearchTerm.product_id.in_(changed)))
    rows: list[dict[str, str | int]] = [
        {"term": term, "product_id": product_id, "weight": weight}
        for product_id in changed
        for term, weight in wanted.get(product_id, {}).items()
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
    statement = insert_into(SearchTypo).on_conflict_do_nothing()
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
    titles = await session.execute(
        select(Product.id, Collection.title)
        .join(Collection, Collection.id == Product.collection_id)
        .where(Product.id.in_(texts))
    )
    for product_id, title in titles:
        texts[product_id].append((title, COLLECTION))
    return texts


async def matches(session: AsyncSession, text: str, words: SearchWords | None = None) -> Subquery | None:
    """The products that all of what the text asks for finds, as a subquery of `product_id` and `score`.

    None when there is no text. A word that finds nothing makes the whole result empty; so does a text without words.
    """
    if not text.strip():
        return None
    return every_match(await answers_of(session, (words or search_words()).understand(text)))


async def answers_of(session: AsyncSession, understood: Understood) -> list[Subquery]:
    """For each thing that is asked for, the products that have it, as a subquery of `product_id` and `score`."""
    return [await _answers(session, asked) for asked in understood.asked]


def every_match(answers: Sequence[Subquery]) -> Subquery:
    """The products that are in all of the answers."""
    if not answers:
        return select(SearchTerm.product_id, literal(0).label("score")).where(false()).subquery("found")
    first, *others = answers
    score = sum((other.c.score for other in others), first.c.score)
    query = select(first.c.product_id.label("product_id"), score.label("score"))
    for other in others:
        query = query.join(other, other.c.product_id == first.c.product_id)
    return query.subquery("found")


def near_matches(answers: Sequence[Subquery]) -> Subquery:
    """The products that are in any of the answers: those in most of them have the highest score."""
    if not answers:
        return every_match(answers)
    found = union_all(*(select(answer.c.product_id, answer.c.score) for answer in answers)).subquery()
    score = func.count() * A_WORD_MORE + func.sum(found.c.score)
    return select(found.c.product_id, score.label("score")).group_by(found.c.product_id).subquery("found")


async def _answers(session: AsyncSession, asked: Asked) -> Subquery:
    if not asked.ages:
        return (await _matches_of_word(session, asked)).subquery()
    of_age = select(Product.id.label("product_id"), literal(CATEGORY * SYNONYM).label("score")).where(
        for_sale(), Product.age_range.in_(asked.ages)
    )
    if not asked.word:
        return of_age.subquery()
    either = union_all(await _matches_of_word(session, asked), of_age).subquery()
    return (
        select(either.c.product_id, func.max(either.c.score).label("score"))
        .group_by(either.c.product_id)
        .subquery()
    )


async def _matches_of_word(session: AsyncSession, asked: Asked) -> Select[Any]:
    term = _TERMS.c.term
    begins = (term >= asked.word) & (term < asked.word + AFTER_ANY_LETTER)
    meant = term.in_(sorted(asked.forms | asked.synonyms))
    hit: ColumnElement[bool] = begins | meant
    worth: ColumnElement[int] = case(
        (term == asked.word, AS_WRITTEN),
        (term.in_(sorted(asked.forms)), FORM),
        (begins, BEGINNING if len(asked.word) >= LONG_BEGINNING else SHORT_BEGINNING),
        else_=SYNONYM,
    )
    begun = await session.execute(_BEGUN, {"word": asked.word, "after": asked.word + AFTER_ANY_LETTER})
    is_found = begun.first() or (await session.execute(select(term).where(meant).limit(1))).first()
    if not is_found and (near := await _terms_near(session, asked.word)):
        hit, worth = term.in_(near), literal(TYPO)
    score = func.max(_TERMS.c.weight * worth).label("score")
    return select(_TERMS.c.product_id, score).where(hit).group_by(_TERMS.c.product_id)


async def _terms_near(session: AsyncSession, word: str) -> list[str]:
    """The word of the other gender, or else the terms a typo away; none when the word is too short to tell."""
    other = other_gender(word)
    is_there = select(SearchTerm.term).where(SearchTerm.term == other).limit(1)
    if other != word and (await session.execute(is_there)).first():
        return [other]
    if not typo_distance(word):
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
