"""Fetching of URLs that others wrote, such as the URL of a picture in a file to import.

Such a URL may name a machine in our own networks. So every host name is resolved here, all its addresses must be
public, and the connection is made to one of the checked addresses. It has no effect if the name is resolved to
another address a moment later. Each redirect is checked in the same way. Proxies of the environment are not used,
because they would resolve the name again.
"""

import socket
import time
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import httpx

from backend.core.threads import Threads
from backend.core.web.http_client import get_ssl_context

MAX_REDIRECTS = 3
MAX_ADDRESSES = 3
"""Maximum number of addresses of a name that are tried."""
READ_TIMEOUT_S = 10.0
"""Maximum seconds without a byte."""
MAX_SHOWN_LENGTH = 200
FETCHERS = Threads("fetches", 4)
"""Threads in which a running shop calls `fetch`."""
_SCHEMES = ("https", "http")
_EMBEDDED_IPV4 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"), IPv6Network("::/96"))
"""Networks whose addresses contain an IPv4 address in their last 32 bits."""

Ip = IPv4Address | IPv6Address


class FetchError(Exception):
    """The content could not be fetched. The message is one line for the author of the URL."""


def fetch(address: str, *, max_bytes: int, timeout_s: float, allow_private: bool = False) -> bytes:
    """Return the content at a URL. This blocks: do not call it on the event loop.

    Args:
        address: begins with https:// or http://.
        max_bytes: maximum size of the content.
        timeout_s: time limit in seconds, including redirects.
        allow_private: also fetch from this machine and its networks.

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
    except _UnusableAnswer as error:
        raise FetchError(f"{_shorten(address)} {error}") from None
    raise FetchError(f"{_shorten(address)} has too many redirects")


def is_public(ip: Ip) -> bool:
    """Return True if the address is public: not of this machine, a private network, or a multicast group."""
    if isinstance(ip, IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is None and any(ip in network for network in _EMBEDDED_IPV4):
            inner = IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


class _UnusableAnswer(Exception):
    """An answer or address cannot be used. The message completes a sentence that begins with the URL."""


def _request(
    client: httpx.Client, url: httpx.URL, max_bytes: int, until: float, *, allow_private: bool
) -> bytes | str:
    """Return the content, or the target of a redirect."""
    ips = _resolve_host(url, allow_private=allow_private)
    for place, ip in enumerate(ips):
        remaining_s = until - time.monotonic()
        if remaining_s <= 0:
            raise _UnusableAnswer("is too slow")
        request = client.build_request(
            "GET",
            url.copy_with(host=str(ip)),
            headers={"host": url.netloc.decode("ascii"), "accept-encoding": "identity"},
            timeout=min(READ_TIMEOUT_S, remaining_s),
            # the certificate must be for the name, not the address
            extensions={"sni_hostname": url.raw_host.decode("ascii")},
        )
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


def _resolve_host(url: httpx.URL, *, allow_private: bool) -> Sequence[Ip]:
    """Return the addresses of the host. All must be public, unless private ones are allowed.

    Raises:
        _UnusableAnswer: there is none, or one is not public.
    """
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(url.raw_host.decode("ascii"), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise _UnusableAnswer("does not answer (its name is not known)") from None
    ips = list(dict.fromkeys(ip_address(str(place[4][0])) for place in found))
    if not allow_private and not all(is_public(ip) for ip in ips):
        raise _UnusableAnswer("is not a public internet address")
    return ips[:MAX_ADDRESSES]


def _shorten(address: str) -> str:
    return address[:MAX_SHOWN_LENGTH]
