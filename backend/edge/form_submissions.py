"""Forms that pages send by HTTP. A repeated submission of the same form has no second effect.

A page's script adds a random id to the typed values, and sends both again until it gets an answer: see `HttpForm`
in `assets/scripts/account.jsx`. If a browser sends the form without a script, the id is in the form's URL. In this
case all forms of the page share one id. The id stays the same when the shopper returns to the page with the
browser's button «Back».

Scripts get a JSON answer, browsers without scripts a redirect.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from backend.edge.wire import Wire
from backend.presses.service import Sending

PRESS_HEADER, PRESS_PARAMETER = "x-press", "press"
_PRESS_ID = re.compile(r"[0-9a-f]{32}")


def read_sending(request: Request, form: str) -> Sending | None:
    """Return the name of the form and the id of this submission, for `backend.presses.service.handle_press`.

    Return None if the request has no valid id. If two forms of a page can be submitted with the same id, they need
    different names: add a hash of the values in which they differ (see `hash_content`).
    """
    press_id = request.headers.get(PRESS_HEADER) or request.query_params.get(PRESS_PARAMETER) or ""
    return Sending(form, press_id) if _PRESS_ID.fullmatch(press_id) else None


def hash_content(content: Any) -> str:
    """Return a hash of a form's content, which consists of JSON types. The order of keys does not matter."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def is_sent_by_script(request: Request) -> bool:
    """Return True if a script sent the request and reads the answer. On an error, the script stays on its page."""
    return "application/json" in request.headers.get("accept", "")


def redirect_to(request: Request, page: str) -> Response:
    """Return the response that opens `page`: for a script a JSON object with the path, else a redirect."""
    return Wire({"next": page}) if is_sent_by_script(request) else RedirectResponse(page, 303)


def refuse(request: Request, message: str, page: str, fields: Mapping[str, str] | None = None) -> Response:
    """Return the response for a refused form: JSON if a script sent the form, else a redirect to `page`.

    The JSON has the message, and in `fields` the messages about invalid fields, by name. A redirect has neither.
    """
    if is_sent_by_script(request):
        return Wire({"message": message, "fields": dict(fields or {})}, 400)
    return RedirectResponse(page, 303)
