"""Events for mails about sold-out products."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NoticeRequested:
    """Event: a notice was requested, and the owner of the address must confirm it."""

    notice_id: str


@dataclass(frozen=True, slots=True)
class BackInStock:
    """Event: the variant of the notice can be bought again."""

    notice_id: str
