"""Search for words that differ from a mistyped word by one or two letters, or that sound like it.

The table `search_typo` stores the remainders of the words of titles, brands and categories: each word without one or
two of its letters. Two words that differ by a typo have a remainder in common. It also stores the sound key of each
word.
"""

from collections.abc import Iterable
from itertools import combinations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.derived_models import SearchTypo
from backend.catalog.search.sounds import MIN_SOUND_LENGTH, to_sound_key
from backend.core.db.tables import insert_into

MIN_TYPO_LENGTH = 4
MIN_TWO_TYPOS_LENGTH = 8
_SOUND_MARK = "~"
"""First character of a stored sound key. No remainder begins with it."""


def get_max_typos(word: str) -> int:
    """Return the maximum number of wrong letters for which a word still matches."""
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


async def store_remainders(session: AsyncSession, terms: set[str]) -> None:
    """Store the remainders and the sound key of those terms whose sound key is not stored yet."""
    new = await _new_terms(session, terms)
    if typos := [
        {"remains": left, "term": term}
        for term in new
        for left in (*make_remainders(term), _to_stored_sound(term))
    ]:
        statement = insert_into(SearchTypo).on_conflict_do_nothing()
        await session.execute(statement, sorted(typos, key=lambda row: (row["remains"], row["term"])))


async def _new_terms(session: AsyncSession, terms: set[str]) -> set[str]:
    """Return the terms whose rows are not stored yet.

    All rows of a term are stored together, so it is enough to look for the one with the sound key. Rows of a version
    without sound keys lack it.
    """
    query = select(SearchTypo.term).where(SearchTypo.remains.in_({_to_stored_sound(term) for term in terms}))
    return terms - set((await session.execute(query)).scalars())


async def find_near_terms(session: AsyncSession, word: str) -> list[str]:
    """Return the stored terms that differ from the word by a typo; none for a word shorter than `MIN_TYPO_LENGTH`.

    A term may no longer occur in a title, brand or category: remainders are never deleted.
    """
    if not get_max_typos(word):
        return []
    close = select(SearchTypo.term).where(SearchTypo.remains.in_(make_remainders(word))).distinct()
    return [
        term
        for term in (await session.execute(close)).scalars()
        if is_within_distance(word, term, get_max_typos(word))
    ]


async def find_sound_alikes(session: AsyncSession, words: Iterable[str]) -> set[str]:
    """Return the stored terms that sound like one of the words; none for words with digits and for short ones.

    As in `find_near_terms`, a term may no longer occur.
    """
    sounds = {_to_stored_sound(word) for word in words if word.isalpha() and len(word) >= MIN_SOUND_LENGTH}
    if not sounds:
        return set()
    alike = select(SearchTypo.term).where(SearchTypo.remains.in_(sounds)).distinct()
    return set((await session.execute(alike)).scalars())


def _to_stored_sound(word: str) -> str:
    return f"{_SOUND_MARK}{to_sound_key(word)}"


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
