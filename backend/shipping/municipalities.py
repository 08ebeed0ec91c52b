"""Colombia's municipalities with their code in DANE's DIVIPOLA. Shoppers choose the destination from them.

The codes have the carrier's format: the five digits of the municipality, and "000" for its main town (wire: carrier
2.6). A code is text, because its first digit may be a zero. A typed name finds a municipality if it is the
municipality's name, or sounds the same. A name that is only similar may be another town. So similar municipalities
are never used automatically: the shopper chooses from a list.
"""

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from backend.shipping.place_names import fold_place_name, fold_text, remove_country, spell_sounds

DATA_FILE = Path(__file__).parent / "data" / "municipalities.csv"

CAPITAL = "001"
"""Number of a capital in its department: the third to fifth digit of its code.

Cundinamarca's capital is Bogotá, which is a separate department.
"""
CUNDINAMARCA = "25"
BOGOTA = "11"
SEAT = "000"
"""Suffix that a municipality's five digits have in the code of its seat."""
MIN_SIMILARITY = 0.75
"""Minimum ratio of equal characters, from 0 to 1, in similar names."""
MAX_SIMILAR = 3
MIN_SOUNDS = 3
"""Minimum length of the sounds by which the search compares: fewer are in the names of most municipalities."""

OTHER_NAMES = {
    "05": "ant", "08": "atl", "11": "dc|d c|distrito capital|bogota distrito capital|bogota dc|santafe de bogota",
    "13": "bol", "15": "boy", "17": "cal", "18": "caq", "19": "cau", "20": "ces", "23": "cor", "25": "cun",
    "27": "cho", "41": "hui", "44": "lag|guajira", "47": "mag", "50": "met", "52": "nar",
    "54": "nsa|n de santander|norte santander", "63": "qui", "66": "ris", "68": "san", "70": "suc", "73": "tol",
    "76": "vac", "81": "ara", "85": "cas", "86": "put",
    "88": "sap|san andres|san andres y providencia|san andres providencia y santa catalina", "91": "ama", "94": "gua",
    "95": "guv", "97": "vau", "99": "vid",
}  # fmt: skip
"""Other normalized names of departments: the code in ISO 3166-2:CO first, then names in everyday use."""


@dataclass(frozen=True, slots=True)
class Municipality:
    """A municipality. `code` has the carrier's eight digits, `department_code` has two."""

    code: str
    name: str
    department_code: str
    department: str


def find_municipality_by_code(code: str) -> Municipality | None:
    """Return the municipality with exactly this eight-digit code; None if there is none."""
    return read_gazetteer().by_code.get(code)


def get_iso_department(department_code: str) -> str:
    """Return the code of the department in ISO 3166-2:CO, without the country: `ant` for `05`."""
    return OTHER_NAMES[department_code].partition("|")[0]


def find_municipality_by_dane_code(code: str) -> Municipality | None:
    """Return the municipality with this code: the carrier's eight digits or DIVIPOLA's five. None if there is none."""
    return find_municipality_by_code(code) or find_municipality_by_code(code + SEAT)


def find_municipality_by_name(city: str, department: str) -> Municipality | None:
    """Return the only municipality with exactly this name in this department; None if none or several match.

    See `find_municipalities_by_name`. If the department is empty, the name must be unique in the country.
    """
    found = find_municipalities_by_name(city, department)
    return found[0] if len(found) == 1 else None


def find_municipalities_by_name(
    city: str, department: str = "", *, by_sound: bool = True
) -> list[Municipality]:
    """Return the municipalities with this name. If a department is given, return only those in the department.

    Accents, case, punctuation and abbreviations ("Sta. Marta") are ignored. `city` is a name, which may be followed
    by the department ("LETICIA (AMAZONAS)") and the country; or the code of a municipality. `department` is a name,
    DANE's two digits or the code of ISO 3166-2 ("05", "CO-ANT"); see `find_department_codes`. If a department is
    given, official names take precedence over other names of a municipality.

    Args:
        by_sound: if no name is equal, also accept names that sound the same ("Cartajena").
    """
    name, departments = fold_place_name(city), find_department_codes(department)
    if known := find_municipality_by_dane_code(city.strip()):
        return [known] if departments is None or known.department_code in departments else []
    entries = _find_entries(name, by_sound=by_sound)
    found = [entry for entry in entries if departments is None or entry.is_in(departments)]
    official = [entry for entry in found if name == entry.texts.names[0]]
    return [entry.municipality for entry in (official if departments is not None and official else found)]


