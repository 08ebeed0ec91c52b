"""Interpretation of query words: plurals, diminutives, synonyms, ages, and words without meaning for the search.

The vocabulary is in `search_words.toml`; a shop adds to it with SEARCH_SYNONYMS.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from backend.catalog.schemas.cell_words import AGE_RANGES
from backend.core.collation import fold
from backend.core.config.values import parse_synonyms

MAX_QUERY_WORDS = 8
MAX_TERM_LENGTH = 40
MAX_AGE_YEARS = 17
"""Maximum age of a child, in years. A larger number before "años" may be part of a name."""
MIN_ROOT_LENGTH = 2
_NUMBER_WORDS = (
    "un",
    "dos",
    "tres",
    "cuatro",
    "cinco",
    "seis",
    "siete",
    "ocho",
    "nueve",
    "diez",
    "once",
    "doce",
)
NUMBERS = {name: number for number, name in enumerate(_NUMBER_WORDS, 1)} | {"uno": 1, "una": 1}
_NUMBER = rf"(\d{{1,2}}|{'|'.join(NUMBERS)})"
_AGE = re.compile(rf"\b{_NUMBER}(?:\s*(?:a|y|o|-)\s*{_NUMBER})?\s*(anos?|anitos?|mes(?:es|itos)?)\b")


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term of a query, with its forms, its synonyms and the matching age ranges.

    The term for an explicit age ("5 años") has an empty word.
    """

    word: str
    forms: frozenset[str] = frozenset()
    synonyms: frozenset[str] = frozenset()
    ages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """The interpretation of a query: products must match all its terms.

    `is_anything` is True if the query contains only general words such as "juguetes", and no word that
    distinguishes products.
    """

    query_terms: tuple[QueryTerm, ...]
    is_anything: bool = False


@dataclass(frozen=True, slots=True)
class SearchWords:
    """The vocabulary. Its words are without accents, in lower case and in the singular."""

    empty: frozenset[str]
    general_words: frozenset[str]
    synonyms: Mapping[str, frozenset[str]]
    ages: Mapping[str, tuple[str, ...]]

    def parse_query(self, text: str) -> ParsedQuery:
        """Parse a query. If all its words are general or without meaning, these words are searched for literally."""
        folded = fold(text)
        ages = [_age_ranges(match) for match in _AGE.finditer(folded)]
        words = split_words(_AGE.sub(lambda match: match[0] if not _age_ranges(match) else " ", folded))
        meaningful = [word for word in words if word not in self.empty and not self._is_general(word)]
        terms = [
            *map(self._query_term, meaningful),
            *(QueryTerm("", ages=ranges) for ranges in ages if ranges),
        ]
        if terms or not words:
            return ParsedQuery(tuple(terms[:MAX_QUERY_WORDS]))
        literally = tuple(QueryTerm(word, word_forms(word)) for word in words[:MAX_QUERY_WORDS])
        return ParsedQuery(literally, is_anything=any(map(self._is_general, words)))

    def _is_general(self, word: str) -> bool:
        return not self.general_words.isdisjoint(singulars(word))

    def _query_term(self, word: str) -> QueryTerm:
        forms = word_forms(word)
        roots = {root for one in singulars(word) for root in base_forms(one)}
        roots |= {other_gender(root) for root in roots}
        synonyms_of_roots = frozenset[str]().union(
            *(self.synonyms.get(root, frozenset()) for root in sorted(roots))
        )
        ages = next((self.ages[root] for root in sorted(roots) if root in self.ages), ())
        return QueryTerm(word, forms, synonyms_of_roots - forms, ages)


def split_words(text: str) -> list[str]:
    """Return the text's words without accents and in lower case, in order and without duplicates."""
    return list(dict.fromkeys(word[:MAX_TERM_LENGTH] for word in re.findall(r"[a-z0-9]+", fold(text))))


