"""Members of staff: making, listing, disabling them, their roles and passwords."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.core.config.settings import Settings
from backend.core.db.database import Database, database_now, locked
from backend.core.errors import (
    Conflict,
    Duplicate,
    Forbidden,
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
from backend.staff.sessions import end_all

STAFF_PASSWORDS = RateLimit("staff password", per_pair=5, per_client=20, per_subject=0, per_day=100)
NEEDS_AN_OWNER = "The shop needs an owner: make another one first"


@dataclass(frozen=True, slots=True)
class StaffView:
    """A member of staff, without anything that proves who they are."""

    id: str
    email: str
    role: Role
    is_disabled: bool
    has_second_factor: bool
    created_at: datetime
    updated_at: datetime


async def create_staff(
    database: Database, actor: Actor, email: str, password: str, role: Role = Role.OWNER
) -> str:
    """Make a member of staff.

    Returns:
        Their id.

    Raises:
        Forbidden: the actor may not change staff.
        InvalidData: the address is none, or the password is too short or too long.
        Duplicate: somebody has this address already.
    """
    actor.require(Right.CHANGE_STAFF)
    address = tidy_email(email)
    if not is_email(address):
        raise InvalidData("Invalid email address")
    require_strong(password)
    hashed = await hash_password(password)
    async with database.transaction() as session:
        if await staff_with(session, address) is not None:
            raise Duplicate(f"Staff with email {address} already exists")
        staff = Staff(email=address, password_hash=hashed, role=role)
        await record(session, actor, "created", Subject(Thing.STAFF, staff.id))
        session.add(staff)
    return staff.id


async def first_staff(database: Database, settings: Settings) -> bool:
    """Make the shop's owner of ADMIN_EMAIL and ADMIN_PASSWORD, if it has no staff. Returns whether one was made."""
    password = settings.admin_password.get_secret_value()
    if not settings.admin_email or not password:
        return False
    async with database.read() as session:
        if await has_staff(session):
            return False
    try:
        await create_staff(database, COMMAND_LINE, settings.admin_email, password)
    except Duplicate:  # another replica, starting at the same moment, was quicker
        return False
    return True


async def has_staff(session: AsyncSession) -> bool:
    """Whether the shop has anybody on its staff, those who are disabled included."""
    return (await session.execute(select(Staff.id).limit(1))).first() is not None


async def list_staff(session: AsyncSession, actor: Actor) -> Sequence[StaffView]:
    """Everybody, those who are disabled too, by address.

    Raises:
        Forbidden: the actor may not see staff.
    """
    actor.require_role(Right.CHANGE_STAFF)
    rows = (await session.execute(select(Staff).order_by(Staff.email))).scalars()
    return [_view(staff) for staff in rows]


async def read_staff(session: AsyncSession, actor: Actor, staff_id: str) -> StaffView:
    """One member of staff. Everybody sees themselves.

    Raises:
        Forbidden: it is somebody else, and the actor may not see staff.
        NotFound: there is no such member.
    """
    if staff_id != actor.id:
        actor.require_role(Right.CHANGE_STAFF)
    staff = require_found(await session.get(Staff, staff_id), "User", staff_id)
    return _view(staff)


async def change_staff(
    session: AsyncSession,
    actor: Actor,
    staff_id: str,
    *,
    role: Role | None = None,
    is_disabled: bool | None = None,
    seen: Role | None = None,
) -> StaffView:
    """Give a member another role, disable or enable them; None leaves what is. Who is disabled is out at once.

    `seen` is the role that whoever gives another one has seen.

    Raises:
        Forbidden: the actor may not change staff, or may no longer.
        NotFound: there is no such member.
        NotAllowed: it is the last owner, who would be none any more.
        Conflict: their role is another than was seen.
    """
    actor.require(Right.CHANGE_STAFF)
    # all owners are locked, so that two cannot disable each other
    found = (await session.execute(locked(select(Staff).where(_IS_OWNER).order_by(Staff.id)))).scalars()
    owners = {owner.id for owner in found}
    if actor.session_id and actor.id not in owners:  # since this request began
        raise Forbidden(f"The role {actor.role} is no longer {actor.id}'s")
    others = owners - {staff_id}
    staff = await _locked_staff(session, Staff.id == staff_id)
    if seen is not None and staff.role != seen:
        raise Conflict(f"The role is {staff.role} by now")
    stops = is_disabled or (role is not None and role is not Role.OWNER)
    if stops and staff.role == Role.OWNER and staff.disabled_at is None and not others:
        raise NotAllowed(NEEDS_AN_OWNER)
    await record(session, actor, "changed", Subject(Thing.STAFF, staff_id))
    if role is not None:
        staff.role = role
    if is_disabled is not None:
        staff.disabled_at = await database_now(session) if is_disabled else None
    await session.flush()
    if is_disabled:
        await end_all(session, staff_id)
    return _view(staff)


