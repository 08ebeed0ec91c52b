"""Staff over HTTP: a bearer token for programs, who the staff are, and what the office's pages submit.

A websocket cannot set a cookie: the office's forms go by HTTP to `/auth/staff/*`, as JSON and from the shop's own pages
only.
"""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from backend.core.config.settings import Settings
from backend.core.error_texts import STAFF_FORM, text_for
from backend.core.errors import ShopError
from backend.edge.auth.bearer_tokens import issue_token
from backend.edge.auth.credentials import Credentials, TokenAnswer, texts_of
from backend.edge.auth.csrf import own_page
from backend.edge.auth.devices import AnyVisitor, remember_device
from backend.edge.dependencies import Db, ShopSettings, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import page_of, paging, pick_each, read_query
from backend.edge.requests import WireRoute
from backend.edge.wire import JsonDict, Wire
from backend.staff import second_factor, service, sessions, signing_in
from backend.staff.answers import SessionsAnswer, StaffAnswer, StaffListAnswer
from backend.staff.dependencies import StaffMember, ThisBrowser
from backend.staff.schemas import StaffChange, StaffParameters, Typed, session_wire, staff_wire


def told(error: ShopError) -> Wire:
    """What is wrong, in words for the office's people: `{type, message, fields}`."""
    body = {**error.body(), "message": text_for(error, STAFF_FORM), "fields": error.fields}
    return Wire(body, error.status, headers=error.headers)


class FormRoute(WireRoute):
    """A route whose refusals a form shows: see `told`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's handler, wrapped."""
        handle = super().get_route_handler()

        async def handle_form(request: Request) -> Response:
            try:
                return await handle(request)
            except ShopError as error:
                return told(error)

        return handle_form


router = APIRouter(route_class=WireRoute, responses=REFUSALS)
session_router = APIRouter(
    prefix="/auth/staff",
    route_class=FormRoute,
    include_in_schema=False,  # for the office's own pages
    dependencies=[Depends(own_page)],
)


@router.post("/auth/user/emailpass", tags=["auth"])
async def sign_in_program(
    request: Request, body: Credentials, database: Db, settings: ShopSettings, visitor: AnyVisitor
) -> Wire[TokenAnswer]:
    """A bearer token for the Admin API. 401 for an unknown address or a wrong password; 429 after too many tries.

    It has its owner's role, but never the second factor. A browser becomes a known device of its member.
    """
    email, password = texts_of(body)
    owner = await signing_in.token_owner(database, email, password, visitor=visitor)
    answer: Wire[TokenAnswer] = Wire({"token": issue_token(settings.signing_key, owner)})
    if "origin" in request.headers:
        remember_device(answer, settings, visitor, await signing_in.device_account(database, email))
    return answer


@router.get("/admin/users/me", tags=["admin: staff"])
async def read_me(actor: StaffMember, database: Db, fields: Shown) -> Wire[StaffAnswer]:
    """The member of staff who asks."""
    return await _one(database, actor, actor.id, fields)


@router.get("/admin/users", tags=["admin: staff"])
async def list_users(
    actor: StaffMember, asked: Annotated[StaffParameters, read_query(StaffParameters)], database: Db
) -> Wire[StaffListAnswer]:
    """The staff, those who are disabled too."""
    wanted = (asked.q or "").casefold()
    async with database.read() as session:
        staff = [one for one in await service.list_staff(session, actor) if wanted in one.email]
    return Wire(
        {"users": pick_each(map(staff_wire, page_of(staff, asked)), asked), **paging(len(staff), asked)}
    )


@router.get("/admin/users/{user_id}", tags=["admin: staff"])
async def read_user(user_id: str, actor: StaffMember, database: Db, fields: Shown) -> Wire[StaffAnswer]:
    """One member of staff."""
    return await _one(database, actor, user_id, fields)


@router.post("/admin/users/{user_id}", tags=["admin: staff"])
async def change_user(
    user_id: str, body: StaffChange, actor: StaffMember, database: Db, fields: Shown
) -> Wire[StaffAnswer]:
    """Give a member another role, disable or enable them. Who is disabled is out at once."""
    async with database.transaction() as session:
        staff = await service.change_staff(
            session, actor, user_id, role=body.role, is_disabled=body.is_disabled
        )
    return Wire({"user": fields.pick(staff_wire(staff))})