@lru_cache(maxsize=8)
def search_words(shop_synonyms: str = "") -> SearchWords:
    """Return the vocabulary; `shop_synonyms` are the shop's SEARCH_SYNONYMS."""
    data = tomllib.loads(resources.files(__package__).joinpath("search_words.toml").read_text("utf-8"))
    synonyms: dict[str, set[str]] = {}
    for group in [*data["synonyms"], *parse_synonyms(shop_synonyms)]:
        words = [fold(word) for word in group]
        forms = set[str]().union(*map(word_forms, words))
        for word in words:
            synonyms.setdefault(word, set()).update(forms)
    return SearchWords(
        empty=frozenset(map(fold, data["empty"])),
        general_words=frozenset(map(fold, data["general_words"])),
        synonyms={word: frozenset(synonyms_of_roots) for word, synonyms_of_roots in synonyms.items()},
        ages={fold(word): (ages,) for ages, words in data["ages"].items() for word in words},
    )


def singulars(word: str) -> set[str]:
    """Return the word and its possible singular forms, such as "cubo" for "cubos" and "luz" for "luces"."""
    if len(word) <= MIN_ROOT_LENGTH + 1 or not word.endswith("s"):
        return {word}
    if word.endswith("ces"):
        return {word, f"{word[:-3]}z", word[:-1]}
    return {word, word[:-1], *([word[:-2]] if word.endswith("es") else [])}


def plural(word: str) -> str:
    """Return the plural of the word: cubos, luces, camiones."""
    if word.endswith("z"):
        return f"{word[:-1]}ces"
    return word if word.endswith("s") else word + ("s" if word[-1:] in "aeiou" else "es")


def other_gender(word: str) -> str:
    """Return the word with the ending of the other gender, such as "muñeca" for "muñeco"; else the word unchanged."""
    return word[:-1] + {"o": "a", "a": "o"}.get(word[-1:], word[-1:])


def diminutives(word: str) -> set[str]:
    """Return the diminutives of the word: carrito, patico, barquito, trencito."""
    if word[-1:] in "oa":
        root, end = word[:-1], word[-1]
        if root.endswith("c"):
            root = f"{root[:-1]}qu"
        elif root.endswith("z"):
            root = f"{root[:-1]}c"
        elif root.endswith("g"):
            root += "u"
        return {f"{root}it{end}", f"{root}ic{end}"}
    if word[-1:] in "enr":
        return {f"{word}cito", f"{word}cita"}
    return {f"{word}ito", f"{word}ita"}


def base_forms(word: str) -> set[str]:
    """Return the word and the words that it may be a diminutive of, such as "carro" for "carrito"."""
    found = re.fullmatch(rf"(.{{{MIN_ROOT_LENGTH},}}?)(c?)i[tc]([oa])", word)
    if not found:
        return {word}
    root, c, end = found.groups()
    bases = {word, f"{root}{c}{end}"}
    if c and root[-1] in "enr":
        bases.add(root)
    elif c:
        bases.add(f"{root}z{end}")
    elif root.endswith("qu"):
        bases.add(f"{root[:-2]}c{end}")
    elif root.endswith("gu"):
        bases.add(f"{root[:-1]}{end}")
    elif root[-1] not in "aeiou":
        bases.add(root)
    return bases


def word_forms(word: str) -> frozenset[str]:
    """Return the singulars, plurals, diminutives and base forms of the word."""
    if word.isdigit() or len(word) <= MIN_ROOT_LENGTH:
        return frozenset({word})
    roots = {root for one in singulars(word) for root in base_forms(one)}
    alone = roots | {small for root in roots if not root.endswith("s") for small in diminutives(root)}
    return frozenset(alone | set(map(plural, alone)))


def _age_ranges(match: re.Match[str]) -> tuple[str, ...]:
    """Return the age ranges that match the written age; none if it is not a child's age."""
    first, last, unit = match.groups()
    ages = sorted(NUMBERS.get(number) or int(number) for number in (first, last or first))
    months = 1 if unit.startswith("mes") else 12
    if ages[-1] * months > (MAX_AGE_YEARS + 1) * 12:
        return ()
    from_month, to_month = ages[0] * months, (ages[-1] + 1) * months - 1
    return tuple(name for name, (least, most) in _MONTHS.items() if least <= to_month and from_month <= most)


def _month_bounds(ranges: Iterable[str]) -> dict[str, tuple[float, float]]:
    """Return the months at which each age range starts and ends; the oldest range has no end."""
    bounds: dict[str, tuple[float, float]] = {}
    for name in ranges:
        least, _, most = name.removesuffix("+").partition("-")
        bounds[name] = (int(least) * 12, (int(most) + 1) * 12 - 1 if most else float("inf"))
    return bounds


_MONTHS = _month_bounds(AGE_RANGES)
