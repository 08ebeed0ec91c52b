"""The carrier's answers: what every one of them is wrapped in (wire: carrier 2.1)."""

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


def processed(data: object) -> Response:
    """A good answer."""
    return _enveloped(
        200,
        {
            "status": "OK",
            "status_codes": [200],
            "status_messages": [{"request": "Request processed."}],
            "data": data,
        },
    )


def refused(status: int, problem: object) -> Response:
    """An error: a sentence, or messages by field."""
    title = TITLES.get(status, "Unprocessed Entity.")
    return _enveloped(
        status,
        {"status": "NOT OK", "status_codes": [status], "status_messages": [{"error": [title, problem]}]},
    )


def turned_away() -> Response:
    """What the doorkeeper in front of the carrier answers to the name of an HTTP library."""
    return Response("error code: 1010", 403, media_type="text/plain")


def proxy_page() -> Response:
    """What the proxy in front of the carrier answers when there is nobody behind it."""
    return Response("<html><body><h1>502 Bad Gateway</h1></body></html>", 502, media_type="text/html")


class BrokenOff(Response):
    """An answer that stops half-way: it announces more than it sends, and the connection closes."""

    def __init__(self, whole: Response) -> None:
        super().__init__(bytes(whole.body), whole.status_code, media_type="application/json")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - the interface's
        """Send the head and half of the body."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": bytes(self.body)[: len(self.body) // 2]})


def _enveloped(status: int, body: dict[str, Any]) -> Response:
    """JSON that may hold what JSON should not (NaN), as a careless server's does."""
    return Response(json.dumps(body, ensure_ascii=False), status, media_type="application/json")


def plain(body: object) -> Response:
    """JSON without an envelope, for the control of the sandbox itself."""
    return JSONResponse(body)
