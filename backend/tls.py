"""Whose certificates we trust when we call others."""

from functools import cache
from ssl import SSLContext

import httpx


@cache
def trusted() -> SSLContext:
    """The authorities that httpx trusts, read once for all clients: it takes 20 ms and a megabyte each time."""
    return httpx.create_ssl_context()
