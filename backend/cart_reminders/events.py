"""Event of a reminder."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CartReminderDue:
    """Event: the e-mail that reminds a customer of their cart must be sent."""

    reminder_id: str
