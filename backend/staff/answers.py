"""Responses of the Admin API with staff members and invitations."""

from typing_extensions import TypedDict

from backend.edge.wire import Page, Stamps


class StaffOut(Stamps):
    """A staff member. The platform has no fields `role`, `is_disabled` and `has_second_factor`: the shop adds them."""

    id: str
    email: str
    first_name: None
    last_name: None
    avatar_url: None
    metadata: None
    role: str
    is_disabled: bool
    has_second_factor: bool


class StaffAnswer(TypedDict):
    """Response with one staff member."""

    user: StaffOut


class StaffListAnswer(Page):
    """A page of the staff members."""

    users: list[StaffOut]


class InviteOut(Stamps):
    """An invitation of a staff member. The platform has no fields `role` and `sent_at`: the shop adds them."""

    id: str
    email: str
    accepted: bool
    expires_at: str | None
    metadata: None
    role: str
    sent_at: str | None
    is_over: bool


class InviteAnswer(TypedDict):
    """Response with one invitation."""

    invite: InviteOut


class InviteListAnswer(Page):
    """Response with the invitations that were not accepted yet."""

    invites: list[InviteOut]


class SessionOut(TypedDict):
    """An open session, without its token."""

    id: str
    created_at: str
    last_seen_at: str
    expires_at: str
    has_second_factor: bool
    is_current: bool
    user_agent: str
    address: str


class SessionsAnswer(TypedDict):
    """Response with a staff member's open sessions."""

    sessions: list[SessionOut]


class PolicyOut(TypedDict):
    """A policy, the platform's word for a right: it allows an operation on a kind of resource."""

    id: str
    key: str
    resource: str
    operation: str
    name: str
    description: str
    metadata: None
    created_at: None
    updated_at: None
    deleted_at: None


class RoleOut(TypedDict):
    """A role with its policies. `created_at` and `updated_at` of a built-in role are null."""

    id: str
    name: str
    description: None
    parent_id: None
    metadata: None
    policies: list[PolicyOut]
    created_at: str | None
    updated_at: str | None
    deleted_at: None


class RoleAnswer(TypedDict):
    """Response with one role."""

    role: RoleOut


class RolesAnswer(Page):
    """A page of the roles: first the built-in ones."""

    roles: list[RoleOut]


class RoleListAnswer(TypedDict):
    """Response with the roles of a staff member: exactly one."""

    roles: list[RoleOut]


class PolicyAnswer(TypedDict):
    """Response with one policy."""

    policy: PolicyOut


class PoliciesAnswer(Page):
    """A page of the policies."""

    policies: list[PolicyOut]


class AddedPoliciesAnswer(TypedDict):
    """Response with the policies of a role after some were added."""

    policies: list[PolicyOut]


class RoleUsersAnswer(TypedDict):
    """Response with the staff members to whom a role was given."""

    users: list[StaffOut]


class PermissionsAnswer(TypedDict):
    """Response with the keys of the caller's policies."""

    permissions: list[str]
