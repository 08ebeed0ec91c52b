"""What the page `/pqrs` submits: JSON with scripts, and without them the browser's own form."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.error_texts import PQRS_FORM
from backend.core.errors import InvalidData, TooManyRequests
from backend.edge.auth.csrf import form_fields, own_page
from backend.edge.dependencies import ClientIp, Db, ShopSettings
from backend.edge.errors import problem_answer
from backend.edge.form_submissions import digest_of, sending_of
from backend.edge.requests import WireRoute
from backend.edge.schemas import LenientBody, Text
from backend.edge.wire import Wire
from backend.pqrs.service import LONGEST_TEXT, ask, pqrs_path
from backend.presses.service import PressUsed, Sending, handle_press
from backend.rate_limit.limiter import Client

PAGE = "/pqrs"
FIELDS = ("kind", "name", "email", "order_number", "text")
FORM = "pqrs"
SCRIPTLESS_FORM = f"{FORM}/form"
"""Ids of this form are derived from its content, so others can compute them. No id of a request is one of this form."""


class Asked(LenientBody):
    """What the form holds."""

    kind: Text = ""
    name: Text = ""
    email: Text = ""
    order_number: Text = ""
    text: Annotated[str, Field(max_length=2 * LONGEST_TEXT)] = ""


router = APIRouter(
    prefix="/api/pqrs",
    route_class=WireRoute,
    include_in_schema=False,  # for the shop's own page
    dependencies=[Depends(own_page)],
)


@router.post("")
async def send(request: Request, body: Asked, database: Db, settings: ShopSettings, ip: ClientIp) -> Response:
    """Store a PQRS. The answer leads to its page, which only its sender knows."""
    try:
        pqrs_id = await _store(database, settings, body.model_dump(), ip, sending_of(request, FORM))
    except (InvalidData, TooManyRequests) as error:
        return problem_answer(error, PQRS_FORM)
    return Wire({"next": pqrs_path(settings.signing_key, pqrs_id)})


@router.post("/form")
async def send_without_scripts(
    request: Request, database: Db, settings: ShopSettings, ip: ClientIp
) -> Response:
    """Store a PQRS of a browser without scripts; the page shows a refusal, by the parameter `said`.

    The page is the same for everybody, so its form has no id: the same text from the same address is the same sending.
    """
    submitted = await form_fields(request)
    typed = {name: submitted.get(name, "") for name in FIELDS}
    sending = Sending(SCRIPTLESS_FORM, digest_of([ip, typed]))
    try:
        pqrs_id = await _store(database, settings, typed, ip, sending)
    except InvalidData:
        return RedirectResponse(f"{PAGE}?said=check", 303)
    except TooManyRequests:
        return RedirectResponse(f"{PAGE}?said=wait", 303)
    return RedirectResponse(pqrs_path(settings.signing_key, pqrs_id), 303)


async def _store(
    database: Database, settings: Settings, typed: Mapping[str, str], ip: str, sending: Sending | None
) -> str:
    """Store it once. Return its id.

    Raises:
        InvalidData, TooManyRequests: see `ask`.
    """
    with handle_press(sending):
        try:
            return (await ask(database, typed, client=Client.at(ip, settings))).id
        except PressUsed as used:
            return used.subject
