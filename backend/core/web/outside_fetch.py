"""Fetching of URLs that others wrote, such as the URL of a picture in a file to import.

Only public internet addresses are used, also after a redirect: see `backend.core.web.public_addresses`. Proxies of
the environment are not used, because they would resolve the name again.
"""

import time

import httpx

from backend.core.threads import Threads
from backend.core.web.http_client import get_ssl_context
from backend.core.web.public_addresses import UnusableAddress, pin_request, resolve_host

MAX_REDIRECTS = 3
READ_TIMEOUT_S = 10.0
"""Maximum seconds to wait for the next bytes."""
MAX_SHOWN_LENGTH = 200
FETCHERS = Threads("fetches", 4)
"""Threads in which a running shop calls `fetch`."""
_SCHEMES = ("https", "http")


class FetchError(Exception):
    """The content could not be fetched. The message is one line for the author of the URL."""


def fetch(address: str, *, max_bytes: int, timeout_s: float, allow_private: bool = False) -> bytes:
    """Return the content at a URL. This blocks: do not call it on the event loop.

    Args:
        address: begins with https:// or http://.
        max_bytes: maximum size of the content.
        timeout_s: time limit in seconds, including redirects.
        allow_private: True to also fetch from this machine and its networks.

    Raises:
        FetchError: the content is missing, too large or too slow, or its address is not public.
    """
    until = time.monotonic() + timeout_s
    current_url = address
    try:
        with httpx.Client(verify=get_ssl_context(), trust_env=False, follow_redirects=False) as client:
            for _hop in range(MAX_REDIRECTS + 1):
                url = httpx.URL(current_url)
                if url.scheme not in _SCHEMES or not url.host:
                    raise FetchError(f"{_shorten(address)} is not a web address")
                found = _request(client, url, max_bytes, until, allow_private=allow_private)
                if isinstance(found, bytes):
                    return found
                current_url = str(url.join(found))
    except httpx.InvalidURL as error:
        raise FetchError(f"{_shorten(address)} is not an address ({type(error).__name__})") from None
    except (httpx.HTTPError, UnicodeError) as error:
        raise FetchError(f"{_shorten(address)} does not answer ({type(error).__name__})") from None
    except (_UnusableAnswer, UnusableAddress) as error:
        raise FetchError(f"{_shorten(address)} {error}") from None
    raise FetchError(f"{_shorten(address)} has too many redirects")


class _UnusableAnswer(Exception):
    """An answer cannot be used. The message completes a sentence that begins with the URL."""


def _request(
    client: httpx.Client, url: httpx.URL, max_bytes: int, until: float, *, allow_private: bool
) -> bytes | str:
    """Send one GET request. Return the content, or the target of a redirect as a text."""
    ips = resolve_host(url, allow_private=allow_private)
    for place, ip in enumerate(ips):
        remaining_s = until - time.monotonic()
        if remaining_s <= 0:
            raise _UnusableAnswer("is too slow")
        timeout_s = min(READ_TIMEOUT_S, remaining_s)
        request = client.build_request("GET", **pin_request(url, ip), timeout=timeout_s)
        try:
            answer = client.send(request, stream=True)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            if place == len(ips) - 1:
                raise
            continue
        try:
            return _read_content(answer, max_bytes, until)
        finally:
            answer.close()
    raise _UnusableAnswer("does not answer")


def _read_content(answer: httpx.Response, max_bytes: int, until: float) -> bytes | str:
    if answer.has_redirect_location:
        return answer.headers["location"]
    if answer.status_code != 200:
        raise _UnusableAnswer(f"answers with {answer.status_code}")
    if answer.headers.get("content-encoding", "identity").lower() != "identity":
        raise _UnusableAnswer("answers with compressed content that was not requested")
    content = bytearray()
    for piece in answer.iter_raw():
        content += piece
        if len(content) > max_bytes or time.monotonic() > until:
            raise _UnusableAnswer(f"is larger than {max_bytes // 2**20} MiB, or too slow")
    return bytes(content)


def _shorten(address: str) -> str:
    return address[:MAX_SHOWN_LENGTH]
