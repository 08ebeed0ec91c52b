"""Errors as answers: `{type, message}`, and `code` where there is one (wire: commerce-api, Error bodies)."""

import logging
from http import HTTPStatus

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError, IntegrityError
from starlette.exceptions import HTTPException

from backend.edge.invalid import complaint
from backend.edge.wire import Wire
from backend.errors import Conflict, InvalidData, ShopError

log = logging.getLogger(__name__)

UNKNOWN = {"code": "unknown_error", "type": "unknown_error", "message": "An unknown error occurred."}
_TYPES = {400: "invalid_data", 401: "unauthorized", 403: "forbidden", 404: "not_found", 405: "not_allowed"}


def answer_errors(api: FastAPI) -> None:
    """Let every error of this API be answered as JSON, and none show what is inside."""
    api.add_exception_handler(ShopError, _shop_error)
    api.add_exception_handler(RequestValidationError, _invalid_request)
    api.add_exception_handler(HTTPException, _http_error)
    api.add_exception_handler(DBAPIError, _database_error)
    api.add_exception_handler(Exception, _unknown_error)


async def _shop_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, ShopError)  # noqa: S101 - that is what it is registered for
    body = error.body()
    if error.fields:
        details = "; ".join(f"{name}: {problem}" for name, problem in error.fields.items())
        body["message"] = f"{error.message} ({details})"
    return Wire(body, error.status, headers=error.headers)


async def _invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    return await _shop_error(request, InvalidData(complaint(error.errors())))


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    message = error.detail
    if error.status_code in (404, 405):
        message = f"Cannot {request.method} {request.url.path}"
    elif message == HTTPStatus(error.status_code).phrase:
        message = message.lower()
    body = {"type": _TYPES.get(error.status_code, "unknown_error"), "message": message}
    return Wire(body, error.status_code, headers=error.headers)


async def _database_error(request: Request, error: Exception) -> Response:
    """Two who change the same thing at once: the database let only one of them."""
    if isinstance(error, IntegrityError) or _is_rivalry(error):
        log.warning("a rival was first: %s %s", request.method, request.url.path, exc_info=error)
        return await _shop_error(
            request, Conflict("Another request changed this at the same time: try again")
        )
    return await _unknown_error(request, error)


def _is_rivalry(error: Exception) -> bool:
    """Whether PostgreSQL broke a deadlock (40P01) or a serialization (40001) by ending us."""
    return getattr(getattr(error, "orig", None), "sqlstate", None) in ("40P01", "40001")


async def _unknown_error(request: Request, error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return Wire(UNKNOWN, 500)
