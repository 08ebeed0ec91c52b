"""The staff member's own account in the office: second factor and open sessions."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import short_time_label
from backend.core.texts import _
from backend.office.team.notices import NoticeRow, read_notice_rows
from backend.staff.rights import Actor
from backend.staff.second_factor import recovery_codes_left
from backend.staff.service import read_staff
from backend.staff.sessions import sessions_of
from backend.staff_notices.push.subscriptions import list_subscriptions

PROVE, ENROL = "prove", "enrol"
"""Steps with the second factor that a staff member must take before they may change the team or the shop."""
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
"""Marks of browsers and systems in a user agent, the most specific first, with their names."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A browser in which the staff member is signed in."""

    id: str
    title: str
    detail: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """A browser in which the staff member gets notices by push messages."""

    id: str
    title: str
    detail: str


@dataclass(frozen=True, slots=True)
class OwnAccount:
    """The account of the signed-in staff member.

    Attributes:
        is_proved: True if they used their second factor to sign in.
        push_key: the shop's public key, with which a browser subscribes to push messages.
        has_push_here: True if the browser of this session receives push messages.
    """

    email: str
    role_label: str
    has_second_factor: bool
    is_proved: bool
    codes_left: int
    sessions: list[SessionRow]
    notices: list[NoticeRow]
    devices: list[DeviceRow]
    push_key: str
    has_push_here: bool


def missing_factor(actor: Actor, *, is_enrolled: bool) -> str:
    """Return the step that the actor must take before a change; empty if they used their second factor.

    It is `PROVE` if they signed in without their second factor, `ENROL` if they have none.
    """
    if actor.has_second_factor:
        return ""
    return PROVE if is_enrolled else ENROL


async def own_account(session: AsyncSession, actor: Actor, push_key: str) -> OwnAccount:
    """Return the actor's account with its sessions: the current browser first, then the others by sign-in time.

    `push_key` is the shop's public key for push messages.
    """
    member = await read_staff(session, actor, actor.id)
    found = await sessions_of(session, actor, actor.id)
    devices = await list_subscriptions(session, actor)
    return OwnAccount(
        email=member.email,
        role_label=actor.role_name,
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
        notices=await read_notice_rows(session, actor, actor.id),
        devices=[
            DeviceRow(row.id, row.device, _("desde {moment}").format(moment=short_time_label(row.created_at)))
            for row in devices
        ],
        push_key=push_key,
        has_push_here=any(row.session_id == actor.session_id for row in devices),
    )


def browser_name(user_agent: str) -> str:
    """Return the names of the browser and of the operating system in a user agent."""
    kinds = (next((name for mark, name in known if mark in user_agent), "") for known in (BROWSERS, SYSTEMS))
    return " · ".join(filter(None, kinds)) or _("Otro navegador")
