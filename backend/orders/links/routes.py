"""What the page `/order/find` submits: JSON with scripts, and without them the browser's own form."""

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from backend.core.error_texts import FORM
from backend.core.errors import InvalidData, TooManyRequests
from backend.edge.auth.csrf import form_fields, own_page
from backend.edge.dependencies import ClientIp, Db, ShopSettings
from backend.edge.errors import problem_answer
from backend.edge.requests import WireRoute
from backend.edge.schemas import LenientBody, Text
from backend.edge.wire import Wire
from backend.orders.links.mailed_links import ask_link
from backend.rate_limit.limiter import Client

PAGE = "/order/find"


class Wanted(LenientBody):
    """Which order."""

    number: Text = ""
    email: Text = ""


router = APIRouter(
    prefix="/api/order-link",
    route_class=WireRoute,
    include_in_schema=False,  # for the shop's own page
    dependencies=[Depends(own_page)],
)


@router.post("")
async def ask(body: Wanted, database: Db, settings: ShopSettings, ip: ClientIp) -> Response:
    """Have the link to an order mailed. The answer says nothing of which orders there are."""
    try:
        await ask_link(database, body.number, body.email, client=Client.at(ip, settings))
    except (InvalidData, TooManyRequests) as error:
        return problem_answer(error, FORM)
    return Wire({})


@router.post("/form")
async def ask_without_scripts(
    request: Request, database: Db, settings: ShopSettings, ip: ClientIp
) -> Response:
    """The same for a browser without scripts: the page says what came of it, by the parameter `said`."""
    typed = await form_fields(request)
    number, email = typed.get("number", ""), typed.get("email", "")
    said = "sent"
    try:
        await ask_link(database, number, email, client=Client.at(ip, settings))
    except InvalidData:
        said = "check"
    except TooManyRequests:
        said = "wait"
    return RedirectResponse(f"{PAGE}?said={said}", 303)
