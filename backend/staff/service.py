"""Staff members: create, list and disable them, change their roles and passwords."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.config.settings import Settings
from backend.core.db.database import Database, database_now, lock_rows
from backend.core.errors import (
    Conflict,
    Duplicate,
    InvalidData,
    NotAllowed,
    NotFound,
    require_found,
)
from backend.core.events import publish
from backend.core.texts import _
from backend.core.web.contact import is_email, tidy_email
from backend.core.web.passwords import (
    MAX_LENGTH,
    MIN_STAFF_LENGTH,
    TOO_COMMON,
    hash_password,
    is_common,
    is_password,
)
from backend.rate_limit import limiter
from backend.rate_limit.limiter import Client, RateLimit
from backend.staff.events import StaffPasswordChanged
from backend.staff.models import Staff
from backend.staff.rights import COMMAND_LINE, Actor, Right, Role
from backend.staff.roles import lock_owners, require_assignable_role
from backend.staff.sessions import end_all

STAFF_PASSWORDS = RateLimit("staff password", per_pair=5, per_client=20, per_subject=0, per_day=100)
NEEDS_AN_OWNER = "The shop needs an owner: create another one first"


@dataclass(frozen=True, slots=True)
class StaffView:
    """A staff member, without secrets."""

    id: str
    email: str
    role: str
    is_disabled: bool
    has_second_factor: bool
    created_at: datetime
    updated_at: datetime


async def create_staff(
    database: Database, actor: Actor, email: str, password: str, role: str = Role.OWNER
) -> str:
    """Create a staff member. `role` is a `Role`, or the id of a custom role.

    Returns:
        The id.

    Raises:
        Forbidden: the actor may not change staff.
        InvalidData: the address is invalid, the password is too short, too long or too common, or there is no such
            role.
        Duplicate: a staff member has this address already.
    """
    actor.require(Right.CHANGE_STAFF)
    address = tidy_email(email)
    if not is_email(address):
        raise InvalidData("Invalid email address")
    require_strong_password(password)
    hashed = await hash_password(password)
    async with database.transaction() as session:
        if await find_staff(session, address) is not None:
            raise Duplicate(f"Staff with email {address} already exists")
        role = await require_assignable_role(session, role)
        staff = Staff(email=address, password_hash=hashed, role=role)
        await record(session, actor, "created", Subject(SubjectType.STAFF, staff.id))
        session.add(staff)
    return staff.id


async def create_first_staff(database: Database, settings: Settings) -> bool:
    """Create the owner from ADMIN_EMAIL and ADMIN_PASSWORD if the shop has no staff. Return True if one was created."""
    password = settings.admin_password.get_secret_value()
    if not settings.admin_email or not password:
        return False
    async with database.read() as session:
        if await has_staff(session):
            return False
    try:
        await create_staff(database, COMMAND_LINE, settings.admin_email, password)
    except Duplicate:  # another replica, starting at the same time, was first
        return False
    return True


async def has_staff(session: AsyncSession) -> bool:
    """Return True if the shop has staff members, including disabled ones."""
    return (await session.execute(select(Staff.id).limit(1))).first() is not None


async def list_staff(session: AsyncSession, actor: Actor) -> Sequence[StaffView]:
    """Return all staff members, including disabled ones, sorted by address.

    Raises:
        Forbidden: the actor may not see staff.
    """
    actor.require_role(Right.CHANGE_STAFF)
    rows = (await session.execute(select(Staff).order_by(Staff.email))).scalars()
    return [_staff_view(staff) for staff in rows]


async def read_staff(session: AsyncSession, actor: Actor, staff_id: str) -> StaffView:
    """Return one staff member. Every staff member may read their own data.

    Raises:
        Forbidden: the actor is another staff member, and may not see staff.
        NotFound: the staff member does not exist.
    """
    if staff_id != actor.id:
        actor.require_role(Right.CHANGE_STAFF)
    staff = require_found(await session.get(Staff, staff_id), "User", staff_id)
    return _staff_view(staff)


async def change_staff(
    session: AsyncSession,
    actor: Actor,
    staff_id: str,
    *,
    role: str | None = None,
    is_disabled: bool | None = None,
    seen: str | None = None,
) -> StaffView:
    """Change the role of a staff member, disable or enable them; None changes nothing. Disabling ends all sessions.

    `role` is a `Role`, or the id of a custom role; `seen` is the role that was displayed to the actor; None skips the
    check.

    Raises:
        Forbidden: the actor may not change staff, or has just lost this right.
        NotFound: the staff member does not exist.
        InvalidData: there is no such role.
        NotAllowed: the shop would have no owner.
        Conflict: the current role is not `seen`.
    """
    actor.require(Right.CHANGE_STAFF)
    others = await lock_owners(session, actor) - {staff_id}
    if role is not None:
        role = await require_assignable_role(session, role)
    staff = await _lock_staff(session, Staff.id == staff_id)
    if seen is not None and staff.role != seen:
        raise Conflict(f"The role is now {staff.role}")
    loses_owner = is_disabled or (role is not None and role != Role.OWNER)
    if loses_owner and staff.role == Role.OWNER and staff.disabled_at is None and not others:
        raise NotAllowed(NEEDS_AN_OWNER)
    await record(session, actor, "changed", Subject(SubjectType.STAFF, staff_id))
    if role is not None:
        staff.role = role
    if is_disabled is not None:
        staff.disabled_at = await database_now(session) if is_disabled else None
    await session.flush()
    if is_disabled:
        await end_all(session, staff_id)
    return _staff_view(staff)


async def change_password(
    database: Database, actor: Actor, current: str, new: str, *, client: Client
) -> None:
    """Set a new password for the actor. All their sessions and tokens end.

    Raises:
        InvalidData: the current password is wrong, or the new one is not allowed; `fields` has the wrong field.
        TooManyRequests: too many recent attempts.
    """
    require_strong_password(new, field="new_password")
    await limiter.hit(database, STAFF_PASSWORDS, actor.id, client)
    async with database.read() as session:
        staff = await session.get(Staff, actor.id)
    if not await is_password(current, staff.password_hash if staff else None):
        raise InvalidData("Wrong password", fields={"password": _("Esta no es tu contraseña actual.")})
    await limiter.refund(database, STAFF_PASSWORDS, actor.id, client)
    await _store_password(database, actor, actor.id, new)


async def set_password(database: Database, actor: Actor, staff_id: str, new: str) -> None:
    """Set a new password for a staff member. All their sessions and tokens end.

    Raises:
        Forbidden: the actor may not change staff.
        InvalidData: the password is too short, too long or too common.
        NotFound: the staff member does not exist.
    """
    actor.require(Right.CHANGE_STAFF)
    require_strong_password(new)
    await _store_password(database, actor, staff_id, new)


def require_strong_password(password: str, *, field: str = "password") -> None:
    """Check a new password of a staff member.

    Raises:
        InvalidData: it is too short, too long or too common.
    """
    if not MIN_STAFF_LENGTH <= len(password) <= MAX_LENGTH:
        message = _("La contraseña tiene de {least} a {most} caracteres.").format(
            least=MIN_STAFF_LENGTH, most=MAX_LENGTH
        )
        raise InvalidData(
            f"A password has {MIN_STAFF_LENGTH} to {MAX_LENGTH} characters", fields={field: message}
        )
    if is_common(password):
        raise InvalidData("This password is too common", fields={field: TOO_COMMON})


async def find_staff(session: AsyncSession, email: str) -> Staff | None:
    """Return the staff member with this address; None if there is none."""
    return (await session.execute(select(Staff).where(Staff.email == tidy_email(email)))).scalar_one_or_none()


async def _store_password(database: Database, actor: Actor, staff_id: str, new: str) -> None:
    hashed = await hash_password(new)
    async with database.transaction() as session:
        staff = await _lock_staff(session, Staff.id == staff_id)
        await record(session, actor, "password changed", Subject(SubjectType.STAFF, staff_id))
        staff.password_hash = hashed
        await session.flush()
        await end_all(session, staff_id)
        await publish(session, StaffPasswordChanged(staff_id))


async def _lock_staff(session: AsyncSession, which: object) -> Staff:
    staff = (await session.execute(lock_rows(select(Staff).where(which)))).scalar_one_or_none()  # type: ignore[arg-type]
    if staff is None:
        raise NotFound("User was not found")
    return staff


def _staff_view(staff: Staff) -> StaffView:
    return StaffView(
        id=staff.id,
        email=staff.email,
        role=staff.role,
        is_disabled=staff.disabled_at is not None,
        has_second_factor=staff.totp_secret is not None,
        created_at=staff.created_at,
        updated_at=staff.updated_at,
    )
