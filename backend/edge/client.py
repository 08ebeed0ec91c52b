"""Who is asking: the address of the connection, or what a proxy of ours says it was."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.requests import HTTPConnection

Networks = Sequence[IPv4Network | IPv6Network]


def client_address(connection: HTTPConnection, trusted_proxies: str) -> str:
    """The client's address; empty when it is unknown. See `address_behind`."""
    host = connection.client.host if connection.client else ""
    return address_behind(host, connection.headers.getlist("x-forwarded-for"), trusted_proxies)


def address_behind(host: str, forwarded_for: Sequence[str], trusted_proxies: str) -> str:
    """The address of whoever speaks through `host`; empty when it is unknown.

    `X-Forwarded-For` counts only as far as trusted proxies wrote it: it is read from its end, where the nearest proxy
    wrote, up to the first address that is not one of ours. Anything before that may have been made up.
    """
    networks = _networks(trusted_proxies)
    address = _tidy(host)
    hops = [_tidy(hop) for header in forwarded_for for hop in header.split(",")]
    while hops and address and _is_within(address, networks):
        address = hops.pop()
    return address


def _tidy(text: str) -> str:
    """The address in its plain form; empty when it is none."""
    try:
        address = ip_address(text.strip())
    except ValueError:
        return ""
    plain = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(plain or address)


def _is_within(address: str, networks: Networks) -> bool:
    return any(ip_address(address) in network for network in networks)


@lru_cache(maxsize=8)
def _networks(trusted: str) -> Networks:
    return tuple(ip_network(part.strip(), strict=False) for part in trusted.split(",") if part.strip())
