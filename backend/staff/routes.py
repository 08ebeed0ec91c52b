"""Routes of staff: bearer tokens for API clients, staff members, and the forms of the back office's pages.

A websocket cannot set a cookie. So these forms are sent by HTTP to `/auth/staff/*`, as JSON and only from the
shop's own pages.
"""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from backend.core.config.settings import Settings
from backend.core.error_texts import STAFF_FORM, text_for
from backend.core.errors import ShopError
from backend.edge.auth.bearer_tokens import issue_token
from backend.edge.auth.credentials import Credentials, TokenAnswer, require_texts
from backend.edge.auth.csrf import check_own_page
from backend.edge.auth.devices import CurrentVisitor, remember_device
from backend.edge.dependencies import Db, RequestedFields, ShopSettings
from backend.edge.errors import REFUSALS
from backend.edge.query import paging_fields, pick_each, read_query, slice_page
from backend.edge.requests import WireRoute
from backend.edge.wire import JsonDict, Wire
from backend.office_settings import read_effective_settings
from backend.staff import second_factor, service, sessions, signing_in
from backend.staff.answers import SessionsAnswer, StaffAnswer, StaffListAnswer
from backend.staff.dependencies import StaffMember, ThisBrowser
from backend.staff.schemas import StaffChange, StaffParameters, Typed, session_wire, staff_wire


def form_error_answer(error: ShopError) -> Wire:
    """Return the response to a back-office form that failed, in Spanish: `{type, message, fields}`."""
    body = {**error.body(), "message": text_for(error, STAFF_FORM), "fields": error.fields}
    return Wire(body, error.status, headers=error.headers)


class FormRoute(WireRoute):
    """A route of a back-office form: `form_error_answer` converts its errors to responses."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return FastAPI's handler, wrapped so that errors become responses of `form_error_answer`."""
        handle = super().get_route_handler()

        async def handle_form(request: Request) -> Response:
            try:
                return await handle(request)
            except ShopError as error:
                return form_error_answer(error)

        return handle_form


router = APIRouter(route_class=WireRoute, responses=REFUSALS)
session_router = APIRouter(
    prefix="/auth/staff",
    route_class=FormRoute,
    include_in_schema=False,  # for the office's own pages
    dependencies=[Depends(check_own_page)],
)


@router.post("/auth/user/emailpass", tags=["auth"])
async def sign_in_program(
    request: Request, body: Credentials, database: Db, settings: ShopSettings, visitor: CurrentVisitor
) -> Wire[TokenAnswer]:
    """Return a bearer token for the Admin API.

    The answer is 401 for an unknown address or a wrong password, and 429 after too many attempts. The token has its
    owner's role, but never the second factor. A browser that sends this request becomes a known device of the staff
    member.
    """
    email, password = require_texts(body)
    owner = await signing_in.authenticate_program(database, email, password, visitor=visitor)
    answer: Wire[TokenAnswer] = Wire({"token": issue_token(settings.signing_key, owner)})
    if "origin" in request.headers:
        remember_device(answer, settings, visitor, await signing_in.device_account(database, email))
    return answer


@router.get("/admin/users/me", tags=["admin: staff"])
async def read_me(actor: StaffMember, database: Db, fields: RequestedFields) -> Wire[StaffAnswer]:
    """Return the staff member who makes the request."""
    return await _staff_answer(database, actor, actor.id, fields)


@router.get("/admin/users", tags=["admin: staff"])
async def list_users(
    actor: StaffMember, params: Annotated[StaffParameters, read_query(StaffParameters)], database: Db
) -> Wire[StaffListAnswer]:
    """Return the staff, including disabled members."""
    wanted = (params.q or "").casefold()
    async with database.read() as session:
        staff = [one for one in await service.list_staff(session, actor) if wanted in one.email]
    return Wire(
        {
            "users": pick_each(map(staff_wire, slice_page(staff, params)), params),
            **paging_fields(len(staff), params),
        }
    )


@router.get("/admin/users/{user_id}", tags=["admin: staff"])
async def read_user(
    user_id: str, actor: StaffMember, database: Db, fields: RequestedFields
) -> Wire[StaffAnswer]:
    """Return one staff member."""
    return await _staff_answer(database, actor, user_id, fields)


@router.post("/admin/users/{user_id}", tags=["admin: staff"])
async def change_user(
    user_id: str, body: StaffChange, actor: StaffMember, database: Db, fields: RequestedFields
) -> Wire[StaffAnswer]:
    """Change the role of a staff member, or disable or enable them. Disabling ends all sessions immediately."""
    async with database.transaction() as session:
        staff = await service.change_staff(
            session, actor, user_id, role=body.role, is_disabled=body.is_disabled
        )
    return Wire({"user": fields.pick(staff_wire(staff))})


