"""Failures of event handlers that are answered where they happen, and not by Reflex's exception handler.

They count against the socket that sent the event all the same: whoever makes handlers fail in a row is cut off.
"""

from collections.abc import Callable

import reflex as rx

_count: list[Callable[[str], None]] = []


def count_failures_with(count: Callable[[str], None]) -> None:
    """From now on, `count` is told the name of the page whose event has failed."""
    _count[:] = [count]


def count_failure(state: rx.State) -> None:
    """An event of this state's page has failed for a reason that nobody foresaw, and was answered.

    A database that is away is no such reason.
    """
    for count in _count:
        count(state.router.session.client_token)
