"""Interpretation of a shopper's search: prices, order, gifts, questions to the shop, and the words that remain.

Everything here is pure: `parse_search` reads no data. The vocabulary is in `search_words.toml`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from backend.catalog.search.query_words import (
    AGE_UNIT,
    MAX_AGE_YEARS,
    ParsedQuery,
    SearchWords,
    singulars,
    split_words,
)
from backend.core.collation import fold
from backend.core.money import Cop

CHEAPEST_FIRST = "price_asc"
MAX_PRICE: Cop = 1_000_000_000
PriceRange = tuple[Cop | None, Cop | None]
MIN_UNMARKED_PRICE: Cop = 10_000
"""Minimum of an amount in whole thousands that is read as a price although it has neither sign nor unit."""
MAX_AMOUNTS = 3
"""Maximum number of prices that are read in a search."""
MIN_HELP_PREFIX = 4
"""Minimum letters of the beginning of a help word that is still being typed."""
_TENS = ("diez", "veinte", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa")
_NUMBERS = {name: 10 * number for number, name in enumerate(_TENS, 1)} | {
    "quince": 15, "veinticinco": 25, "cien": 100, "ciento cincuenta": 150, "doscientos": 200, "trescientos": 300,
}  # fmt: skip
_UNITS = {"mil": 1_000, "k": 1_000, "luca": 1_000, "lucas": 1_000, "millon": 1_000_000, "millones": 1_000_000}
_SLANG = ("k", "luca", "lucas")
_DIGITS = r"\d{1,3}(?:[.,]\d{3})+|\d{1,10}"


def _amount(name: str) -> str:
    """Return a regular expression for an amount of money, such as `$50.000` and `50 mil pesos`.

    The names of its groups begin with `name`.
    """
    return (
        rf"(?P<{name}_sign>\$ ?)?(?P<{name}>{_DIGITS}|{'|'.join(_NUMBERS)})(?![.,]?\d)"
        rf"(?: ?(?P<{name}_unit>{'|'.join(_UNITS)})\b)?(?: de)?(?: ?(?P<{name}_pesos>pesos|pesitos|cop)\b)?"
    )


_A, _B = _amount("a"), _amount("b")
_COSTS = r"(?:que )?(?:(?:cuesten?|valgan?|salgan?) )?"
_AT_MOST = (
    r"menos de|hasta|max(?:imo)?(?: de)?|(?:por )?debajo de|no mas de|inferior(?:es)? a|menor(?:es)? (?:de|a|que)|"
    r"presupuesto(?: de)?|(?:que )?no (?:se )?(?:pasen?|superen?|excedan?|(?:cuesten?|valgan?) mas)(?: de)?"
)
_AT_LEAST = (
    r"mas de|desde|min(?:imo)?(?: de)?|a partir de|(?:por )?encima de|"
    r"superior(?:es)? a|mayor(?:es)? (?:de|a|que)"
)
_RANGE = re.compile(rf"(?<!\w)(?:(?P<word>entre|de|desde) )?{_A} ?(?:a|y|hasta|-) ?(?:los )?{_B}(?!\w)")
_MAX = re.compile(rf"(?<!\w){_COSTS}(?:por |a |de )?(?P<word>{_AT_MOST})(?: los)? {_A}(?!\w)")
_MAX_AFTER = re.compile(rf"(?<!\w)(?:de )?{_A} (?P<word>o menos|maximo|max)(?!\w)")
_MIN = re.compile(rf"(?<!\w){_COSTS}(?:por |a |de )?(?P<word>{_AT_LEAST})(?: los)? {_A}(?!\w)")
_MIN_AFTER = re.compile(rf"(?<!\w)(?:de )?{_A} (?P<word>o mas|en adelante|minimo)(?!\w)")
_ABOUT = re.compile(rf"(?<!\w){_COSTS}(?:(?:como )?(?P<word>de|por|a|en|unos) )?{_A}(?!\w)")
_NEXT_WORD = re.compile(r"\W*(\w+)")
_AGE_BEFORE = re.compile(r"\b(?:edad(?:es)?|nin[oa]s?|bebes?)(?: de)? $")


class HelpTopic(StrEnum):
    """A page of the shop that a search may ask for."""

    ORDER_LOOKUP = "order_lookup"
    WARRANTY = "warranty"
    RETURNS = "returns"
    SHIPPING = "shipping"
    OFFERS = "offers"
    CLAIMS = "claims"
    TERMS = "terms"
    GIFT_FINDER = "gift_finder"


@dataclass(frozen=True, slots=True)
class ShopperSearch:
    """A shopper's search.

    Attributes:
        query: the words that products must match.
        min_price, max_price: the price range in pesos, both ends included.
        sort: `price_asc` if cheap products were asked for; else empty.
        topics: the pages that may answer the search, best first.
        excluded: words that a product must not have.
        is_gift: True if the search has only words about gifts.
        code: the SKU or bar code of a product for sale that is the whole text; else empty.
    """

    query: ParsedQuery
    min_price: Cop | None = None
    max_price: Cop | None = None
    sort: str = ""
    topics: tuple[HelpTopic, ...] = ()
    excluded: frozenset[str] = frozenset()
    is_gift: bool = False
    code: str = ""


def parse_search(text: str, words: SearchWords) -> ShopperSearch:
    """Parse a shopper's search into words, prices, order and help pages."""
    folded = " ".join(fold(text).split())
    for phrase, meaning in words.phrases.items():
        folded = re.sub(rf"\b{phrase}\b", meaning, folded)
    topics = _find_topics(folded, words)
    excluded = frozenset[str]()
    for phrase, terms in words.excluded.items():
        folded, count = re.subn(rf"\b{phrase}\b", " ", folded)
        excluded |= terms if count else frozenset()
    rest, (lowest, highest) = _take_prices(folded, words)
    typed = rest.split()
    kept = [word for word in typed if not words.is_cheap(word)]
    sort = CHEAPEST_FIRST if len(kept) < len(typed) else ""
    is_priced = lowest is not None or highest is not None
    rest = " ".join(kept)
    query = _parse_words(rest, words, is_priced=is_priced)
    has_intent = is_priced or bool(sort or excluded)
    if has_intent and words.empty.issuperset(split_words(rest)):
        query = ParsedQuery((), is_anything=True)
    is_gift = bool(query.query_terms) and all(words.is_gift(term.word) for term in query.query_terms)
    return ShopperSearch(query, lowest, highest, sort, topics, excluded, is_gift)


