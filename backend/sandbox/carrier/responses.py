"""The carrier's responses, inside the object that surrounds every response (wire: carrier 2.1)."""

import json
from typing import Any

from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

WRONG_KEY = "API Key inválido o inactivo."

TITLES = {
    400: "Bad Request.",
    401: "Unauthorized.",
    404: "Not Found.",
    405: "Method Not Allowed.",
    500: "Server Error.",
}


def success_response(data: object) -> Response:
    """Return a response with status 200 and `data` in the carrier's envelope."""
    return _json_response(
        200,
        {
            "status": "OK",
            "status_codes": [200],
            "status_messages": [{"request": "Request processed."}],
            "data": data,
        },
    )


def error_response(status: int, problem: object) -> Response:
    """Return an error response. `problem` is one sentence, or messages by field."""
    title = TITLES.get(status, "Unprocessed Entity.")
    return _json_response(
        status,
        {"status": "NOT OK", "status_codes": [status], "status_messages": [{"error": [title, problem]}]},
    )


def blocked_response() -> Response:
    """Return the response with which the carrier's bot protection blocks the user agents of HTTP libraries."""
    return Response("error code: 1010", 403, media_type="text/plain")


def proxy_error_page() -> Response:
    """Return the response of the carrier's proxy when the carrier is down."""
    return Response("<html><body><h1>502 Bad Gateway</h1></body></html>", 502, media_type="text/html")


class InterruptedResponse(Response):
    """A response that stops half-way: its declared length is greater than its body, and the connection closes."""

    def __init__(self, whole: Response) -> None:
        super().__init__(bytes(whole.body), whole.status_code, media_type="application/json")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - the interface's
        """Send the status, the headers and only half of the body."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": bytes(self.body)[: len(self.body) // 2]})


def _json_response(status: int, body: dict[str, Any]) -> Response:
    """Return a JSON response. Like the real server, it may contain NaN, which valid JSON does not allow."""
    return Response(json.dumps(body, ensure_ascii=False), status, media_type="application/json")


def plain_json(body: object) -> Response:
    """Return a JSON response without the carrier's envelope, for the sandbox's control routes."""
    return JSONResponse(body)
