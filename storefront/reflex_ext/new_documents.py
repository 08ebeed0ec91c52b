"""A tab that loads another document.

Reflex knows a page's state by its tab, and the first thing it sends to a new document is all that it knows: what the
tab's last address showed. The document itself has brought what its own address shows, and the page went back to the
other for a moment, and moved. So what was shown of another address is forgotten first.
"""

from collections.abc import Collection
from typing import Protocol, cast

import reflex as rx
from reflex.event import Event
from reflex.middleware.middleware import Middleware
from reflex.state import BaseState, StateUpdate

from storefront.reflex_ext.state_loss import HYDRATE


class AddressedState(Protocol):
    """A page's state, which knows the address that its values were shown for."""

    def _forget_elsewhere(self) -> None:
        """Forget what was shown of another address than the browser's."""


class NewDocumentMiddleware(Middleware):
    """Has the server forget what the earlier document of a tab showed, in states whose values documents bring."""

    def __init__(self, states: Collection[type[rx.State]]) -> None:
        """`states`: those of pages that show everybody the same."""
        self._states = frozenset(states)

    async def preprocess(self, app: rx.App, state: BaseState, event: Event) -> StateUpdate | None:  # noqa: ARG002
        """Every event goes on. The first of a document brings the digests of what its page began with."""
        if event.name == HYDRATE and event.payload.get("hashes"):
            for shown in self._states:
                page = cast(AddressedState, await state.get_state(shown))
                page._forget_elsewhere()  # noqa: SLF001 - a public method would be an event that browsers may send
        return None
