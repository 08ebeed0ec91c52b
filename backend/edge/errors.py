"""Error responses: `{type, message}`, and `code` if there is one (wire: commerce-api, Error bodies)."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from sqlalchemy.exc import DBAPIError, IntegrityError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from backend.core.error_texts import Surface, text_for
from backend.core.errors import Conflict, InvalidData, ShopError
from backend.core.outage import RETRY_AFTER_S, DatabaseUnavailable
from backend.edge.wire import Wire

MAX_PROBLEMS = 3
MAX_VALUE_LENGTH = 100

Problem = Mapping[str, Any]

_EXPECTED_TYPES = {
    "string": "string",
    "int": "number",
    "float": "number",
    "decimal": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
    "model": "object",
}
_SENTENCES = {
    "missing": "Field '{field}' is required",
    "none_required": "Field '{field}' is not supported: leave it out or send null",
}
_TOO_SMALL = {
    "greater_than": "gt",
    "greater_than_equal": "ge",
    "too_short": "min_length",
    "string_too_short": "min_length",
}
_TOO_LARGE = {
    "less_than": "lt",
    "less_than_equal": "le",
    "too_long": "max_length",
    "string_too_long": "max_length",
}


def format_problems(problems: Iterable[Problem]) -> str:
    """Return one line that describes the first problems of a request."""
    problems = list(problems)
    for problem in problems:
        if problem["type"] == "json_invalid":
            return f"{problem['ctx']['error'].capitalize()} in JSON at position {problem['loc'][-1]}"
    unknown = [str(problem["loc"][-1]) for problem in problems if problem["type"] == "extra_forbidden"]
    lines = [_format_problem(problem) for problem in problems if problem["type"] != "extra_forbidden"]
    if unknown:
        lines.insert(0, f"Unrecognized fields: '{', '.join(unknown)}'")
    return "Invalid request: " + "; ".join(lines[:MAX_PROBLEMS])


def _format_problem(problem: Problem) -> str:
    kind, field = problem["type"], _field_path(problem)
    if kind in _SENTENCES:
        return _SENTENCES[kind].format(field=field)
    if kind in ("literal_error", "enum"):
        return f"Expected: '{_choices(problem)}' for field '{field}', but got: '{_format_value(problem['input'])}'"
    for kinds, words in ((_TOO_SMALL, "small, expected at least"), (_TOO_LARGE, "large, expected at most")):
        if kind in kinds:
            return f"Value for field '{field}' too {words}: '{problem['ctx'][kinds[kind]]}'"
    expected = _EXPECTED_TYPES.get(kind.partition("_")[0])
    if expected is not None and kind.partition("_")[2] in (
        "type",
        "parsing",
        "from_float",
        "attributes_type",
    ):
        return f"Expected type: '{expected}' for field '{field}', got: '{_format_value(problem['input'])}'"
    if kind == "wire":  # from a validator of `backend.edge.schemas`: a whole sentence
        return str(problem["msg"])
    return f"{problem['msg']} for field '{field}'"


def _field_path(problem: Problem) -> str:
    """Return the path to the field; `body` for the whole body.

    Steps in brackets are left out, because they name an alternative of a union type instead of a field.
    """
    steps = [str(step) for step in problem["loc"][1:]]
    return ", ".join(step for step in steps if not step.startswith("(")) or "body"


def _choices(problem: Problem) -> str:
    return ", ".join(re.findall(r"'([^']*)'", problem["ctx"]["expected"]))


def _format_value(value: Any) -> str:
    names: dict[type, Callable[[Any], str]] = {
        dict: lambda _: "object",
        list: lambda _: "array",
        type(None): lambda _: "null",
        bool: lambda flag: str(flag).lower(),
    }
    show = names.get(type(value), str)
    return "".join(c if c.isprintable() else "�" for c in show(value)[:MAX_VALUE_LENGTH])


log = logging.getLogger(__name__)

UNKNOWN_ERROR = {"code": "unknown_error", "type": "unknown_error", "message": "An unknown error occurred."}
_TYPES = {400: "invalid_data", 401: "unauthorized", 403: "forbidden", 404: "not_found", 405: "not_allowed"}


def register_error_handlers(api: FastAPI) -> None:
    """Register handlers that answer every error of this API as JSON, without internal details."""
    api.add_exception_handler(ShopError, _answer_shop_error)
    api.add_exception_handler(RequestValidationError, _answer_invalid_request)
    api.add_exception_handler(HTTPException, _answer_http_error)
    api.add_exception_handler(ClientDisconnect, _answer_disconnect)
    api.add_exception_handler(DatabaseUnavailable, _answer_outage)
    api.add_exception_handler(DBAPIError, _answer_database_error)
    api.add_exception_handler(Exception, _answer_unknown_error)


def form_error_response(error: ShopError, surface: Surface) -> Response:
    """Return the answer to a form: `{message, fields}` in the store's language, which the page displays unchanged."""
    body = {"message": text_for(error, surface), "fields": error.fields}
    return Wire(body, error.status, headers=error.headers)


