"""The table of push subscriptions."""

from sqlmodel import Field

from backend.core.db.tables import Timestamps
from backend.core.ids import new_id

SEND_PUSH = "staff_notices.push"
"""The job that sends a batch to a browser. Its key has the ids of the batch and of the subscription."""


class PushSubscription(Timestamps, table=True):
    """A browser in which a staff member gets notices. Its address and keys are personal data and secrets."""

    __tablename__ = "push_subscription"

    id: str = Field(default_factory=lambda: new_id("push"), primary_key=True)
    staff_id: str = Field(foreign_key="staff.id", index=True, ondelete="CASCADE")
    endpoint: str = Field(unique=True)
    """URL of the browser's push service. A program that knows it and the keys can send messages to the browser."""
    p256dh: str
    auth: str
    session_id: str = Field(default="", index=True)
    """The session in which it was added; empty for subscriptions of earlier releases."""
    device: str = ""
    """Names of the browser and of the operating system."""
