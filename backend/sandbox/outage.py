"""Response of the sandbox while the database is unavailable. The sandbox shares the database with the shop."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from backend.core.outage import RETRY_AFTER_S


async def respond_unavailable(_request: Request, error: Exception) -> Response:
    """Return 503 with `Retry-After` for a `DatabaseUnavailable`."""
    return PlainTextResponse(str(error), 503, headers={"Retry-After": str(RETRY_AFTER_S)})
