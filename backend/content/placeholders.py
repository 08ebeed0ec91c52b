"""Names in braces within a text, such as `{pedido}`, which stand for something."""

import re
from collections.abc import Collection

NAME = re.compile(r"\{(\w*)\}")
_BRACES = re.compile(r"\{[^{}]*\}|\{[^}]*|\}")


def wrong_placeholder(text: str, known: Collection[str]) -> str:
    """The first of a text that stands in braces and names none of the known values; empty when there is none."""
    for found in _BRACES.finditer(text):
        name = NAME.fullmatch(found[0])
        if name is None or name[1] not in known:
            return found[0]
    return ""
