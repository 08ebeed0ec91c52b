"""`rx.event` with the type it really has: it gives the method back that it marks."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import reflex as rx

Method = TypeVar("Method", bound=Callable[..., Any])


def event(*, supersedes: bool = False, debounce: int | None = None) -> Callable[[Method], Method]:
    """Make a method of a state an event handler, which any browser may call with any arguments.

    Args:
        supersedes: whether a later call takes the place of one that is still running.
        debounce: for how many milliseconds the browser waits for a later call before it sends one.
    """
    return cast("Callable[[Method], Method]", rx.event(supersedes=supersedes, debounce=debounce))
