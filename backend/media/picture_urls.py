"""The addresses of pictures as pages hold them: in `src`, `srcset` and structured data.

A picture is in the shop's own store, under a name that may hold spaces and parentheses, or hosted anywhere.
"""

import re
from functools import lru_cache
from urllib.parse import quote

_HOST = re.compile(r"https?://[^/?#\\\s\"'<>]+", re.IGNORECASE)
_SCHEME = re.compile(r"\s*[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
"""Browsers skip these in an address, also inside a scheme."""
_ENCODED = re.compile(r"(%[0-9A-Fa-f]{2})")
_IN_HOST, _IN_OWN_PATH, _IN_PATH, _IN_QUERY = "/:@[]", "/", "/:@!$&*+,;=", "/:@!$&*+,;=?[]"
"""What stays as it is in each part, beside letters, digits and `-._~`."""


def is_picture_address(url: str) -> bool:
    """Return True for a path, or an address over http or https; False for `javascript:`, `data:` and their like."""
    if _CONTROL.search(url):
        return False
    return _SCHEME.match(url) is None or _HOST.match(url) is not None


@lru_cache(maxsize=10_000)
def picture_address(url: str) -> str:
    """The picture's url with everything encoded that an address cannot hold; what is encoded already stays.

    A `#` belongs to the name of the file: no picture has a fragment. Anything that is neither a path nor an address
    over http becomes a path that leads nowhere.
    """
    whole = f"https:{url}" if url.startswith("//") else url
    found = _HOST.match(whole)
    if found is None:
        path, mark, query = whole.partition("?")
        return _kept(path, _IN_OWN_PATH) + mark + _kept(query, _IN_QUERY)
    path, mark, query = whole[found.end() :].partition("?")
    return _kept(found[0].lower(), _IN_HOST) + _kept(path, _IN_PATH) + mark + _kept(query, _IN_QUERY)


def absolute_address(url: str | None, base_url: str) -> str | None:
    """A picture's address for programs elsewhere: those of the shop's own store begin with `base_url`.

    Without `base_url` it is as it was stored, for staff.
    """
    if url is None or not base_url or not url.startswith("/") or url.startswith("//"):
        return url
    return base_url + picture_address(url)


def _kept(text: str, safe: str) -> str:
    """The text, encoded but for what is safe and what is encoded already."""
    return "".join(
        part if place % 2 else quote(part, safe) for place, part in enumerate(_ENCODED.split(text))
    )