def _parse_words(text: str, words: SearchWords, *, is_priced: bool) -> ParsedQuery:
    """Parse the words of a search.

    If the search has other words or a price, words about gifts and offers do not exclude products: they only
    put the products that match them first.
    """
    parsed = words.parse_query(text)
    if parsed.is_anything:
        return parsed
    offers = words.help_topics[HelpTopic.OFFERS]
    bonus = tuple([term for term in parsed.query_terms if words.is_gift(term.word) or term.word in offers])
    required = tuple([term for term in parsed.query_terms if term not in bonus])
    if required or (bonus and is_priced):
        return ParsedQuery(required, is_anything=not required, bonus_terms=bonus)
    return parsed


def _find_topics(text: str, words: SearchWords) -> tuple[HelpTopic, ...]:
    typed = split_words(text)
    last = typed[-1] if typed and len(typed[-1]) >= MIN_HELP_PREFIX else None
    topics = [
        HelpTopic(topic)
        for topic, group in words.help_topics.items()
        if any(
            word in typed or (f" {word} " in f" {text} " if " " in word else last and word.startswith(last))
            for word in group
        )
    ]
    return (*topics, *([HelpTopic.GIFT_FINDER] if any(map(words.is_gift, typed)) else []))


def _take_prices(text: str, words: SearchWords) -> tuple[str, PriceRange]:
    """Return the text without its prices, and the lowest and the highest price that the search asks for.

    If the text has several prices for the same limit, the first one that is recognised is used.
    """
    lowest = highest = None
    for _ in range(MAX_AMOUNTS):
        found = _take_price(text, words)
        if found is None:
            break
        text, (low, high) = found
        lowest, highest = (low if lowest is None else lowest), (high if highest is None else highest)
    return text, _in_order(lowest, highest)


