"""Call background event handlers in tests, as Reflex calls them."""

from typing import Any

import reflex as rx


class InBackground:
    """A state as a background handler gets it: `async with` opens it for a change."""

    def __init__(self, state: rx.State) -> None:
        object.__setattr__(self, "state", state)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.state, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.state, name, value)

    async def __aenter__(self) -> "InBackground":
        return self

    async def __aexit__(self, *_: object) -> None:
        """Do nothing: there is nothing to close."""
