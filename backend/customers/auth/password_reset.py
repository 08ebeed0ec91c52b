"""Reset of a forgotten password by a mailed link, valid once within an hour."""

from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.clock import now
from backend.core.db.database import Database
from backend.core.events import publish
from backend.core.web.contact import read_form
from backend.core.web.passwords import hash_password, hash_token, new_token
from backend.customers.auth.accounts import (
    EMAILPASS,
    InvalidResetLink,
    NewPassword,
    ResetRequest,
    device_account,
    find_customer,
    find_login,
    lock_account,
    set_password,
)
from backend.customers.events import ResetRequested
from backend.customers.models import ResetLink
from backend.edge.auth.devices import Visitor
from backend.rate_limit import limiter
from backend.rate_limit.limiter import RateLimit, SubjectExhausted

RESETS = RateLimit("reset", per_pair=3, per_client=30, per_subject=5)
LIFETIME = timedelta(hours=1)


async def request_reset(database: Database, email: str, *, visitor: Visitor) -> None:
    """Request a link for a new password. The response time does not reveal whether the address has an account.

    If many clients request links for the same address, no more mails are sent to it for some minutes. This is not
    an error, because the links that were sent are still valid then. So a stranger can neither fill the mailbox nor
    lock the owner out.

    Raises:
        InvalidData: the address is invalid.
        TooManyRequests: too many recent requests.
    """
    address = read_form(ResetRequest, {"email": email}).email
    async with database.read() as session:
        login = await find_login(session, EMAILPASS, address)
    try:
        await limiter.hit(database, RESETS, address, visitor.client_for(device_account(login)))
    except SubjectExhausted:
        return
    async with database.transaction() as session:
        await publish(session, ResetRequested(address))


async def create_reset_token(session: AsyncSession, address: str) -> str | None:
    """Create a token for the link in a mail to this address; return None if no account has the address.

    Call it when the mail is sent, so that only the mail contains the token. The database stores the token's hash.
    """
    customer = await find_customer(session, address)
    if customer is None:
        return None
    token = new_token()
    session.add(ResetLink(token_hash=hash_token(token), customer_id=customer.id, expires_at=now() + LIFETIME))
    await session.flush()
    return token


async def use_reset_token(database: Database, token: str, password: str) -> str:
    """Set a new password with a token, once, and sign the account out everywhere.

    Returns:
        The customer's id.

    Raises:
        InvalidData: the password is not allowed; the link stays valid.
        InvalidResetLink: the token was used, has expired, or never existed.
    """
    read_form(NewPassword, {"password": password})
    link = (ResetLink.token_hash == hash_token(token), ResetLink.expires_at > now())
    async with database.read() as session:
        customer_id = (await session.execute(select(ResetLink.customer_id).where(*link))).scalar_one_or_none()
    if customer_id is None:
        raise InvalidResetLink
    hashed = await hash_password(password)
    async with database.transaction() as session:
        customer = await lock_account(session, customer_id)
        used = await session.execute(delete(ResetLink).where(*link).returning(ResetLink.customer_id))
        if customer is None or used.scalar_one_or_none() is None:  # a concurrent request used it
            raise InvalidResetLink
        await set_password(session, customer, hashed)
    return customer_id
