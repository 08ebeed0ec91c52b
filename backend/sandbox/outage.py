"""What the sandbox answers while the shop's database, which is its own too, is away."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from backend.core.outage import RETRY_AFTER


async def unavailable(_request: Request, error: Exception) -> Response:
    """503 with `Retry-After`, for a `DatabaseUnavailable`."""
    return PlainTextResponse(str(error), 503, headers={"Retry-After": str(RETRY_AFTER)})
