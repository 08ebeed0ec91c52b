"""`/admin` in a browser leads to the office; what programs ask for there is the Admin API, below it."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse

from backend.core.errors import NotFound
from storefront.office.navigation import OFFICE

router = APIRouter(include_in_schema=False)


@router.get("/admin")
async def to_office(request: Request) -> RedirectResponse:
    """303 to the office for a browser.

    Raises:
        NotFound: a program asks.
    """
    if "text/html" not in request.headers.get("accept", ""):
        raise NotFound("The Admin API has no resource of this name")
    return RedirectResponse(OFFICE, status_code=303)
