"""What the words of a search ask for: plurals and diminutives, synonyms, ages, and words that ask for nothing.

What is known of the language stands in `search_words.toml`; a shop adds to it with SEARCH_SYNONYMS.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from backend.catalog.schemas.product_fields import AGE_RANGES
from backend.core.collation import fold
from backend.core.config.values import read_synonyms

MAX_QUERY_WORDS = 8
MAX_TERM_LENGTH = 40
OLDEST = 17
"""Years. Above, a number before "años" is no child's age: it may be part of a name."""
LEAST_ROOT = 2
_COUNTED = ("un", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce")
NUMBERS = {name: number for number, name in enumerate(_COUNTED, 1)} | {"uno": 1, "una": 1}
_NUMBER = rf"(\d{{1,2}}|{'|'.join(NUMBERS)})"
_AGE = re.compile(rf"\b{_NUMBER}(?:\s*(?:a|y|o|-)\s*{_NUMBER})?\s*(anos?|anitos?|mes(?:es|itos)?)\b")


@dataclass(frozen=True, slots=True)
class Asked:
    """What one word asks for: a term that begins with it or is one of its forms, a synonym, or an age.

    An age that was written as one ("5 años") has no word.
    """

    word: str
    forms: frozenset[str] = frozenset()
    synonyms: frozenset[str] = frozenset()
    ages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Understood:
    """What a search asks for: all of it. `is_anything`: it says no more than that toys are looked for."""

    asked: tuple[Asked, ...]
    is_anything: bool = False


@dataclass(frozen=True, slots=True)
class SearchWords:
    """What is known of words, each folded and in the singular."""

    empty: frozenset[str]
    any_toy: frozenset[str]
    synonyms: Mapping[str, frozenset[str]]
    ages: Mapping[str, tuple[str, ...]]

    def understand(self, text: str) -> Understood:
        """What the text asks for. A text of nothing but empty words asks for those themselves."""
        folded = fold(text)
        ages = [_ranges(match) for match in _AGE.finditer(folded)]
        words = words_of(_AGE.sub(lambda match: match[0] if not _ranges(match) else " ", folded))
        telling = [word for word in words if word not in self.empty and not self._is_any_toy(word)]
        asked = [*map(self._asked, telling), *(Asked("", ages=ranges) for ranges in ages if ranges)]
        if asked or not words:
            return Understood(tuple(asked[:MAX_QUERY_WORDS]))
        literally = tuple(Asked(word, forms_of(word)) for word in words[:MAX_QUERY_WORDS])
        return Understood(literally, is_anything=any(map(self._is_any_toy, words)))

    def _is_any_toy(self, word: str) -> bool:
        return not self.any_toy.isdisjoint(singulars(word))

    def _asked(self, word: str) -> Asked:
        forms = forms_of(word)
        roots = {root for one in singulars(word) for root in undiminished(one)}
        roots |= {other_gender(root) for root in roots}
        meant = frozenset[str]().union(*(self.synonyms.get(root, frozenset()) for root in sorted(roots)))
        ages = next((self.ages[root] for root in sorted(roots) if root in self.ages), ())
        return Asked(word, forms, meant - forms, ages)


def words_of(text: str) -> list[str]:
    """The folded words of the text, in their order, each once."""
    return list(dict.fromkeys(word[:MAX_TERM_LENGTH] for word in re.findall(r"[a-z0-9]+", fold(text))))


@lru_cache(maxsize=8)
def search_words(own: str = "") -> SearchWords:
    """What the shop knows of words; `own` are its SEARCH_SYNONYMS."""
    data = tomllib.loads(resources.files(__package__).joinpath("search_words.toml").read_text("utf-8"))
    synonyms: dict[str, set[str]] = {}
    for group in [*data["synonyms"], *read_synonyms(own)]:
        words = [fold(word) for word in group]
        forms = set[str]().union(*map(forms_of, words))
        for word in words:
            synonyms.setdefault(word, set()).update(forms)
    return SearchWords(
        empty=frozenset(map(fold, data["empty"])),
        any_toy=frozenset(map(fold, data["any_toy"])),
        synonyms={word: frozenset(meant) for word, meant in synonyms.items()},
        ages={fold(word): (ages,) for ages, words in data["ages"].items() for word in words},
    )


def singulars(word: str) -> set[str]:
    """The word, and what it may be the plural of: cubos, luces, camiones."""
    if len(word) <= LEAST_ROOT + 1 or not word.endswith("s"):
        return {word}
    if word.endswith("ces"):
        return {word, f"{word[:-3]}z", word[:-1]}
    return {word, word[:-1], *([word[:-2]] if word.endswith("es") else [])}


def plural(word: str) -> str:
    """The word of several: cubos, luces, camiones."""
    if word.endswith("z"):
        return f"{word[:-1]}ces"
    return word if word.endswith("s") else word + ("s" if word[-1:] in "aeiou" else "es")


def other_gender(word: str) -> str:
    """The word with the other ending, where it has one: muñeca for muñeco."""
    return word[:-1] + {"o": "a", "a": "o"}.get(word[-1:], word[-1:])


def diminutives(word: str) -> set[str]:
    """The small ones: carrito, patico, barquito, trencito."""
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


def undiminished(word: str) -> set[str]:
    """The word, and what it may be a small one of: carrito of carro, avioncito of avión, papelito of papel."""
    found = re.fullmatch(rf"(.{{{LEAST_ROOT},}}?)(c?)i[tc]([oa])", word)
    if not found:
        return {word}
    root, c, end = found.groups()
    whole = {word, f"{root}{c}{end}"}
    if c and root[-1] in "enr":
        whole.add(root)
    elif c:
        whole.add(f"{root}z{end}")
    elif root.endswith("qu"):
        whole.add(f"{root[:-2]}c{end}")
    elif root.endswith("gu"):
        whole.add(f"{root[:-1]}{end}")
    elif root[-1] not in "aeiou":
        whole.add(root)
    return whole


def forms_of(word: str) -> frozenset[str]:
    """The word as one and as several, small and not."""
    if word.isdigit() or len(word) <= LEAST_ROOT:
        return frozenset({word})
    roots = {root for one in singulars(word) for root in undiminished(one)}
    alone = roots | {small for root in roots if not root.endswith("s") for small in diminutives(root)}
    return frozenset(alone | set(map(plural, alone)))


def _ranges(match: re.Match[str]) -> tuple[str, ...]:
    """The age ranges that an age written in words falls into; none when it is no child's age."""
    first, last, unit = match.groups()
    ages = sorted(NUMBERS.get(number) or int(number) for number in (first, last or first))
    months = 1 if unit.startswith("mes") else 12
    if ages[-1] * months > (OLDEST + 1) * 12:
        return ()
    from_month, to_month = ages[0] * months, (ages[-1] + 1) * months - 1
    return tuple(name for name, (least, most) in _MONTHS.items() if least <= to_month and from_month <= most)


def _months(ranges: Iterable[str]) -> dict[str, tuple[float, float]]:
    """From which month to which each range goes; the last has no end."""
    bounds: dict[str, tuple[float, float]] = {}
    for name in ranges:
        least, _, most = name.removesuffix("+").partition("-")
        bounds[name] = (int(least) * 12, (int(most) + 1) * 12 - 1 if most else float("inf"))
    return bounds


_MONTHS = _months(AGE_RANGES)