async def _answer_shop_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, ShopError)  # noqa: S101 - it is registered for this class
    body = error.body()
    if error.fields:
        details = "; ".join(f"{name}: {problem}" for name, problem in error.fields.items())
        body["message"] = f"{error.message} ({details})"
    return Wire(body, error.status, headers=error.headers)


async def _answer_invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    return await _answer_shop_error(request, InvalidData(format_problems(error.errors())))


async def _answer_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    message = error.detail
    if error.status_code in (404, 405):
        message = f"Cannot {request.method} {request.url.path}"
    elif message == HTTPStatus(error.status_code).phrase:
        message = message.lower()
    body = {"type": _TYPES.get(error.status_code, "unknown_error"), "message": message}
    return Wire(body, error.status_code, headers=error.headers)


async def _answer_disconnect(_request: Request, _error: Exception) -> Response:
    """Return an empty response, because the client disconnected while its body was read. This is not an error."""
    return Response(status_code=HTTPStatus.BAD_REQUEST)


async def _answer_database_error(request: Request, error: Exception) -> Response:
    """Answer a conflict of two concurrent changes with 409, and any other database error as an unknown error."""
    if isinstance(error, IntegrityError) or _is_write_conflict(error):
        log.warning("a concurrent request was first: %s %s", request.method, request.url.path, exc_info=error)
        return await _answer_shop_error(
            request, Conflict("Another request changed this at the same time: try again")
        )
    return await _answer_unknown_error(request, error)


async def _answer_outage(_request: Request, error: Exception) -> Response:
    """Answer 503. `backend/core/outage.py` logs the outage."""
    assert isinstance(error, DatabaseUnavailable)  # noqa: S101
    return answer_unavailable(error.message)


def answer_unavailable(message: str) -> Wire:
    """Return a response 503, for a request that needs a service or database that does not answer now."""
    body = {"type": "unavailable", "message": message}
    return Wire(body, 503, headers={"Retry-After": str(RETRY_AFTER_S)})


def _is_write_conflict(error: Exception) -> bool:
    """Return True if PostgreSQL rolled back because of a deadlock (40P01) or a serialization failure (40001)."""
    return getattr(getattr(error, "orig", None), "sqlstate", None) in ("40P01", "40001")


async def _answer_unknown_error(request: Request, error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return Wire(UNKNOWN_ERROR, 500)


class Refusal(BaseModel):
    """An error response, in the platform's form. `type` is missing only if the caller is not signed in."""

    type: str | None = Field(None, examples=["invalid_data"])
    message: str = Field(examples=["Invalid request: Field 'quantity' is required"])
    code: str | None = Field(None, examples=["insufficient_inventory"])


_MEANINGS = {
    400: "The request is malformed, or the shop's rules forbid it.",
    401: "The caller is not signed in, or the password is wrong.",
    403: "The role may not do this, or the second factor is needed: sign in at the office.",
    404: "It does not exist.",
    409: "The state changed, or a payment is in progress: read it again.",
    413: "The body is longer than 100 kB.",
    422: "It exists already, or the payment was refused.",
    429: "Too many tries.",
    502: "The gateway or the carrier failed.",
    503: "The shop is unavailable: try again after the seconds of `Retry-After`.",
}

REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Refusal, "description": description} for status, description in _MEANINGS.items()
}
