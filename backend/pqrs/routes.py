"""Routes of the PQRS form: JSON for browsers with scripts, an HTML form for browsers without scripts."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.error_texts import PQRS_FORM
from backend.core.errors import InvalidData, TooManyRequests
from backend.edge.auth.csrf import check_own_page, read_form_fields
from backend.edge.dependencies import ClientIp, Db, ShopSettings
from backend.edge.errors import form_error_response
from backend.edge.form_submissions import hash_content, read_sending
from backend.edge.requests import WireRoute
from backend.edge.schemas import LenientBody, Text
from backend.edge.wire import Wire
from backend.pqrs.service import MAX_TEXT_LENGTH, pqrs_path, send_pqrs
from backend.presses.service import PressUsed, Sending, handle_press
from backend.rate_limit.limiter import Client

PAGE = "/pqrs"
FIELDS = ("kind", "name", "email", "order_number", "text")
FORM = "pqrs"
SCRIPTLESS_FORM = f"{FORM}/form"
"""Name under which submissions without scripts are stored.

Their ids are hashes of the content, which others could compute. The name differs from `FORM`, so a request with
such an id cannot be mistaken for a submission of a browser without scripts.
"""


class PqrsBody(LenientBody):
    """Values of the PQRS form."""

    kind: Text = ""
    name: Text = ""
    email: Text = ""
    order_number: Text = ""
    text: Annotated[str, Field(max_length=2 * MAX_TEXT_LENGTH)] = ""


router = APIRouter(
    prefix="/api/pqrs",
    route_class=WireRoute,
    include_in_schema=False,  # for the shop's own page
    dependencies=[Depends(check_own_page)],
)


@router.post("")
async def send(
    request: Request, body: PqrsBody, database: Db, settings: ShopSettings, ip: ClientIp
) -> Response:
    """Store a PQRS request. The response has the path of the request's page, which only its sender knows."""
    try:
        pqrs_id = await _store_once(database, settings, body.model_dump(), ip, read_sending(request, FORM))
    except (InvalidData, TooManyRequests) as error:
        return form_error_response(error, PQRS_FORM)
    return Wire({"next": pqrs_path(settings.signing_key, pqrs_id)})


@router.post("/form")
async def send_without_scripts(
    request: Request, database: Db, settings: ShopSettings, ip: ClientIp
) -> Response:
    """Store a PQRS request of a browser without scripts.

    After an error, redirect to the form with the parameter `said`.

    The form is the same for all visitors, so it has no id. The same text from the same IP address is treated as a
    repeated submission.
    """
    submitted = await read_form_fields(request)
    typed = {name: submitted.get(name, "") for name in FIELDS}
    sending = Sending(SCRIPTLESS_FORM, hash_content([ip, typed]))
    try:
        pqrs_id = await _store_once(database, settings, typed, ip, sending)
    except InvalidData:
        return RedirectResponse(f"{PAGE}?said=check", 303)
    except TooManyRequests:
        return RedirectResponse(f"{PAGE}?said=wait", 303)
    return RedirectResponse(pqrs_path(settings.signing_key, pqrs_id), 303)


async def _store_once(
    database: Database, settings: Settings, typed: Mapping[str, str], ip: str, sending: Sending | None
) -> str:
    """Store the request and return its id. If this submission was stored before, return the id of the stored request.

    Raises:
        InvalidData, TooManyRequests: see `send_pqrs`.
    """
    with handle_press(sending):
        try:
            return (await send_pqrs(database, typed, client=Client.from_ip(ip, settings))).id
        except PressUsed as used:
            return used.subject
