"""A forgotten password: a mailed link to choose a new one, valid once within an hour."""

from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.clock import now
from backend.core.db.database import Database
from backend.core.events import publish
from backend.core.web.contact import read_form
from backend.core.web.passwords import hash_of, hash_password, new_token
from backend.customers.auth.accounts import (
    EMAILPASS,
    LinkUsed,
    NewPassword,
    ResetRequest,
    customer_with,
    device_account,
    locked_account,
    login_of,
    set_password,
)
from backend.customers.events import ResetAsked
from backend.customers.models import ResetLink
from backend.edge.auth.devices import Visitor
from backend.rate_limit import limiter
from backend.rate_limit.limiter import RateLimit, SubjectExhausted

RESETS = RateLimit("reset", per_pair=3, per_client=30, per_subject=5)
LIFETIME = timedelta(hours=1)


async def ask_reset(database: Database, email: str, *, visitor: Visitor) -> None:
    """Ask for a link. The same work is done for an address without an account.

    Once many clients have asked for this address, nothing more is mailed for some minutes, and nobody is told: the
    links that went out are good for longer than that. So strangers can neither fill the mailbox nor lock its owner out.

    Raises:
        InvalidData: it is no address.
        TooManyRequests: asked too often lately.
    """
    address = read_form(ResetRequest, {"email": email}).email
    async with database.read() as session:
        login = await login_of(session, EMAILPASS, address)
    try:
        await limiter.hit(database, RESETS, address, visitor.known_to(device_account(login)))
    except SubjectExhausted:
        return
    async with database.transaction() as session:
        await publish(session, ResetAsked(address))


async def new_reset_token(session: AsyncSession, address: str) -> str | None:
    """A token for the link in a mail to this address; None when it has no account.

    It is made when the mail is sent: nowhere is it kept but in the mail.
    """
    customer = await customer_with(session, address)
    if customer is None:
        return None
    token = new_token()
    session.add(ResetLink(token_hash=hash_of(token), customer_id=customer.id, expires_at=now() + LIFETIME))
    await session.flush()
    return token


async def use_reset_token(database: Database, token: str, password: str) -> str:
    """Give the account a new password, once, and sign it out everywhere.

    Returns:
        The customer's id.

    Raises:
        InvalidData: the password is no good (the link stays good), or `LinkUsed`.
    """
    read_form(NewPassword, {"password": password})
    link = (ResetLink.token_hash == hash_of(token), ResetLink.expires_at > now())
    async with database.read() as session:
        customer_id = (await session.execute(select(ResetLink.customer_id).where(*link))).scalar_one_or_none()
    if customer_id is None:
        raise LinkUsed
    hashed = await hash_password(password)
    async with database.transaction() as session:
        customer = await locked_account(session, customer_id)
        used = await session.execute(delete(ResetLink).where(*link).returning(ResetLink.customer_id))
        if customer is None or used.scalar_one_or_none() is None:  # somebody was quicker
            raise LinkUsed
        await set_password(session, customer, hashed)
    return customer_id
