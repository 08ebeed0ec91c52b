"""Redirect of browsers from `/admin` to the office. API clients use the Admin API below `/admin`."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse

from backend.core.errors import NotFound
from storefront.office.navigation import OFFICE

router = APIRouter(include_in_schema=False)


@router.get("/admin")
async def redirect_to_office(request: Request) -> RedirectResponse:
    """Redirect a browser to the office (303).

    Raises:
        NotFound: the request does not accept HTML, so it comes from an API client.
    """
    if "text/html" not in request.headers.get("accept", ""):
        raise NotFound("The Admin API has no resource of this name")
    return RedirectResponse(OFFICE, status_code=303)
