"""Events of staff, for other packages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StaffPasswordChanged:
    """Event: the password of a staff member has been changed, by themselves or by another person."""

    staff_id: str
