"""Signing in to the Admin API (spec: Authentication; wire: commerce-api, Customers and auth)."""

from fastapi import APIRouter

from backend.customers.models import Staff
from backend.customers.schemas import Credentials, StaffAnswer, TokenAnswer
from backend.customers.staff import find_staff, sign_in
from backend.customers.tokens import issue_token
from backend.edge.dependencies import ClientIp, Db, ShopSettings, Shown
from backend.edge.docs import REFUSALS
from backend.edge.guard import KnownActor, NotSignedIn, StaffMember
from backend.edge.route import WireRoute
from backend.edge.wire import JsonDict, Wire, stamps
from backend.errors import Unauthorized

router = APIRouter(route_class=WireRoute, tags=["auth"], responses=REFUSALS)

MAX_EMAIL = 320


@router.post("/auth/user/emailpass", response_model=TokenAnswer)
async def sign_in_staff(body: Credentials, database: Db, settings: ShopSettings, client: ClientIp) -> Wire:
    """A bearer token for the Admin API. 401 for an unknown address as for a wrong password; 429 after many of them."""
    if not isinstance(body.password, str) or not body.password:
        raise Unauthorized("Password should be a string")
    if not isinstance(body.email, str) or not body.email or len(body.email) > MAX_EMAIL:
        raise Unauthorized("Email should be a string")
    actor = await sign_in(database, body.email, body.password, client=client)
    return Wire({"token": issue_token(settings.signing_key, actor)})


@router.post("/auth/token/refresh", response_model=TokenAnswer)
async def refresh_token(settings: ShopSettings, actor: KnownActor) -> Wire:
    """A fresh token for whoever brings a good one."""
    return Wire({"token": issue_token(settings.signing_key, actor)})


@router.get("/admin/users/me", response_model=StaffAnswer, tags=["admin"])
async def read_me(member: StaffMember, database: Db, fields: Shown) -> Wire:
    """Whoever asks."""
    async with database.read() as session:
        found = await find_staff(session, member.id)
    if found is None:
        raise NotSignedIn
    return Wire({"user": fields.pick(_user(found))})


def _user(member: Staff) -> JsonDict:
    return {
        "id": member.id,
        "email": member.email,
        "first_name": None,
        "last_name": None,
        "avatar_url": None,
        "metadata": None,
        **stamps(member.created_at, member.updated_at),
    }
