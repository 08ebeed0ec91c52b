"""Reset of states when a browser tab loads another document.

Reflex identifies a page's state by the browser tab. When the tab loads a new document, Reflex first sends it the
whole state, with the values of the tab's previous address. The new document already contains the values of its own
address. So for a moment the page would display the previous values, which would cause a layout shift. To prevent
this, values of another address are removed from the state before it is sent.
"""

from collections.abc import Collection
from typing import Protocol, cast

import reflex as rx
from reflex.event import Event
from reflex.middleware.middleware import Middleware
from reflex.state import BaseState, StateUpdate

from storefront.reflex_ext.state_loss import HYDRATE


class AddressedState(Protocol):
    """State of a page that stores the address to which its values belong."""

    def _forget_other_page(self) -> None:
        """Reset the values if they do not belong to the browser's current address."""


class NewDocumentMiddleware(Middleware):
    """Middleware that resets states when a tab loads a new document, if they have values of the previous one."""

    def __init__(self, states: Collection[type[rx.State]]) -> None:
        """Create the middleware. `states` are the states of public pages, which are the same for all visitors."""
        self._states = frozenset(states)

    async def preprocess(self, app: rx.App, state: BaseState, event: Event) -> StateUpdate | None:  # noqa: ARG002
        """Reset the states at the first event of a document, and let every event pass.

        The first event is recognized by its digests of the page's initial values: no other event has them.
        """
        if event.name == HYDRATE and event.payload.get("hashes"):
            for shown in self._states:
                page = cast(AddressedState, await state.get_state(shown))
                page._forget_other_page()  # noqa: SLF001 - a public method would be an event that browsers may send
        return None
