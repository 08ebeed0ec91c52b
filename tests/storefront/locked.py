"""A state that checks its lock, as a background handler gets it."""

import reflex as rx


class Locked:
    """A state that may be read only inside `async with`."""

    def __init__(self, state: rx.State) -> None:
        self._state = state
        self._is_inside = False

    async def __aenter__(self) -> "Locked":
        self._is_inside = True
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._is_inside = False

    def __getattr__(self, name: str) -> object:
        assert self._is_inside, f"{name} is read outside the state's lock"
        return getattr(self._state, name)
