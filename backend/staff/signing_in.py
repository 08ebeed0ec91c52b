"""Sign-in of staff members: a session for browsers, a bearer token for API clients."""

from sqlalchemy import select

from backend.audit import Subject, SubjectType, record
from backend.core.db.database import Database, lock_rows
from backend.core.errors import Unauthorized
from backend.core.texts import _
from backend.core.web.contact import tidy_email
from backend.core.web.passwords import is_password
from backend.edge.auth.bearer_tokens import USER, TokenOwner
from backend.edge.auth.devices import DeviceAccount, Visitor
from backend.edge.auth.revoked_tokens import is_chain_revoked
from backend.rate_limit import limiter
from backend.rate_limit.limiter import RateLimit
from backend.staff.models import Staff
from backend.staff.rights import SHOP, Actor
from backend.staff.service import find_staff
from backend.staff.sessions import Browser, close_session, end_everywhere, open_session

STAFF_LOGINS = RateLimit("staff login", per_pair=5, per_client=60, per_subject=50, per_day=100)
"""Limits of wrong passwords, the same as for customers (docs/security.md)."""


class WrongPassword(Unauthorized):
    """The address or the password is wrong, or the staff member is disabled. The message does not reveal which."""

    staff_text = _("El correo o la contraseña no coinciden.")

    def __init__(self) -> None:
        super().__init__("Invalid email or password")


async def authenticate(database: Database, email: str, password: str, *, visitor: Visitor) -> Staff:
    """Return the staff member with this address and password. An unknown address takes as long as a wrong password.

    Raises:
        WrongPassword: the address or the password is wrong, or the staff member is disabled.
        TooManyRequests: too many recent failed attempts.
    """
    address = tidy_email(email)
    async with database.read() as session:
        staff = await find_staff(session, address)
    client = visitor.client_for(_device_account(staff))
    await limiter.hit(database, STAFF_LOGINS, address, client)
    is_right = await is_password(password, staff.password_hash if staff else None)
    if not is_right or staff is None or staff.disabled_at is not None:
        if staff is not None:
            await _record(database, SHOP, "sign-in refused", staff.id, visitor)
        raise WrongPassword
    await limiter.refund(database, STAFF_LOGINS, address, client)
    return staff


async def authenticate_program(
    database: Database, email: str, password: str, *, visitor: Visitor
) -> TokenOwner:
    """Check an address and a password. Return the staff member as owner of a bearer token to be created.

    Raises:
        WrongPassword, TooManyRequests: see `authenticate`.
    """
    staff = await authenticate(database, email, password, visitor=visitor)
    await _record(database, Actor(staff.id, staff.role), "signed in", staff.id, visitor, way="token")
    return TokenOwner(staff.id, USER, epoch=staff.token_epoch)


async def sign_in(
    database: Database, email: str, password: str, *, visitor: Visitor, browser: Browser
) -> str:
    """Sign a browser in by address and password.

    Returns:
        The new session's token.

    Raises:
        WrongPassword, TooManyRequests: see `authenticate`.
    """
    staff = await authenticate(database, email, password, visitor=visitor)
    await _record(database, Actor(staff.id, staff.role), "signed in", staff.id, visitor, way="browser")
    return await begin_session(database, TokenOwner(staff.id, USER, epoch=staff.token_epoch), browser=browser)


async def device_account(database: Database, email: str) -> DeviceAccount | None:
    """Return the `DeviceAccount` of the staff member with this address, for known devices; None if there is none."""
    async with database.read() as session:
        return _device_account(await find_staff(session, tidy_email(email)))


def _device_account(staff: Staff | None) -> DeviceAccount | None:
    return None if staff is None else DeviceAccount("staff", staff.email, staff.password_hash)


async def begin_session(database: Database, owner: TokenOwner, *, browser: Browser) -> str:
    """Open a session without the second factor. The caller has checked the password or a bearer token.

    Raises:
        WrongPassword: the password was changed, the member disabled, or the token revoked in the meantime.
    """
    async with database.transaction() as session:
        known = (
            await session.execute(lock_rows(select(Staff).where(Staff.id == owner.id)))
        ).scalar_one_or_none()
        if known is None or known.disabled_at is not None or known.token_epoch != owner.epoch:
            raise WrongPassword
        if await is_chain_revoked(session, owner.chain):
            raise WrongPassword
        return await open_session(session, owner.id, browser, has_second_factor=False, token_owner=owner)


async def sign_out(database: Database, actor: Actor | None, token: str) -> None:
    """Sign this browser out. With `actor`, also end all other sessions and bearer tokens of the actor."""
    async with database.transaction() as session:
        if actor is not None:
            await end_everywhere(session, actor, actor.id)
        await close_session(session, token)


async def _record(
    database: Database, actor: Actor, action: str, staff_id: str, visitor: Visitor, *, way: str = ""
) -> None:
    """Add an audit entry about a successful or refused sign-in, with the client's IP address."""
    changes = {"way": (None, way)} if way else {}
    async with database.transaction() as session:
        await record(
            session,
            actor,
            action,
            Subject(SubjectType.STAFF, staff_id),
            changes,
            personal={"address": (None, visitor.client.address)},
        )
