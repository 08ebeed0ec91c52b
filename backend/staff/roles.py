"""Custom roles of staff: only the owner makes them, from rights that they have themselves.

A role is read from the database with every request, so a right that is removed from it is gone at once. A role with
members or invitations is deleted only after they have moved to another role.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.collation import fold
from backend.core.db.database import lock_rows, raise_on_conflict
from backend.core.db.tables import get_or_404
from backend.core.errors import Conflict, Duplicate, Forbidden, InvalidData, NotAllowed
from backend.core.texts import _
from backend.core.web.contact import to_one_line
from backend.staff.models import Staff, StaffInvite, StaffRole
from backend.staff.rights import OWNER_RIGHTS, RIGHTS, ROLE_NAMES, Actor, CustomRole, Right, Role

MAX_ROLES = 30
MAX_NAME_LENGTH = 40
NEEDED_RIGHTS = {
    Right.CHANGE_CATALOG: {Right.READ_CATALOG},
    Right.CHANGE_PROMOTIONS: {Right.READ_CATALOG},
    Right.CHANGE_CONTENT: {Right.READ_CATALOG},
    Right.CHANGE_STOCK: {Right.READ_CATALOG, Right.READ_STOCK},
    Right.CHANGE_CUSTOMERS: {Right.READ_CUSTOMERS},
    Right.ERASE_PERSONAL_DATA: {Right.READ_CUSTOMERS},
    Right.CANCEL_ORDERS: {Right.READ_ORDERS},
    Right.EDIT_ORDERS: {Right.READ_ORDERS},
    Right.FULFILL: {Right.READ_ORDERS},
    Right.CAPTURE_PAYMENTS: {Right.READ_ORDERS},
    Right.HANDLE_RETURNS: {Right.READ_ORDERS},
    Right.BOOK_REFUNDS: {Right.READ_ORDERS},
    Right.RESOLVE_ATTENTION: {Right.READ_ATTENTION},
    Right.RETRY_INVOICES: {Right.READ_INVOICES},
    Right.CHANGE_SETTINGS: {Right.READ_SETTINGS},
    Right.CHANGE_SHOP: {Right.READ_SETTINGS},
}
"""Rights without which another right is of no use. A role that has one gets the others too."""


class RoleInUse(NotAllowed):
    """The role cannot be deleted, because staff members or invitations have it."""

    staff_text = _("Alguien tiene este rol. Elige a cuál rol pasa.")


@dataclass(frozen=True, slots=True)
class RoleView:
    """A custom role, with the number of its staff members and invitations."""

    id: str
    name: str
    rights: frozenset[Right]
    users: int


def parse_rights(names: Iterable[str]) -> frozenset[Right]:
    """Return the rights with these stored names. Unknown names, and rights that only owners have, are left out."""
    return frozenset(Right[name] for name in names if name in Right.__members__) - OWNER_RIGHTS


def to_custom_role(name: str | None, rights: Sequence[str] | None) -> CustomRole | None:
    """Return the custom role with this name and these rights; None if both are None.

    They are columns of an outer join, and None for a staff member with a built-in role.
    """
    return None if name is None or rights is None else CustomRole(name, parse_rights(rights))


async def read_role_rows(session: AsyncSession) -> Sequence[StaffRole]:
    """Return the rows of all custom roles, sorted by name."""
    return (await session.execute(select(StaffRole).order_by(StaffRole.name_key))).scalars().all()


async def read_custom_roles(session: AsyncSession) -> dict[str, CustomRole]:
    """Return all custom roles by id, sorted by name."""
    return {row.id: CustomRole(row.name, parse_rights(row.rights)) for row in await read_role_rows(session)}


async def read_role_names(session: AsyncSession) -> dict[str, str]:
    """Return the names of all roles by `Role` or id: the built-in ones first."""
    return {**ROLE_NAMES, **{one: role.name for one, role in (await read_custom_roles(session)).items()}}


async def read_role_rights(session: AsyncSession) -> dict[str, frozenset[Right]]:
    """Return the rights of all roles, by the role's id."""
    return {**RIGHTS, **{one: role.rights for one, role in (await read_custom_roles(session)).items()}}