@session_router.post("/login")
async def sign_in(
    body: Typed, database: Db, settings: ShopSettings, visitor: CurrentVisitor, browser: ThisBrowser
) -> Wire:
    """Sign this browser in. If the request has a correct `code`, the session has the second factor too.

    With a wrong code, the browser is signed in without the second factor. The browser becomes a known device of the
    staff member.
    """
    token = await signing_in.sign_in(database, body.email, body.password, visitor=visitor, browser=browser)
    actor = await sessions.actor_of_session(database, token)
    answer: Wire = Wire({})
    if actor is not None and body.code:
        try:
            token = await second_factor.prove(
                database, settings.signing_key, actor, body.code, client=visitor.client
            )
        except ShopError as error:
            answer = form_error_answer(error)
    sessions.set_session_cookie(answer, settings, token)
    remember_device(answer, settings, visitor, await signing_in.device_account(database, body.email))
    return answer


@session_router.post("/logout")
async def sign_out(database: Db, settings: ShopSettings, browser: ThisBrowser) -> Wire:
    """Sign this browser out."""
    await signing_in.sign_out(database, None, browser.old_token)
    return _signed_out_answer(settings)


@session_router.post("/logout-everywhere")
async def sign_out_everywhere(
    actor: StaffMember, database: Db, settings: ShopSettings, browser: ThisBrowser
) -> Wire:
    """Sign the staff member out of every browser and API client."""
    await signing_in.sign_out(database, actor, browser.old_token)
    return _signed_out_answer(settings)


@session_router.post("/password")
async def change_password(
    body: Typed, actor: StaffMember, database: Db, settings: ShopSettings, visitor: CurrentVisitor
) -> Wire:
    """Change the password. Every session and token ends, including this browser's."""
    await service.change_password(database, actor, body.password, body.new_password, client=visitor.client)
    return _signed_out_answer(settings)


@session_router.post("/second-factor")
async def prove_second_factor(
    body: Typed, actor: StaffMember, database: Db, settings: ShopSettings, visitor: CurrentVisitor
) -> Wire:
    """Prove the second factor with a code, for this session."""
    token = await second_factor.prove(database, settings.signing_key, actor, body.code, client=visitor.client)
    return _session_answer(settings, token)


@session_router.post("/second-factor/begin")
async def begin_second_factor(actor: StaffMember, database: Db, settings: ShopSettings) -> Wire:
    """Begin to set up a second factor. Return its secret as text, URI and QR code; they are shown only once."""
    async with database.read() as session:
        issuer = (await read_effective_settings(session, settings)).store_name
    begun = await second_factor.begin(database, settings.signing_key, actor, issuer=issuer)
    return Wire({"secret": begun.secret, "uri": begun.uri, "qr": begun.qr})


@session_router.post("/second-factor/confirm")
async def confirm_second_factor(
    body: Typed, actor: StaffMember, database: Db, settings: ShopSettings, visitor: CurrentVisitor
) -> Wire:
    """Confirm the new second factor with its first code. Return the recovery codes, which are shown only once."""
    token, codes = await second_factor.confirm(
        database, settings.signing_key, actor, body.code, client=visitor.client
    )
    return _session_answer(settings, token, {"recovery_codes": codes})


@session_router.post("/second-factor/off")
async def turn_second_factor_off(
    body: Typed, actor: StaffMember, database: Db, settings: ShopSettings, visitor: CurrentVisitor
) -> Wire:
    """Turn the caller's second factor off, after checking one of its codes."""
    await second_factor.turn_off(database, settings.signing_key, actor, body.code, client=visitor.client)
    return Wire({})


@session_router.get("/sessions")
async def list_sessions(actor: StaffMember, database: Db) -> Wire[SessionsAnswer]:
    """Return the open sessions of the staff member who makes the request."""
    async with database.read() as session:
        found = await sessions.sessions_of(session, actor, actor.id)
    return Wire({"sessions": [session_wire(one) for one in found]})


@session_router.delete("/sessions/{session_id}")
async def revoke(session_id: str, actor: StaffMember, database: Db) -> Wire:
    """End one session of the caller, or of another staff member if the caller may change staff."""
    async with database.transaction() as session:
        await sessions.revoke(session, actor, session_id)
    return Wire({"id": session_id, "object": "staff_session", "deleted": True})


async def _staff_answer(
    database: Db, actor: StaffMember, staff_id: str, fields: RequestedFields
) -> Wire[StaffAnswer]:
    async with database.read() as session:
        staff = await service.read_staff(session, actor, staff_id)
    return Wire({"user": fields.pick(staff_wire(staff))})


def _session_answer(settings: Settings, token: str, shown: JsonDict | None = None) -> Wire:
    answer = Wire(shown or {})
    sessions.set_session_cookie(answer, settings, token)
    return answer


def _signed_out_answer(settings: Settings) -> Wire:
    answer: Wire = Wire({})
    sessions.clear_session_cookie(answer, settings)
    return answer
