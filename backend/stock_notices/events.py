"""What is to be mailed about toys that are sold out."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NoticeAsked:
    """Somebody typed an address that is to be told: its owner is asked first."""

    notice_id: str


@dataclass(frozen=True, slots=True)
class BackInStock:
    """What the notice waits for can be bought again."""

    notice_id: str
