"""Interpretation of query words: plurals, diminutives, synonyms, ages, and words without meaning for the search.

The vocabulary is in `search_words.toml`; a shop adds to it with SEARCH_SYNONYMS.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources

from backend.catalog.schemas.cell_words import AGE_RANGES
from backend.catalog.search.sounds import MIN_SOUND_LENGTH, to_sound_key
from backend.core.collation import fold
from backend.core.config.values import parse_synonyms

MAX_QUERY_WORDS = 8
MAX_TERM_LENGTH = 40
MAX_AGE_YEARS = 17
"""Maximum age of a child, in years. A larger number before "años" may be part of a name."""
MAX_AGE_MONTHS = (MAX_AGE_YEARS + 1) * 12
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
AGE_UNIT = r"(?:anos?|anitos?|mes(?:es|itos)?)"
_AGE = re.compile(rf"\b{_NUMBER}(?:\s*(?:a|y|o|-)\s*{_NUMBER})?\s*({AGE_UNIT})\b")
_OPEN_AGE = re.compile(
    r"\b(mayor(?:es)?|menor(?:es)?|mas|menos|desde|hasta|a partir)(?: de| a| que)?(?: los)?"
    rf" {_NUMBER}\b(?: ?({AGE_UNIT})\b)?"
)
_CHILD_AGE = re.compile(
    rf"\b((?:nin[oa]s?|bebes?|edad(?:es)?)(?: de| entre)* {_NUMBER} ?[ay-] ?{_NUMBER})\b(?! ?{AGE_UNIT})"
)
_AND_OLDER = re.compile(rf"\b({_NUMBER} ?{AGE_UNIT}) (?:en adelante|[oy] mas)\b")
_YEAR_AND_A_HALF = re.compile(r"(?<!\d )\b(?:(?:un|1) )?(?:ano|anito) y medio\b")
_AND_A_HALF = re.compile(rf"\b({_NUMBER} ?{AGE_UNIT}) y medio\b")
_YEARS = r"(?:1[0-7]|[1-9])"
_CHILD = r"(?:nin|chic|hij|sobrin|niet|ahijad|herman|prim)(?:it)?[oa]s?"
_AFTER_YEARS = rf"(?![.,]?\d)(?! ?(?:(?:{AGE_UNIT}|mil|k|lucas?|pesos)\b|[ayo-] ?\d))(?=(?: (?P<next>\w+))?)"
_YEARS_OF_CHILD = re.compile(rf"(?P<age>\b(?:{_CHILD}|edad(?:es)?)(?: de| con)? {_YEARS}){_AFTER_YEARS}")
_RANGE_OF_YEARS = re.compile(rf"(?<![\w.,$-])(?P<age>{_YEARS} ?[a-] ?{_YEARS}){_AFTER_YEARS}")


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term of a query, with its forms, its synonyms and the matching age ranges.

    The term for an explicit age ("5 años") has an empty word. A term with `is_name` matches only in titles,
    brands and categories. `sound_synonyms` are for misspelt words: if `word` has no synonyms, they are the
    synonyms of words that sound like it. They are used only if nothing else matches. A term with `is_exact` does
    not match misspelt words.
    """

    word: str
    forms: frozenset[str] = frozenset()
    synonyms: frozenset[str] = frozenset()
    ages: tuple[str, ...] = ()
    is_name: bool = False
    sound_synonyms: frozenset[str] = frozenset()
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """The interpretation of a query: products must match all its terms.

    Products that match `bonus_terms` come first, but those that do not match them are found too. `is_anything` is
    True if the query contains only general words such as "juguetes", and no word that distinguishes products.
    """

    query_terms: tuple[QueryTerm, ...]
    is_anything: bool = False
    bonus_terms: tuple[QueryTerm, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchWords:
    """The vocabulary. Its words are without accents, in lower case and in the singular.

    Attributes:
        empty: words without meaning for the search.
        general_words: words that apply to every product.
        names_only: words that, as the only word of a search, are searched for only in titles, brands and
            categories.
        synonyms: for each word, the forms of all words with the same meaning, which a search for it also
            finds.
        synonyms_by_sound: the same forms, by the sound key of the searched word.
        ages: for each word, its age ranges.
        phrases: for each phrase, the text that replaces it in a search.
        gifts, cheap, measures: words about gifts, about low prices, and for things that are counted or
            measured.
        help_topics: words and phrases of each help topic.
        excluded: for each phrase, the forms of the words that a product must not have.
    """

    empty: frozenset[str]
    general_words: frozenset[str]
    names_only: frozenset[str]
    synonyms: Mapping[str, frozenset[str]]
    synonyms_by_sound: Mapping[str, frozenset[str]]
    ages: Mapping[str, tuple[str, ...]]
    phrases: Mapping[str, str]
    gifts: frozenset[str]
    cheap: frozenset[str]
    measures: frozenset[str]
    help_topics: Mapping[str, tuple[str, ...]]
    excluded: Mapping[str, frozenset[str]]

    def parse_query(self, text: str) -> ParsedQuery:
        """Parse a query. If all its words are general or without meaning, these words are searched for literally."""
        folded, ages = _take_ages(self._add_years(fold(text)))
        words = split_words(folded)
        meaningful = [word for word in words if word not in self.empty and not self._is_general(word)]
        named = [term for term in map(self._query_term, meaningful) if term.ages not in ages]
        if len(named) > 1:  # "muñeca con zapatos" is a doll
            named = [replace(term, is_name=False) for term in named]
        terms = [*named, *(QueryTerm("", ages=ranges) for ranges in ages)]
        if terms or not words:
            return ParsedQuery(tuple(terms[:MAX_QUERY_WORDS]))
        literally = tuple(QueryTerm(word, word_forms(word)) for word in words[:MAX_QUERY_WORDS])
        return ParsedQuery(literally, is_anything=any(map(self._is_general, words)))

    def with_general_words(self, *texts: str) -> "SearchWords":
        """Return a copy with more general words, taken from these texts. A general word fits every product."""
        general = {
            singular for text in texts for word in split_words(fold(text)) for singular in singulars(word)
        }
        return replace(
            self,
            general_words=(self.general_words | general) - self.empty,
            names_only=self.names_only - general,
        )

    def is_gift(self, word: str) -> bool:
        """Return True for a word about gifts, such as "regalos" and "cumpleaños"."""
        return not self.gifts.isdisjoint(singulars(word))

    def is_cheap(self, word: str) -> bool:
        """Return True for a word about low prices, such as "baratos"."""
        return any(not self.cheap.isdisjoint(singulars(part)) for part in split_words(word))

    def _add_years(self, text: str) -> str:
        """Return the text with "anos" added to ages without a unit, and half years removed.

        Examples: "niño de 7" and "3 a 5".
        """

        def add(match: re.Match[str]) -> str:
            following = match["next"] or ""
            is_counted = bool(following) and not self.measures.isdisjoint(singulars(following))
            return match[0] if is_counted else f"{match['age']} anos"

        text = _AND_A_HALF.sub(r"\1", _YEAR_AND_A_HALF.sub("18 meses", text))
        return _RANGE_OF_YEARS.sub(add, _YEARS_OF_CHILD.sub(add, text))

    def _is_general(self, word: str) -> bool:
        return any(not self.general_words.isdisjoint(base_forms(one)) for one in singulars(word))

    def _query_term(self, word: str) -> QueryTerm:
        forms = word_forms(word)
        roots = {root for one in singulars(word) for root in base_forms(one)}
        roots |= {other_gender(root) for root in roots}
        synonyms_of_roots = _union(self.synonyms, roots)
        sounds = {to_sound_key(root) for root in roots if len(root) >= MIN_SOUND_LENGTH}
        sound_synonyms = frozenset[str]() if synonyms_of_roots else _union(self.synonyms_by_sound, sounds)
        ages = next((self.ages[root] for root in sorted(roots) if root in self.ages), ())
        is_name = not self.names_only.isdisjoint(roots)
        return QueryTerm(word, forms, synonyms_of_roots - forms, ages, is_name, sound_synonyms)


def _union(words: Mapping[str, frozenset[str]], keys: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*(words.get(key, frozenset()) for key in sorted(keys)))


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
    for word, included in data["includes"].items():
        synonyms.setdefault(fold(word), set()).update(*(word_forms(fold(one)) for one in included))
    synonyms_by_sound: dict[str, set[str]] = {}
    for word, forms in synonyms.items():
        synonyms_by_sound.setdefault(to_sound_key(word), set()).update(forms)
    return SearchWords(
        empty=frozenset(map(fold, data["empty"])),
        general_words=frozenset(map(fold, data["general_words"])),
        names_only=frozenset(map(fold, data["names_only"])),
        synonyms={word: frozenset(forms) for word, forms in synonyms.items()},
        synonyms_by_sound={sound: frozenset(forms) for sound, forms in synonyms_by_sound.items()},
        ages={fold(word): (ages,) for ages, words in data["ages"].items() for word in words},
        phrases={
            fold(phrase): fold(meaning) for meaning, group in data["phrases"].items() for phrase in group
        },
        gifts=frozenset(map(fold, data["gifts"])),
        cheap=frozenset(map(fold, data["cheap"])),
        measures=frozenset(map(fold, data["measures"])),
        help_topics={topic: tuple(map(fold, group)) for topic, group in data["help"].items()},
        excluded={
            fold(phrase): frozenset[str]().union(*map(word_forms, map(fold, group)))
            for phrase, group in data["excluded"].items()
        },
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


def spoken_forms(word: str) -> set[str]:
    """Return the forms of the word that another word may sound like: its singulars, base forms and their plurals.

    Diminutives, and plurals that change the sound of the last consonant, are left out: "vac" is not like "vasitos".
    """
    roots = {root for one in singulars(word) for root in base_forms(one)}
    return roots | {plural(root) for root in roots if root[-1] not in "cgq"}


def _take_ages(text: str) -> tuple[str, list[tuple[str, ...]]]:
    """Return the text without its written ages, and for each of these ages the matching age ranges."""
    ages: list[tuple[str, ...]] = []

    def take(match: re.Match[str]) -> str:
        ranges = _open_age_ranges(match) if match.re is _OPEN_AGE else _age_ranges(match)
        if not ranges:
            return match[0]
        ages.append(ranges)
        return " "

    text = _AND_OLDER.sub(r"desde \1", _CHILD_AGE.sub(r"\1 anos", text))
    return _AGE.sub(take, _OPEN_AGE.sub(take, text)), ages


def _age_ranges(match: re.Match[str]) -> tuple[str, ...]:
    """Return the age ranges that match the written age; none if it is not a child's age."""
    first, last, unit = match.groups()
    ages = sorted(_to_number(number) for number in (first, last or first))
    months = _months_in(unit)
    if ages[-1] * months > MAX_AGE_MONTHS:
        return ()
    return _ranges_between(ages[0] * months, (ages[-1] + 1) * months - 1)


def _open_age_ranges(match: re.Match[str]) -> tuple[str, ...]:
    """Return the age ranges above or below the written age; none if it is not a child's age.

    After "mayores" and "menores", the age may have no unit. After other words, such as "más de", it must have one.
    """
    bound, number, unit = match.groups()
    if not unit and not bound.startswith(("mayor", "menor")):
        return ()
    age, months = _to_number(number), _months_in(unit)
    if age * months > MAX_AGE_MONTHS:
        return ()
    if bound in ("mayor", "mayores", "mas"):
        return _ranges_between((age + 1) * months)
    if bound in ("desde", "a partir"):
        return _ranges_between(age * months)
    return _ranges_between(0, (age + (bound == "hasta")) * months - 1)


def _to_number(number: str) -> int:
    return NUMBERS.get(number) or int(number)


def _months_in(unit: str | None) -> int:
    return 1 if (unit or "").startswith("mes") else 12


def _ranges_between(from_month: float, to_month: float = float("inf")) -> tuple[str, ...]:
    """Return the names of the age ranges that overlap the months from `from_month` to `to_month`."""
    return tuple(name for name, (least, most) in _MONTHS.items() if least <= to_month and from_month <= most)


def _month_bounds(ranges: Iterable[str]) -> dict[str, tuple[float, float]]:
    """Return the months at which each age range starts and ends; the oldest range has no end."""
    bounds: dict[str, tuple[float, float]] = {}
    for name in ranges:
        least, _, most = name.removesuffix("+").partition("-")
        bounds[name] = (int(least) * 12, (int(most) + 1) * 12 - 1 if most else float("inf"))
    return bounds


_MONTHS = _month_bounds(AGE_RANGES)
