"""Endpoints of the page `/order/find`: JSON for browsers with scripts, an HTML form for browsers without scripts."""

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from backend.core.error_texts import FORM
from backend.core.errors import InvalidData, TooManyRequests
from backend.edge.auth.csrf import check_own_page, read_form_fields
from backend.edge.dependencies import ClientIp, Db, ShopSettings
from backend.edge.errors import form_error_response
from backend.edge.requests import WireRoute
from backend.edge.schemas import LenientBody, Text
from backend.edge.wire import Wire
from backend.orders.links.mailed_links import request_order_link
from backend.rate_limit.limiter import Client

PAGE = "/order/find"


class OrderLinkForm(LenientBody):
    """The order whose link is requested."""

    number: Text = ""
    email: Text = ""


router = APIRouter(
    prefix="/api/order-link",
    route_class=WireRoute,
    include_in_schema=False,  # for the shop's own page
    dependencies=[Depends(check_own_page)],
)


@router.post("")
async def request_link(body: OrderLinkForm, database: Db, settings: ShopSettings, ip: ClientIp) -> Response:
    """Send the link to an order by e-mail. The response does not reveal if the order exists."""
    try:
        await request_order_link(database, body.number, body.email, client=Client.from_ip(ip, settings))
    except (InvalidData, TooManyRequests) as error:
        return form_error_response(error, FORM)
    return Wire({})


@router.post("/form")
async def request_link_without_scripts(
    request: Request, database: Db, settings: ShopSettings, ip: ClientIp
) -> Response:
    """Handle the form of a browser without scripts: redirect to the page with the result in the parameter `said`."""
    typed = await read_form_fields(request)
    number, email = typed.get("number", ""), typed.get("email", "")
    result = "sent"
    try:
        await request_order_link(database, number, email, client=Client.from_ip(ip, settings))
    except InvalidData:
        result = "check"
    except TooManyRequests:
        result = "wait"
    return RedirectResponse(f"{PAGE}?said={result}", 303)
