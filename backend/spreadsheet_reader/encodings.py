"""Decoding of texts without a declared encoding: UTF-8, or one of three older encodings for lines that are not UTF-8.

Excel writes the encoding of its system: cp1252 on Windows, Mac Roman on a Mac, cp850 from a command line. The same
byte is a different letter in each of them. So each encoding is rated by the letters that it gives in all these
lines together, and the best one is chosen. Where no encoding fits clearly best, or a line has implausible letters
in the chosen one, non-ASCII letters become `UNREADABLE`.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

UNREADABLE = "\ufffd"
ENCODINGS = ("cp1252", "mac_roman", "cp850")
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|$)")
_SPANISH = frozenset("áéíóúüñÁÉÍÓÚÜÑ")
_FOREIGN = frozenset("àâäãåæçèêëìîïòôöõøùûÿœšžÀÂÄÃÅÆÇÈÊËÌÎÏÒÔÖÕØÙÛŸŒŠŽ")
_AFTER_NUMBER = frozenset("°½¼¾×±²³ºª")
_AFTER_LETTER = {"º": "Nn.", "ª": "Nn.", "²": "mM", "³": "mM"}
"""Letters after which these signs are plausible, in addition to digits: Nº 5, 12 m²."""
_CURRENCIES = frozenset("€£¢")
_VOWELS = {"á": "a", "í": "i", "ó": "o", "ú": "u"}
_MARKS = frozenset("®©™")
_SEPARATORS = frozenset("–—•·…«»“”‘’")
_OPENING, _CLOSING = frozenset("«“‘"), frozenset("»”’…")
IMPLAUSIBLE = -100
PREFERENCE = {"cp1252": 2}
"""Extra points of the most common encoding."""
MIN_LEAD = 5
"""Minimum number of points by which the best encoding must lead over each of the others."""


def decode_lines(content: bytes) -> str:
    """Decode a text in UTF-8 or in an older encoding. Remove its byte order mark, if it has one.

    Letters that cannot be read become `UNREADABLE`.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    lines = [found[0] for found in _LINE.finditer(content)]
    decoded = [_decode_utf8(line) for line in lines]
    older_lines = [line for line, text in zip(lines, decoded, strict=True) if text is None]
    encoding = choose_encoding(older_lines)
    return "".join(
        text if text is not None else _decode_older(line, encoding)
        for line, text in zip(lines, decoded, strict=True)
    ).removeprefix("\ufeff")


def choose_encoding(lines: Iterable[bytes]) -> str:
    """Return the older encoding that fits these lines best; empty if several encodings fit about equally well."""
    scores: dict[str, dict[str, list[int]]] = {encoding: defaultdict(list) for encoding in ENCODINGS}
    implausible = dict.fromkeys(ENCODINGS, 0)
    for line in lines:
        for encoding in ENCODINGS:
            text = line.decode(encoding, "replace")
            points = _rate_letters(text)
            if any(point == IMPLAUSIBLE for _letter, point in points):
                implausible[encoding] += 1
                continue
            for letter, point in points:
                scores[encoding][letter].append(point)
    fewest = min(implausible.values())
    # the average of each letter: a letter that is often there proves no more than one that is there once
    totals = {
        encoding: PREFERENCE.get(encoding, 0)
        + sum(sum(points) / len(points) for points in scores[encoding].values())
        for encoding in ENCODINGS
        if implausible[encoding] == fewest
    }
    best, *others = sorted(totals, key=lambda encoding: -totals[encoding])
    return "" if any(totals[best] - totals[other] < MIN_LEAD for other in others) else best


