"""View types that several screens of the office share."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChipView:
    """A coloured label with a status. `tone` is its colour: `good`, `wait`, `bad` or `plain`, for example."""

    text: str
    tone: str
