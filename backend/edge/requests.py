"""Parsing of requests: the client's address, bodies with a size limit, and the route class of the API."""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import lru_cache, partial
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, get_args, get_origin

import orjson
from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette._utils import get_route_path
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.routing import Match, compile_path, get_name
from starlette.types import Scope

from backend.core.observability.logs import hide_in_log
from backend.edge.etags import NotModified, compute_etag, has_current_copy
from backend.edge.query import QueryReader
from backend.edge.wire import Wire

Networks = Sequence[IPv4Network | IPv6Network]


def client_address(connection: HTTPConnection, trusted_proxies: str) -> str:
    """Return the client's IP address; empty if it is unknown. See `resolve_client_address`."""
    host = connection.client.host if connection.client else ""
    return resolve_client_address(host, connection.headers.getlist("x-forwarded-for"), trusted_proxies)


def resolve_client_address(host: str, forwarded_for: Sequence[str], trusted_proxies: str) -> str:
    """Return the IP address of the client behind the connection's `host`; empty if it is unknown.

    `X-Forwarded-For` is read from its end, where the nearest proxy wrote, as long as the addresses are those of
    trusted proxies. The first other address is the client's. The part before it is ignored, because it may be
    forged.
    """
    networks = _networks(trusted_proxies)
    address = _normalize_address(host)
    hops = [_normalize_address(hop) for header in forwarded_for for hop in header.split(",")]
    while hops and address and _is_within(address, networks):
        address = hops.pop()
    return address


def is_trusted_proxy(host: str, trusted_proxies: str) -> bool:
    """Return True if the connection's `host` is a trusted proxy."""
    address = _normalize_address(host)
    return bool(address) and _is_within(address, _networks(trusted_proxies))


def _normalize_address(text: str) -> str:
    """Return the IP address in its usual form, an IPv4-mapped one as IPv4; empty if it is invalid."""
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


async def read_body_start(request: Request, max_bytes: int) -> bytes:
    """Return the first `max_bytes` bytes of the body; the rest is read and discarded."""
    body = bytearray()
    async for chunk in request.stream():
        if len(body) < max_bytes:
            body += chunk[: max_bytes - len(body)]
    return bytes(body)


MAX_BODY_BYTES = 100 * 1024
"""Maximum size of a body, as on the platform (wire: commerce-api, Error bodies).

The platform accepted 90 kB, but not 200 kB.
"""
TOO_LARGE = "request entity too large"


class WireRequest(Request):
    """A request whose body is strict JSON: no NaN, no lone surrogates, no numbers beyond a double."""

    async def body(self) -> bytes:
        """Return the body.

        Raises:
            HTTPException: status 413, because the body exceeds the limit.
        """
        if not hasattr(self, "_body"):
            chunks = bytearray()
            async for chunk in self.stream():
                chunks += chunk
                if len(chunks) > MAX_BODY_BYTES:
                    raise HTTPException(413, TOO_LARGE)
            self._body = bytes(chunks)
        return self._body

    async def json(self) -> Any:
        """Parse the body, and hide its personal data in the request's log."""
        parsed = orjson.loads(await self.body())
        hide_in_log(parsed)
        return parsed


_PATH_ATTRIBUTES = frozenset({"path_regex", "path_format", "param_convertors"})


class WireRoute(APIRoute):
    """A route with `WireRequest`, with ETags, and with documented query parameters and answers.

    FastAPI's preparation of an endpoint (parameters, validators, documentation) takes time and memory, and most
    endpoints are not used between two starts. So it is done at the first use: a request, or the documentation.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        self.path = path
        self.endpoint = endpoint
        self.name = options.get("name") or get_name(endpoint)
        self.methods = {method.upper() for method in options.get("methods") or ("GET",)}
        self.include_in_schema = options.get("include_in_schema", True)
        self._path_start = path.partition("{")[0]
        self.answer = answer_type(endpoint)
        if self.answer is not None:
            options["response_model"] = None  # FastAPI would build a validator from it
        self._prepare = partial(super().__init__, path, endpoint, **options)

    def __getattr__(self, name: str) -> Any:
        """Prepare the route when a missing attribute is read."""
        if (
            name in _PATH_ATTRIBUTES and "_prepare" in self.__dict__
        ):  # read for each route that may match a path
            self.path_regex, self.path_format, self.param_convertors = compile_path(self.path)
            return self.__dict__[name]
        make = self.__dict__.pop("_prepare", None)
        if make is None:
            raise AttributeError(name)
        make()
        if parameters := [*_query_parameters(self.dependant)]:
            self.openapi_extra = {**(self.openapi_extra or {}), "parameters": parameters}
        return getattr(self, name)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match a request with this route. Most routes are excluded quickly, by the beginning of the path."""
        if not get_route_path(scope).startswith(self._path_start):
            return Match.NONE, {}
        return super().matches(scope)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return FastAPI's handler, wrapped to use `WireRequest` and ETags."""
        handle = super().get_route_handler()

        async def handle_on_the_wire(request: Request) -> Response:
            response = await handle(WireRequest(request.scope, request.receive))
            return _add_etag(request, response) if request.method == "GET" else response

        return handle_on_the_wire


def answer_type(endpoint: Callable[..., Any]) -> Any:
    """Return the type of the endpoint's answer, which is `T` of `Wire[T]`; None for another response."""
    returned = endpoint.__annotations__.get("return")
    return get_args(returned)[0] if get_origin(returned) is Wire else None


def _query_parameters(dependant: Dependant) -> Iterator[dict[str, Any]]:
    if isinstance(dependant.call, QueryReader):
        yield from dependant.call.documentation()
    for below in dependant.dependencies:
        yield from _query_parameters(below)


def _add_etag(request: Request, response: Response) -> Response:
    """Return 304 if the client already has this answer, else the answer with its ETag.

    An answer whose status is not 200 is returned unchanged.
    """
    if response.status_code != 200:
        return response
    tag = compute_etag(bytes(response.body))
    response.headers["etag"] = tag
    return NotModified(response.raw_headers) if has_current_copy(request.scope, tag) else response