def find_similar_municipalities(text: str, limit: int = MAX_SIMILAR) -> list[Municipality]:
    """Return the municipalities whose names are most similar to the text, best first; empty if none is similar.

    A department at the end of the text is ignored.
    """
    folded = fold_place_name(text)
    words = (remove_country(folded) or folded).split()
    ends = (end for end in range(1, len(words)) if find_department_codes(" ".join(words[end:])))
    by_name = read_gazetteer().by_name
    close = get_close_matches(
        " ".join(words[: next(ends, len(words))]), by_name, n=limit, cutoff=MIN_SIMILARITY
    )
    return list(dict.fromkeys(entry.municipality for name in close for entry in by_name[name]))[:limit]


def find_department_codes(text: str) -> frozenset[str] | None:
    """Return the codes of the departments that match the text; None if the text is empty, an empty set if none matches.

    "Cundinamarca" also matches Bogotá, because addresses in Bogotá may use it.
    """
    words = re.sub(r"^(co|departamento( de(l| la)?)?) (?=.)", "", fold_text(text))
    if not words:
        return None
    codes = read_gazetteer().department_codes
    if words.isdecimal():
        found = {words.zfill(2)} & set(codes.values())
    elif words in codes:
        found = {codes[words]}
    else:
        found = {code for name, code in codes.items() if name.startswith(f"{words} ")}
    return frozenset(found | {BOGOTA} if CUNDINAMARCA in found else found)


def search_municipalities(text: str, limit: int = 8) -> list[Municipality]:
    """Return the municipalities that may match the typed text, best first.

    Every typed word must be the prefix of a word in the municipality's name, in another name of it (such as
    Bogotá's localities) or in its department. Accents, case and abbreviations are ignored. The exact name is first,
    then names that start with the text, then the others. Among equal matches, capitals are first, and the rest is in
    alphabetical order. If the text consists of digits, codes that start with it match. If nothing matches, return
    names that sound the same; without any, return similar names.
    """
    typed = fold_place_name(text)
    if not typed or limit <= 0:
        return []
    if typed.isdecimal():
        return [place for code, place in sorted(read_gazetteer().by_code.items()) if code.startswith(typed)][
            :limit
        ]
    for written in filter(None, (typed, remove_country(typed))):
        found = _rank_entries(written, by_sound=False)
        if not found and len(sounds := spell_sounds(written)) >= MIN_SOUNDS:
            found = _rank_entries(sounds, by_sound=True)
        if found:
            return found[:limit]
    return find_similar_municipalities(text, min(limit, MAX_SIMILAR))


def _rank_entries(typed: str, *, by_sound: bool) -> list[Municipality]:
    found = [
        (rank, entry.order, entry.municipality)
        for entry in read_gazetteer().entries
        if (rank := (entry.sounds if by_sound else entry.texts).rank(typed)) is not None
    ]
    return [place for _, _, place in sorted(found, key=lambda hit: hit[:2])]


@dataclass(frozen=True, slots=True)
class _SearchTexts:
    """The names and the department of a municipality, normalized. The official name is the first."""

    names: tuple[str, ...]
    department: str

    def rank(self, typed: str) -> int | None:
        """Return the rank of the match between the normalized text and this municipality: 0 is best, None no match.

        The official name ranks before another name that matches in the same way.
        """
        beginnings = typed.split()
        if not _are_word_prefixes(" ".join((*self.names, self.department)), beginnings):
            return None  # excludes nearly all entries, so the rest need not be fast
        ranks = []
        for name in self.names:
            is_other_name = name is not self.names[0]
            if name == typed:
                ranks.append(0 + is_other_name)
            elif name.startswith(typed):
                ranks.append(2 + is_other_name)
            elif _are_word_prefixes(name, beginnings):
                ranks.append(4 + is_other_name)
            elif _are_word_prefixes(f"{name} {self.department}", beginnings):
                ranks.append(6 + is_other_name)
        return min(ranks, default=None)

    def spell(self) -> "_SearchTexts":
        """Return these texts as `spell_sounds` spells them: names that sound the same become equal."""
        return _SearchTexts(tuple(map(spell_sounds, self.names)), spell_sounds(self.department))