async def change_password(
    database: Database, actor: Actor, current: str, new: str, *, client: Client
) -> None:
    """Give the actor a new password. Every session and token of theirs ends.

    Raises:
        InvalidData: the current password is wrong, or the new one too short or too long; `fields` says which.
        TooManyRequests: too many tries lately.
    """
    require_strong(new, field="new_password")
    await limiter.hit(database, STAFF_PASSWORDS, actor.id, client)
    async with database.read() as session:
        staff = await session.get(Staff, actor.id)
    if not await is_password(current, staff.password_hash if staff else None):
        raise InvalidData("Wrong password", fields={"password": _("Esta no es tu contraseña actual.")})
    await limiter.refund(database, STAFF_PASSWORDS, actor.id, client)
    await _store_password(database, actor, actor.id, new)


async def set_password(database: Database, actor: Actor, staff_id: str, new: str) -> None:
    """Give somebody a new password. Every session and token of theirs ends.

    Raises:
        Forbidden: the actor may not change staff.
        InvalidData: the password is too short or too long.
        NotFound: there is no such member.
    """
    actor.require(Right.CHANGE_STAFF)
    require_strong(new)
    await _store_password(database, actor, staff_id, new)


def require_strong(password: str, *, field: str = "password") -> None:
    """Check a new password of a staff member.

    Raises:
        InvalidData: it is too short, too long or too common.
    """
    if not MIN_STAFF_LENGTH <= len(password) <= MAX_LENGTH:
        told = _("La contraseña tiene de {least} a {most} caracteres.").format(
            least=MIN_STAFF_LENGTH, most=MAX_LENGTH
        )
        raise InvalidData(
            f"A password has {MIN_STAFF_LENGTH} to {MAX_LENGTH} characters", fields={field: told}
        )
    if is_common(password):
        raise InvalidData("This password is too common", fields={field: TOO_COMMON})


async def staff_with(session: AsyncSession, email: str) -> Staff | None:
    """The member of staff with this address; None when there is none."""
    return (await session.execute(select(Staff).where(Staff.email == tidy_email(email)))).scalar_one_or_none()


async def _store_password(database: Database, actor: Actor, staff_id: str, new: str) -> None:
    hashed = await hash_password(new)
    async with database.transaction() as session:
        staff = await _locked_staff(session, Staff.id == staff_id)
        await record(session, actor, "password changed", Subject(Thing.STAFF, staff_id))
        staff.password_hash = hashed
        await session.flush()
        await end_all(session, staff_id)
        await publish(session, StaffPasswordChanged(staff_id))


async def _locked_staff(session: AsyncSession, which: object) -> Staff:
    staff = (await session.execute(locked(select(Staff).where(which)))).scalar_one_or_none()  # type: ignore[arg-type]
    if staff is None:
        raise NotFound("User was not found")
    return staff


_IS_OWNER = (Staff.role == Role.OWNER) & Staff.disabled_at.is_(None)


def _view(staff: Staff) -> StaffView:
    return StaffView(
        id=staff.id,
        email=staff.email,
        role=Role(staff.role),
        is_disabled=staff.disabled_at is not None,
        has_second_factor=staff.totp_secret is not None,
        created_at=staff.created_at,
        updated_at=staff.updated_at,
    )
