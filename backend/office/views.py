"""View types that several screens of the office share."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChipView:
    """A chip with a status. `tone`: its colour, such as `good`, `wait`, `bad` or `plain`."""

    text: str
    tone: str