@dataclass(frozen=True, slots=True)
class _Entry:
    """A municipality with its search texts."""

    municipality: Municipality
    texts: _SearchTexts
    sounds: _SearchTexts
    order: tuple[bool, str, str]

    def is_in(self, departments: frozenset[str]) -> bool:
        """Return True if the municipality is in one of the departments with these codes."""
        return self.municipality.department_code in departments


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """All municipalities, indexed for each kind of lookup."""

    by_code: dict[str, Municipality]
    entries: tuple[_Entry, ...]
    by_name: dict[str, tuple[_Entry, ...]]
    """Entries by each of their normalized names."""
    by_sound: dict[str, tuple[_Entry, ...]]
    """Entries by the sounds of each of their names."""
    department_codes: dict[str, str]
    """Department codes by normalized name or ISO code."""


def _find_entries(name: str, *, by_sound: bool) -> tuple[_Entry, ...]:
    """Return the entries with this normalized name.

    If there are none and `by_sound` is True, return the entries whose names sound the same.
    """
    gazetteer = read_gazetteer()
    for written in filter(None, (name, remove_country(name))):
        found = _find_entries_by_name(written, gazetteer.by_name)
        if not found and by_sound:
            found = _find_entries_by_name(written, gazetteer.by_sound, spell_sounds)
        if found:
            return found
    return ()


def _find_entries_by_name(
    name: str, index: Mapping[str, tuple[_Entry, ...]], spell: Callable[[str], str] = str
) -> tuple[_Entry, ...]:
    """Return the entries in `index` with this normalized name. `spell` converts a name to a key of the index.

    If there are none, `name` may be a municipality followed by its department: return the entries that match both.
    """
    if found := index.get(spell(name)):
        return found
    words = name.split()
    for end in range(len(words) - 1, 0, -1):
        departments = find_department_codes(" ".join(words[end:]))
        within = [
            entry
            for entry in index.get(spell(" ".join(words[:end])), ())
            if departments and entry.is_in(departments)
        ]
        if within:
            return tuple(within)
    return ()


def _are_word_prefixes(words: str, beginnings: list[str]) -> bool:
    """Return True if each of `beginnings` is the prefix of a word in `words`."""
    return all(f" {beginning}" in f" {words}" for beginning in beginnings)


@cache
def read_gazetteer() -> Gazetteer:
    """Return the index of all municipalities. It is built at the first call."""
    entries = sorted(_read_entries(), key=lambda entry: entry.order[1:])
    by_name: dict[str, list[_Entry]] = {}
    by_sound: dict[str, list[_Entry]] = {}
    for entry in entries:
        for texts, index in ((entry.texts, by_name), (entry.sounds, by_sound)):
            for name in dict.fromkeys(texts.names):
                index.setdefault(name, []).append(entry)
    departments = {entry.municipality.department: entry.municipality.department_code for entry in entries}
    return Gazetteer(
        by_code={entry.municipality.code: entry.municipality for entry in entries},
        entries=tuple(entries),
        by_name={name: tuple(found) for name, found in by_name.items()},
        by_sound={sound: tuple(found) for sound, found in by_sound.items()},
        department_codes={fold_text(name): code for name, code in departments.items()}
        | {name: code for code, names in OTHER_NAMES.items() for name in names.split("|")},
    )


def _read_entries() -> Iterator[_Entry]:
    with DATA_FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            code, name, department = row["code"], row["name"], row["department"]
            others = filter(None, row["also_known_as"].split("|"))
            names = (fold_text(name), *map(fold_text, others))
            texts = _SearchTexts(names, fold_text(department))
            yield _Entry(
                municipality=Municipality(code, name, code[:2], department),
                texts=texts,
                sounds=texts.spell(),
                order=(not _is_capital(code), names[0], code),
            )


def _is_capital(code: str) -> bool:
    return code[2:5] == CAPITAL and code[:2] != CUNDINAMARCA
