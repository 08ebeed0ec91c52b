"""Events for mails about sold-out products."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NoticeRequested:
    """Event: a customer requested a stock notice. The owner of the e-mail address must still confirm it."""

    notice_id: str


@dataclass(frozen=True, slots=True)
class BackInStock:
    """Event: the variant of the notice can be bought again."""

    notice_id: str
