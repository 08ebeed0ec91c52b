"""Validation of links that the office writes: to a page of the shop, or to another site over https."""

import re
from urllib.parse import urlsplit

from backend.core.texts import _

MAX_LINK_CHARS = 500
_INVISIBLE = re.compile(r"[\x00-\x20\x7f-\x9f\\\u2028\u2029]")
"""Invisible characters that browsers ignore or replace in an address."""


def find_link_problem(link: str) -> str:
    r"""Return an error message if the link is invalid, else an empty text.

    Browsers treat `//site` and `/\site` as other sites, so a path of the shop begins with exactly one slash.
    """
    wrong = _("Escribe una dirección de la tienda (/catalog) o de otro sitio (https://…).")
    if len(link) > MAX_LINK_CHARS:
        return _("Usa máximo {count} caracteres.").format(count=MAX_LINK_CHARS)
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
