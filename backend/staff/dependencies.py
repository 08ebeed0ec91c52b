"""FastAPI dependencies that return the actor of a request: the signed-in staff member, or the secret key."""

from typing import Annotated, Any

from fastapi import Depends, Request

from backend.edge.auth.authentication import MaybeOwner, NotSignedIn
from backend.edge.auth.csrf import may_use_cookie
from backend.edge.dependencies import ClientIp, Db, ShopSettings
from backend.staff.rights import Actor, Right
from backend.staff.secret_keys import actor_of_key, parse_key
from backend.staff.sessions import Browser, actor_of_session, actor_of_token, read_session_token


async def optional_staff(
    request: Request, database: Db, settings: ShopSettings, owner: MaybeOwner
) -> Actor | None:
    """Return the actor of the request; None if the request is not from staff.

    A bearer token or a secret key has priority over the cookie. Browsers send the cookie automatically, even with
    requests from other sites, so it counts only if `backend.edge.auth.csrf.may_use_cookie` returns True.
    """
    authorization = request.headers.get("authorization")
    if authorization is not None:
        if key := parse_key(authorization):
            return await actor_of_key(database, key)
        return await actor_of_token(database, owner) if owner is not None else None
    return (
        await actor_of_session(database, read_session_token(request))
        if may_use_cookie(request, settings)
        else None
    )


async def staff(actor: Annotated[Actor | None, Depends(optional_staff)]) -> Actor:
    """Return the actor of the request.

    Raises:
        NotSignedIn: the request is not from an active staff member.
    """
    if actor is None:
        raise NotSignedIn
    return actor


async def browser(request: Request, client: ClientIp) -> Browser:
    """Return the browser's address, user agent and session token."""
    return Browser(client, request.headers.get("user-agent", ""), read_session_token(request))


StaffMember = Annotated[Actor, Depends(staff)]
ThisBrowser = Annotated[Browser, Depends(browser)]


def require_staff_right(right: Right) -> list[Any]:
    """Return the dependencies that require this right for all routes of a router. Services may check more rights."""

    async def check(actor: StaffMember) -> None:
        actor.require(right)

    return [Depends(check)]