def _take_price(text: str, words: SearchWords) -> tuple[str, PriceRange] | None:
    """Return the text without one of its prices, and the price range that it means; None if it has no price."""
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            before, after = text[: match.start()], text[match.end() :]
            is_number = not _is_marked(match) and (_is_counted(after, words) or _AGE_BEFORE.search(before))
            if not is_number and (prices := read(match)) is not None:
                return f"{before} {after}", prices
    return None


def _in_order(lowest: Cop | None, highest: Cop | None) -> PriceRange:
    is_swapped = lowest is not None and highest is not None and lowest > highest
    return (highest, lowest) if is_swapped else (lowest, highest)


def _is_marked(match: re.Match[str]) -> bool:
    """Return True if the match has an amount with a sign, with a unit or with "pesos"."""
    return any(match[name] for name in match.groupdict() if name.endswith(("_sign", "_unit", "_pesos")))


def _is_counted(after: str, words: SearchWords) -> bool:
    """Return True if the word after a number shows an age, a count or a measure: «3 años», «20 piezas», «30 cm»."""
    following = _NEXT_WORD.match(after)
    if following is None:
        return False
    is_age = re.fullmatch(AGE_UNIT, following[1])
    return bool(is_age) or not words.measures.isdisjoint(singulars(following[1]))


def _read_amount(match: re.Match[str], name: str, unit: str = "") -> Cop:
    number = _NUMBERS.get(match[name]) or int(re.sub(r"\D", "", match[name]))
    return min(number * _UNITS.get(match[f"{name}_unit"] or unit, 1), MAX_PRICE)


def _is_bare_number(match: re.Match[str], name: str) -> bool:
    """Return True for a number below 1,000 without a sign or a unit."""
    marks = (match[f"{name}_sign"], match[f"{name}_unit"], match[f"{name}_pesos"])
    return not any(marks) and _read_amount(match, name) < 1_000


def _read_range(match: re.Match[str]) -> PriceRange | None:
    a_unit, b_unit = match["a_unit"] or "", match["b_unit"] or ""
    is_a_bare, is_b_bare = _is_bare_number(match, "a"), _is_bare_number(match, "b")
    if is_a_bare and is_b_bare:
        is_age = match["word"] != "entre" and _read_amount(match, "a") <= MAX_AGE_YEARS
        if match["word"] is None or is_age:
            return None
        a_unit = b_unit = "mil"
    elif match["word"] is None and not any(
        (match["a_sign"], match["a_pesos"], match["b_pesos"], a_unit, b_unit)
    ):
        return None
    a = _read_amount(match, "a", (a_unit or b_unit) if is_a_bare else a_unit)
    b = _read_amount(match, "b", (b_unit or a_unit) if is_b_bare else b_unit)
    return _in_order(a, b)


def _read_bound(match: re.Match[str]) -> Cop | None:
    """Return the amount of a limit such as "hasta 50"; None if it is a bare number that may be an age."""
    if not _is_bare_number(match, "a"):
        return _read_amount(match, "a")
    is_age = match["word"].startswith(("mayor", "menor")) or _read_amount(match, "a") <= MAX_AGE_YEARS
    return None if is_age else _read_amount(match, "a", "mil")


def _read_max(match: re.Match[str]) -> PriceRange | None:
    bound = _read_bound(match)
    return None if bound is None else (None, bound)


def _read_min(match: re.Match[str]) -> PriceRange | None:
    bound = _read_bound(match)
    return None if bound is None else (bound, None)


def _read_about(match: re.Match[str]) -> PriceRange | None:
    """Return the price range from 0 to an amount without a word such as "hasta"; None if it may not be money.

    "20 mil" and "20.000" are prices only after a preposition or at the end: elsewhere they may be part of a
    title.
    """
    amount = _read_amount(match, "a")
    is_placed = match["word"] or match.end() == len(match.string)
    is_round = MIN_UNMARKED_PRICE <= amount < MAX_PRICE and amount % 1_000 == 0
    is_marked = match["a_sign"] or match["a_pesos"] or match["a_unit"] in _SLANG
    return (None, amount) if is_marked or (is_placed and (match["a_unit"] or is_round)) else None


_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], PriceRange | None]], ...] = (
    (_RANGE, _read_range),
    (_MAX, _read_max),
    (_MAX_AFTER, _read_max),
    (_MIN, _read_min),
    (_MIN_AFTER, _read_min),
    (_ABOUT, _read_about),
)
