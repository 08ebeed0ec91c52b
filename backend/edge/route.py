"""The class of every API route: reads bodies strictly, and spares a program what it already has."""

from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import orjson
from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from backend.edge.conditional import NotModified, is_known, tag_of
from backend.edge.query import QueryReader

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
        """The body, parsed."""
        return orjson.loads(await self.body())


class WireRoute(APIRoute):
    """A route with `WireRequest`, with ETags, and with the parameters of its query documented."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, endpoint, **options)
        if parameters := [*_query_parameters(self.dependant)]:
            self.openapi_extra = {**(self.openapi_extra or {}), "parameters": parameters}

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's handler, wrapped."""
        handle = super().get_route_handler()

        async def handle_on_the_wire(request: Request) -> Response:
            response = await handle(WireRequest(request.scope, request.receive))
            return _unless_known(request, response) if request.method == "GET" else response

        return handle_on_the_wire


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
