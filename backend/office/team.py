"""What the office shows of those who work here: everybody and who is invited, and one's own account."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.dates import short_time_label
from backend.staff.invites import InviteView, list_invites
from backend.staff.models import StaffSession
from backend.staff.rights import ROLE_NAMES, Actor
from backend.staff.second_factor import recovery_codes_left
from backend.staff.service import list_staff, read_staff
from backend.staff.sessions import sessions_of
from backend.texts import _

PROVE, ENROL = "prove", "enrol"
"""What somebody has to do with their second factor before they may change the team, or the shop."""
BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "Mac"),
    ("Linux", "Linux"),
)
"""What a browser calls itself, the more telling first, and what people call it."""


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member of staff. `seen_label` is when a browser of theirs last asked for something; empty for never."""

    id: str
    email: str
    role: str
    role_label: str
    has_second_factor: bool
    is_disabled: bool
    is_self: bool
    seen_label: str


@dataclass(frozen=True, slots=True)
class InviteRow:
    """An invitation: how it stands, in words. `is_gone`: it was accepted or revoked while it was shown."""

    id: str
    email: str
    role_label: str
    status: str
    tone: str
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class TeamPage:
    """Everybody. `missing` is `PROVE` or `ENROL` where the actor cannot change anything yet."""

    members: list[MemberRow]
    invites: list[InviteRow]
    missing: str


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A browser that one is signed in with."""

    id: str
    title: str
    detail: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class OwnAccount:
    """One's own account. `is_proved`: this sign-in has the second factor."""

    email: str
    role_label: str
    has_second_factor: bool
    is_proved: bool
    codes_left: int
    sessions: list[SessionRow]


async def team_page(session: AsyncSession, actor: Actor) -> TeamPage:
    """Everybody who works here, and who is invited. It can be read without the second factor.

    Raises:
        Forbidden: the actor may not see staff.
    """
    staff = await list_staff(session, actor)
    seen_at = select(StaffSession.staff_id, func.max(StaffSession.last_seen_at)).group_by(
        StaffSession.staff_id
    )
    seen = dict((await session.execute(seen_at)).all())
    members = [
        MemberRow(
            id=one.id,
            email=one.email,
            role=one.role,
            role_label=ROLE_NAMES[one.role],
            has_second_factor=one.has_second_factor,
            is_disabled=one.is_disabled,
            is_self=one.id == actor.id,
            seen_label=short_time_label(seen[one.id]) if one.id in seen else "",
        )
        for one in staff
    ]
    invites = [_invite_row(one) for one in await list_invites(session, actor)]
    is_enrolled = any(one.is_self and one.has_second_factor for one in members)
    return TeamPage(members, invites, missing_factor(actor, is_enrolled=is_enrolled))


def missing_factor(actor: Actor, *, is_enrolled: bool) -> str:
    """`PROVE` where the actor signed in without their second factor, `ENROL` where they have none, else empty."""
    if actor.has_second_factor:
        return ""
    return PROVE if is_enrolled else ENROL


async def own_account(session: AsyncSession, actor: Actor) -> OwnAccount:
    """The actor's own account: this browser first, then the others in the order of their sign-in."""
    member = await read_staff(session, actor, actor.id)
    found = await sessions_of(session, actor, actor.id)
    return OwnAccount(
        email=member.email,
        role_label=ROLE_NAMES[member.role],
        has_second_factor=member.has_second_factor,
        is_proved=actor.has_second_factor,
        codes_left=await recovery_codes_left(session, actor),
        sessions=[
            SessionRow(
                id=one.id,
                title=browser_name(one.user_agent),
                detail=_("{address} · visto {moment}").format(
                    address=one.address, moment=short_time_label(one.last_seen_at)
                ),
                is_current=one.is_current,
            )
            for one in sorted(found, key=lambda one: (not one.is_current, one.created_at, one.id))
        ],
    )


def browser_name(user_agent: str) -> str:
    """What people call a browser, by what it calls itself."""
    kinds = (next((name for mark, name in known if mark in user_agent), "") for known in (BROWSERS, SYSTEMS))
    return " · ".join(filter(None, kinds)) or _("Otro navegador")


def _invite_row(invite: InviteView) -> InviteRow:
    if invite.is_over:
        status, tone = _("Ya no sirve: envíala otra vez"), "bad"
    elif invite.sent_at is None or invite.expires_at is None:
        status, tone = _("El correo aún no sale"), "wait"
    else:
        status, tone = _("Vence {moment}").format(moment=short_time_label(invite.expires_at)), "plain"
    return InviteRow(invite.id, invite.email, ROLE_NAMES[invite.role], status, tone)
