"""Invitations: a person gets an e-mail with a link, and chooses a password to become a staff member.

A link can be used once, within `LIFETIME`. Its token is created when the e-mail is written. The database stores
only the token's hash, which replaces the hash of an earlier e-mail. If the inviter is disabled or may no longer
change staff, the invitation is invalid until another staff member sends it again. An accepted or revoked invitation
is deleted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import BaseModel
from sqlalchemy import ColumnElement, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.db.database import Database, database_now, db_now, lock_rows
from backend.core.errors import Conflict, Duplicate, InvalidData, NotFound
from backend.core.events import publish
from backend.core.texts import _
from backend.core.web.contact import AccountEmail, read_form
from backend.core.web.passwords import hash_password, hash_token, new_token
from backend.rate_limit import limiter
from backend.rate_limit.limiter import Client, RateLimit
from backend.staff.models import Staff, StaffInvite
from backend.staff.rights import COMMAND_LINE, RIGHTS, Actor, Right
from backend.staff.roles import read_role_names, require_assignable_role
from backend.staff.service import find_staff, require_strong_password
from backend.staff.sessions import Browser, open_session

LIFETIME = timedelta(hours=72)
RETENTION = timedelta(days=30)
"""Time for which an expired invitation stays in the list."""
ACCEPT_LIMIT = RateLimit("staff invitation", per_pair=10, per_client=60, per_subject=0)
"""Limit of attempts with invalid links. It only saves work: a token has 256 random bits, so it cannot be guessed."""
ANY_LINK = "links"


class InvalidInvite(InvalidData):
    """The link is invalid: it was used, revoked, replaced by a newer e-mail, or has expired."""

    staff_text = _("Este enlace ya no sirve. Abre el del último correo, o pide otra invitación.")

    def __init__(self) -> None:
        super().__init__("This invitation is no longer valid")


@dataclass(frozen=True, slots=True)
class InviteMailRequested:
    """Event: an e-mail with a new link for this invitation must be sent."""

    invite_id: str


@dataclass(frozen=True, slots=True)
class InviteView:
    """An invitation that was not accepted yet, without its token.

    Attributes:
        sent_at: when its newest e-mail was sent; None before.
        expires_at: when the link in that e-mail expires; None before the e-mail was written.
        is_over: True if the link cannot be accepted any more, so the invitation must be sent again.
    """

    id: str
    email: str
    role: str
    sent_at: datetime | None
    expires_at: datetime | None
    is_over: bool
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class InvitationEmail:
    """Content of an invitation e-mail: the address, the name of the role, and the token of its link."""

    email: str
    role_name: str
    token: str


@dataclass(frozen=True, slots=True)
class AcceptedInvite:
    """An accepted invitation: the new session's token (only for the browser's cookie), the role and the address."""

    token: str
    role: str
    email: str


class _Address(BaseModel):
    email: AccountEmail


async def invite(session: AsyncSession, actor: Actor, email: str, role: str) -> InviteView:
    """Invite a person by e-mail. If the address is already invited, the invitation is renewed, with this role.

    `role` is a `Role`, or the id of a custom role.

    Raises:
        Forbidden: the actor may not change staff.
        InvalidData: the address is invalid, not every mail server accepts it, or there is no such role; `fields` has
            the error.
        Duplicate: a staff member (possibly a disabled one) has this address.
        Conflict: a concurrent request invites the same address.
    """
    actor.require(Right.CHANGE_STAFF)
    address = read_form(_Address, {"email": email}).email
    if not address.isascii():
        message = _("Usa un correo sin tildes ni eñes: no todos los servidores lo reciben.")
        raise InvalidData(
            "The address has letters that not every mail server takes", fields={"email": message}
        )
    if await find_staff(session, address) is not None:
        message = _("Este correo ya está en el equipo.")
        raise Duplicate(f"Staff with email {address} already exists", fields={"email": message})
    role = await require_assignable_role(session, role)
    known = await _lock_invite(session, StaffInvite.email == address)
    invited = known or StaffInvite(email=address, role=role, invited_by=actor.id)
    await record(session, actor, "invited", Subject(SubjectType.INVITATION, invited.id))
    invited.role, invited.invited_by, invited.sent_at = role, actor.id, None
    session.add(invited)
    try:
        await session.flush()
    except IntegrityError:
        raise Conflict("Another request invites this address now") from None
    await publish(session, InviteMailRequested(invited.id))
    return _invite_view(invited, is_over=False)


async def resend_invite(session: AsyncSession, actor: Actor, invite_id: str) -> InviteView:
    """Send a new link, which replaces the earlier link. The actor becomes the inviter.

    Raises:
        Forbidden: the actor may not change staff.
        NotFound: the invitation does not exist; it may have been accepted.
    """
    actor.require(Right.CHANGE_STAFF)
    invited = await _require_invite(session, invite_id)
    await record(session, actor, "invitation sent again", Subject(SubjectType.INVITATION, invite_id))
    invited.invited_by, invited.sent_at = actor.id, None
    await session.flush()
    await publish(session, InviteMailRequested(invite_id))
    return _invite_view(invited, is_over=False)


async def revoke_invite(session: AsyncSession, actor: Actor, invite_id: str) -> None:
    """Revoke an invitation, so that its link becomes invalid.

    Raises:
        Forbidden: the actor may not change staff.
        NotFound: there is no such invitation; it may have been accepted.
    """
    actor.require(Right.CHANGE_STAFF)
    invited = await _require_invite(session, invite_id)
    await record(session, actor, "invitation revoked", Subject(SubjectType.INVITATION, invite_id))
    await session.delete(invited)


async def list_invites(session: AsyncSession, actor: Actor) -> Sequence[InviteView]:
    """Return the invitations that were not accepted yet, sorted by address.

    Raises:
        Forbidden: the actor may not see staff.
    """
    actor.require_role(Right.CHANGE_STAFF)
    moment = await database_now(session)
    found = (await session.execute(select(StaffInvite).order_by(StaffInvite.email))).scalars()
    return [
        _invite_view(one, is_over=(one.expires_at or moment) < moment or not await _is_valid(session, one))
        for one in found
    ]


async def read_invite(session: AsyncSession, actor: Actor, invite_id: str) -> InviteView:
    """Return one invitation.

    Raises:
        Forbidden: the actor may not see staff.
        NotFound: the invitation does not exist; it may have been accepted.
    """
    for one in await list_invites(session, actor):
        if one.id == invite_id:
            return one
    raise _not_found(invite_id)


async def write_invitation_email(session: AsyncSession, invite_id: str) -> InvitationEmail | None:
    """Create a new token and return the content of the e-mail; None if the invitation is no longer valid."""
    invited = await _lock_invite(session, StaffInvite.id == invite_id)
    if invited is None or not await _is_valid(session, invited):
        return None
    token = new_token()
    invited.token_hash = hash_token(token)
    invited.expires_at = await database_now(session) + LIFETIME
    await session.flush()
    names = await read_role_names(session)
    return InvitationEmail(invited.email, names.get(invited.role, ""), token)


async def record_sent_mail(session: AsyncSession, invite_id: str) -> None:
    """Store that the invitation's mail was sent."""
    invited = await _lock_invite(session, StaffInvite.id == invite_id)
    if invited is not None:
        invited.sent_at = await database_now(session)


