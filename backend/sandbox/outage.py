"""Response of the sandbox while the database, which it shares with the shop, is unavailable."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from backend.core.outage import RETRY_AFTER_S


async def respond_unavailable(_request: Request, error: Exception) -> Response:
    """Return 503 with `Retry-After` for a `DatabaseUnavailable`."""
    return PlainTextResponse(str(error), 503, headers={"Retry-After": str(RETRY_AFTER_S)})
