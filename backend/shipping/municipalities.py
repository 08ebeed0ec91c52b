"""Colombia's municipalities by their code in DANE's DIVIPOLA, the list a shopper picks the destination from.

A code is the carrier's: five digits of the municipality and "000", its seat (wire: carrier 2.6). It is text, as the
first digit may be a zero. A code is picked from the list, never guessed from what somebody typed: a similar name is
another town.
"""

import csv
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DATA_FILE = Path(__file__).parent / "data" / "municipalities.csv"

CAPITAL = "001"
"""A capital's number in its department; Cundinamarca's capital is Bogotá, which is a department of its own."""
CUNDINAMARCA = "25"
BOGOTA = "11"

OTHER_NAMES = {
    "05": "ant", "08": "atl", "11": "dc|d c|distrito capital|bogota distrito capital|bogota dc|santafe de bogota",
    "13": "bol", "15": "boy", "17": "cal", "18": "caq", "19": "cau", "20": "ces", "23": "cor", "25": "cun",
    "27": "cho", "41": "hui", "44": "lag|guajira", "47": "mag", "50": "met", "52": "nar",
    "54": "nsa|n de santander|norte santander", "63": "qui", "66": "ris", "68": "san", "70": "suc", "73": "tol",
    "76": "vac", "81": "ara", "85": "cas", "86": "put",
    "88": "sap|san andres|san andres y providencia|san andres providencia y santa catalina", "91": "ama", "94": "gua",
    "95": "guv", "97": "vau", "99": "vid",
}  # fmt: skip
"""What else a department is called, folded: its code in ISO 3166-2:CO first, then names in everyday use."""


@dataclass(frozen=True, slots=True)
class Municipality:
    """A municipality. `code` has the carrier's eight digits, `department_code` two."""

    code: str
    name: str
    department_code: str
    department: str


def municipality(code: str) -> Municipality | None:
    """The municipality with exactly this code of eight digits, or None."""
    return _gazetteer().by_code.get(code)


def municipality_named(city: str, department: str) -> Municipality | None:
    """The one municipality that goes by exactly this name in this department, as programs write them; else None.

    See `municipalities_named`. Without a department the name must be one of a kind.
    """
    found = municipalities_named(city, department)
    return found[0] if len(found) == 1 else None


def municipalities_named(city: str, department: str = "") -> list[Municipality]:
    """The municipalities that go by exactly this name, in this department where one is named.

    Accents, case and punctuation do not matter. The name may have the department behind it ("LETICIA (AMAZONAS)"). The
    department is a name, DANE's two digits or the code of ISO 3166-2 ("05", "CO-ANT"); see `department_codes`. A name
    that is official in the department goes before one that a municipality of it is also known by.
    """
    name, within = fold(city), department_codes(department)
    found = [entry for entry in _named(name) if within is None or entry.is_in(within)]
    official = [entry for entry in found if name == entry.names[0]]
    return [entry.municipality for entry in (official if within is not None and official else found)]


def department_codes(text: str) -> frozenset[str] | None:
    """The codes of the departments that the text names; None when it says nothing, none when it names no department.

    Whoever writes Cundinamarca may mean Bogotá, which lies in it.
    """
    words = re.sub(r"^(co|departamento( de(l| la)?)?) (?=.)", "", fold(text))
    if not words:
        return None
    codes = _gazetteer().department_codes
    if words.isdecimal():
        found = {words.zfill(2)} & set(codes.values())
    elif words in codes:
        found = {codes[words]}
    else:
        found = {code for name, code in codes.items() if name.startswith(f"{words} ")}
    return frozenset(found | {BOGOTA} if CUNDINAMARCA in found else found)


def search_municipalities(text: str, limit: int = 8) -> list[Municipality]:
    """The municipalities that what was typed may mean, best first.

    Every word typed must begin a word of the name, of another name it goes by (Bogotá's localities among
    them) or of its department; accents and case do not matter. The exact name comes first, then names that
    begin so, then the rest; department capitals lead among equals, and the alphabet decides what is left.
    """
    typed = fold(text)
    if not typed or limit <= 0:
        return []
    found = [
        (rank, entry.order, entry.municipality)
        for entry in _gazetteer().entries
        if (rank := entry.rank(typed)) is not None
    ]
    return [place for _, _, place in sorted(found, key=lambda hit: hit[:2])[:limit]]


