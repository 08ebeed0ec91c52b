"""State machines: a table lists the allowed steps between the states of one kind."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Generic, TypeVar

S = TypeVar("S", bound=StrEnum)


class StepNotAllowed(RuntimeError):
    """The table does not allow this step. The caller should have checked first, so this is a programming error."""


class Transitions(Generic[S]):
    """The allowed steps between the states of one kind of object.

    Args:
        noun: the name of this kind of object, for error messages.
        steps: for each state, the states that may follow it. A state without an entry is final.
    """

    def __init__(self, noun: str, steps: Mapping[S, frozenset[S]]) -> None:
        self._noun = noun
        self._steps = dict(steps)

    def __iter__(self) -> Iterator[tuple[S, S]]:
        """Iterate over the allowed steps, as (from, to)."""
        return ((source, target) for source, targets in self._steps.items() for target in sorted(targets))

    def is_allowed(self, source: S, target: S) -> bool:
        """Return True if the table has the step from `source` to `target`. Staying in a state is not a step."""
        return target in self._steps.get(source, frozenset())

    def is_final(self, state: S) -> bool:
        """Return True if no step leaves this state."""
        return not self._steps.get(state)

    def require(self, source: S, target: S) -> S:
        """Return `target` if the step is allowed.

        Raises:
            StepNotAllowed: the table does not have this step.
        """
        if not self.is_allowed(source, target):
            raise StepNotAllowed(f"{self._noun}: no step leads from {source} to {target}")
        return target
