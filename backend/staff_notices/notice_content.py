"""The content of a batch of notices, as mails and push messages show it."""

from dataclasses import dataclass

from backend.core.texts import _

MAX_LINES = 20
"""Maximum number of subjects that are listed; further subjects are only counted."""


@dataclass(frozen=True, slots=True)
class NoticeContent:
    """The content of a batch of notices. The subject of a notice is an order, a return, a review, and so on.

    Attributes:
        title: what happened, in one line.
        lines: one sentence per subject, for the first `MAX_LINES` subjects.
        more: number of subjects without a sentence in `lines`.
        picture: URL of a picture of the first subject's product; empty without one. Only push messages show it.
        path: address of the screen that shows the subjects.
        link_label: text of the button that opens this screen.
    """

    title: str
    lines: list[str]
    path: str
    link_label: str
    more: int = 0
    picture: str = ""


def format_units(units: int) -> str:
    """Format the units that a product has left."""
    if units <= 0:
        return _("agotado")
    return _("queda 1") if units == 1 else _("quedan {n}").format(n=units)
