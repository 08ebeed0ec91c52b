"""Links that the office writes: to a page of the shop, or to another site over https."""

import re
from urllib.parse import urlsplit

from backend.core.texts import _

LONGEST_LINK = 500
_INVISIBLE = re.compile(r"[\x00-\x20\x7f-\x9f\\\u2028\u2029]")
"""What browsers leave out of an address or take for something else, and nobody sees."""


def link_problem(link: str) -> str:
    r"""What is wrong with a link, for whoever wrote it; empty when nothing is.

    Browsers take `//site` and `/\site` for other sites, so a path of the shop begins with exactly one slash.
    """
    wrong = _("Escribe una dirección de la tienda (/catalog) o de otro sitio (https://…).")
    if len(link) > LONGEST_LINK:
        return _("Usa máximo {count} caracteres.").format(count=LONGEST_LINK)
    if _INVISIBLE.search(link):
        return wrong
    if link.startswith("/"):
        return wrong if link.startswith("//") else ""
    try:
        parts = urlsplit(link)
        is_site = parts.scheme == "https" and bool(parts.hostname) and parts.username is None
    except ValueError:
        is_site = False
    return "" if is_site else wrong
