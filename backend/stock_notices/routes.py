"""Routes of the forms for sold-out products: JSON if the browser runs scripts, otherwise a plain form."""

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from backend.core.error_texts import STOCK_NOTICE_FORM
from backend.core.errors import InvalidData, NotFound, ShopError, TooManyRequests
from backend.edge.auth.csrf import check_own_page, read_form_fields
from backend.edge.dependencies import ClientIp, Db, ShopSettings
from backend.edge.errors import form_error_response
from backend.edge.requests import WireRoute
from backend.edge.schemas import LenientBody, Text
from backend.edge.wire import Wire
from backend.rate_limit.limiter import Client
from backend.stock_notices.service import confirm_notice, delete_notice, request_notice

CONFIRM_PAGE, UNSUBSCRIBE_PAGE = "/notify", "/unsubscribe"


class NoticeBody(LenientBody):
    """Values of the form that requests a stock notice. `consent` is a checkbox: `on` if ticked."""

    variant_id: Text = ""
    email: Text = ""
    consent: Text = ""


router = APIRouter(
    prefix="/api/stock-notices",
    route_class=WireRoute,
    include_in_schema=False,  # for the shop's own pages
    dependencies=[Depends(check_own_page)],
)


@router.post("")
async def ask(body: NoticeBody, database: Db, settings: ShopSettings, ip: ClientIp) -> Response:
    """Request a stock notice. The answer does not reveal whether the address already has a notice."""
    try:
        await request_notice(
            database, body.variant_id, body.model_dump(), client=Client.from_ip(ip, settings)
        )
    except ShopError as error:
        return form_error_response(error, STOCK_NOTICE_FORM)
    return Wire({})


@router.post("/form")
async def ask_without_scripts(
    request: Request, database: Db, settings: ShopSettings, ip: ClientIp
) -> Response:
    """Request a stock notice from a browser without scripts, and redirect to a page that shows the result."""
    typed = await read_form_fields(request)
    variant_id = str(typed.get("variant_id", ""))
    said = "sent"
    try:
        await request_notice(database, variant_id, typed, client=Client.from_ip(ip, settings))
    except InvalidData:
        said = "check"
    except (NotFound, TooManyRequests):
        said = "wait"
    return RedirectResponse(f"{CONFIRM_PAGE}?said={said}", 303)


@router.post("/confirm")
async def confirm(request: Request, database: Db, settings: ShopSettings) -> Response:
    """Confirm a stock notice. The form is on the page that the link in the e-mail opens."""
    typed = await read_form_fields(request)
    try:
        await confirm_notice(database, settings.signing_key, typed["id"], typed["token"])
    except (KeyError, NotFound):
        return RedirectResponse(f"{CONFIRM_PAGE}?said=gone", 303)
    return RedirectResponse(f"{CONFIRM_PAGE}?said=confirmed", 303)


@router.post("/forget")
async def forget(request: Request, database: Db, settings: ShopSettings) -> Response:
    """Delete a stock notice, as the owner of its e-mail address requests with a mailed link."""
    typed = await read_form_fields(request)
    try:
        await delete_notice(database, settings.signing_key, typed["id"], typed["token"])
    except (KeyError, NotFound):
        return RedirectResponse(f"{UNSUBSCRIBE_PAGE}?said=gone", 303)
    return RedirectResponse(f"{UNSUBSCRIBE_PAGE}?said=forgotten", 303)
