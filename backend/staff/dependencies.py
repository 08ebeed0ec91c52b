"""FastAPI dependencies: the member of staff who asks, or a program with a secret key of theirs."""

from typing import Annotated, Any

from fastapi import Depends, Request

from backend.edge.auth.authentication import MaybeOwner, NotSignedIn
from backend.edge.auth.csrf import may_use_cookie
from backend.edge.dependencies import ClientIp, Db, ShopSettings
from backend.staff.rights import Actor, Right
from backend.staff.secret_keys import actor_of_key, key_in
from backend.staff.sessions import Browser, actor_of_session, actor_of_token, token_in


async def maybe_staff(
    request: Request, database: Db, settings: ShopSettings, owner: MaybeOwner
) -> Actor | None:
    """The member of staff who asks; None for anybody else.

    A bearer token or a secret key is sent by whoever has it, and goes before the cookie. A browser sends the cookie by
    itself: it counts as `backend.edge.auth.csrf.may_use_cookie` says.
    """
    authorization = request.headers.get("authorization")
    if authorization is not None:
        if key := key_in(authorization):
            return await actor_of_key(database, key)
        return await actor_of_token(database, owner) if owner is not None else None
    return await actor_of_session(database, token_in(request)) if may_use_cookie(request, settings) else None


async def staff(actor: Annotated[Actor | None, Depends(maybe_staff)]) -> Actor:
    """The member of staff who asks.

    Raises:
        NotSignedIn: it is none of the staff, or no longer.
    """
    if actor is None:
        raise NotSignedIn
    return actor


async def browser(request: Request, client: ClientIp) -> Browser:
    """What the request tells of its browser."""
    return Browser(client, request.headers.get("user-agent", ""), token_in(request))


StaffMember = Annotated[Actor, Depends(staff)]
ThisBrowser = Annotated[Browser, Depends(browser)]


def staff_who_may(right: Right) -> list[Any]:
    """Dependencies of a router whose routes show something: all of them need this right. Services check the others."""

    async def check(actor: StaffMember) -> None:
        actor.require(right)

    return [Depends(check)]
