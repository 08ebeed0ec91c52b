"""Events of notices, for the package that sends e-mails."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NoticeMailRequested:
    """Event: a batch of notices is to be mailed to a staff member. Published in the transaction of the batch."""

    batch_id: str
    staff_id: str
