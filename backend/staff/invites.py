"""Invitations: somebody is asked by mail to work here, and chooses their password by the link in it.

A link is good once and for `LIFETIME`. Its token is made when the mail is written: nowhere is it kept but in the mail,
and that of the last mail counts. An invitation is worth what its inviter is: when they are disabled or may not change
staff any more, it opens nothing until somebody else sends it again. One that was accepted or revoked is deleted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import BaseModel
from sqlalchemy import ColumnElement, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.core.db.database import Database, database_now, db_now, locked
from backend.core.errors import Conflict, Duplicate, InvalidData, NotFound
from backend.core.events import publish
from backend.core.texts import _
from backend.core.web.contact import AccountEmail, read_form
from backend.core.web.passwords import hash_of, hash_password, new_token
from backend.rate_limit import limiter
from backend.rate_limit.limiter import Client, RateLimit
from backend.staff.models import Staff, StaffInvite
from backend.staff.rights import COMMAND_LINE, RIGHTS, Actor, Right, Role
from backend.staff.service import require_strong, staff_with
from backend.staff.sessions import Browser, open_session

LIFETIME = timedelta(hours=72)
KEPT = timedelta(days=30)
"""How long one can see that an invitation was not accepted."""
ACCEPTED = RateLimit("staff invitation", per_pair=10, per_client=60, per_subject=0)
"""Links that open nothing. A token has 256 random bits: this only keeps the shop from being busy with guesses."""
ANY_LINK = "links"


class InviteOver(InvalidData):
    """The link opens nothing: it was used, is too old, was revoked, or a newer mail has another."""

    staff_text = _("Este enlace ya no sirve. Abre el del último correo, o pide otra invitación.")

    def __init__(self) -> None:
        super().__init__("This invitation is over")


@dataclass(frozen=True, slots=True)
class InviteAsked:
    """A mail with a new link for this invitation is to be sent."""

    invite_id: str


@dataclass(frozen=True, slots=True)
class InviteView:
    """An invitation that was not accepted yet, without what opens it.

    Attributes:
        sent_at: when its last mail left; None while it has not.
        expires_at: when the link in that mail ends; None before it was written.
        is_over: nobody can accept it any more unless it is sent again.
    """

    id: str
    email: str
    role: Role
    sent_at: datetime | None
    expires_at: datetime | None
    is_over: bool
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Letter:
    """What the mail of an invitation tells: the address, the role, and the token of its link."""

    email: str
    role: Role
    token: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """Somebody has joined: the token of their session, for the browser's cookie alone, and who they are."""

    token: str
    role: Role
    email: str


class _Address(BaseModel):
    email: AccountEmail


async def invite(session: AsyncSession, actor: Actor, email: str, role: Role) -> InviteView:
    """Invite somebody by mail. Who was invited already is so anew, with this role.

    Raises:
        Forbidden: the actor may not change staff.
        InvalidData: the address is none, or one that not every mail server takes; `fields` says so.
        Duplicate: somebody of the staff has this address, maybe disabled.
        Conflict: somebody else invites the same address at this moment.
    """
    actor.require(Right.CHANGE_STAFF)
    address = read_form(_Address, {"email": email}).email
    if not address.isascii():
        told = _("Usa un correo sin tildes ni eñes: no todos los servidores lo reciben.")
        raise InvalidData("The address has letters that not every mail server takes", fields={"email": told})
    if await staff_with(session, address) is not None:
        told = _("Este correo ya está en el equipo.")
        raise Duplicate(f"Staff with email {address} already exists", fields={"email": told})
    known = await _locked_invite(session, StaffInvite.email == address)
    invited = known or StaffInvite(email=address, role=role, invited_by=actor.id)
    await record(session, actor, "invited", Subject(Thing.INVITATION, invited.id))
    invited.role, invited.invited_by, invited.sent_at = role, actor.id, None
    session.add(invited)
    try:
        await session.flush()
    except IntegrityError:
        raise Conflict("Somebody else invites this address at this moment") from None
    await publish(session, InviteAsked(invited.id))
    return _view(invited, is_over=False)


async def send_again(session: AsyncSession, actor: Actor, invite_id: str) -> InviteView:
    """Send a new link, which ends the one before; from now on the actor is the inviter.

    Raises:
        Forbidden: the actor may not change staff.
        NotFound: there is no such invitation; it may have been accepted.
    """
    actor.require(Right.CHANGE_STAFF)
    invited = await _require_invite(session, invite_id)
    await record(session, actor, "invitation sent again", Subject(Thing.INVITATION, invite_id))
    invited.invited_by, invited.sent_at = actor.id, None
    await session.flush()
    await publish(session, InviteAsked(invite_id))
    return _view(invited, is_over=False)


