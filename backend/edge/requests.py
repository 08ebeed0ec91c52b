"""Reading requests: the client's address, bodies up to a limit, and the route class of the API."""

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
from backend.edge.etags import NotModified, is_known, tag_of
from backend.edge.query import QueryReader
from backend.edge.wire import Wire

Networks = Sequence[IPv4Network | IPv6Network]


def client_address(connection: HTTPConnection, trusted_proxies: str) -> str:
    """The client's address; empty when it is unknown. See `address_behind`."""
    host = connection.client.host if connection.client else ""
    return address_behind(host, connection.headers.getlist("x-forwarded-for"), trusted_proxies)


def address_behind(host: str, forwarded_for: Sequence[str], trusted_proxies: str) -> str:
    """The client's address behind the connection's `host`; empty when it is unknown.

    `X-Forwarded-For` counts only as far as trusted proxies wrote it: it is read from its end, where the nearest proxy
    wrote, up to the first address that is not one of ours. Anything before that may have been made up.
    """
    networks = _networks(trusted_proxies)
    address = _tidy(host)
    hops = [_tidy(hop) for header in forwarded_for for hop in header.split(",")]
    while hops and address and _is_within(address, networks):
        address = hops.pop()
    return address


def is_trusted(host: str, trusted_proxies: str) -> bool:
    """Whether the connection's `host` is one of our own proxies."""
    address = _tidy(host)
    return bool(address) and _is_within(address, _networks(trusted_proxies))


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


async def body_up_to(request: Request, most: int) -> bytes:
    """The first `most` bytes of the body; the rest is read and dropped."""
    body = bytearray()
    async for chunk in request.stream():
        if len(body) < most:
            body += chunk[: most - len(body)]
    return bytes(body)


MAX_BODY_BYTES = 100 * 1024
"""What the platform takes (wire: commerce-api, Error bodies: 90 kB passed, 200 kB did not)."""
TOO_LARGE = "request entity too large"


class WireRequest(Request):
    """A request whose body is real JSON: no NaN, no lone surrogates, no numbers beyond a double."""

    async def body(self) -> bytes:
        """The body, up to the limit.

        Raises:
            HTTPException: 413, it is longer.
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
        """The body, parsed. What it tells of people is kept out of the request's log."""
        parsed = orjson.loads(await self.body())
        hide_in_log(parsed)
        return parsed


_OF_THE_PATH = frozenset({"path_regex", "path_format", "param_convertors"})


class WireRoute(APIRoute):
    """A route with `WireRequest`, with ETags, and with its query's parameters and its answer documented.

    What FastAPI makes of an endpoint (its parameters, their validators, what is documented) takes time and memory, and
    most endpoints are never asked for between two starts. So it is made when somebody asks for any of it: the first
    request, or the documentation.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        self.path = path
        self.endpoint = endpoint
        self.name = options.get("name") or get_name(endpoint)
        self.methods = {method.upper() for method in options.get("methods") or ("GET",)}
        self.include_in_schema = options.get("include_in_schema", True)
        self._begins = path.partition("{")[0]
        self.answer = answer_of(endpoint)
        if self.answer is not None:
            options["response_model"] = None  # FastAPI would make a validator of it
        self._make = partial(super().__init__, path, endpoint, **options)

    def __getattr__(self, name: str) -> Any:
        """Make what is not there yet."""
        if name in _OF_THE_PATH and "_make" in self.__dict__:  # asked of each route that a path may be for
            self.path_regex, self.path_format, self.param_convertors = compile_path(self.path)
            return self.__dict__[name]
        make = self.__dict__.pop("_make", None)
        if make is None:
            raise AttributeError(name)
        make()
        if parameters := [*_query_parameters(self.dependant)]:
            self.openapi_extra = {**(self.openapi_extra or {}), "parameters": parameters}
        return getattr(self, name)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether a request is for this route. Most are not, by the beginning of their path."""
        if not get_route_path(scope).startswith(self._begins):
            return Match.NONE, {}
        return super().matches(scope)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's handler, wrapped."""
        handle = super().get_route_handler()

        async def handle_on_the_wire(request: Request) -> Response:
            response = await handle(WireRequest(request.scope, request.receive))
            return _unless_known(request, response) if request.method == "GET" else response

        return handle_on_the_wire


def answer_of(endpoint: Callable[..., Any]) -> Any:
    """Return the type of the endpoint's answer, which is `T` of `Wire[T]`; None for another response."""
    returned = endpoint.__annotations__.get("return")
    return get_args(returned)[0] if get_origin(returned) is Wire else None


def _query_parameters(dependant: Dependant) -> Iterator[dict[str, Any]]:
    if isinstance(dependant.call, QueryReader):
        yield from dependant.call.documentation()
    for below in dependant.dependencies:
        yield from _query_parameters(below)


def _unless_known(request: Request, response: Response) -> Response:
    """304 when the caller has this very answer already; products are never cached, only not sent twice."""
    if response.status_code != 200:
        return response
    tag = tag_of(bytes(response.body))
    response.headers["etag"] = tag
    return NotModified(response.raw_headers) if is_known(request.scope, tag) else response
