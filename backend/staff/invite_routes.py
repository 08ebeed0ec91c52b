"""Routes of invitations: the platform's routes for the owner, and the route of the form for the invited person.

On the platform, API clients accept an invitation with a token from the response. In this shop only the e-mail
contains the token, and the back-office page sends it with the chosen password: `POST /auth/staff/invitation`.
"""

from typing import Annotated

from fastapi import APIRouter, Depends

from backend.edge.auth.csrf import check_own_page
from backend.edge.auth.devices import CurrentVisitor, remember_device
from backend.edge.dependencies import Db, RequestedFields, ShopSettings
from backend.edge.errors import REFUSALS
from backend.edge.query import paging_fields, pick_each, read_query, slice_page
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
    dependencies=[Depends(check_own_page)],
)
NEXT: dict[str, str] = {Role.OWNER: f"{OFFICE}/entrar?codigo=1"}
"""The next page after accepting: owners set up the second factor, which many of their actions need."""


@router.get("")
async def list_invites(
    actor: StaffMember, params: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire[InviteListAnswer]:
    """Return the invitations that were not accepted yet."""
    async with database.read() as session:
        found = await invites.list_invites(session, actor)
    return Wire(
        {
            "invites": pick_each(map(invite_wire, slice_page(found, params)), params),
            **paging_fields(len(found), params),
        }
    )


@router.post("")
async def invite(
    body: NewInvite, actor: StaffMember, database: Db, fields: RequestedFields
) -> Wire[InviteAnswer]:
    """Invite a person by e-mail. A person who is already invited gets a new link, with this role."""
    async with database.transaction() as session:
        made = await invites.invite(session, actor, body.email, body.role)
    return Wire({"invite": fields.pick(invite_wire(made))})


@router.get("/{invite_id}")
async def read_invite(
    invite_id: str, actor: StaffMember, database: Db, fields: RequestedFields
) -> Wire[InviteAnswer]:
    """Return one invitation. The answer is 404 after the invitation was accepted."""
    async with database.read() as session:
        found = await invites.read_invite(session, actor, invite_id)
    return Wire({"invite": fields.pick(invite_wire(found))})


@router.post("/{invite_id}/resend")
async def resend_invite(
    invite_id: str, actor: StaffMember, database: Db, fields: RequestedFields
) -> Wire[InviteAnswer]:
    """Send the invited person a new link; the earlier link becomes invalid."""
    async with database.transaction() as session:
        sent = await invites.resend_invite(session, actor, invite_id)
    return Wire({"invite": fields.pick(invite_wire(sent))})


@router.delete("/{invite_id}")
async def revoke_invite(invite_id: str, actor: StaffMember, database: Db) -> Wire[Deleted]:
    """Revoke an invitation."""
    async with database.transaction() as session:
        await invites.revoke_invite(session, actor, invite_id)
    return Wire({"id": invite_id, "object": "invite", "deleted": True})


@link_router.post("/invitation")
async def accept_invite(
    body: Typed, database: Db, settings: ShopSettings, visitor: CurrentVisitor, browser: ThisBrowser
) -> Wire:
    """Accept an invitation and sign the browser in. `next` in the response is the page to open next."""
    joined = await invites.accept(database, body.token, body.password, client=visitor.client, browser=browser)
    answer = Wire({"next": NEXT.get(joined.role, OFFICE)})
    sessions.set_session_cookie(answer, settings, joined.token)
    remember_device(answer, settings, visitor, await signing_in.device_account(database, joined.email))
    return answer
