"""The notices that each staff member gets: their rights, and the kinds that were turned off."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.clock import now
from backend.core.db.tables import insert_into, table_of
from backend.core.errors import require_found
from backend.staff.models import Staff
from backend.staff.rights import Actor, Right
from backend.staff.roles import read_role_rights
from backend.staff_notices.kinds import RULES, NoticeKind
from backend.staff_notices.models import StaffNoticeChoice


class Channel(StrEnum):
    """A way to send notices. The value is the column of `StaffNoticeChoice`."""

    MAIL = "by_mail"
    PUSH = "by_push"


@dataclass(frozen=True, slots=True)
class NoticeChoice:
    """A kind of notice that a staff member may get, and the channels by which they get it."""

    kind: NoticeKind
    channels: frozenset[Channel]


ALL_CHANNELS = frozenset(Channel)


def list_kinds(rights: Collection[Right]) -> list[NoticeKind]:
    """Return the kinds of notices that a role with these rights may get."""
    return [kind for kind, rules in RULES.items() if rules.right in rights]


async def read_choices(session: AsyncSession, actor: Actor, staff_id: str) -> list[NoticeChoice]:
    """Return the kinds of notices that the staff member may get, each with the channels that are turned on.

    Raises:
        Forbidden: the actor is another staff member, and may not see staff.
        NotFound: the staff member does not exist.
    """
    if staff_id != actor.id:
        actor.require_role(Right.CHANGE_STAFF)
    member = require_found(await session.get(Staff, staff_id), "User", staff_id)
    return (await read_choices_of_all(session, actor, {staff_id: member.role}))[staff_id]


async def read_choices_of_all(
    session: AsyncSession, actor: Actor, roles: Mapping[str, str]
) -> dict[str, list[NoticeChoice]]:
    """Return the choices of several staff members by staff id. `roles` has their roles by staff id.

    Raises:
        Forbidden: `roles` contains a staff member other than the actor, and the actor may not see staff.
    """
    if roles.keys() - {actor.id}:
        actor.require_role(Right.CHANGE_STAFF)
    rows = select(StaffNoticeChoice).where(StaffNoticeChoice.staff_id.in_(roles))
    chosen = {(row.staff_id, row.kind): row for row in (await session.execute(rows)).scalars()}

    def read_channels(staff_id: str, kind: NoticeKind) -> frozenset[Channel]:
        row = chosen.get((staff_id, kind))
        return ALL_CHANNELS if row is None else frozenset(one for one in Channel if getattr(row, one))

    rights = await read_role_rights(session)
    return {
        staff_id: [
            NoticeChoice(kind, read_channels(staff_id, kind)) for kind in list_kinds(rights.get(role, ()))
        ]
        for staff_id, role in roles.items()
    }


async def save_choices(
    session: AsyncSession, actor: Actor, staff_id: str, chosen: Mapping[Channel, Collection[NoticeKind]]
) -> None:
    """Set which kinds of notices the staff member gets by each channel in `chosen`.

    In these channels, all other kinds are turned off; other channels are unchanged. Kinds that the role may not get
    are ignored.

    Raises:
        Forbidden: the actor is another staff member, and may not change staff.
        NotFound: the staff member does not exist.
    """
    if staff_id != actor.id:
        actor.require(Right.CHANGE_STAFF)
    current = {choice.kind: choice.channels for choice in await read_choices(session, actor, staff_id)}
    wanted = {
        kind: frozenset(one for one in Channel if (kind in chosen[one] if one in chosen else one in channels))
        for kind, channels in current.items()
    }
    changed = [kind for kind in current if wanted[kind] != current[kind]]
    if not changed:
        return
    changes = {
        CHANGE_NAMES[one]: (_list_names(current, one), _list_names(wanted, one))
        for one in Channel
        if _list_names(current, one) != _list_names(wanted, one)
    }
    await record(session, actor, "notices chosen", Subject(SubjectType.STAFF, staff_id), changes)
    moment = now()
    rows = [
        {
            "staff_id": staff_id,
            "kind": kind,
            **{str(one): one in wanted[kind] for one in Channel},
            "created_at": moment,
            "updated_at": moment,
        }
        for kind in changed
    ]
    await session.execute(_UPSERT, rows)


def _list_names(channels: Mapping[NoticeKind, Collection[Channel]], channel: Channel) -> list[str]:
    return [RULES[kind].name for kind, chosen in channels.items() if channel in chosen]


async def list_recipients(session: AsyncSession, kind: NoticeKind, channel: Channel) -> Sequence[Staff]:
    """Return the active staff members who get notices of this kind by this channel, sorted by id."""
    needed = RULES[kind].right
    roles = [role for role, rights in (await read_role_rights(session)).items() if needed in rights]
    column = getattr(StaffNoticeChoice, channel)
    is_off = exists().where(
        StaffNoticeChoice.staff_id == Staff.id, StaffNoticeChoice.kind == kind, column.is_(False)
    )
    query = select(Staff).where(Staff.disabled_at.is_(None), Staff.role.in_(roles), ~is_off)
    return (await session.execute(query.order_by(Staff.id))).scalars().all()


async def is_recipient(session: AsyncSession, kind: NoticeKind, staff_id: str, channel: Channel) -> bool:
    """Return True if this staff member gets notices of this kind by this channel now."""
    return any(member.id == staff_id for member in await list_recipients(session, kind, channel))


CHANGE_NAMES = {Channel.MAIL: "notices by mail", Channel.PUSH: "notices by push"}
"""Names of the changes in the audit."""
_INSERT = insert_into(table_of(StaffNoticeChoice))
_UPSERT = _INSERT.on_conflict_do_update(
    index_elements=["staff_id", "kind"],
    set_={name: _INSERT.excluded[name] for name in (*Channel, "updated_at")},
)
