"""One operation of the gateway as an ASGI application, with its fault in front when one is due."""

import asyncio
import json
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from backend.sandbox.gateway.answers import bank_refusal, lookup_error
from backend.sandbox.gateway.faults import Fault, Faults, Kind, Operation

Handler = Callable[[Request], Awaitable[Response]]


class Endpoint:
    """Answers requests with `handler`, unless a fault is due."""

    def __init__(self, operation: Operation, handler: Handler, faults: Faults) -> None:
        self._operation = operation
        self._handler = handler
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        fault = self._faults.take(self._operation)
        if fault is not None and fault.kind is Kind.HANG:
            await _until_given_up(receive)
            return
        response = await (self._handler(request) if fault is None else self._failing(request, fault))
        await response(scope, receive, send)

    async def _failing(self, request: Request, fault: Fault) -> Response:
        if fault.kind in _INSTEAD:
            return _INSTEAD[fault.kind](fault)
        if fault.kind is Kind.SLOW:
            await asyncio.sleep(fault.seconds)
        response = await self._handler(request)
        if fault.kind is Kind.MISSING_REDIRECT:
            return _without_redirect(response)
        if fault.kind is Kind.DROP_RESPONSE:
            # fewer bytes than promised: over a socket the connection breaks, in memory the JSON ends too soon
            return Response(_HALF_A_JSON, headers={"content-length": "4096"}, media_type="application/json")
        return response


_HALF_A_JSON = '{"success": tr'

_INSTEAD: dict[Kind, Callable[[Fault], Response]] = {
    Kind.BAD_GATEWAY: lambda _: Response(
        "<html><h1>502 Bad Gateway</h1></html>", 502, media_type="text/html"
    ),
    Kind.UNAUTHORIZED: lambda _: JSONResponse({"message": "Unauthorized"}, 401),
    Kind.MALFORMED: lambda _: Response(_HALF_A_JSON, media_type="application/json"),
    Kind.ERROR_ENVELOPE: lambda _: JSONResponse(lookup_error()),
    Kind.REFUSAL: lambda fault: JSONResponse(bank_refusal(fault.code)),
}
"""The faults that keep the operation from being done at all."""


async def _until_given_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _without_redirect(response: Response) -> Response:
    answer = json.loads(bytes(response.body))
    answer.get("data", {}).pop("urlbanco", None)
    return JSONResponse(answer)
