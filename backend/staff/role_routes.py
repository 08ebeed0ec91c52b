"""Admin API of roles and policies (platform: RBAC). Policies are the shop's rights; the owner makes custom roles."""

from collections.abc import Iterable, Sequence
from typing import Annotated

from fastapi import APIRouter

from backend.core.errors import require_found
from backend.edge.dependencies import Db
from backend.edge.errors import REFUSALS
from backend.edge.query import paging_fields, pick_each, read_query, slice_page
from backend.edge.requests import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Deleted, Wire
from backend.staff import roles, service
from backend.staff.answers import (
    AddedPoliciesAnswer,
    PermissionsAnswer,
    PoliciesAnswer,
    PolicyAnswer,
    PolicyOut,
    RoleAnswer,
    RoleListAnswer,
    RolesAnswer,
    RoleUsersAnswer,
    StaffListAnswer,
)
from backend.staff.dependencies import StaffMember
from backend.staff.rights import OWNER_RIGHTS, Right
from backend.staff.role_wire import (
    RoleDetail,
    find_right,
    list_policies,
    parse_policies,
    policy_wire,
    read_role,
    read_roles,
    role_wire,
)
from backend.staff.schemas import (
    AddedPolicies,
    NewRole,
    PoliciesParameters,
    RoleChange,
    RolesParameters,
    RoleUsers,
    UserRoles,
    staff_wire,
)

router = APIRouter(prefix="/admin", route_class=WireRoute, responses=REFUSALS, tags=["admin: staff"])


@router.get("/rbac/me/permissions")
async def list_permissions(actor: StaffMember) -> Wire[PermissionsAnswer]:
    """Return the keys of the caller's policies. Some of them also require the second factor when they are used."""
    return Wire({"permissions": [policy["key"] for policy in list_policies(actor.rights)]})


@router.get("/rbac/roles")
async def list_roles(
    actor: StaffMember, params: Annotated[RolesParameters, read_query(RolesParameters)], database: Db
) -> Wire[RolesAnswer]:
    """List the roles: first the built-in ones, then the custom ones by name."""
    async with database.read() as session:
        return _roles_answer(await read_roles(session, actor), params)


@router.get("/rbac/roles/assignable")
async def list_assignable_roles(
    actor: StaffMember, params: Annotated[RolesParameters, read_query(RolesParameters)], database: Db
) -> Wire[RolesAnswer]:
    """List the roles that the caller may assign: all roles."""
    async with database.read() as session:
        return _roles_answer(await read_roles(session, actor), params)


@router.post("/rbac/roles")
async def create_role(actor: StaffMember, body: NewRole, database: Db) -> Wire[RoleAnswer]:
    """Create a custom role. It also gets the policies that the given ones require."""
    actor.require(Right.CHANGE_STAFF)
    async with database.transaction() as session:
        role_id = await roles.create_role(session, actor, body.name, parse_policies(body.policy_ids))
        return Wire({"role": role_wire(await read_role(session, actor, role_id))})


@router.get("/rbac/roles/{role_id}")
async def read(actor: StaffMember, role_id: str, database: Db) -> Wire[RoleAnswer]:
    """Return the role."""
    async with database.read() as session:
        return Wire({"role": role_wire(await read_role(session, actor, role_id))})


@router.post("/rbac/roles/{role_id}")
async def rename_role(actor: StaffMember, role_id: str, body: RoleChange, database: Db) -> Wire[RoleAnswer]:
    """Rename a custom role. 404 for a built-in one."""
    actor.require(Right.CHANGE_STAFF)
    async with database.transaction() as session:
        role = await read_role(session, actor, role_id)
        await roles.change_role(session, actor, role_id, body.name, role.rights, seen=role.rights)
        return Wire({"role": role_wire(await read_role(session, actor, role_id))})


@router.delete("/rbac/roles/{role_id}")
async def delete_role(actor: StaffMember, role_id: str, database: Db) -> Wire[Deleted]:
    """Delete a custom role. 400 if a staff member or an invitation has it."""
    actor.require(Right.CHANGE_STAFF)
    async with database.transaction() as session:
        await roles.delete_role(session, actor, role_id)
    return Wire({"id": role_id, "object": "rbac_role", "deleted": True})


@router.get("/rbac/roles/{role_id}/policies")
async def list_role_policies(
    actor: StaffMember,
    role_id: str,
    params: Annotated[PoliciesParameters, read_query(PoliciesParameters)],
    database: Db,
) -> Wire[PoliciesAnswer]:
    """List the policies of a role."""
    async with database.read() as session:
        role = await read_role(session, actor, role_id)
    return _policies_answer(list_policies(role.rights), params)


@router.post("/rbac/roles/{role_id}/policies")
async def add_policies(
    actor: StaffMember, role_id: str, body: AddedPolicies, database: Db
) -> Wire[AddedPoliciesAnswer]:
    """Add policies to a custom role, and the policies that they require."""
    actor.require(Right.CHANGE_STAFF)
    async with database.transaction() as session:
        role = await read_role(session, actor, role_id)
        rights = role.rights | parse_policies(body.policies)
        await roles.change_role(session, actor, role_id, role.name, rights, seen=role.rights)
        return Wire({"policies": role_wire(await read_role(session, actor, role_id))["policies"]})


