"""Conversion of roles and rights to the platform's roles and policies (platform: RBAC).

A right is a policy. Its id is derived from its name, and its key is `resource:operation`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.errors import InvalidData, require_found
from backend.edge.wire import iso
from backend.staff.answers import PolicyOut, RoleOut
from backend.staff.models import StaffRole
from backend.staff.rights import RIGHTS, ROLE_NAMES, Actor, Right
from backend.staff.roles import parse_rights, read_role_rows

PREFIX = "rpol_"
DEFAULT_RESOURCE = "order"
"""The resource of a right whose name contains no resource, such as `SELL`."""


@dataclass(frozen=True, slots=True)
class RoleDetail:
    """A built-in or a custom role. `row` is the stored custom role; None for a built-in role."""

    id: str
    name: str
    rights: frozenset[Right]
    row: StaffRole | None = None


async def read_roles(session: AsyncSession, actor: Actor) -> list[RoleDetail]:
    """Return all roles: first the built-in ones, then the custom ones by name.

    Raises:
        Forbidden: the actor may not see staff.
    """
    actor.require_role(Right.CHANGE_STAFF)
    built_in = [RoleDetail(role, ROLE_NAMES[role], rights) for role, rights in RIGHTS.items()]
    rows = await read_role_rows(session)
    return [*built_in, *(RoleDetail(row.id, row.name, parse_rights(row.rights), row) for row in rows)]


async def read_role(session: AsyncSession, actor: Actor, role_id: str) -> RoleDetail:
    """Return the role with this id.

    Raises:
        Forbidden: the actor may not see staff.
        NotFound: there is no such role.
    """
    roles = {role.id: role for role in await read_roles(session, actor)}
    return require_found(roles.get(role_id), "Role", role_id)


def role_wire(role: RoleDetail) -> RoleOut:
    """Return the role with its policies."""
    return {
        "id": role.id,
        "name": role.name,
        "description": None,
        "parent_id": None,
        "metadata": None,
        "policies": list_policies(role.rights),
        "created_at": iso(role.row.created_at) if role.row else None,
        "updated_at": iso(role.row.updated_at) if role.row else None,
        "deleted_at": None,
    }


def list_policies(rights: Iterable[Right]) -> list[PolicyOut]:
    """Return the policies of these rights, in the order of `Right`."""
    wanted = frozenset(rights)
    return [policy_wire(right) for right in Right if right in wanted]


def policy_wire(right: Right) -> PolicyOut:
    """Return the policy of a right."""
    operation, _underscore, resource = right.name.lower().partition("_")
    resource = resource or DEFAULT_RESOURCE
    return {
        "id": f"{PREFIX}{right.name}",
        "key": f"{resource}:{operation}",
        "resource": resource,
        "operation": operation,
        "name": right.name,
        "description": right.value,
        "metadata": None,
        "created_at": None,
        "updated_at": None,
        "deleted_at": None,
    }


def find_right(policy_id: str) -> Right | None:
    """Return the right of this policy; None if there is no such policy."""
    name = policy_id.removeprefix(PREFIX)
    return Right[name] if policy_id.startswith(PREFIX) and name in Right.__members__ else None


def parse_policies(policy_ids: Iterable[str]) -> frozenset[Right]:
    """Return the rights of these policies.

    Raises:
        InvalidData: one of the policies does not exist.
    """
    found = {policy_id: find_right(policy_id) for policy_id in policy_ids}
    missing = [policy_id for policy_id, right in found.items() if right is None]
    if missing:
        raise InvalidData(f"Policies with ids {', '.join(missing)} do not exist")
    return frozenset(right for right in found.values() if right is not None)
