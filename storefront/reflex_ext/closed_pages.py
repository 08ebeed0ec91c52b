"""What stays in memory of a page after its browser has gone.

Reflex keeps the state of each page for an hour. A page that comes back soon, after a lost connection or a reload, goes
on with it; nothing is lost without it (see `storefront.reflex_ext.state_loss`). So only the pages that were closed
last are kept.
"""

from collections import OrderedDict

import reflex as rx
from reflex.istate.manager.memory import StateManagerMemory
from reflex.istate.manager.token import BaseStateToken

MOST_CLOSED = 200
"""Closed pages whose state is kept: some 70 KiB each."""


class ClosedPages:
    """The closed pages whose state is still there, the one that was closed first before the others."""

    def __init__(self, app: rx.App, most: int = MOST_CLOSED) -> None:
        self._app = app
        self._most = most
        self._closed: OrderedDict[str, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._closed)

    def opened(self, token: str) -> None:
        """The page has a browser again."""
        self._closed.pop(token, None)

    def closed(self, token: str) -> None:
        """The page has lost its browser. The state of the oldest closed one goes when there are too many."""
        self._closed[token] = None
        self._closed.move_to_end(token)
        for oldest in list(self._closed)[: max(0, len(self._closed) - self._most)]:
            if self._released(oldest):
                del self._closed[oldest]

    def _released(self, token: str) -> bool:
        """Free the state of a page; False while an event is at work in it."""
        manager = self._app.state_manager
        if isinstance(manager, StateManagerMemory):  # in Redis they expire by themselves
            state = BaseStateToken(ident=token, cls=rx.State)
            lock = manager._states_locks.get(state.lock_key)  # noqa: SLF001 - Reflex has no call for it
            if lock is not None and lock.locked():
                return False
            manager._purge_token(state)  # noqa: SLF001 - as above
        return True
