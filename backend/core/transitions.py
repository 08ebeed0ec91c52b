"""States that only move along a table of allowed steps."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Generic, TypeVar

S = TypeVar("S", bound=StrEnum)


class StepNotAllowed(RuntimeError):
    """The table of this kind of state has no such step. The caller did not check first, which is a defect."""


class Transitions(Generic[S]):
    """The allowed steps between the states of one kind.

    Args:
        what: what has these states, for the message of a refused step.
        steps: by state, the states that may follow it. A state that is missing is final.
    """

    def __init__(self, what: str, steps: Mapping[S, frozenset[S]]) -> None:
        self._what = what
        self._steps = dict(steps)

    def __iter__(self) -> Iterator[tuple[S, S]]:
        """Every allowed step, as (from, to)."""
        return ((source, target) for source, targets in self._steps.items() for target in sorted(targets))

    def allow(self, source: S, target: S) -> bool:
        """Whether the step from `source` to `target` is in the table. To stay is no step."""
        return target in self._steps.get(source, frozenset())

    def is_final(self, state: S) -> bool:
        """Whether no step leads on from this state."""
        return not self._steps.get(state)

    def require(self, source: S, target: S) -> S:
        """The state after the step.

        Raises:
            StepNotAllowed: the table has no such step.
        """
        if not self.allow(source, target):
            raise StepNotAllowed(f"{self._what}: no step leads from {source} to {target}")
        return target
