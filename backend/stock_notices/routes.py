"""What the forms about sold-out toys submit: JSON with scripts, and without them the browser's own form."""

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from backend.core.error_texts import STOCK_NOTICE_FORM
from backend.core.errors import InvalidData, NotFound, ShopError, TooManyRequests
from backend.edge.auth.csrf import form_fields, own_page
from backend.edge.dependencies import ClientIp, Db, ShopSettings
from backend.edge.errors import problem_answer
from backend.edge.requests import WireRoute
from backend.edge.schemas import LenientBody, Text
from backend.edge.wire import Wire
from backend.rate_limit.limiter import Client
from backend.stock_notices.service import ask_notice, confirm_notice, forget_notice

CONFIRM_PAGE, UNSUBSCRIBE_PAGE = "/notify", "/unsubscribe"


class Wanted(LenientBody):
    """Who is to be told of what. `consent` is a box: `on` where it is ticked."""

    variant_id: Text = ""
    email: Text = ""
    consent: Text = ""


router = APIRouter(
    prefix="/api/stock-notices",
    route_class=WireRoute,
    include_in_schema=False,  # for the shop's own pages
    dependencies=[Depends(own_page)],
)


@router.post("")
async def ask(body: Wanted, database: Db, settings: ShopSettings, ip: ClientIp) -> Response:
    """Ask the owner of an address. The answer is the same whether it waited already."""
    try:
        await ask_notice(database, body.variant_id, body.model_dump(), client=Client.at(ip, settings))
    except ShopError as error:
        return problem_answer(error, STOCK_NOTICE_FORM)
    return Wire({})


@router.post("/form")
async def ask_without_scripts(
    request: Request, database: Db, settings: ShopSettings, ip: ClientIp
) -> Response:
    """The same for a browser without scripts: a page says what came of it."""
    typed = await form_fields(request)
    variant_id = str(typed.get("variant_id", ""))
    said = "sent"
    try:
        await ask_notice(database, variant_id, typed, client=Client.at(ip, settings))
    except InvalidData:
        said = "check"
    except (NotFound, TooManyRequests):
        said = "wait"
    return RedirectResponse(f"{CONFIRM_PAGE}?said={said}", 303)


@router.post("/confirm")
async def confirm(request: Request, database: Db, settings: ShopSettings) -> Response:
    """The owner of the address wants it, by the button of the page that a mail leads to."""
    typed = await form_fields(request)
    try:
        await confirm_notice(database, settings.signing_key, typed["id"], typed["token"])
    except (KeyError, NotFound):
        return RedirectResponse(f"{CONFIRM_PAGE}?said=gone", 303)
    return RedirectResponse(f"{CONFIRM_PAGE}?said=confirmed", 303)


@router.post("/forget")
async def forget(request: Request, database: Db, settings: ShopSettings) -> Response:
    """The owner of the address does not want it any more."""
    typed = await form_fields(request)
    try:
        await forget_notice(database, settings.signing_key, typed["id"], typed["token"])
    except (KeyError, NotFound):
        return RedirectResponse(f"{UNSUBSCRIBE_PAGE}?said=gone", 303)
    return RedirectResponse(f"{UNSUBSCRIBE_PAGE}?said=forgotten", 303)
