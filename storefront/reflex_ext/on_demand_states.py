"""States that are created only when one of their events arrives.

The office's states are such states: no customer needs them.

Reflex creates every state for every open page, compiles the defaults of every state into every page, and reads
every state from Redis when a page connects. For substates of a `StatesOnDemand`, it does none of that:

- In memory, a state is created at its first access. In Redis it is read at its first access, like any other state.
- The pages are compiled without the state. Its own pages contain its defaults (`assets/scripts/office/shell.jsx`).
- When a page connects, it receives nothing of the state, even if an earlier document of the tab created it. The
  page's `load` event sends all of it (`OfficeScreen.load`).

So such a state has no computed variables, and no variables that a browser stores.
"""

import weakref
from collections.abc import Sequence
from typing import Any

import reflex as rx
from reflex.state import BaseState, _override_base_method
from reflex_base.registry import RegistrationContext

Values = dict[str, Any]


class StatesOnDemand(rx.State, mixin=True):
    """A parent whose substates are created on demand. In a class definition it must come before `rx.State`."""

    def __init__(
        self, parent_state: BaseState | None = None, init_substates: bool = True, **more: Any
    ) -> None:
        super().__init__(parent_state, init_substates=False, **more)  # type: ignore[call-arg]  # of `BaseState`
        if init_substates and substates_of(type(self)):
            object.__setattr__(self, "substates", MadeOnDemand(self))

    @_override_base_method
    def dict(self, *arguments: Any, **named: Any) -> Values:
        """Return the state's own values, without the values of its substates."""
        own = self.get_full_name()
        return {own: super().dict(*arguments, **named)[own]}

    @classmethod
    @_override_base_method
    def get_substates(cls) -> set[type[BaseState]]:
        """Return no substates, so that Reflex neither creates, compiles nor reads them in advance."""
        return set()

    @classmethod
    @_override_base_method
    def get_class_substate(cls, path: Sequence[str] | str) -> type[BaseState]:  # type: ignore[override]  # is cached
        """Return the state class at a path of names.

        Raises:
            ValueError: there is no such state.
        """
        names = tuple(path.split(".") if isinstance(path, str) else path)
        if names[:1] == (cls.get_name(),):
            names = names[1:]
        if not names:
            return cls
        for state in substates_of(cls):
            if state.get_name() == names[0]:
                return state.get_class_substate(names[1:])
        raise ValueError(f"Invalid path: {names}")


class MadeOnDemand(dict[str, BaseState]):
    """The substates of a state by name. A substate is created at its first access."""

    __slots__ = ("_parent",)

    def __init__(self, parent: BaseState) -> None:
        super().__init__()
        self._parent = weakref.ref(parent)

    def __contains__(self, name: object) -> bool:
        """Return True if a substate of this name can exist."""
        return super().__contains__(name) or self._kind(name) is not None

    def __missing__(self, name: str) -> BaseState:
        """Create the substate."""
        kind, parent = self._kind(name), self._parent()
        if kind is None or parent is None:
            raise KeyError(name)
        made = kind(parent_state=parent, _reflex_internal_init=True)
        self[name] = made
        return made

    def _kind(self, name: object) -> type[BaseState] | None:
        parent = self._parent()
        if parent is None:
            return None
        return next((kind for kind in substates_of(type(parent)) if kind.get_name() == name), None)


def substates_of(state: type[BaseState]) -> set[type[BaseState]]:
    """Return the substates of a state, including those created on demand."""
    return RegistrationContext.get().get_substates(state)
