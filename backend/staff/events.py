"""Events of staff that packages above listen to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StaffPasswordChanged:
    """A staff member has a new password, chosen by themselves or set for them."""

    staff_id: str
