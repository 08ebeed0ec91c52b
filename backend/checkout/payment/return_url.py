"""Where a shopper comes back to from the bank: the order's page here, or a page of a storefront that may call the API.

The gateway sends browsers there, so it is never just any address: only of origins that `STORE_CORS` names.
"""

import re
from urllib.parse import urlsplit

from backend.core.config.origins import Origins
from backend.core.errors import InvalidData

ORDER_ID = "{order_id}"
"""Stands in the address for the id that the order is going to have."""
LONGEST = 500

_WRITTEN = re.compile(rf"[!-\[\]-~]{{1,{LONGEST}}}")
"""Visible ASCII without the backslash, which browsers read as a slash."""


def require_return_url(value: object, storefronts: Origins) -> str:
    """The address of a storefront's page, in which `{order_id}` may stand.

    Raises:
        InvalidData: it is no address, or of an origin that is none of `storefronts` (`fields`).
    """
    text = value if isinstance(value, str) and _WRITTEN.fullmatch(value) else ""
    origin = _origin(text)
    if not origin or "@" in origin or "{" in origin or not storefronts.allow(origin):
        problem = f"must be an address of at most {LONGEST} characters, of an origin that STORE_CORS names"
        raise InvalidData(f"return_url {problem}", fields={"return_url": problem})
    return text


def _origin(address: str) -> str:
    """The origin of an address for browsers; empty when it is none."""
    try:
        parts = urlsplit(address)
        is_whole = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:
        is_whole = False
    return f"{parts.scheme}://{parts.netloc}".lower() if is_whole else ""


def return_url_of(wanted: str, order_id: str) -> str:
    """The address for this order."""
    return wanted.replace(ORDER_ID, order_id)
