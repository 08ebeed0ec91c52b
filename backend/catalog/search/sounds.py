"""Sound keys: words that are pronounced alike in Colombian Spanish have the same key."""

import re

MIN_SOUND_LENGTH = 3
_SOUNDS = [
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"s?c(?=[ei])|z", "s"),
        (r"s+", "s"),
        (r"g(?=[ei])", "j"),
        (r"gu(?=[ei])", "g"),
        (r"qu(?=[ei])|c(?!h)|q", "k"),
        (r"(?<!c)h", ""),
        (r"n(?=[bpv])", "m"),
        ("v", "b"),
        ("ll", "y"),
    )
]
"""Spellings and the sound that they stand for, in the order in which they are replaced."""


def to_sound_key(word: str) -> str:
    """Return the sound key of a word without accents and in lower case, such as "abion" for "avion"."""
    for spelling, sound in _SOUNDS:
        word = spelling.sub(sound, word)
    return word
