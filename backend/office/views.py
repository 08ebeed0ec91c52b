"""View types that several screens of the office share."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChipView:
    """A chip with the state of a thing. `tone`: its colour, such as `good`, `wait`, `bad` or `plain`."""

    text: str
    tone: str


@dataclass(frozen=True, slots=True)
class ActiveFilter:
    """A filter that is on: its label, and the address of the list without it."""

    label: str
    without: str
