"""Browsers that are signed in: an opaque random token in a cookie; the database has its hash (design: decision 8).

The cookie is `HttpOnly` (no script reads it), `SameSite=Lax` (no other site's request carries it, except for following
a link) and `Secure` under https. `Origin` is checked as well: old browsers know no SameSite, and other shops may live
on sister hosts of the same site.
"""

from datetime import timedelta

from fastapi import Request
from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.responses import Response

from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.web.passwords import hash_of, new_token
from backend.customers.models import Customer, CustomerSession
from backend.edge.auth.bearer_tokens import TokenOwner, session_end
from backend.edge.auth.cookies import delete_cookie, read_cookie, set_cookie
from backend.edge.auth.revoked_tokens import revoke_chains

COOKIE = "trompo_session"
LIFETIME = timedelta(days=30)


async def open_session(
    session: AsyncSession, customer_id: str, *, instead_of: str = "", token_owner: TokenOwner | None = None
) -> str:
    """Sign a browser in, with a new token always. The one it came with (`instead_of`) ends.

    A session that is begun with a bearer token (`token_owner`) ends with the lifetime of the token's sign-in, and takes
    the chain of the token with it when it is closed.

    Returns:
        The token, for the browser's cookie alone.
    """
    moment = now()
    if instead_of:
        await close_session(session, instead_of)
    await session.execute(delete(CustomerSession).where(CustomerSession.expires_at <= moment))
    token = new_token()
    session.add(
        CustomerSession(
            token_hash=hash_of(token),
            customer_id=customer_id,
            expires_at=session_end(moment, LIFETIME, token_owner),
            token_chain=token_owner.chain if token_owner else "",
        )
    )
    await session.flush()
    return token


async def customer_of(session: AsyncSession, token: str) -> Customer | None:
    """Whose browser has this token; None for one that is forged, closed or over."""
    if not token:
        return None
    found = await session.execute(
        select(Customer)
        .join(CustomerSession, CustomerSession.customer_id == Customer.id)
        .where(CustomerSession.token_hash == hash_of(token), CustomerSession.expires_at > now())
    )
    return found.scalar_one_or_none()


async def close_session(session: AsyncSession, token: str) -> None:
    """Sign one browser out, and programs with the bearer token that its session was begun with."""
    closed = await session.execute(
        delete(CustomerSession)
        .where(CustomerSession.token_hash == hash_of(token))
        .returning(CustomerSession.token_chain)
    )
    await revoke_chains(session, set(closed.scalars()))


async def close_all(session: AsyncSession, customer_id: str) -> None:
    """Sign the customer out everywhere: browsers, and programs with a bearer token."""
    await session.execute(
        update(Customer).where(Customer.id == customer_id).values(token_epoch=Customer.token_epoch + 1)
    )
    await session.execute(delete(CustomerSession).where(CustomerSession.customer_id == customer_id))


def token_in(request: Request) -> str:
    """The session's token that the request brings; empty without one."""
    return read_cookie(request.cookies, request.app.state.settings, COOKIE)


def give_cookie(response: Response, settings: Settings, token: str) -> None:
    """Sign this browser in."""
    set_cookie(response, settings, COOKIE, token, seconds=int(LIFETIME.total_seconds()))


def take_cookie(response: Response, settings: Settings) -> None:
    """Sign this browser out."""
    delete_cookie(response, settings, COOKIE)
