"""Placeholders in a text: names in braces, such as `{pedido}`."""

import re
from collections.abc import Collection

PLACEHOLDER = re.compile(r"\{(\w*)\}")
_BRACES = re.compile(r"\{[^{}]*\}|\{[^}]*|\}")


def find_unknown_placeholder(text: str, known: Collection[str]) -> str:
    """Return the first part in braces that is not a known placeholder; empty if there is none."""
    for found in _BRACES.finditer(text):
        name = PLACEHOLDER.fullmatch(found[0])
        if name is None or name[1] not in known:
            return found[0]
    return ""