@session_router.post("/login")
async def sign_in(
    body: Typed, database: Db, settings: ShopSettings, visitor: AnyVisitor, browser: ThisBrowser
) -> Wire:
    """Sign this browser in; with a `code`, the second factor too. A wrong code leaves it signed in without.

    From now on it is a known device of its member.
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
            answer = told(error)
    sessions.give_cookie(answer, settings, token)
    remember_device(answer, settings, visitor, await signing_in.device_account(database, body.email))
    return answer


@session_router.post("/logout")
async def sign_out(database: Db, settings: ShopSettings, browser: ThisBrowser) -> Wire:
    """Sign this browser out."""
    await signing_in.sign_out(database, None, browser.old)
    return _signed_out(settings)


@session_router.post("/logout-everywhere")
async def sign_out_everywhere(
    actor: StaffMember, database: Db, settings: ShopSettings, browser: ThisBrowser
) -> Wire:
    """Sign the member out of every browser and program."""
    await signing_in.sign_out(database, actor, browser.old)
    return _signed_out(settings)


@session_router.post("/password")
async def change_password(
    body: Typed, actor: StaffMember, database: Db, settings: ShopSettings, visitor: AnyVisitor
) -> Wire:
    """Change the password. Every session and token ends, this browser's too."""
    await service.change_password(database, actor, body.password, body.new_password, client=visitor.client)
    return _signed_out(settings)


@session_router.post("/second-factor")
async def prove_second_factor(
    body: Typed, actor: StaffMember, database: Db, settings: ShopSettings, visitor: AnyVisitor
) -> Wire:
    """Prove the second factor with a code: the session goes on with it."""
    token = await second_factor.prove(database, settings.signing_key, actor, body.code, client=visitor.client)
    return _with_cookie(settings, token)


@session_router.post("/second-factor/begin")
async def begin_second_factor(actor: StaffMember, database: Db, settings: ShopSettings) -> Wire:
    """Set up a second factor: what the telephone needs, shown once."""
    begun = await second_factor.begin(database, settings.signing_key, actor, issuer=settings.store_name)
    return Wire({"secret": begun.secret, "uri": begun.uri, "qr": begun.qr})


@session_router.post("/second-factor/confirm")
async def confirm_second_factor(
    body: Typed, actor: StaffMember, database: Db, settings: ShopSettings, visitor: AnyVisitor
) -> Wire:
    """The telephone's first code: from now on it is the second factor. The recovery codes are shown once."""
    token, codes = await second_factor.confirm(
        database, settings.signing_key, actor, body.code, client=visitor.client
    )
    return _with_cookie(settings, token, {"recovery_codes": codes})


@session_router.post("/second-factor/off")
async def turn_second_factor_off(
    body: Typed, actor: StaffMember, database: Db, settings: ShopSettings, visitor: AnyVisitor
) -> Wire:
    """Do without a second factor from now on, by a code of it."""
    await second_factor.turn_off(database, settings.signing_key, actor, body.code, client=visitor.client)
    return Wire({})


@session_router.get("/sessions")
async def list_sessions(actor: StaffMember, database: Db) -> Wire[SessionsAnswer]:
    """The browsers that the member is signed in with."""
    async with database.read() as session:
        found = await sessions.sessions_of(session, actor, actor.id)
    return Wire({"sessions": [session_wire(one) for one in found]})


@session_router.delete("/sessions/{session_id}")
async def revoke(session_id: str, actor: StaffMember, database: Db) -> Wire:
    """End one session."""
    async with database.transaction() as session:
        await sessions.revoke(session, actor, session_id)
    return Wire({"id": session_id, "object": "staff_session", "deleted": True})


async def _one(database: Db, actor: StaffMember, staff_id: str, fields: Shown) -> Wire[StaffAnswer]:
    async with database.read() as session:
        staff = await service.read_staff(session, actor, staff_id)
    return Wire({"user": fields.pick(staff_wire(staff))})


def _with_cookie(settings: Settings, token: str, shown: JsonDict | None = None) -> Wire:
    answer = Wire(shown or {})
    sessions.give_cookie(answer, settings, token)
    return answer


def _signed_out(settings: Settings) -> Wire:
    answer: Wire = Wire({})
    sessions.take_cookie(answer, settings)
    return answer
