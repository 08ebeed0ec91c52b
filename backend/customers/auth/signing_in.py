"""Sign-up, sign-in and sign-out of browsers.

Each time a customer proves who they are, the browser gets a new session.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from backend.core.db.database import Database
from backend.core.errors import Unauthorized
from backend.customers.auth.accounts import (
    WrongPassword,
    authenticate,
    change_password,
    find_password_login,
    register,
)
from backend.customers.auth.password_reset import use_reset_token
from backend.customers.auth.sessions import close_all, close_session, find_session_customer, open_session
from backend.customers.models import Login
from backend.edge.auth.devices import Visitor
from backend.legal.consents import ConsentContext


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Result of a sign-in: the token of the new session, and the customer's password login, if any."""

    token: str = field(repr=False)
    login: Login | None


async def sign_up(
    database: Database,
    typed: Mapping[str, Any],
    *,
    visitor: Visitor,
    consenting: ConsentContext,
    old_token: str,
) -> SignedIn:
    """Create an account and sign its browser in. `old_token` is the token of the browser's previous session.

    Raises:
        InvalidData, TooManyRequests: see `backend.customers.auth.accounts.register`.
    """
    return await start_session(
        database, await register(database, typed, visitor=visitor, consenting=consenting), old_token=old_token
    )


async def sign_in(
    database: Database, email: str, password: str, *, visitor: Visitor, old_token: str
) -> SignedIn:
    """Sign a browser in by address and password.

    Raises:
        WrongPassword, TooManyRequests: see `backend.customers.auth.accounts.authenticate`.
    """
    login = await authenticate(database, email, password, visitor=visitor)
    async with database.transaction() as session:
        known = await session.get(Login, login.id, with_for_update=True)
        # the password may have changed during the check
        if known is None or known.customer_id is None or known.password_hash != login.password_hash:
            raise WrongPassword
        return SignedIn(await open_session(session, known.customer_id, instead_of=old_token), known)


async def start_session(database: Database, customer_id: str, *, old_token: str) -> SignedIn:
    """Sign in the browser of a customer whose identity was just proved."""
    async with database.transaction() as session:
        login = await find_password_login(session, customer_id)
        return SignedIn(await open_session(session, customer_id, instead_of=old_token), login)


async def sign_out(database: Database, token: str, *, everywhere: bool) -> None:
    """Sign this browser out; with `everywhere`, all browsers of its customer."""
    async with database.transaction() as session:
        customer = await find_session_customer(session, token) if everywhere else None
        if customer is not None:
            await close_all(session, customer.id)
        await close_session(session, token)


async def renew_password(
    database: Database, token: str, current: str, new: str, *, visitor: Visitor
) -> SignedIn:
    """Change the password of the customer of this session. All sessions end, and this browser gets a new one.

    Raises:
        Unauthorized: no session has this token.
        InvalidData, TooManyRequests: see `backend.customers.auth.accounts.change_password`.
    """
    async with database.read() as session:
        customer = await find_session_customer(session, token)
    if customer is None:
        raise Unauthorized("Not signed in")
    await change_password(database, customer.id, current, new, visitor=replace(visitor, session=token))
    return await start_session(database, customer.id, old_token=token)


async def reset_password(database: Database, link_token: str, password: str, *, old_token: str) -> SignedIn:
    """Set a new password with the token of a mailed link, and sign this browser in.

    Raises:
        InvalidData: see `backend.customers.auth.password_reset.use_reset_token`.
    """
    return await start_session(
        database, await use_reset_token(database, link_token, password), old_token=old_token
    )