async def list_roles(session: AsyncSession, actor: Actor) -> list[RoleView]:
    """Return the custom roles, sorted by name.

    Raises:
        Forbidden: the actor may not see staff.
    """
    actor.require_role(Right.CHANGE_STAFF)
    users = await _count_users(session)
    roles = await read_custom_roles(session)
    return [RoleView(one, role.name, role.rights, users.get(one, 0)) for one, role in roles.items()]


async def create_role(session: AsyncSession, actor: Actor, name: str, rights: Collection[Right]) -> str:
    """Create a custom role.

    Returns:
        The role's id.

    Raises:
        Forbidden: the actor is no owner, or does not have one of the rights.
        InvalidData: the name or the rights are invalid; `fields` has the errors.
        Duplicate: another role has this name.
        NotAllowed: there are too many roles.
    """
    await _require_owner(session, actor)
    count = (await session.execute(select(func.count()).select_from(StaffRole))).scalar_one()
    if count >= MAX_ROLES:
        text = _("Ya hay {n} y no caben más. Borra lo que ya no uses.").format(n=MAX_ROLES)
        raise NotAllowed(f"A shop has at most {MAX_ROLES} custom roles", staff_text=text)
    role = StaffRole(name="", name_key="")
    await record(session, actor, "created", Subject(SubjectType.STAFF_ROLE, role.id))
    await _store(session, actor, role, name, rights)
    return role.id


async def change_role(
    session: AsyncSession,
    actor: Actor,
    role_id: str,
    name: str,
    rights: Collection[Right],
    *,
    seen: Collection[Right] | None = None,
) -> None:
    """Change the name and the rights of a custom role. The rights apply from its members' next request on.

    `seen` are the rights that were displayed to the actor. If it is None, the `Conflict` check is skipped.

    Raises:
        NotFound: there is no such role.
        Conflict: the current rights are not `seen`.
        Forbidden, InvalidData, Duplicate: see `create_role`.
    """
    await _require_owner(session, actor)
    role = await _lock_role(session, role_id)
    if seen is not None and parse_rights(role.rights) != frozenset(seen):
        raise Conflict(f"The rights of the role {role_id} have changed")
    await record(session, actor, "changed", Subject(SubjectType.STAFF_ROLE, role_id))
    await _store(session, actor, role, name, rights)


async def delete_role(session: AsyncSession, actor: Actor, role_id: str, move_to: str = "") -> None:
    """Delete a custom role. Its staff members and invitations get the role `move_to`.

    Raises:
        Forbidden: the actor is no owner.
        NotFound: there is no such role.
        RoleInUse: a staff member or an invitation has the role, and `move_to` is empty, this role, or the owner's.
        InvalidData: there is no role `move_to`.
    """
    await _require_owner(session, actor)  # locks the owners, so there is one deletion at a time
    role = await _lock_role(session, role_id)
    if (await _count_users(session)).get(role_id):
        if move_to in ("", role_id, Role.OWNER):
            raise RoleInUse(f"The role {role_id} has members or invitations: name the role that they get")
        await _move_users(session, actor, role_id, await require_assignable_role(session, move_to))
    await record(session, actor, "deleted", Subject(SubjectType.STAFF_ROLE, role_id))
    await session.delete(role)
    await session.flush()


async def require_assignable_role(session: AsyncSession, role: str) -> str:
    """Return the role after checking that it exists.

    A custom role is locked, so that it is not deleted during the transaction.

    Raises:
        InvalidData: there is no such role; `fields` has the error.
    """
    if role not in tuple(Role):
        found = await session.execute(lock_rows(select(StaffRole.id).where(StaffRole.id == role)))
        if found.scalar_one_or_none() is None:
            raise InvalidData(f"There is no role {role}", fields={"role": _("Elige un rol.")})
    return role


