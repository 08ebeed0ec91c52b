"""A browser signs up, in and out: each proof of a customer is followed by a new session."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from backend.core.db.database import Database
from backend.core.errors import Unauthorized
from backend.customers.auth.accounts import WrongPassword, change_password, password_login, prove, register
from backend.customers.auth.password_reset import use_reset_token
from backend.customers.auth.sessions import close_all, close_session, customer_of, open_session
from backend.customers.models import Login
from backend.edge.auth.devices import Visitor
from backend.legal.consents import Consenting


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A browser that was just signed in: its new session's token, and its customer's password if there is one."""

    token: str = field(repr=False)
    login: Login | None


async def sign_up(
    database: Database, typed: Mapping[str, Any], *, visitor: Visitor, consenting: Consenting, old: str
) -> SignedIn:
    """Make an account and sign its browser in. `old` is the token the browser had before.

    Raises:
        InvalidData, TooManyRequests: see `backend.customers.auth.accounts.register`.
    """
    return await enter(
        database, await register(database, typed, visitor=visitor, consenting=consenting), old=old
    )


async def sign_in(database: Database, email: str, password: str, *, visitor: Visitor, old: str) -> SignedIn:
    """Sign a browser in by address and password.

    Raises:
        WrongPassword, TooManyRequests: see `backend.customers.auth.accounts.prove`.
    """
    login = await prove(database, email, password, visitor=visitor)
    async with database.transaction() as session:
        known = await session.get(Login, login.id, with_for_update=True)
        # the password may have been changed while this one was being checked
        if known is None or known.customer_id is None or known.password_hash != login.password_hash:
            raise WrongPassword
        return SignedIn(await open_session(session, known.customer_id, instead_of=old), known)


async def enter(database: Database, customer_id: str, *, old: str) -> SignedIn:
    """Sign in the browser of a customer who has just been proved to be it."""
    async with database.transaction() as session:
        login = await password_login(session, customer_id)
        return SignedIn(await open_session(session, customer_id, instead_of=old), login)


async def sign_out(database: Database, token: str, *, everywhere: bool) -> None:
    """Sign this browser out, and `everywhere` every other one of its customer."""
    async with database.transaction() as session:
        customer = await customer_of(session, token) if everywhere else None
        if customer is not None:
            await close_all(session, customer.id)
        await close_session(session, token)


async def renew_password(
    database: Database, token: str, current: str, new: str, *, visitor: Visitor
) -> SignedIn:
    """Change the password of the session's customer. Every session ends, and this browser gets a new one.

    Raises:
        Unauthorized: nobody is signed in with this token.
        InvalidData, TooManyRequests: see `backend.customers.auth.accounts.change_password`.
    """
    async with database.read() as session:
        customer = await customer_of(session, token)
    if customer is None:
        raise Unauthorized("Nobody is signed in")
    await change_password(database, customer.id, current, new, visitor=replace(visitor, session=token))
    return await enter(database, customer.id, old=token)


async def reset(database: Database, link_token: str, password: str, *, old: str) -> SignedIn:
    """Choose a new password by a link, and sign this browser in.

    Raises:
        InvalidData: see `backend.customers.auth.password_reset.use_reset_token`.
    """
    return await enter(database, await use_reset_token(database, link_token, password), old=old)
