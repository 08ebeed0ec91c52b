"""Sessions of browsers: an opaque random token in a cookie; the database stores its hash (design: decision 8).

The cookie is `HttpOnly` (scripts cannot read it), `SameSite=Lax` (requests from other sites do not contain it,
except when following a link) and `Secure` under https. `Origin` is checked as well: old browsers do not support
SameSite, and other shops may be on hosts of the same site.
"""

from datetime import timedelta

from fastapi import Request
from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.responses import Response

from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.web.passwords import hash_token, new_token
from backend.customers.models import Customer, CustomerSession
from backend.edge.auth.bearer_tokens import TokenOwner, session_end
from backend.edge.auth.cookies import delete_cookie, read_cookie, set_cookie
from backend.edge.auth.revoked_tokens import revoke_chains

COOKIE = "trompo_session"
LIFETIME = timedelta(days=30)


async def open_session(
    session: AsyncSession, customer_id: str, *, instead_of: str = "", token_owner: TokenOwner | None = None
) -> str:
    """Sign a browser in, always with a new token. The browser's old session (its token is `instead_of`) ends.

    If the session was started with a bearer token (`token_owner`), its lifetime is counted from the sign-in of that
    token. Closing the session then also revokes that token and all tokens that were refreshed from the same
    sign-in.

    Returns:
        The token, only for the browser's cookie.
    """
    moment = now()
    if instead_of:
        await close_session(session, instead_of)
    await session.execute(delete(CustomerSession).where(CustomerSession.expires_at <= moment))
    token = new_token()
    session.add(
        CustomerSession(
            token_hash=hash_token(token),
            customer_id=customer_id,
            expires_at=session_end(moment, LIFETIME, token_owner),
            token_chain=token_owner.chain if token_owner else "",
        )
    )
    await session.flush()
    return token


async def find_session_customer(session: AsyncSession, token: str) -> Customer | None:
    """Return the customer with this session token; None if it is forged, closed or expired."""
    if not token:
        return None
    found = await session.execute(
        select(Customer)
        .join(CustomerSession, CustomerSession.customer_id == Customer.id)
        .where(CustomerSession.token_hash == hash_token(token), CustomerSession.expires_at > now())
    )
    return found.scalar_one_or_none()


async def close_session(session: AsyncSession, token: str) -> None:
    """Sign one browser out, and revoke the bearer tokens with which its session was started."""
    closed = await session.execute(
        delete(CustomerSession)
        .where(CustomerSession.token_hash == hash_token(token))
        .returning(CustomerSession.token_chain)
    )
    await revoke_chains(session, set(closed.scalars()))


async def close_all(session: AsyncSession, customer_id: str) -> None:
    """Sign the customer out everywhere: all browsers and all bearer tokens."""
    await session.execute(
        update(Customer).where(Customer.id == customer_id).values(token_epoch=Customer.token_epoch + 1)
    )
    await session.execute(delete(CustomerSession).where(CustomerSession.customer_id == customer_id))


def read_session_token(request: Request) -> str:
    """Return the session token of the request; empty without one."""
    return read_cookie(request.cookies, request.app.state.settings, COOKIE)


def set_session_cookie(response: Response, settings: Settings, token: str) -> None:
    """Set the cookie of the customer's session to this token."""
    set_cookie(response, settings, COOKIE, token, seconds=int(LIFETIME.total_seconds()))


def clear_session_cookie(response: Response, settings: Settings) -> None:
    """Delete the cookie of the customer's session."""
    delete_cookie(response, settings, COOKIE)
