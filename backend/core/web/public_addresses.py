"""Connections to URLs that others wrote, only to public internet addresses.

Such a URL may name a machine in our own networks. So every host name is resolved here, all its addresses must be
public, and the connection is made to one of the checked addresses. The name is not resolved again, so its owner
cannot lead the connection to a private address.
"""

import socket
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

import httpx

MAX_ADDRESSES = 3
"""Maximum number of addresses of a name that are tried."""
_EMBEDDED_IPV4 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"), IPv6Network("::/96"))
"""Networks whose addresses contain an IPv4 address in their last 32 bits."""

Ip = IPv4Address | IPv6Address


class UnusableAddress(Exception):
    """The host of a URL cannot be used. The message completes a sentence that begins with the URL."""


class PrivateAddress(UnusableAddress):
    """The host of a URL has an address that is not public."""


def is_public(ip: Ip) -> bool:
    """Return True if the address is public: not of this machine, a private network, or a multicast group."""
    if isinstance(ip, IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is None and any(ip in network for network in _EMBEDDED_IPV4):
            inner = IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


def resolve_host(url: httpx.URL, *, allow_private: bool = False) -> Sequence[Ip]:
    """Return the addresses of the URL's host. All must be public, unless private ones are allowed.

    This blocks: do not call it on the event loop.

    Raises:
        UnusableAddress: the host name cannot be resolved.
        PrivateAddress: one of the addresses is not public, and `allow_private` is False.
    """
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(url.raw_host.decode("ascii"), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise UnusableAddress("does not answer (its name is not known)") from None
    ips = list(dict.fromkeys(ip_address(str(place[4][0])) for place in found))
    if not allow_private and not all(is_public(ip) for ip in ips):
        raise PrivateAddress("is not a public internet address")
    return ips[:MAX_ADDRESSES]


def pin_request(url: httpx.URL, ip: Ip) -> dict[str, Any]:
    """Return arguments for httpx's `build_request`, so that the request for the URL connects to this IP address."""
    return {
        "url": url.copy_with(host=str(ip)),
        "headers": {"host": url.netloc.decode("ascii"), "accept-encoding": "identity"},
        # the certificate must be for the name, not the address
        "extensions": {"sni_hostname": url.raw_host.decode("ascii")},
    }
