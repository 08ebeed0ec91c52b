"""Bodies and responses of staff routes (wire: commerce-api, Customers and auth; Admin)."""

from typing import Annotated

from pydantic import Field

from backend.edge.schemas import (
    Body,
    FilledName,
    LenientBody,
    ListParameters,
    Name,
    Text,
    example,
)
from backend.edge.wire import iso, stamps
from backend.staff.answers import InviteOut, SessionOut, StaffOut
from backend.staff.invites import InviteView
from backend.staff.rights import Role
from backend.staff.service import StaffView
from backend.staff.sessions import SessionView


class StaffParameters(ListParameters):
    """Filters of a list of staff."""

    q: Name | None = Field(None, description="Part of an address.")


class StaffChange(Body):
    """Changes of a staff member; missing fields stay unchanged."""

    model_config = example(role="stockroom")

    role: Annotated[Role, Field(strict=False)] | None = None
    is_disabled: bool | None = None


POLICY = "rpol_READ_ORDERS"
PolicyIds = Annotated[list[FilledName], Field(min_length=1, max_length=100)]


class RolesParameters(ListParameters):
    """Filters of roles."""

    id: list[Name] | None = None
    name: list[Name] | None = None
    q: Name | None = Field(None, description="Part of the name.")


class PoliciesParameters(ListParameters):
    """Filters of policies."""

    id: list[Name] | None = None
    key: list[Name] | None = None
    resource: list[Name] | None = None
    operation: list[Name] | None = None
    q: Name | None = Field(None, description="Part of the name.")


class NewRole(Body):
    """A custom role. Roles have no parents, and no description."""

    model_config = example(name="Caja", policy_ids=[POLICY])

    name: FilledName
    policy_ids: PolicyIds


class RoleChange(Body):
    """The new name of a custom role."""

    model_config = example(name="Caja 2")

    name: FilledName


class AddedPolicies(Body):
    """Policies to add to a custom role."""

    model_config = example(policies=["rpol_READ_STOCK"])

    policies: PolicyIds


class RoleUsers(Body):
    """Staff members who get a role. It replaces their current role."""

    model_config = example(users=["user_01JPZ6V3N8K4T2WQ7RXB5C9MHD"])

    users: Annotated[list[FilledName], Field(min_length=1, max_length=100)]


class UserRoles(Body):
    """The role of a staff member. A member has exactly one."""

    model_config = example(roles=["stockroom"])

    roles: Annotated[list[FilledName], Field(min_length=1, max_length=1)]


class Typed(LenientBody):
    """Values of a back-office form. Each form uses some of these fields."""

    email: Text = ""
    password: Text = ""
    new_password: Text = ""
    code: Text = ""
    token: Text = ""


class NewInvite(Body):
    """Address and role of the person to invite."""

    model_config = example(email="lina@trompo.example", role="stockroom")

    email: Text
    role: Annotated[Role, Field(strict=False)] = Role.STOCKROOM


def staff_wire(staff: StaffView) -> StaffOut:
    """Return a staff member in the platform's format."""
    return {
        "id": staff.id,
        "email": staff.email,
        "first_name": None,
        "last_name": None,
        "avatar_url": None,
        "metadata": None,
        "role": staff.role,
        "is_disabled": staff.is_disabled,
        "has_second_factor": staff.has_second_factor,
        **stamps(staff.created_at, staff.updated_at),
    }


def invite_wire(invite: InviteView) -> InviteOut:
    """Return an invitation in the platform's format, without the token, which only the e-mail contains."""
    return {
        "id": invite.id,
        "email": invite.email,
        "accepted": False,
        "expires_at": iso(invite.expires_at),
        "metadata": None,
        "role": invite.role,
        "sent_at": iso(invite.sent_at),
        "is_over": invite.is_over,
        **stamps(invite.created_at, invite.updated_at),
    }


def session_wire(session: SessionView) -> SessionOut:
    """Return an open session, without its token."""
    return {
        "id": session.id,
        "created_at": iso(session.created_at),
        "last_seen_at": iso(session.last_seen_at),
        "expires_at": iso(session.expires_at),
        "has_second_factor": session.has_second_factor,
        "is_current": session.is_current,
        "user_agent": session.user_agent,
        "address": session.address,
    }
