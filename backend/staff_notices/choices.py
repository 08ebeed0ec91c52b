"""The notices that each staff member gets: their rights, and the kinds that were turned off."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.clock import now
from backend.core.db.tables import insert_into, table_of
from backend.core.errors import require_found
from backend.staff.models import Staff
from backend.staff.rights import RIGHTS, Actor, Right, Role
from backend.staff_notices.kinds import RULES, NoticeKind
from backend.staff_notices.models import StaffNoticeChoice


@dataclass(frozen=True, slots=True)
class NoticeChoice:
    """A kind of notice that a staff member may get. `by_mail`: True if it is mailed."""

    kind: NoticeKind
    by_mail: bool


def list_kinds(role: Role) -> list[NoticeKind]:
    """Return the kinds of notices that the role may get."""
    return [kind for kind, rules in RULES.items() if rules.right in RIGHTS[role]]


async def read_choices(session: AsyncSession, actor: Actor, staff_id: str) -> list[NoticeChoice]:
    """Return the kinds of notices that the staff member may get, and whether they get them.

    Raises:
        Forbidden: the actor is another staff member, and may not see staff.
        NotFound: the staff member does not exist.
    """
    if staff_id != actor.id:
        actor.require_role(Right.CHANGE_STAFF)
    member = require_found(await session.get(Staff, staff_id), "User", staff_id)
    return (await read_choices_of_all(session, actor, {staff_id: Role(member.role)}))[staff_id]


async def read_choices_of_all(
    session: AsyncSession, actor: Actor, roles: Mapping[str, Role]
) -> dict[str, list[NoticeChoice]]:
    """Return the choices of staff members by their ids. `roles` are their roles.

    Raises:
        Forbidden: one of them is another staff member than the actor, who may not see staff.
    """
    if roles.keys() - {actor.id}:
        actor.require_role(Right.CHANGE_STAFF)
    off = select(StaffNoticeChoice.staff_id, StaffNoticeChoice.kind).where(
        StaffNoticeChoice.staff_id.in_(roles), StaffNoticeChoice.by_mail.is_(False)
    )
    turned_off = {(staff_id, kind) for staff_id, kind in await session.execute(off)}
    return {
        staff_id: [NoticeChoice(kind, (staff_id, kind) not in turned_off) for kind in list_kinds(role)]
        for staff_id, role in roles.items()
    }


async def save_choices(
    session: AsyncSession, actor: Actor, staff_id: str, by_mail: Collection[NoticeKind]
) -> None:
    """Turn on these kinds of notices for the staff member, and turn off the others.

    Kinds that the role may not get are ignored.

    Raises:
        Forbidden: the actor is another staff member, and may not change staff.
        NotFound: the staff member does not exist.
    """
    if staff_id != actor.id:
        actor.require(Right.CHANGE_STAFF)
    current = await read_choices(session, actor, staff_id)
    changed = [choice.kind for choice in current if choice.by_mail != (choice.kind in by_mail)]
    if not changed:
        return
    change = (
        [RULES[choice.kind].name for choice in current if choice.by_mail],
        [RULES[choice.kind].name for choice in current if choice.kind in by_mail],
    )
    subject = Subject(SubjectType.STAFF, staff_id)
    await record(session, actor, "notices chosen", subject, {"notices by mail": change})
    moment = now()
    rows = [
        {
            "staff_id": staff_id,
            "kind": kind,
            "by_mail": kind in by_mail,
            "created_at": moment,
            "updated_at": moment,
        }
        for kind in changed
    ]
    await session.execute(_UPSERT, rows)


async def list_mail_recipients(session: AsyncSession, kind: NoticeKind) -> Sequence[Staff]:
    """Return the active staff members who get notices of this kind by mail, sorted by id."""
    roles = [role for role in Role if RULES[kind].right in RIGHTS[role]]
    is_off = exists().where(
        StaffNoticeChoice.staff_id == Staff.id,
        StaffNoticeChoice.kind == kind,
        StaffNoticeChoice.by_mail.is_(False),
    )
    query = select(Staff).where(Staff.disabled_at.is_(None), Staff.role.in_(roles), ~is_off)
    return (await session.execute(query.order_by(Staff.id))).scalars().all()


async def is_mail_recipient(session: AsyncSession, kind: NoticeKind, staff_id: str) -> bool:
    """Return True if this staff member gets notices of this kind by mail now."""
    return any(member.id == staff_id for member in await list_mail_recipients(session, kind))


_INSERT = insert_into(table_of(StaffNoticeChoice))
_UPSERT = _INSERT.on_conflict_do_update(
    index_elements=["staff_id", "kind"],
    set_={"by_mail": _INSERT.excluded.by_mail, "updated_at": _INSERT.excluded.updated_at},
)