def fold(text: str) -> str:
    """The text as it is compared: lower case, without accents or punctuation, one space between words."""
    letters = unicodedata.normalize("NFD", text.casefold())
    kept = "".join(c if c.isalnum() else " " for c in letters if not unicodedata.combining(c))
    return " ".join(kept.split())


@dataclass(frozen=True, slots=True)
class _Entry:
    """A municipality with everything that it is searched by, folded."""

    municipality: Municipality
    names: tuple[str, ...]
    department: str
    order: tuple[bool, str, str]

    def is_in(self, departments: frozenset[str]) -> bool:
        """Whether it lies in one of the departments with these codes."""
        return self.municipality.department_code in departments

    def rank(self, typed: str) -> int | None:
        """How well the folded text fits: 0 is best, None not at all. The official name goes before the others."""
        beginnings = typed.split()
        if not _begin_words_of(" ".join((*self.names, self.department)), beginnings):
            return None  # nearly all of them, so that the rest may take its time
        ranks = []
        for name in self.names:
            is_other_name = name is not self.names[0]
            if name == typed:
                ranks.append(0 + is_other_name)
            elif name.startswith(typed):
                ranks.append(2 + is_other_name)
            elif _begin_words_of(name, beginnings):
                ranks.append(4 + is_other_name)
            elif _begin_words_of(f"{name} {self.department}", beginnings):
                ranks.append(6 + is_other_name)
        return min(ranks, default=None)


@dataclass(frozen=True, slots=True)
class _Gazetteer:
    """The whole list, in the shapes it is asked for."""

    by_code: dict[str, Municipality]
    entries: tuple[_Entry, ...]
    by_name: dict[str, tuple[_Entry, ...]]
    """By each of their folded names."""
    department_codes: dict[str, str]
    """By folded name or ISO code."""


def _named(name: str) -> tuple[_Entry, ...]:
    """Those that go by the folded name, or by its beginning when the rest names their department."""
    by_name = _gazetteer().by_name
    if name in by_name:
        return by_name[name]
    words = name.split()
    for end in range(len(words) - 1, 0, -1):
        within = department_codes(" ".join(words[end:]))
        found = [entry for entry in by_name.get(" ".join(words[:end]), ()) if within and entry.is_in(within)]
        if found:
            return tuple(found)
    return ()


def _begin_words_of(words: str, beginnings: list[str]) -> bool:
    """Whether each beginning begins some word."""
    return all(f" {beginning}" in f" {words}" for beginning in beginnings)


@cache
def _gazetteer() -> _Gazetteer:
    entries = sorted(_read(), key=lambda entry: entry.order[1:])
    by_name: dict[str, list[_Entry]] = {}
    for entry in entries:
        for name in dict.fromkeys(entry.names):
            by_name.setdefault(name, []).append(entry)
    departments = {entry.municipality.department: entry.municipality.department_code for entry in entries}
    return _Gazetteer(
        by_code={entry.municipality.code: entry.municipality for entry in entries},
        entries=tuple(entries),
        by_name={name: tuple(found) for name, found in by_name.items()},
        department_codes={fold(name): code for name, code in departments.items()}
        | {name: code for code, names in OTHER_NAMES.items() for name in names.split("|")},
    )


def _read() -> Iterator[_Entry]:
    with DATA_FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            code, name, department = row["code"], row["name"], row["department"]
            others = filter(None, row["also_known_as"].split("|"))
            yield _Entry(
                municipality=Municipality(code, name, code[:2], department),
                names=(fold(name), *map(fold, others)),
                department=fold(department),
                order=(not _is_capital(code), fold(name), code),
            )


def _is_capital(code: str) -> bool:
    return code[2:5] == CAPITAL and code[:2] != CUNDINAMARCA
