"""Repair of texts that a program read in a wrong encoding and saved again, such as `MuÃ±eca` for `Muñeca`."""

import re

from backend.spreadsheet_reader.encodings import ENCODINGS, UNREADABLE

_TRACES = re.compile(
    "[ÃÂ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|√[°-∫±≥∂Ω≠≈∆]|[├┬][\u0080-\u00ff░▒▓│┤║╗╝┐]"
)
"""Pairs of characters that appear if the UTF-8 bytes of a Spanish letter are read in an older encoding."""


def repair_text(text: str) -> str:
    """Return the text as it is in the right encoding. Wrongly decoded letters that stay become `UNREADABLE`."""
    if text.isascii() or not _TRACES.search(text):
        return text
    for encoding in ENCODINGS:
        try:
            return b"".join(_encode_letter(letter, encoding) for letter in text).decode()
        except UnicodeError:
            continue
    return _TRACES.sub(UNREADABLE, text)


def _encode_letter(letter: str, encoding: str) -> bytes:
    """Encode a letter. A control character becomes the byte with its number, which cp1252 may not define."""
    return letter.encode("latin-1" if "\u0080" <= letter <= "\u009f" else encoding)
