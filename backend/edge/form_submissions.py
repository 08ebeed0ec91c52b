"""Forms that pages send by HTTP. A sending is done once, however often it comes; scripts and browsers get own answers.

A page's script gives what is typed a random id, and sends both again until it has an answer: see `HttpForm` in
`assets/scripts/account.jsx`. A form that the browser sends itself has an id in its address: one for all forms of the
page, and the same again after the browser's button «Back».
"""

import hashlib
import json
import re
from typing import Any

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from backend.edge.wire import Wire
from backend.presses.service import Sending

PRESS_HEADER, PRESS_PARAMETER = "x-press", "press"
_PRESS_ID = re.compile(r"[0-9a-f]{32}")


def sending_of(request: Request, form: str) -> Sending | None:
    """Return the sending of the form named `form`, for `backend.presses.service.handle_press`; None without an id.

    Where one id may come from several forms, the name includes their differences (see `digest_of`).
    """
    given = request.headers.get(PRESS_HEADER) or request.query_params.get(PRESS_PARAMETER) or ""
    return Sending(form, given) if _PRESS_ID.fullmatch(given) else None


def digest_of(content: Any) -> str:
    """Return a digest of a form's content, which consists of JSON's types. The order of keys does not count."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def is_sent_by_script(request: Request) -> bool:
    """Return True if a script waits for the answer, which stays on its page where nothing was done."""
    return "application/json" in request.headers.get("accept", "")


def lead_to(request: Request, page: str) -> Response:
    """Lead to the page that shows the result."""
    return Wire({"next": page}) if is_sent_by_script(request) else RedirectResponse(page, 303)


def refuse(request: Request, message: str, page: str) -> Response:
    """Say why nothing was done: to the script, so that what is typed stays, or on the page."""
    if is_sent_by_script(request):
        return Wire({"message": message, "fields": {}}, 400)
    return RedirectResponse(page, 303)
