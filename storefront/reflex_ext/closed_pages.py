"""Limit of the number of page states that stay in memory after their browser has disconnected.

Reflex stores the state of each page for an hour. A page that reconnects soon, after a lost connection or a reload,
continues with it. A page without its state loses nothing (see `storefront.reflex_ext.state_loss`), so only the
states of the most recently closed pages are stored.
"""

from collections import OrderedDict

import reflex as rx
from reflex.istate.manager.memory import StateManagerMemory
from reflex.istate.manager.token import BaseStateToken

MAX_CLOSED_PAGES = 200
"""Closed pages whose state is kept: about 70 KiB each."""


class ClosedPages:
    """The closed pages whose state still exists, in the order in which they were closed."""

    def __init__(self, app: rx.App, most: int = MAX_CLOSED_PAGES) -> None:
        self._app = app
        self._most = most
        self._closed: OrderedDict[str, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._closed)

    def record_opened(self, token: str) -> None:
        """Remove the page from the closed ones, because a browser shows it again. Its state is not freed."""
        self._closed.pop(token, None)

    def record_closed(self, token: str) -> None:
        """Record that the page has lost its browser.

        If there are too many closed pages, free the states of the oldest ones.
        """
        self._closed[token] = None
        self._closed.move_to_end(token)
        for oldest in list(self._closed)[: max(0, len(self._closed) - self._most)]:
            if self._release(oldest):
                del self._closed[oldest]

    def _release(self, token: str) -> bool:
        """Free the state of a page.

        Return False if this is not possible because an event of the page is being handled.
        """
        manager = self._app.state_manager
        if isinstance(manager, StateManagerMemory):  # in Redis they expire automatically
            state = BaseStateToken(ident=token, cls=rx.State)
            lock = manager._states_locks.get(state.lock_key)  # noqa: SLF001 - Reflex has no call for it
            if lock is not None and lock.locked():
                return False
            manager._purge_token(state)  # noqa: SLF001 - as above
        return True
