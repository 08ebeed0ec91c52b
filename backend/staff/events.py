"""Events of staff, for other packages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StaffSessionsEnded:
    """Event: browsers were signed out. Published in the transaction that ends their sessions."""

    session_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class StaffSessionReplaced:
    """Event: a browser was signed in again, maybe by another staff member, so its session has another id."""

    old_id: str
    new_id: str
    staff_id: str


@dataclass(frozen=True, slots=True)
class StaffPasswordChanged:
    """Event: the password of a staff member has been changed, by themselves or by another person."""

    staff_id: str
