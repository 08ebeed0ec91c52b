"""Events of staff, for other packages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StaffPasswordChanged:
    """A staff member has a new password, set by themselves or by another person."""

    staff_id: str