async def find_role(session: AsyncSession, text: str) -> str:
    """Return the role that a person names: a `Role`, or the id of a custom role.

    `text` is the name of a built-in role, or the name or id of a custom role.

    Raises:
        InvalidData: there is no such role.
    """
    roles = await read_custom_roles(session)
    by_name: dict[str, str] = {one: one for one in Role}
    by_name |= {fold(role.name): one for one, role in roles.items()}
    found = text if text in roles else by_name.get(fold(text))
    if found is None:
        names = ", ".join((*Role, *(role.name for role in roles.values())))
        raise InvalidData(f"There is no role {text}: choose one of them: {names}")
    return found


async def lock_owners(session: AsyncSession, actor: Actor) -> set[str]:
    """Lock the active owners and return their ids, so that two owners cannot disable each other.

    Raises:
        Forbidden: the actor was an owner when the request started, but is no longer one.
    """
    owners = select(Staff).where(IS_OWNER).order_by(Staff.id)
    ids = {owner.id for owner in (await session.execute(lock_rows(owners))).scalars()}
    if actor.session_id and actor.id not in ids:
        raise Forbidden(f"The role {actor.role} is no longer {actor.id}'s")
    return ids


IS_OWNER = (Staff.role == Role.OWNER) & Staff.disabled_at.is_(None)


async def _require_owner(session: AsyncSession, actor: Actor) -> None:
    actor.require(Right.CHANGE_STAFF)
    await lock_owners(session, actor)


async def _lock_role(session: AsyncSession, role_id: str) -> StaffRole:
    return await get_or_404(
        session, lock_rows(select(StaffRole).where(StaffRole.id == role_id)), "Role", role_id
    )


async def _store(
    session: AsyncSession, actor: Actor, role: StaffRole, name: str, rights: Collection[Right]
) -> None:
    name, wanted = to_one_line(name), frozenset(rights)
    problems = {}
    if not name or len(name) > MAX_NAME_LENGTH:
        problems["name"] = _("Escribe un nombre de hasta {n} letras.").format(n=MAX_NAME_LENGTH)
    if not wanted:
        problems["rights"] = _("Marca al menos un permiso.")
    if problems:
        raise InvalidData("Invalid role", fields=problems)
    wanted |= {needed for right in wanted for needed in NEEDED_RIGHTS.get(right, ())}
    if wanted & OWNER_RIGHTS or not wanted <= actor.rights:
        raise Forbidden("Nobody can give a right that they do not have, and only owners change staff")
    taken = Duplicate(f"Another role is named {name}", fields={"name": _("Ya hay un rol con este nombre.")})
    if fold(name) in {fold(str(one)) for one in (*Role, *ROLE_NAMES.values())}:
        raise taken
    async with raise_on_conflict(session, taken):
        role.name, role.name_key = name, fold(name)
        role.rights = sorted(right.name for right in wanted)
        session.add(role)


async def _count_users(session: AsyncSession) -> Mapping[str, int]:
    """Return the number of staff members and invitations by role.

    Invitations are counted first: a person who accepts one in the meantime is counted at least once.
    """
    users: dict[str, int] = {}
    for column in (StaffInvite.role, Staff.role):
        for role, count in await session.execute(select(column, func.count()).group_by(column)):
            users[role] = users.get(role, 0) + int(count)
    return users


async def _move_users(session: AsyncSession, actor: Actor, role_id: str, move_to: str) -> None:
    """Give the role `move_to` to the invitations and the staff members of a role.

    Invitations are moved first: a person who accepts one in the meantime is moved as a staff member.
    """
    invited = lock_rows(select(StaffInvite).where(StaffInvite.role == role_id).order_by(StaffInvite.id))
    for invite in (await session.execute(invited)).scalars().all():
        await record(session, actor, "changed", Subject(SubjectType.INVITATION, invite.id))
        invite.role = move_to
    members = lock_rows(select(Staff).where(Staff.role == role_id).order_by(Staff.id))
    for member in (await session.execute(members)).scalars().all():
        await record(session, actor, "changed", Subject(SubjectType.STAFF, member.id))
        member.role = move_to
    await session.flush()
