"""URLs of pictures for pages: in `src`, `srcset` and structured data.

A picture is in the shop's own store, under a name that may contain spaces and parentheses, or on any other host.
"""

import re
from functools import lru_cache
from urllib.parse import quote

_HOST = re.compile(r"https?://[^/?#\\\s\"'<>]+", re.IGNORECASE)
_SCHEME = re.compile(r"\s*[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
"""Control characters: browsers ignore them in an address, even inside a scheme."""
_ENCODED = re.compile(r"(%[0-9A-Fa-f]{2})")
_IN_HOST, _IN_OWN_PATH, _IN_PATH, _IN_QUERY = "/:@[]", "/", "/:@!$&*+,;=", "/:@!$&*+,;=?[]"
"""Characters that are not encoded in each part, in addition to letters, digits and `-._~`."""


def is_picture_address(url: str) -> bool:
    """Return True for a path or an http(s) URL; False for other schemes such as `javascript:` and `data:`."""
    if _CONTROL.search(url):
        return False
    return _SCHEME.match(url) is None or _HOST.match(url) is not None


@lru_cache(maxsize=10_000)
def encode_picture_url(url: str) -> str:
    """Percent-encode the URL of a picture. Parts that are already encoded do not change.

    A `#` is encoded as part of the file's name, because URLs of pictures have no fragment. A text that is neither a
    path nor an http(s) URL becomes a path that does not exist.
    """
    whole = f"https:{url}" if url.startswith("//") else url
    found = _HOST.match(whole)
    if found is None:
        path, mark, query = whole.partition("?")
        return _encode_unsafe(path, _IN_OWN_PATH) + mark + _encode_unsafe(query, _IN_QUERY)
    path, mark, query = whole[found.end() :].partition("?")
    return (
        _encode_unsafe(found[0].lower(), _IN_HOST)
        + _encode_unsafe(path, _IN_PATH)
        + mark
        + _encode_unsafe(query, _IN_QUERY)
    )


def to_absolute_picture_url(url: str | None, base_url: str) -> str | None:
    """Return a picture's URL for external programs: the paths of the shop's own pictures get the prefix `base_url`.

    If `base_url` is empty, as for pages of staff, the stored URL is returned unchanged.
    """
    if url is None or not base_url or not url.startswith("/") or url.startswith("//"):
        return url
    return base_url + encode_picture_url(url)


def _encode_unsafe(text: str, safe: str) -> str:
    """Percent-encode the text, except `safe` characters and what is already encoded."""
    return "".join(
        part if place % 2 else quote(part, safe) for place, part in enumerate(_ENCODED.split(text))
    )
