"""The office's team screen: staff members, invitations and custom roles."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import short_time_label
from backend.core.texts import _
from backend.office.team.account import missing_factor
from backend.office.team.notices import NoticeRow, to_notice_rows
from backend.office.team.roles import RoleForm, RoleOption, list_role_options, read_role_forms
from backend.office_settings import read_summary_hour
from backend.staff.invites import InviteView, list_invites
from backend.staff.models import StaffSession
from backend.staff.rights import Actor
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
    """All staff members, invitations and custom roles.

    `missing`: the step that the actor must take before a change, `PROVE` or `ENROL`; empty if none.
    """

    members: list[MemberRow]
    invites: list[InviteRow]
    missing: str
    roles: list[RoleForm] = field(default_factory=list)
    role_options: list[RoleOption] = field(default_factory=list)


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
    summary_hour = await read_summary_hour(session)
    roles = await read_role_forms(session, actor)
    options = list_role_options(roles)
    names = {option.value: option.label for option in options}
    members = [
        MemberRow(
            id=one.id,
            email=one.email,
            role=one.role,
            role_label=names.get(one.role, ""),
            has_second_factor=one.has_second_factor,
            is_disabled=one.is_disabled,
            is_self=one.id == actor.id,
            seen_label=short_time_label(seen[one.id]) if one.id in seen else "",
            notices=to_notice_rows(choices[one.id], summary_hour),
        )
        for one in staff
    ]
    invites = [_invite_row(one, names) for one in await list_invites(session, actor)]
    is_enrolled = any(one.is_self and one.has_second_factor for one in members)
    missing = missing_factor(actor, is_enrolled=is_enrolled)
    return TeamPage(members, invites, missing, roles, options)


def _invite_row(invite: InviteView, role_names: Mapping[str, str]) -> InviteRow:
    if invite.is_over:
        status, tone = _("Ya no sirve: envíala otra vez"), "bad"
    elif invite.sent_at is None or invite.expires_at is None:
        status, tone = _("El correo aún no sale"), "wait"
    else:
        status, tone = _("Vence {moment}").format(moment=short_time_label(invite.expires_at)), "plain"
    return InviteRow(invite.id, invite.email, role_names.get(invite.role, ""), status, tone)