@lru_cache(maxsize=10_000)
def rate_letter(letter: str, before: str, after: str) -> int:
    """Rate how plausible a non-ASCII letter is between its neighbours. Return points, or `IMPLAUSIBLE`.

    Args:
        letter: the letter or sign.
        before: the two characters before it; a line's start is a space.
        after: the two characters after it.
    """
    previous = before[-1]
    if letter in _SPANISH or letter in _FOREIGN:
        if not _has_plausible_case(letter, before, after):
            return IMPLAUSIBLE
        if not previous.isalpha() and not after[0].isalpha() and letter != "ó":
            return 0
        strength = 6 if previous.isalpha() and letter.islower() else 5 if previous.isalpha() else 3
        return strength if letter in _SPANISH else 0
    return _rate_sign(letter, previous, after)


def _rate_sign(letter: str, previous: str, after: str) -> int:
    following = after[0]
    is_inside = previous.isalpha() and following.isalpha()
    points = 3
    is_plausible = False
    if letter in "¡¿":
        points = 5 if following.isupper() else 2
        is_plausible = not previous.isalnum() and following.isalpha()
    elif letter == "\xa0":
        points = 6 if is_inside else 3
        is_plausible = True
    elif letter in _AFTER_NUMBER:
        is_plausible = not following.isalpha() and (
            previous.isdigit() or previous in _AFTER_LETTER.get(letter, "")
        )
    elif letter in _CURRENCIES:
        is_plausible = previous.isdigit() or following.isdigit()
    elif letter in _MARKS:
        is_plausible = previous.isalnum() and not following.isalnum()
    elif letter in "’´" and is_inside:
        # Barbie’s and D’Artagnan; a vowel of Mac Roman, as in Mar’a, is none
        is_plausible = following.isupper() or (following == "s" and not after[1].isalpha())
    elif letter in _SEPARATORS:
        points = 4 if letter == "…" and previous.isalpha() else 2
        is_opening, is_closing = letter in _OPENING, letter in _CLOSING
        is_plausible = not (
            is_inside
            or (letter in "–—" and (previous.isalpha() or following.isalpha()))
            or (is_opening and previous.isalnum())
            or (is_closing and following.isalnum())
        )
    return points if is_plausible else IMPLAUSIBLE


def _has_plausible_case(letter: str, before: str, after: str) -> bool:
    """Return True if the letter's case fits its neighbours.

    Return False if a neighbour is a digit, or the same vowel without its accent.
    """
    previous, following = before[-1], after[0]
    if previous.isdigit() or following.isdigit():
        return False
    if (vowel := _VOWELS.get(letter.lower())) and vowel in (previous.lower(), following.lower()):
        return False
    if letter.islower():
        if following.isupper():
            return previous.islower() and after[1].islower()
        return not previous.isupper() or not before[0].isalpha()
    return not previous.islower() and not (previous.isupper() and following.islower())


def _decode_utf8(line: bytes) -> str | None:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return None


def _decode_older(line: bytes, encoding: str) -> str:
    """Decode a line that is not UTF-8.

    If no encoding was chosen, or the line has an implausible letter in it, all non-ASCII bytes become `UNREADABLE`.
    """
    if encoding:
        text = line.decode(encoding, "replace")
        if all(points != IMPLAUSIBLE for _letter, points in _rate_letters(text)):
            return text
    return line.decode("ascii", "replace")


def _rate_letters(line: str) -> list[tuple[str, int]]:
    """Return the non-ASCII letters of a line, each with its points."""
    return [
        (letter, 0 if _is_unclosed(line, place) else rate_letter(*_context(line, place)))
        for place, letter in enumerate(line)
        if letter > "\x7f"
    ]


def _is_unclosed(line: str, place: int) -> bool:
    """Return True for a ¡ that begins a lower-case word and has no ! after it in the line.

    In ¡baco, for example, the ¡ is probably the Á of another encoding.
    """
    return line[place] == "¡" and line[place + 1 : place + 2].islower() and "!" not in line[place:]


def _context(text: str, place: int) -> tuple[str, str, str]:
    before, after = text[max(0, place - 2) : place], text[place + 1 : place + 3]
    return text[place], before.rjust(2), after.ljust(2)