@router.delete("/rbac/roles/{role_id}/policies/{policy_id}")
async def remove_policy(actor: StaffMember, role_id: str, policy_id: str, database: Db) -> Wire[Deleted]:
    """Remove a policy from a custom role. Its members lose the right with their next request.

    The final policy cannot be removed.
    """
    actor.require(Right.CHANGE_STAFF)
    right = require_found(find_right(policy_id), "Policy", policy_id)
    async with database.transaction() as session:
        role = await read_role(session, actor, role_id)
        await roles.change_role(session, actor, role_id, role.name, role.rights - {right}, seen=role.rights)
    return Wire({"id": policy_id, "object": "rbac_policy", "deleted": True})


@router.get("/rbac/roles/{role_id}/users")
async def list_role_users(
    actor: StaffMember,
    role_id: str,
    params: Annotated[ListParameters, read_query(ListParameters)],
    database: Db,
) -> Wire[StaffListAnswer]:
    """List the staff members who have a role, including disabled ones."""
    async with database.read() as session:
        await read_role(session, actor, role_id)
        found = [one for one in await service.list_staff(session, actor) if one.role == role_id]
    return Wire(
        {
            "users": pick_each(map(staff_wire, slice_page(found, params)), params),
            **paging_fields(len(found), params),
        }
    )


@router.post("/rbac/roles/{role_id}/users")
async def add_users(actor: StaffMember, role_id: str, body: RoleUsers, database: Db) -> Wire[RoleUsersAnswer]:
    """Give the role to staff members. It replaces their current role."""
    actor.require(Right.CHANGE_STAFF)
    async with database.transaction() as session:
        await read_role(session, actor, role_id)
        changed = [
            await service.change_staff(session, actor, user_id, role=role_id)
            for user_id in sorted(set(body.users))
        ]
    return Wire({"users": [staff_wire(one) for one in changed]})


@router.get("/rbac/policies")
async def list_all_policies(
    actor: StaffMember, params: Annotated[PoliciesParameters, read_query(PoliciesParameters)]
) -> Wire[PoliciesAnswer]:
    """List all policies: one for each right of the program."""
    actor.require_role(Right.CHANGE_STAFF)
    return _policies_answer(list_policies(Right), params)


@router.get("/rbac/policies/assignable")
async def list_assignable_policies(
    actor: StaffMember, params: Annotated[PoliciesParameters, read_query(PoliciesParameters)]
) -> Wire[PoliciesAnswer]:
    """List the policies that a custom role may have."""
    actor.require_role(Right.CHANGE_STAFF)
    return _policies_answer(list_policies(actor.rights - OWNER_RIGHTS), params)


@router.get("/rbac/policies/{policy_id}")
async def read_policy(actor: StaffMember, policy_id: str) -> Wire[PolicyAnswer]:
    """Return the policy."""
    actor.require_role(Right.CHANGE_STAFF)
    return Wire({"policy": policy_wire(require_found(find_right(policy_id), "Policy", policy_id))})


@router.get("/rbac/policies/{policy_id}/roles")
async def list_policy_roles(
    actor: StaffMember,
    policy_id: str,
    params: Annotated[RolesParameters, read_query(RolesParameters)],
    database: Db,
) -> Wire[RolesAnswer]:
    """List the roles that have a policy."""
    actor.require_role(Right.CHANGE_STAFF)
    right = require_found(find_right(policy_id), "Policy", policy_id)
    async with database.read() as session:
        found = [role for role in await read_roles(session, actor) if right in role.rights]
    return _roles_answer(found, params)


@router.get("/users/{user_id}/roles")
async def list_user_roles(
    actor: StaffMember,
    user_id: str,
    params: Annotated[RolesParameters, read_query(RolesParameters)],
    database: Db,
) -> Wire[RolesAnswer]:
    """List the roles of a staff member. A staff member has exactly one role."""
    async with database.read() as session:
        member = await service.read_staff(session, actor, user_id)
        found = [await read_role(session, actor, member.role)]
    return _roles_answer(found, params)


@router.post("/users/{user_id}/roles")
async def set_user_role(
    actor: StaffMember, user_id: str, body: UserRoles, database: Db
) -> Wire[RoleListAnswer]:
    """Give a staff member a role. It replaces the current role."""
    actor.require(Right.CHANGE_STAFF)
    async with database.transaction() as session:
        member = await service.change_staff(session, actor, user_id, role=body.roles[0])
        return Wire({"roles": [role_wire(await read_role(session, actor, member.role))]})


def _roles_answer(found: Sequence[RoleDetail], params: RolesParameters) -> Wire[RolesAnswer]:
    kept = [
        role
        for role in found
        if (params.id is None or role.id in params.id)
        and (params.name is None or role.name in params.name)
        and (params.q or "").casefold() in role.name.casefold()
    ]
    shown = pick_each([role_wire(role) for role in slice_page(kept, params)], params)
    return Wire({"roles": shown, **paging_fields(len(kept), params)})


def _policies_answer(found: Iterable[PolicyOut], params: PoliciesParameters) -> Wire[PoliciesAnswer]:
    kept = [
        policy
        for policy in found
        if (params.id is None or policy["id"] in params.id)
        and (params.key is None or policy["key"] in params.key)
        and (params.resource is None or policy["resource"] in params.resource)
        and (params.operation is None or policy["operation"] in params.operation)
        and (params.q or "").casefold() in policy["name"].casefold()
    ]
    return Wire({"policies": pick_each(slice_page(kept, params), params), **paging_fields(len(kept), params)})
