"""Fetching what lies at an address that somebody else wrote, such as that of a picture in a file to import.

Such an address may name a machine of our own networks. Every name is resolved here, every address that it has must be
one of the open internet, and the connection is made to an address that was checked: a name that means something else a
moment later changes nothing. Each redirect is checked in the same way. Proxies of the environment are not used: they
would resolve the name again.
"""

import socket
import time
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import httpx

from backend.core.threads import Threads
from backend.core.web.http_client import trusted

MOST_REDIRECTS = 3
MOST_ADDRESSES = 3
"""Of a name, how many are tried."""
CALM = 10.0
"""Seconds without a byte after which it is given up."""
LONGEST_SHOWN = 200
FETCHERS = Threads("fetches", 4)
"""Where a running shop waits for `fetch`."""
_SCHEMES = ("https", "http")
_EMBEDDED_IPV4 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"), IPv6Network("::/96"))
"""Networks whose addresses lead to the IPv4 address in their last 32 bits."""

Ip = IPv4Address | IPv6Address


class NotFetched(Exception):
    """It cannot be had. The message is one line for whoever wrote the address."""


def fetch(address: str, *, most_bytes: int, within: float, allow_private: bool = False) -> bytes:
    """What lies at the address. Waits for it: not for the event loop.

    Args:
        address: begins with https:// or http://.
        most_bytes: of the content.
        within: seconds for all of it, redirects included.
        allow_private: also from this machine and its networks.

    Raises:
        NotFetched: nothing lies there, it is too large or too slow, or leads to where nobody from outside may go.
    """
    until = time.monotonic() + within
    asked = address
    try:
        with httpx.Client(verify=trusted(), trust_env=False, follow_redirects=False) as client:
            for _hop in range(MOST_REDIRECTS + 1):
                url = httpx.URL(asked)
                if url.scheme not in _SCHEMES or not url.host:
                    raise NotFetched(f"{_shown(address)} is no address of the web")
                found = _ask(client, url, most_bytes, until, allow_private=allow_private)
                if isinstance(found, bytes):
                    return found
                asked = str(url.join(found))
    except httpx.InvalidURL as error:
        raise NotFetched(f"{_shown(address)} is no address ({type(error).__name__})") from None
    except (httpx.HTTPError, UnicodeError) as error:
        raise NotFetched(f"{_shown(address)} does not answer ({type(error).__name__})") from None
    except _Unusable as error:
        raise NotFetched(f"{_shown(address)} {error}") from None
    raise NotFetched(f"{_shown(address)} leads on and on")


def is_public(ip: Ip) -> bool:
    """Whether it is an address of the open internet: none of this machine, of a private network, or of many."""
    if isinstance(ip, IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is None and any(ip in network for network in _EMBEDDED_IPV4):
            inner = IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


class _Unusable(Exception):
    """What is wrong with an answer or an address: the rest of a sentence."""


def _ask(
    client: httpx.Client, url: httpx.URL, most_bytes: int, until: float, *, allow_private: bool
) -> bytes | str:
    """The content, or where the answer leads to."""
    known = _addresses(url, allow_private=allow_private)
    for place, ip in enumerate(known):
        left = until - time.monotonic()
        if left <= 0:
            raise _Unusable("is too slow")
        request = client.build_request(
            "GET",
            url.copy_with(host=str(ip)),
            headers={"host": url.netloc.decode("ascii"), "accept-encoding": "identity"},
            timeout=min(CALM, left),
            # the certificate is that of the name
            extensions={"sni_hostname": url.raw_host.decode("ascii")},
        )
        try:
            answer = client.send(request, stream=True)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            if place == len(known) - 1:
                raise
            continue
        try:
            return _content(answer, most_bytes, until)
        finally:
            answer.close()
    raise _Unusable("does not answer")


def _content(answer: httpx.Response, most_bytes: int, until: float) -> bytes | str:
    if answer.has_redirect_location:
        return answer.headers["location"]
    if answer.status_code != 200:
        raise _Unusable(f"answers with {answer.status_code}")
    if answer.headers.get("content-encoding", "identity").lower() != "identity":
        raise _Unusable("answers with packed content that nobody asked for")
    content = bytearray()
    for piece in answer.iter_raw():
        content += piece
        if len(content) > most_bytes or time.monotonic() > until:
            raise _Unusable(f"is larger than {most_bytes // 2**20} MiB, or too slow")
    return bytes(content)


def _addresses(url: httpx.URL, *, allow_private: bool) -> Sequence[Ip]:
    """The addresses of the host, all of which are of the open internet, unless private ones are allowed.

    Raises:
        _Unusable: it has none, or one that is not.
    """
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(url.raw_host.decode("ascii"), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise _Unusable("does not answer (its name is not known)") from None
    ips = list(dict.fromkeys(ip_address(str(place[4][0])) for place in found))
    if not allow_private and not all(is_public(ip) for ip in ips):
        raise _Unusable("is no address of the open internet")
    return ips[:MOST_ADDRESSES]


def _shown(address: str) -> str:
    return address[:LONGEST_SHOWN]
