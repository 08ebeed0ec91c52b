"""The office's team screen: staff members and invitations."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import short_time_label
from backend.core.texts import _
from backend.office.team.account import missing_factor
from backend.office.team.notices import NoticeRow, to_notice_rows
from backend.staff.invites import InviteView, list_invites
from backend.staff.models import StaffSession
from backend.staff.rights import ROLE_NAMES, Actor
from backend.staff.service import list_staff
from backend.staff_notices.choices import read_choices_of_all


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A staff member. `seen_label`: time of their newest request; empty if they never made one."""

    id: str
    email: str
    role: str
    role_label: str
    has_second_factor: bool
    is_disabled: bool
    is_self: bool
    seen_label: str
    notices: list[NoticeRow]


@dataclass(frozen=True, slots=True)
class InviteRow:
    """An invitation with its status in words. `is_gone`: it was accepted or revoked while the list was open."""

    id: str
    email: str
    role_label: str
    status: str
    tone: str
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class TeamPage:
    """All staff members and invitations.

    `missing`: the step that the actor must take before a change, `PROVE` or `ENROL`; empty if none.
    """

    members: list[MemberRow]
    invites: list[InviteRow]
    missing: str


async def team_page(session: AsyncSession, actor: Actor) -> TeamPage:
    """Return all staff members and invitations. Reading them does not need the second factor.

    Raises:
        Forbidden: the actor may not see staff.
    """
    staff = await list_staff(session, actor)
    seen_at = select(StaffSession.staff_id, func.max(StaffSession.last_seen_at)).group_by(
        StaffSession.staff_id
    )
    seen = dict((await session.execute(seen_at)).all())
    choices = await read_choices_of_all(session, actor, {one.id: one.role for one in staff})
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
            notices=to_notice_rows(choices[one.id]),
        )
        for one in staff
    ]
    invites = [_invite_row(one) for one in await list_invites(session, actor)]
    is_enrolled = any(one.is_self and one.has_second_factor for one in members)
    return TeamPage(members, invites, missing_factor(actor, is_enrolled=is_enrolled))


def _invite_row(invite: InviteView) -> InviteRow:
    if invite.is_over:
        status, tone = _("Ya no sirve: envíala otra vez"), "bad"
    elif invite.sent_at is None or invite.expires_at is None:
        status, tone = _("El correo aún no sale"), "wait"
    else:
        status, tone = _("Vence {moment}").format(moment=short_time_label(invite.expires_at)), "plain"
    return InviteRow(invite.id, invite.email, ROLE_NAMES[invite.role], status, tone)
