"""Event that asks the mail package to send a batch of notices."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NoticeMailRequested:
    """Event: a batch of notices is to be mailed to a staff member. Published in the transaction of the batch."""

    batch_id: str
    staff_id: str
