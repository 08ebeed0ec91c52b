"""The TLS settings of our outgoing connections."""

from functools import cache
from ssl import SSLContext

import httpx


@cache
def trusted() -> SSLContext:
    """An SSL context with the authorities that httpx trusts, made once: each takes 20 ms and a megabyte."""
    return httpx.create_ssl_context()
