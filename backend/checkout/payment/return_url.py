"""The page to which a shopper returns from the bank: this shop's page of the order, or a page of an allowed storefront.

The gateway sends browsers there, so only origins in `STORE_CORS` are accepted.
"""

import re
from urllib.parse import urlsplit

from backend.core.config.origins import Origins
from backend.core.errors import InvalidData

ORDER_ID = "{order_id}"
"""Placeholder in the return URL for the id of the future order."""
MAX_LENGTH = 500

_VALID_URL = re.compile(rf"[!-\[\]-~]{{1,{MAX_LENGTH}}}")
"""Visible ASCII without the backslash, which browsers treat as a slash."""


def require_return_url(value: object, storefronts: Origins) -> str:
    """Return the URL of a storefront's page, which may contain `{order_id}`.

    Raises:
        InvalidData: the text is not a URL, or its origin is not in `storefronts`. `fields` has the message.
    """
    text = value if isinstance(value, str) and _VALID_URL.fullmatch(value) else ""
    origin = _parse_origin(text)
    if not origin or "@" in origin or "{" in origin or not storefronts.is_allowed(origin):
        problem = f"must be an address of at most {MAX_LENGTH} characters, of an origin that STORE_CORS names"
        raise InvalidData(f"return_url {problem}", fields={"return_url": problem})
    return text


def _parse_origin(address: str) -> str:
    """Return the origin of a URL as browsers send it; empty if the text is not a URL."""
    try:
        parts = urlsplit(address)
        is_whole = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:
        is_whole = False
    return f"{parts.scheme}://{parts.netloc}".lower() if is_whole else ""


def format_return_url(return_url: str, order_id: str) -> str:
    """Return the URL with this order's id in place of the placeholder `{order_id}`."""
    return return_url.replace(ORDER_ID, order_id)
