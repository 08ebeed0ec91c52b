"""A browser tab that loads another document.

Reflex identifies a page's state by its tab, and sends the whole state to a new document first: the values of the
tab's previous address. The document already contains the values of its own address, so the page showed the previous
ones for a moment, and moved. Therefore values of another address are removed from the state first.
"""

from collections.abc import Collection
from typing import Protocol, cast

import reflex as rx
from reflex.event import Event
from reflex.middleware.middleware import Middleware
from reflex.state import BaseState, StateUpdate

from storefront.reflex_ext.state_loss import HYDRATE


class AddressedState(Protocol):
    """A page's state that stores the address to which its values belong."""

    def _forget_other_page(self) -> None:
        """Reset the values if they belong to another address than the browser's."""


class NewDocumentMiddleware(Middleware):
    """Resets the values of a tab's earlier document, in states whose values documents contain."""

    def __init__(self, states: Collection[type[rx.State]]) -> None:
        """Create the middleware. `states` are the states of pages that are the same for everyone."""
        self._states = frozenset(states)

    async def preprocess(self, app: rx.App, state: BaseState, event: Event) -> StateUpdate | None:  # noqa: ARG002
        """Let every event pass. The first event of a document carries the digests of the page's initial values."""
        if event.name == HYDRATE and event.payload.get("hashes"):
            for shown in self._states:
                page = cast(AddressedState, await state.get_state(shown))
                page._forget_other_page()  # noqa: SLF001 - a public method would be an event that browsers may send
        return None