async def accept(
    database: Database, token: str, password: str, *, client: Client, browser: Browser
) -> AcceptedInvite:
    """Accept an invitation once: create the staff member and sign the browser in.

    Raises:
        InvalidData: the password is too short, too long or too common; the link stays valid.
        InvalidInvite: the link is invalid.
        TooManyRequests: too many recent attempts with links.
    """
    require_strong_password(password)
    await limiter.hit(database, ACCEPT_LIMIT, ANY_LINK, client)
    async with database.read() as session:
        if (await session.execute(select(StaffInvite.id).where(*_token_conditions(token)))).first() is None:
            raise InvalidInvite
    hashed = await hash_password(password)
    async with database.transaction() as session:
        invited = await _lock_invite(session, *_token_conditions(token))
        if invited is None or not await _is_valid(session, invited):
            raise InvalidInvite
        if await find_staff(session, invited.email) is not None:  # created on the command line since
            raise InvalidInvite
        member = Staff(email=invited.email, password_hash=hashed, role=invited.role)
        role = invited.role
        await record(session, Actor(member.id, role), "joined", Subject(SubjectType.STAFF, member.id))
        session.add(member)
        await session.delete(invited)
        try:
            await session.flush()
        except IntegrityError:  # created on the command line at the same time
            raise InvalidInvite from None
        opened = await open_session(session, member.id, browser, has_second_factor=False)
    await limiter.refund(database, ACCEPT_LIMIT, ANY_LINK, client)
    return AcceptedInvite(opened, role, member.email)


def _token_conditions(token: str) -> tuple[ColumnElement[bool], ...]:
    return (StaffInvite.token_hash == hash_token(token), StaffInvite.expires_at > db_now())


async def _is_valid(session: AsyncSession, invited: StaffInvite) -> bool:
    """Return True if the staff member who sent the invitation is active and may still invite.

    An invitation from the command line is always valid.
    """
    if invited.invited_by == COMMAND_LINE.id:
        return True
    inviter = await session.get(Staff, invited.invited_by, populate_existing=True)
    return (
        inviter is not None
        and inviter.disabled_at is None
        and Right.CHANGE_STAFF in RIGHTS.get(inviter.role, ())
    )


async def _lock_invite(session: AsyncSession, *which: object) -> StaffInvite | None:
    return (await session.execute(lock_rows(select(StaffInvite).where(*which)))).scalar_one_or_none()  # type: ignore[arg-type]


async def _require_invite(session: AsyncSession, invite_id: str) -> StaffInvite:
    invited = await _lock_invite(session, StaffInvite.id == invite_id)
    if invited is None:
        raise _not_found(invite_id)
    return invited


def _not_found(invite_id: str) -> NotFound:
    return NotFound(f"Invite with id: {invite_id} was not found")


def _invite_view(invited: StaffInvite, *, is_over: bool) -> InviteView:
    return InviteView(
        id=invited.id,
        email=invited.email,
        role=invited.role,
        sent_at=invited.sent_at,
        expires_at=invited.expires_at,
        is_over=is_over,
        created_at=invited.created_at,
        updated_at=invited.updated_at,
    )