async def revoke_invite(session: AsyncSession, actor: Actor, invite_id: str) -> None:
    """Take an invitation back: its link opens nothing from now on.

    Raises:
        Forbidden: the actor may not change staff.
        NotFound: there is no such invitation; it may have been accepted.
    """
    actor.require(Right.CHANGE_STAFF)
    invited = await _require_invite(session, invite_id)
    await record(session, actor, "invitation revoked", Subject(Thing.INVITATION, invite_id))
    await session.delete(invited)


async def list_invites(session: AsyncSession, actor: Actor) -> Sequence[InviteView]:
    """The invitations that were not accepted yet, by address.

    Raises:
        Forbidden: the actor may not see staff.
    """
    actor.require_role(Right.CHANGE_STAFF)
    moment = await database_now(session)
    found = (await session.execute(select(StaffInvite).order_by(StaffInvite.email))).scalars()
    return [
        _view(one, is_over=(one.expires_at or moment) < moment or not await _stands(session, one))
        for one in found
    ]


async def read_invite(session: AsyncSession, actor: Actor, invite_id: str) -> InviteView:
    """One invitation.

    Raises:
        Forbidden: the actor may not see staff.
        NotFound: there is no such invitation; it may have been accepted.
    """
    for one in await list_invites(session, actor):
        if one.id == invite_id:
            return one
    raise _no_invite(invite_id)


async def write_letter(session: AsyncSession, invite_id: str) -> Letter | None:
    """What a mail for this invitation tells, with a new token; None when it stands no longer."""
    invited = await _locked_invite(session, StaffInvite.id == invite_id)
    if invited is None or not await _stands(session, invited):
        return None
    token = new_token()
    invited.token_hash = hash_of(token)
    invited.expires_at = await database_now(session) + LIFETIME
    await session.flush()
    return Letter(invited.email, Role(invited.role), token)


async def note_sent(session: AsyncSession, invite_id: str) -> None:
    """The invitation's mail has left."""
    invited = await _locked_invite(session, StaffInvite.id == invite_id)
    if invited is not None:
        invited.sent_at = await database_now(session)


async def accept(
    database: Database, token: str, password: str, *, client: Client, browser: Browser
) -> Accepted:
    """Become one of the staff by an invitation's link, once, and sign this browser in.

    Raises:
        InvalidData: the password is too short or too long (the link stays good), or `InviteOver`.
        TooManyRequests: too many links that open nothing lately.
    """
    require_strong(password)
    await limiter.hit(database, ACCEPTED, ANY_LINK, client)
    async with database.read() as session:
        if (await session.execute(select(StaffInvite.id).where(*_opened_by(token)))).first() is None:
            raise InviteOver
    hashed = await hash_password(password)
    async with database.transaction() as session:
        invited = await _locked_invite(session, *_opened_by(token))
        if invited is None or not await _stands(session, invited):
            raise InviteOver
        if await staff_with(session, invited.email) is not None:  # made on the command line since
            raise InviteOver
        member = Staff(email=invited.email, password_hash=hashed, role=invited.role)
        role = Role(invited.role)
        await record(session, Actor(member.id, role), "joined", Subject(Thing.STAFF, member.id))
        session.add(member)
        await session.delete(invited)
        try:
            await session.flush()
        except IntegrityError:  # made on the command line at this moment
            raise InviteOver from None
        opened = await open_session(session, member.id, browser, has_second_factor=False)
    await limiter.refund(database, ACCEPTED, ANY_LINK, client)
    return Accepted(opened, role, member.email)


def _opened_by(token: str) -> tuple[ColumnElement[bool], ...]:
    return (StaffInvite.token_hash == hash_of(token), StaffInvite.expires_at > db_now())


async def _stands(session: AsyncSession, invited: StaffInvite) -> bool:
    """Whether its inviter may still invite."""
    if invited.invited_by == COMMAND_LINE.id:
        return True
    inviter = await session.get(Staff, invited.invited_by, populate_existing=True)
    return (
        inviter is not None
        and inviter.disabled_at is None
        and Right.CHANGE_STAFF in RIGHTS[Role(inviter.role)]
    )


async def _locked_invite(session: AsyncSession, *which: object) -> StaffInvite | None:
    return (await session.execute(locked(select(StaffInvite).where(*which)))).scalar_one_or_none()  # type: ignore[arg-type]


async def _require_invite(session: AsyncSession, invite_id: str) -> StaffInvite:
    invited = await _locked_invite(session, StaffInvite.id == invite_id)
    if invited is None:
        raise _no_invite(invite_id)
    return invited


def _no_invite(invite_id: str) -> NotFound:
    return NotFound(f"Invite with id: {invite_id} was not found")


def _view(invited: StaffInvite, *, is_over: bool) -> InviteView:
    return InviteView(
        id=invited.id,
        email=invited.email,
        role=Role(invited.role),
        sent_at=invited.sent_at,
        expires_at=invited.expires_at,
        is_over=is_over,
        created_at=invited.created_at,
        updated_at=invited.updated_at,
    )
