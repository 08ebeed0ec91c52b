"""Invitations over HTTP: as on the platform for the owner, and the link's own form for who is invited.

On the platform, programs accept an invitation with a token that the answer shows. Here only the mail has it, and the
office's page sends it with the password: `POST /auth/staff/invitation`.
"""

from typing import Annotated

from fastapi import APIRouter, Depends

from backend.edge.auth.csrf import own_page
from backend.edge.auth.devices import AnyVisitor, remember_device
from backend.edge.dependencies import Db, ShopSettings, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import page_of, paging, pick_each, read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Deleted, Wire
from backend.staff import invites, sessions, signing_in
from backend.staff.answers import InviteAnswer, InviteListAnswer
from backend.staff.dependencies import StaffMember, ThisBrowser
from backend.staff.rights import OFFICE, Role
from backend.staff.routes import FormRoute
from backend.staff.schemas import NewInvite, Typed, invite_wire

router = APIRouter(prefix="/admin/invites", route_class=WireRoute, responses=REFUSALS, tags=["admin: staff"])
link_router = APIRouter(
    prefix="/auth/staff",
    route_class=FormRoute,
    include_in_schema=False,  # for the office's own pages
    dependencies=[Depends(own_page)],
)
NEXT = {Role.OWNER: f"{OFFICE}/entrar?codigo=1"}
"""Where somebody who has joined is led: the owner to their second factor, which much of their work needs."""


@router.get("")
async def list_invites(
    actor: StaffMember, asked: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire[InviteListAnswer]:
    """The invitations that were not accepted yet."""
    async with database.read() as session:
        found = await invites.list_invites(session, actor)
    return Wire(
        {"invites": pick_each(map(invite_wire, page_of(found, asked)), asked), **paging(len(found), asked)}
    )


@router.post("")
async def invite(body: NewInvite, actor: StaffMember, database: Db, fields: Shown) -> Wire[InviteAnswer]:
    """Invite somebody by mail. Who was invited already gets a new link, with this role."""
    async with database.transaction() as session:
        made = await invites.invite(session, actor, body.email, body.role)
    return Wire({"invite": fields.pick(invite_wire(made))})


@router.get("/{invite_id}")
async def read_invite(invite_id: str, actor: StaffMember, database: Db, fields: Shown) -> Wire[InviteAnswer]:
    """One invitation; 404 once it was accepted."""
    async with database.read() as session:
        found = await invites.read_invite(session, actor, invite_id)
    return Wire({"invite": fields.pick(invite_wire(found))})


@router.post("/{invite_id}/resend")
async def resend_invite(
    invite_id: str, actor: StaffMember, database: Db, fields: Shown
) -> Wire[InviteAnswer]:
    """Send a new link, which ends the one before."""
    async with database.transaction() as session:
        sent = await invites.send_again(session, actor, invite_id)
    return Wire({"invite": fields.pick(invite_wire(sent))})


@router.delete("/{invite_id}")
async def revoke_invite(invite_id: str, actor: StaffMember, database: Db) -> Wire[Deleted]:
    """Take an invitation back."""
    async with database.transaction() as session:
        await invites.revoke_invite(session, actor, invite_id)
    return Wire({"id": invite_id, "object": "invite", "deleted": True})


@link_router.post("/invitation")
async def accept_invite(
    body: Typed, database: Db, settings: ShopSettings, visitor: AnyVisitor, browser: ThisBrowser
) -> Wire:
    """Become one of the staff by an invitation's link, and sign this browser in. `next` is where to go on to."""
    joined = await invites.accept(database, body.token, body.password, client=visitor.client, browser=browser)
    answer = Wire({"next": NEXT.get(joined.role, OFFICE)})
    sessions.give_cookie(answer, settings, joined.token)
    remember_device(answer, settings, visitor, await signing_in.device_account(database, joined.email))
    return answer
